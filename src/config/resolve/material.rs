//! Materials and other quantities that may differ from cell to cell.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::{pin, refuse_keys};
use crate::error::suggest::suggestion;
use crate::scene;
use elements::energy::material::{self, MODELS, Material, Parameters};

/// A quantity whose values must be above 0.
pub fn positive(raw: Option<&raw::Quantity>, at: &KeyPath, report: &mut Report) -> scene::Quantity {
    let quantity = raw.map_or(scene::Quantity::Constant(1.0), |raw| quantity(raw, at, report));
    match &quantity {
        scene::Quantity::Constant(value) => report.check(*value > 0.0, at.clone(), "must be above 0"),
        scene::Quantity::Array(_) => {}
        scene::Quantity::Selections(places) => {
            for (i, (_, value)) in places.iter().enumerate() {
                report.check(*value > 0.0, at.join(i).join("value"), "must be above 0");
            }
        }
    }
    quantity
}

/// A quantity; the range of its values is checked elsewhere.
fn quantity(raw: &raw::Quantity, at: &KeyPath, report: &mut Report) -> scene::Quantity {
    match raw {
        raw::Quantity::Number(value) => scene::Quantity::Constant(*value),
        raw::Quantity::Array(array) => scene::Quantity::Array(array.array.clone()),
        raw::Quantity::Places(places) => {
            report.check(!places.is_empty(), at.clone(), "wants at least one { select, value }");
            let place = |(i, place): (usize, &raw::Place)| {
                (selection(place.select.as_ref(), &at.join(i), report), place.value)
            };
            scene::Quantity::Selections(places.iter().enumerate().map(place).collect())
        }
    }
}

fn selection(select: Option<&raw::Select>, at: &KeyPath, report: &mut Report) -> scene::Selection {
    select.map_or(scene::Selection::All, |select| pin::selection(select, &at.join("select"), report))
}

/// The materials of a body; `None` if there are faults, which the report has.
pub fn parts(
    materials: &raw::OneOrMany<raw::Material>,
    at: &KeyPath,
    report: &mut Report,
) -> Option<Vec<scene::MaterialPart>> {
    let place = |i: usize| match materials {
        raw::OneOrMany::One(_) => at.clone(),
        raw::OneOrMany::Many(_) => at.join(i),
    };
    let parts: Vec<_> = (materials.as_slice().iter().enumerate())
        .map(|(i, material)| part(material, &place(i), report))
        .collect();
    parts.into_iter().collect()
}

fn part(raw: &raw::Material, at: &KeyPath, report: &mut Report) -> Option<scene::MaterialPart> {
    let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    let Some(name) = &raw.model else {
        report.value(at.join("model"), "missing", format!("valid models: {}", names.join(", ")));
        return None;
    };
    let Some(model) = MODELS.iter().find(|model| model.name == name) else {
        let hint = suggestion(name, "models", &names);
        report.value(at.join("model"), format!("unknown material '{name}'"), hint);
        return None;
    };
    let taken: Vec<&str> = ["select", "model"].iter().chain(model.keys).copied().collect();
    if !refuse_keys(raw, &taken, at, &format!("material '{name}'"), report) {
        return None;
    }
    let select = selection(raw.select.as_ref(), at, report);
    let (parameters, varying) = parameters(raw, at, report);
    check_listed(name, &parameters, &varying, at, report)?;
    let material = Material::new(name, parameters)
        .map_err(|fault| report.value(at.extend(&fault.key), fault.reason, ""))
        .ok()?;
    Some(scene::MaterialPart { select, material, varying })
}

/// The parameters, with a sample value for those that vary, and the ones that vary.
fn parameters(
    raw: &raw::Material,
    at: &KeyPath,
    report: &mut Report,
) -> (Parameters, Vec<(&'static str, scene::Quantity)>) {
    let inversion = raw.inversion.map(|inversion| match inversion {
        raw::Inversion::Barrier => material::Inversion::Barrier,
        raw::Inversion::Extend => material::Inversion::Extend,
    });
    let mut parameters = Parameters {
        a: raw.a.clone(),
        b: raw.b.clone(),
        c: raw.c.clone(),
        monotone: raw.monotone,
        inversion,
        fit_interval: raw.fit_interval,
        ..Default::default()
    };
    let mut varying = vec![];
    for (key, given, usual) in [
        ("young", &raw.young, 1.0),
        ("poisson", &raw.poisson, 0.3),
        ("mu", &raw.mu, 1.0),
        ("lambda", &raw.lambda, 1.0),
        ("k", &raw.k, 1.0),
        ("c1", &raw.c1, 1.0),
        ("c2", &raw.c2, 1.0),
    ] {
        let Some(given) = given else { continue };
        let quantity = quantity(given, &at.join(key), report);
        let sample = match &quantity {
            scene::Quantity::Constant(value) => *value,
            scene::Quantity::Array(_) => usual,
            scene::Quantity::Selections(places) => places.first().map_or(usual, |(_, value)| *value),
        };
        parameters.set(key, sample);
        if !matches!(quantity, scene::Quantity::Constant(_)) {
            varying.push((key, quantity));
        }
    }
    (parameters, varying)
}

/// Refuses listed values that the material cannot have, each at its place.
fn check_listed(
    model: &str,
    parameters: &Parameters,
    varying: &[(&'static str, scene::Quantity)],
    at: &KeyPath,
    report: &mut Report,
) -> Option<()> {
    let mut good = Some(());
    for (key, quantity) in varying {
        let scene::Quantity::Selections(places) = quantity else { continue };
        for (i, (_, value)) in places.iter().enumerate() {
            let mut parameters = parameters.clone();
            parameters.set(key, *value);
            if let Err(fault) = Material::new(model, parameters)
                && fault.key == *key
            {
                report.value(at.join(key).join(i).join("value"), fault.reason, "");
                good = None;
            }
        }
    }
    good
}
