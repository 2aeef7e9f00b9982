//! Presets of materials: what they write out, what wins, what is refused.

use super::{BASE, faults, load_with, place};
use crate::config::{Loaded, Overrides, raw, to_toml};
use crate::scene::preset::{PRESETS, PresetKind};
use crate::scene::{LineKind, Quantity};

const MATERIAL: &str = "material = { model = \"neo-hookean\", young = 1e6, poisson = 0.45 }";

fn with(material: &str) -> Loaded {
    load_with(&BASE.replace(MATERIAL, material), &Overrides::default())
        .unwrap_or_else(|faults| panic!("{faults}"))
}

fn fault(material: &str) -> String {
    let found = faults(&BASE.replace(MATERIAL, material), &Overrides::default());
    assert_eq!(found.len(), 1, "{material}: {found:?}");
    format!("{}: {} ({})", place(&found[0]), found[0].message, found[0].hint)
}

#[test]
fn every_preset_resolves_to_numbers_that_load_again_without_it() {
    for preset in PRESETS {
        let body = match preset.kind {
            PresetKind::Solid { .. } => "generate = { shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }",
            PresetKind::Sheet { .. } => "generate = { shape = \"cloth\", size = [1, 1], cells = [1, 1] }",
            PresetKind::Line { .. } => "generate = { shape = \"rope\", length = 1, segments = 2 }",
        };
        let text = format!("[[body]]\n{body}\nmaterial = {{ preset = \"{}\" }}\n", preset.name);
        let loaded = load_with(&text, &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"));
        let resolved = to_toml(&loaded);
        assert!(!resolved.contains("preset"), "{resolved}");
        assert_eq!(
            load_with(&resolved, &Overrides::default()).unwrap().scene,
            loaded.scene,
            "{}",
            preset.name
        );
        assert_eq!(loaded.scene.bodies[0].density, Quantity::Constant(preset.density), "{}", preset.name);
        assert!(loaded.notes.len() == 1 && loaded.notes[0].contains(preset.source), "{:?}", loaded.notes);
    }
}

#[test]
fn what_the_body_says_itself_wins() {
    let loaded = with("material = { preset = \"rubber\", model = \"arap\", young = 5 }\ndensity = 7");
    let body = &loaded.scene.bodies[0];
    let material = &body.materials[0].material;
    assert_eq!(
        (material.model.name, material.parameters.young, material.parameters.poisson),
        ("arap", Some(5.0), Some(0.45))
    );
    assert_eq!(body.density, Quantity::Constant(7.0));
    let set = Overrides { set: vec!["body.0.material.preset=cork".into()], ..Overrides::default() };
    let loaded = load_with(BASE, &set).unwrap();
    assert_eq!(loaded.scene.bodies[0].materials[0].material.parameters.young, Some(1e6), "the file's number");
    assert_eq!(loaded.scene.bodies[0].density, Quantity::Constant(170.0));
}

#[test]
fn parts_with_presets_have_their_densities() {
    let two = "material = [{ preset = \"rubber\" }, { preset = \"cork\", select = { nearest = { point = [0, 0, 0] } } }, \
               { model = \"arap\", k = 1, select = { ids = [3] } }]";
    let loaded = with(two);
    let Some(raw::Quantity::Places(places)) = &loaded.raw.body[0].density else {
        panic!("densities by place")
    };
    assert_eq!(places.iter().map(|place| place.value).collect::<Vec<_>>(), [930.0, 170.0, 1000.0]);
    assert!(places[0].select.is_none() && places[1].select.is_some());
}

#[test]
fn a_rope_has_its_number_of_its_own() {
    let text = "[[body]]\ngenerate = { shape = \"rope\", length = 1, segments = 2 }\nmaterial = { preset = \"rope\", young = 3e6 }\nradius = 0.01\n";
    let loaded = load_with(text, &Overrides::default()).unwrap();
    let body = &loaded.scene.bodies[0];
    let line = body.line.unwrap();
    assert_eq!((line.kind, line.young, body.radius), (LineKind::Rope, 3e6, 0.01));
    assert!(body.materials.is_empty());
}

#[test]
fn presets_that_do_not_fit_are_refused_with_those_that_do() {
    for (material, expected) in [
        ("material = { preset = \"ruber\" }", "unknown preset 'ruber' (did you mean 'rubber'?"),
        (
            "material = { preset = \"cotton\" }",
            "preset 'cotton' is for sheets, and this body is one of solids (presets for solids: jelly",
        ),
        ("material = { preset = \"rope\" }", "preset 'rope' is for lines"),
        (
            "material = { preset = \"rubber\", mu = 1, lambda = 1 }",
            "the preset gives young and poisson instead",
        ),
        (
            "material = { preset = \"rubber\", model = \"polynomial\" }",
            "material 'polynomial' does not take young and poisson",
        ),
    ] {
        let found = fault(material);
        assert!(found.contains(expected), "{found}");
    }
}
