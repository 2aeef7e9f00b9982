use super::data::Given;
use super::*;
use crate::error::Exit;

fn points(stress: impl Fn(Experiment, f64) -> f64, stretches: &[f64]) -> Vec<Point> {
    let of = |experiment| {
        let point = |s: &f64| Point { experiment, stretch: *s, stress: stress(experiment, *s), weight: 1.0 };
        stretches.iter().map(point).collect::<Vec<_>>()
    };
    Experiment::ALL.into_iter().flat_map(of).collect()
}

/// Treloar's rubber, of which 53 points are in the repository.
fn treloar() -> Vec<Point> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("papers/treloar-1944.csv");
    data::read(&path, &Given::default()).unwrap()
}

#[test]
fn nearly_incompressible_solids_have_the_stress_of_incompressible_ones() {
    let poisson = 0.499_999;
    let material = Material::elastic("neo-hookean", 2.0 * (1.0 + poisson), poisson).unwrap();
    for experiment in Experiment::ALL {
        for s in [0.5, 0.8, 1.3, 2.0, 4.0] {
            let (got, want) = (experiment.stress(&material, s, poisson), experiment.incompressible(s));
            assert!((got - want).abs() < 1e-4 * want.abs(), "{experiment:?} {s}: {got} {want}");
        }
    }
}

#[test]
fn the_modulus_that_made_the_points_comes_back() {
    // Some laws have no equilibrium with free sides at large stretches; those of Saint Venant and Kirchhoff collapse when pressed.
    let all = [0.6, 0.9, 1.2, 1.8, 3.0];
    for (model, poisson, stretches) in [
        ("neo-hookean", 0.49, &all[..]),
        ("stable-neo-hookean", 0.4, &all),
        ("corotated", 0.3, &all[..4]),
        ("stvk", 0.2, &[1.1, 1.2, 1.3]),
    ] {
        let made = Material::elastic(model, 3.7e5, poisson).unwrap();
        let points = points(|e, s| e.stress(&made, s, poisson), stretches);
        for errors in [Errors::Absolute, Errors::Relative] {
            let fit = Fit::new(&Family::find(model, 0).unwrap(), &points, poisson, errors).unwrap();
            let young = fit.parameters.young.unwrap();
            assert!((young / 3.7e5 - 1.0).abs() < 1e-8, "{model}: {young}");
            assert!((fit.young() / 3.7e5 - 1.0).abs() < 1e-8 && fit.bounded.is_empty());
            assert!(fit.deviation(&points, None).relative < 1e-8);
        }
    }
}

/// Mooney's plot: with two moduli, P/(s − s⁻²) is 2c₁ + 2c₂/s of an incompressible strip.
#[test]
fn the_two_moduli_of_mooney_and_rivlin_come_back_and_stay_above_their_bounds() {
    let stretches = [0.7, 0.9, 1.1, 1.5, 2.0, 2.5];
    let strip = |c1: f64, c2: f64| move |s: f64| Experiment::Uniaxial.incompressible(s) * 2.0 * (c1 + c2 / s);
    let only_uniaxial = |stress: &dyn Fn(f64) -> f64| {
        points(|_, s| stress(s), &stretches)
            .into_iter()
            .filter(|p| p.experiment == Experiment::Uniaxial)
            .collect::<Vec<_>>()
    };
    let fit =
        Fit::new(&Family::MooneyRivlin, &only_uniaxial(&strip(1.6e5, 0.5e5)), 0.499_999, Errors::Absolute)
            .unwrap();
    let [c1, c2] = [fit.parameters.c1, fit.parameters.c2].map(Option::unwrap);
    assert!((c1 / 1.6e5 - 1.0).abs() < 1e-3 && (c2 / 0.5e5 - 1.0).abs() < 1e-3, "{c1} {c2}");
    let fit =
        Fit::new(&Family::MooneyRivlin, &only_uniaxial(&strip(1.6e5, -0.3e5)), 0.499_999, Errors::Absolute)
            .unwrap();
    assert!(fit.parameters.c2 == Some(0.0) && fit.bounded == ["c2"], "{fit:?}");
}

/// Published fits of these data: neo-Hookean G of about 0.39 MPa at small and moderate stretches (Treloar 1944), and three terms
/// of Ogden's within some per cent of all 53 points (Ogden 1972). A spline can do as much as any sum of such terms.
#[test]
fn treloars_rubber_is_fitted_as_in_the_literature() {
    let points = treloar();
    assert_eq!(points.len(), 53);
    let moderate: Vec<Point> = points.iter().filter(|p| p.stretch < 3.0).copied().collect();
    let neo = Fit::new(&Family::Elastic("neo-hookean"), &moderate, 0.499, Errors::Absolute).unwrap();
    let g = neo.young() / 3.0;
    // The line of least squares through the stresses of an incompressible solid of unit modulus.
    let unit = |p: &Point| p.experiment.incompressible(p.stretch);
    let closed = moderate.iter().map(|p| unit(p) * p.stress).sum::<f64>()
        / moderate.iter().map(|p| unit(p).powi(2)).sum::<f64>();
    assert!((g / closed - 1.0).abs() < 5e-3, "{g} {closed}");
    assert!((g / 0.39e6 - 1.0).abs() < 0.15, "{g}");
    let fits = ["neo-hookean", "mooney-rivlin", "spline"].map(|model| {
        let family = Family::find(model, 14).unwrap();
        Fit::new(&family, &points, 0.499, Errors::Absolute).unwrap().deviation(&points, None).absolute
    });
    // A second modulus cannot do harm, and does no good: it ends at its bound.
    assert!(fits[1] <= fits[0] * (1.0 + 1e-9) && fits[1] > fits[2], "{fits:?}");
    assert!(fits[2] < 0.06e6, "{fits:?}");
}

#[test]
fn the_curve_of_a_fitted_spline_ascends_and_is_free_of_stress_at_rest() {
    let fit = Fit::new(&Family::Spline(12), &treloar(), 0.49, Errors::Relative).unwrap();
    let [a, b] = [&fit.parameters.a, &fit.parameters.b].map(|curve| curve.as_ref().unwrap());
    assert_eq!(a.len() + b.len(), 12);
    for curve in [a, b] {
        assert!(curve.windows(2).all(|w| w[1][0] > w[0][0] && w[1][1] >= w[0][1]), "{curve:?}");
        assert_eq!(curve[0], [0.0, 0.0]);
    }
    for experiment in Experiment::ALL {
        assert!(experiment.stress(&fit.material, 1.0, 0.49).abs() < 1e-6 * fit.young(), "{experiment:?}");
    }
    let [mu, lambda] = fit.material.solid.moduli();
    assert!((0.5 * lambda / (lambda + mu) - 0.49).abs() < 1e-9);
    assert!(fit.unstable.is_empty(), "{:?}", fit.unstable);
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let falling = points(|_, s| 1.0 - s, &[1.5, 2.0]);
    let error = Fit::new(&Family::Elastic("corotated"), &falling, 0.3, Errors::Absolute).unwrap_err();
    assert!(error.exit() == Exit::Usage && error.to_string().contains("do not grow"), "{error}");
    let growing = points(|_, s| s - 1.0, &[1.5, 2.0]);
    let error = Fit::new(&Family::MooneyRivlin, &growing, 0.3, Errors::Absolute).unwrap_err().to_string();
    assert!(error.contains("at least 1/3"), "{error}");
    let at_rest = points(|_, s| s - 1.0, &[1.0]);
    assert!(Fit::new(&Family::MooneyRivlin, &at_rest, 0.49, Errors::Relative).is_err());
    for (name, expected) in [("rubber", "neo-hookean, mooney-rivlin, spline"), ("arap", "corotated")] {
        let reason = Family::find(name, 8).unwrap_err().reason;
        assert!(reason.contains(expected), "{reason}");
    }
    assert_eq!(Family::find("spline", 3).unwrap_err().key, "knots");
}
