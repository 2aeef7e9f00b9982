//! `[body.control]`: the momenta and energy that a body should have, and the solvers that support it.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::force;
use crate::scene;
use crate::step::constraint::Kept;

/// Validates the control of a body that stands at `at`.
pub fn resolve(body: &raw::Body, at: &KeyPath, report: &mut Report) -> scene::Control {
    let Some(control) = &body.control else { return scene::Control::default() };
    let names = control.conserve.as_deref();
    let keeps = |name| names.is_none_or(|names| names.contains(&name));
    let kept = [raw::Conserved::Linear, raw::Conserved::Angular, raw::Conserved::Energy].map(keeps);
    let damping = control.damping.unwrap_or(0.0);
    report.check(damping >= 0.0, at.join("damping"), "must not be negative");
    let given = [
        ("linear_momentum", control.linear_momentum.is_some()),
        ("angular_momentum", control.angular_momentum.is_some()),
        ("energy", control.energy.is_some()),
        ("damping", damping > 0.0),
    ];
    for ((key, given), (kept, name)) in given.into_iter().zip([
        (kept[0], "linear"),
        (kept[1], "angular"),
        (kept[2], "energy"),
        (kept[2], "energy"),
    ]) {
        report.check(!given || kept, at.join(key), format!("needs \"{name}\" in conserve"));
        report.check(
            !given || key == "energy" || body.pin.is_empty(),
            at.join(key),
            "is for bodies without pins, which change momenta",
        );
    }
    report.check(
        !(given[2].1 && given[3].1),
        at.join("damping"),
        "has no meaning beside energy, which is prescribed",
    );
    scene::Control {
        conserve: Kept { linear: kept[0], angular: kept[1], energy: kept[2] },
        damping,
        linear: control
            .linear_momentum
            .as_ref()
            .map(|t| force::track(t, |v| v, &at.join("linear_momentum"), report)),
        angular: (control.angular_momentum.as_ref())
            .map(|t| force::track(t, |v| v, &at.join("angular_momentum"), report)),
        energy: control.energy.as_ref().map(|t| force::track(t, |v| [v], &at.join("energy"), report)),
    }
}

/// Refuses settings that do not go with the solver's way of keeping momenta and energy. `keeps` is true if the
/// solver itself does it.
pub fn check(config: &raw::Config, keeps: bool, name: &str, report: &mut Report) {
    let fepr = config.solver.fepr.unwrap_or(false);
    let at = KeyPath::parse("solver.fepr");
    report.check(!(fepr && keeps), at, format!("solver '{name}' keeps momenta and energy by itself"));
    let integrator = config.time.integrator.unwrap_or_default();
    let at = KeyPath::parse("time.integrator");
    report.check(
        !(keeps && integrator != raw::Integrator::ImplicitEuler),
        at.clone(),
        format!("solver '{name}' goes with \"implicit-euler\""),
    );
    let bdf2 = integrator == raw::Integrator::Bdf2;
    report.check(!(fepr && bdf2), at, "solver.fepr goes with \"implicit-euler\" and \"midpoint\"");
    for (i, body) in config.body.iter().enumerate() {
        let at = KeyPath::parse("body").join(i);
        if body.control.is_some() && !(keeps || fepr) {
            report.warnings.push(format!(
                "body.{i}.control has no effect with solver '{name}': use \"constrained-pd\" or solver.fepr = true"
            ));
        }
        let damped = [body.damping.mass, body.damping.stiffness].iter().flatten().any(|c| *c > 0.0);
        if fepr && damped {
            let hint = "use damping of body.control, which leaves momenta alone";
            report.value(at.join("damping"), "does not go with solver.fepr, which keeps energy", hint);
        }
    }
}
