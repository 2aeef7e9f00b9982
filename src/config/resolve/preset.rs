//! Presets of materials: their numbers take the place of their names, so that a resolved config has only numbers.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use crate::error::suggest::suggestion;
use crate::scene::preset::{PRESETS, Preset, PresetKind, SHEET_MODEL, find, names_for};
use elements::energy::material::MODELS;

/// The density in kg/m³ of a body that gives none.
const DENSITY: f64 = 1000.0;

/// Writes out the presets of the body at `at`. What the body gives itself stays.
pub fn fill(body: &mut raw::Body, at: &KeyPath, report: &mut Report) {
    if body.material.as_slice().iter().all(|part| part.preset.is_none()) {
        return;
    }
    let alone = matches!(body.material, raw::OneOrMany::One(_));
    let at = at.join("material");
    let mut found: Vec<Option<&'static Preset>> = vec![];
    for i in 0..body.material.as_slice().len() {
        let place = if alone { at.clone() } else { at.join(i) };
        let preset = look_up(&mut body.material.as_mut_slice()[i], &place, report);
        if let Some(preset) = preset {
            let owner = body.name.clone().unwrap_or_default();
            report.notes.push(format!(
                "body '{owner}': preset '{}' is {}: {} (source: {})",
                preset.name,
                preset.about,
                preset.numbers(),
                preset.source
            ));
            check_kind(body, preset, alone, &place, report);
        }
        found.push(preset);
    }
    if let ([Some(preset)], true) = (&found[..], alone)
        && let PresetKind::Line { young, radius } = preset.kind
    {
        fill_line(body, (young, radius), &at, report);
    }
    fill_body(body, &found);
}

/// Takes the preset out of a material and writes its numbers in. What is wrong with it is reported.
fn look_up(part: &mut raw::Material, at: &KeyPath, report: &mut Report) -> Option<&'static Preset> {
    let name = part.preset.take()?;
    let place = at.join("preset");
    let Some(preset) = find(&name) else {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        report.value(place, format!("unknown preset '{name}'"), suggestion(&name, "presets", &names));
        stand_in(part);
        return None;
    };
    let (model, young, poisson) = match preset.kind {
        PresetKind::Solid { model, young, poisson } => (model, young, poisson),
        PresetKind::Sheet { young, poisson, .. } => (SHEET_MODEL, young, poisson),
        PresetKind::Line { .. } => return Some(preset),
    };
    let model = part.model.get_or_insert_with(|| model.into()).clone();
    let takes_young =
        MODELS.iter().find(|known| known.name == model).is_none_or(|m| m.keys.contains(&"young"));
    let moduli =
        [("mu", &part.mu), ("lambda", &part.lambda), ("k", &part.k), ("c1", &part.c1), ("c2", &part.c2)];
    if !takes_young {
        let message = format!("material '{model}' does not take young and poisson, which a preset gives");
        report.key(place, message, "leave out preset, or model");
        stand_in(part);
    } else if let Some((key, _)) = moduli.iter().find(|(_, given)| given.is_some()) {
        report.key(
            at.join(key),
            "the preset gives young and poisson instead",
            "leave out the one or the other",
        );
        stand_in(part);
    } else {
        part.young.get_or_insert(raw::Quantity::Number(young));
        part.poisson.get_or_insert(raw::Quantity::Number(poisson));
    }
    Some(preset)
}

/// Puts a material without faults in place of one that is refused already.
fn stand_in(part: &mut raw::Material) {
    *part = raw::Material {
        select: part.select.take(),
        model: Some(SHEET_MODEL.into()),
        young: Some(raw::Quantity::Number(1.0)),
        poisson: Some(raw::Quantity::Number(0.3)),
        ..raw::Material::default()
    };
}

/// Refuses presets of sheets and lines for bodies that are known to be something else.
fn check_kind(body: &raw::Body, preset: &Preset, alone: bool, at: &KeyPath, report: &mut Report) {
    let shape = body.generate.as_ref().and_then(|generate| generate.shape);
    let is = match shape {
        Some(raw::Shape::Cloth) => "sheets",
        Some(raw::Shape::Rope) => "lines",
        Some(_) => "solids",
        None if body.surface.is_some() => "solids",
        None if body.line.is_some() => "lines",
        None => preset.bodies(),
    };
    let fits = is == preset.bodies() || is == "sheets" && preset.bodies() == "solids";
    let hint = || format!("presets for {is}: {}", names_for(is).join(", "));
    if !fits {
        let message =
            format!("preset '{}' is for {}, and this body is one of {is}", preset.name, preset.bodies());
        report.value(at.join("preset"), message, hint());
    } else if !alone && preset.bodies() == "lines" {
        report.value(at.join("preset"), "a line has one material", "write material = { preset = … } alone");
    }
}

/// Makes a material of lines the body's `line`.
fn fill_line(body: &mut raw::Body, (young, radius): (f64, f64), at: &KeyPath, report: &mut Report) {
    let raw::OneOrMany::One(part) = std::mem::take(&mut body.material) else { return };
    let line = body.line.get_or_insert_default();
    match part.young {
        Some(raw::Quantity::Number(own)) => drop(line.young.get_or_insert(own)),
        Some(_) => report.value(at.join("young"), "must be a number for a line", ""),
        None => drop(line.young.get_or_insert(young)),
    }
    let others = raw::Material { young: None, ..part };
    for key in super::given_keys(&others) {
        report.key(at.join(&key), "a line does not take this key", "it takes: preset, young");
    }
    body.radius.get_or_insert(radius);
}

/// Writes the density, the thickness and the bending of presets into a body that does not give them.
fn fill_body(body: &mut raw::Body, presets: &[Option<&'static Preset>]) {
    if body.density.is_none() {
        body.density = Some(spread(body, presets, |preset| preset.map_or(DENSITY, |preset| preset.density)));
    }
    let sheet = |preset: &Preset| match preset.kind {
        PresetKind::Sheet { thickness, bending, .. } => Some((thickness, bending)),
        _ => None,
    };
    let Some((thickness, bending)) = presets.iter().flatten().find_map(|preset| sheet(preset)) else {
        return;
    };
    let own = |preset: Option<&Preset>| preset.and_then(sheet).unwrap_or((thickness, bending));
    if body.thickness.is_none() {
        body.thickness = Some(spread(body, presets, |preset| own(preset).0));
    }
    if body.bending.is_none() {
        let stiffness = spread(body, presets, |preset| own(preset).1);
        body.bending = Some(raw::Bending { stiffness, kind: None, rest: None });
    }
}

/// A quantity that has the value of each preset where its material is.
fn spread(
    body: &raw::Body,
    presets: &[Option<&'static Preset>],
    value: impl Fn(Option<&Preset>) -> f64,
) -> raw::Quantity {
    match presets {
        [only] => raw::Quantity::Number(value(*only)),
        several => {
            let parts = body.material.as_slice().iter().zip(several);
            let place = |(part, preset): (&raw::Material, &Option<&'static Preset>)| raw::Place {
                select: part.select.clone(),
                value: value(*preset),
            };
            raw::Quantity::Places(parts.map(place).collect())
        }
    }
}
