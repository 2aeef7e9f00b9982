//! Tests of whole configs: good ones read back to the same bits, bad ones are refused at the right place.

mod contact;
mod faults;
mod presets;
mod sequences;

use std::path::{Path, PathBuf};

use super::load::load_text;
use super::resolve::Context;
use super::{Loaded, Overrides, load, to_toml};
use crate::error::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::scene::{self, Deform, MeshSource, Period, PinKind, Selection};

const BASE: &str = r#"name = "bar"

[time]
step = "1/30"
frames = 10

[solver]
kind = "quasi-newton"
iterations = 10

[[body]]
name = "one"
generate = { shape = "beam", size = [4, 1, 1], cells = [4, 1, 1] }
material = { model = "neo-hookean", young = 1e6, poisson = 0.45 }

[[body.pin]]
select = { box = { min = [-1, -1, -1], max = [0.001, 2, 2] } }
motion = { rotate = { axis = [1, 0, 0], degrees_per_second = 90 } }

[output]
formats = ["vtu", "ply"]
"#;

fn context() -> Context {
    Context { config_directory: "/conf".into(), working_directory: "/there".into(), stem: "file".into() }
}

fn load_with(text: &str, overrides: &Overrides) -> Result<Loaded, Diagnostics> {
    load_text(Path::new("conf/bar.toml"), text, overrides, &context())
}

fn faults(text: &str, overrides: &Overrides) -> Vec<Diagnostic> {
    load_with(text, overrides).map_or_else(|faults| faults.0, |_| Vec::new())
}

/// The place of a fault as text: `line:column key`, `flag key` or `- key`.
fn place(fault: &Diagnostic) -> String {
    match &fault.place {
        Place::File => format!("- {}", fault.key),
        Place::Flag(flag) => format!("{flag} {}", fault.key),
        Place::Line(at) => format!("{}:{} {}", at.line, at.column, fault.key),
    }
}

#[test]
fn all_faults_are_reported_together_in_the_order_of_the_file() {
    let text = BASE
        .replace("name = \"bar\"", "name = \"a:b\"\ncolour = 1")
        .replace("iterations = 10", "iterations = \"many\"")
        .replace("young = 1e6", "yuong = 1e6")
        .replace("cells = [4, 1, 1]", "cells = [4, 1]")
        .replace("\"vtu\"", "\"vtx\"");
    let places: Vec<String> = faults(&text, &Overrides::default()).iter().map(place).collect();
    let expected = [
        "1:8 name",
        "2:1 colour",
        "10:14 solver.iterations",
        "14:56 body.0.generate.cells",
        "15:37 body.0.material.yuong",
        "22:12 output.formats.0",
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_file_without_bodies_and_an_empty_file_say_what_is_missing() {
    let found = faults("", &Overrides::default());
    assert_eq!(found.iter().map(place).collect::<Vec<_>>(), ["- body"]);
    let many: String = (0..40).map(|i| format!("unknown{i} = 1\n")).collect();
    assert_eq!(faults(&many, &Overrides::default()).len(), 20);
}

#[test]
fn a_fault_in_a_flag_points_at_the_flag() {
    for (set, expected, text) in [
        ("body.0.material.young=-1", "--set body.0.material.young=-1 body.0.material.young", ""),
        (
            "body.0.material.yuong=1",
            "--set body.0.material.yuong=1 body.0.material.yuong",
            "did you mean 'young'?",
        ),
        ("body.3.density=1", "--set body.3.density=1 body.3.density", "'body' has 1 element"),
        ("time.frames=many", "--set time.frames=many time.frames", "expected a whole number"),
        ("frames", "--set frames ", "wants key.path=value"),
        (
            "world={gravity=[0,0]}",
            "--set world={gravity=[0,0]} world.gravity",
            "expected 3 elements, found 2",
        ),
    ] {
        let overrides = Overrides { set: vec![set.into()], ..Overrides::default() };
        let found = faults(BASE, &overrides);
        assert_eq!(found.iter().map(place).collect::<Vec<_>>(), [expected]);
        assert!(format!("{} {}", found[0].message, found[0].hint).contains(text), "{found:?}");
    }
    let found = faults(BASE, &Overrides { solver: Some("nweton".into()), ..Overrides::default() });
    assert_eq!(place(&found[0]), "--solver nweton solver.kind");
    assert!(found[0].hint.contains("did you mean 'newton'?"));
}

#[test]
fn flags_win_over_the_file_and_over_set() {
    let overrides = Overrides {
        set: vec!["time.frames=3".into(), "body.0.density=7".into(), "time.step=1/60".into()],
        solver: Some("newton".into()),
        frames: Some(5),
        output: Some("out".into()),
        ..Overrides::default()
    };
    let text = BASE.replace("iterations = 10", "iterations = 10\nhistory = 3\nline_search = \"none\"");
    let loaded = load_with(&text, &overrides).unwrap();
    assert_eq!(
        loaded.scene.time,
        scene::Time { step: 1.0 / 60.0, frames: 5, substeps: 1, integrator: Default::default() }
    );
    assert_eq!(loaded.scene.bodies[0].density, scene::Quantity::Constant(7.0));
    assert_eq!(loaded.scene.output.dir, PathBuf::from("/there/out"));
    assert_eq!(loaded.scene.solver.kind().name, "newton");
    assert_eq!(loaded.scene.solver.method.to_table()["line_search"].as_str(), Some("none"));
    assert_eq!(loaded.warnings, ["solver.history is left out: solver 'newton' does not take it"]);
}

#[test]
fn defaults_units_and_paths_are_resolved() {
    let text = r#"
[[body]]
generate = { shape = "sphere", radius = 1, cells = 2 }
material = { model = "arap", k = 1e5 }
transform = { rotate = { axis = [0, 3, 4], degrees = 180 } }
deform = { twist = { axis = "z", degrees = 90 } }
pin = [{ select = "all", kind = { soft = 2 }, motion = { shake = { amplitude = [0, 1, 0], frequency = 2 } } }]
"#;
    let config = load_with(text, &Overrides::default()).unwrap().scene;
    assert_eq!((config.name.as_str(), config.bodies[0].name.as_str()), ("file", "body0"));
    assert_eq!(
        config.time,
        scene::Time { step: 1.0 / 30.0, frames: 120, substeps: 1, integrator: Default::default() }
    );
    assert_eq!(config.gravity.at(0.0), [0.0, -9.81, 0.0]);
    assert_eq!(config.output.dir, PathBuf::from("/there/outputs/file"));
    let body = &config.bodies[0];
    assert_eq!(body.density, scene::Quantity::Constant(1000.0));
    assert_eq!(body.transform.rotate, ([0.0, 0.6, 0.8], std::f64::consts::PI));
    assert_eq!(body.deform, [Deform::Twist { axis: 2, radians: std::f64::consts::FRAC_PI_2 }]);
    assert_eq!((&body.pins[0].select, &body.pins[0].kind), (&Selection::All, &PinKind::Soft(2.0)));
    assert_eq!(body.pins[0].motion.as_ref().unwrap().until, f64::INFINITY);
    for (written, active) in [
        ("", None),
        (", active = {}", None),
        (", active = { from = 0 }", None),
        (", active = { from = 0.5 }", Some(Period { from: 0.5, until: f64::INFINITY })),
        (", active = { until = 2 }", Some(Period { from: 0.0, until: 2.0 })),
    ] {
        let text = text.replace(", motion =", &format!("{written}, motion ="));
        assert_eq!(load_with(&text, &Overrides::default()).unwrap().scene.bodies[0].pins[0].active, active);
    }
    let named = load_with(&BASE.replace("[output]", "[output]\ndir = \"../x/./y\""), &Overrides::default());
    assert_eq!(named.unwrap().scene.output.dir, PathBuf::from("/x/y"));
}

/// Scenes that use every key at least once.
fn full_scenes(mesh: &str) -> Vec<String> {
    let everything = format!(
        r#"
[time]
step = 0.1
frames = 3
substeps = 7
integrator = "bdf2"
[solver]
iterations = 3
tolerance = 1.2345678901234567e-7
history = 4
line_search = "armijo"
[world]
gravity = [1e-300, -0.0, 12345678901234567890.5]
[[body]]
name = "Würfel '1' x"
mesh = "{mesh}"
repair = true
density = 0.1
material = {{ model = "neo-hookean", mu = 1e5, lambda = 3.3, inversion = "extend", fit_interval = [0.25, 1.75] }}
transform = {{ translate = [0.1, 0.2, 0.3], rotate = {{ axis = [1, 2, 3], degrees = 33.3 }}, scale = 0.001 }}
velocity = {{ linear = [0.1, 0, 0], angular = [0, 0, 0.7] }}
deform = [
    {{ stretch = [2, 1, 1] }}, {{ twist = {{ axis = "x", degrees = 77.7 }} }}, {{ squash = {{ axis = "y", factor = 0.3 }} }},
    {{ rotate = {{ axis = [0, 2, 0.1], degrees = 12.5 }} }}, {{ randomize = {{}} }}, {{ collapse = {{ jitter = 0.1, seed = 9 }} }}, {{ file = "{mesh}" }},
]
[[body.pin]]
select = {{ sphere = {{ center = [0, 0, 0], radius = 0.3 }} }}
motion = {{ rotate = {{ axis = [1, 1, 0], degrees_per_second = 0.1 }}, from = 0.1, until = 0.3 }}
[[body.pin]]
select = {{ plane = {{ point = [0, 0, 0], normal = [0, 3, 0.1] }} }}
motion = {{ translate = [0.1, 0, 0] }}
active = {{ from = 0.1, until = 0.7 }}
[[body.pin]]
select = {{ ids = [3, 1, 2] }}
kind = {{ soft = 1e8 }}
motion = {{ keyframes = {{ axis = [0, 0, 2], keys = [{{ time = 0 }}, {{ time = 0.7, degrees = 10.1, translate = [1, 2, 3] }}] }} }}
[[body.pin]]
select = "all"
kind = {{ soft = {{ array = "weight" }} }}
[[body.pin]]
select = {{ array = {{ name = "weight", above = 0.5 }} }}
motion = {{ shake = {{ amplitude = [0, 0.1, 0], frequency = 3.3 }} }}
[[body.pin]]
select = {{ group = "tail" }}
[[body.pin]]
select = {{ nearest = {{ point = [1, 1, 1] }} }}
[[body]]
generate = {{ shape = "torus", major = 1, minor = 0.1, cells = 8 }}
material = {{ model = "spline", a = [[0, -1.5], [1, 0], [2, 1.5]], c = [[0.5, -1], [1, 0], [1.5, 1]], monotone = true }}
deform = {{ collapse = {{}} }}
[output]
dir = "../out"
formats = ["ply"]
every = 2
float32 = true
"#
    );
    let materials = [
        "model = \"arap\", k = 0.1",
        "model = \"mooney-rivlin\", c1 = 1.5, c2 = 0.1, lambda = 7",
        "model = \"polynomial\", mu = 3",
        "model = \"stvk\", young = 1e7, poisson = 0.3",
    ];
    let with =
        |material: &&str| BASE.replace("model = \"neo-hookean\", young = 1e6, poisson = 0.45", material);
    let mut scenes = vec![everything, BASE.to_owned()];
    scenes.extend(materials.iter().map(with));
    scenes
}

#[test]
fn a_written_config_loads_to_the_same_bits_anywhere() {
    let directory = tempfile::tempdir().unwrap();
    let mesh = directory.path().join("cube.vtu");
    std::fs::write(&mesh, "").unwrap();
    let set = vec!["body.0.density=0.3".into()];
    let overrides = Overrides { set, output: Some("elsewhere".into()), ..Overrides::default() };
    for scene in full_scenes("cube.vtu") {
        let here = Context { config_directory: directory.path().into(), ..context() };
        let first =
            load_text(Path::new("a.toml"), &scene, &overrides, &here).unwrap_or_else(|f| panic!("{f}"));
        let text = to_toml(&first);
        let again = load_with(&text, &Overrides::default()).unwrap_or_else(|f| panic!("{f}\n{text}"));
        assert_eq!(first.scene, again.scene, "{text}");
        // Equality treats −0 as 0; the debug text of a number does not.
        assert_eq!(format!("{:?}", first.scene), format!("{:?}", again.scene));
        assert_eq!(text, to_toml(&again));
        if let MeshSource::File(path) = &first.scene.bodies[0].mesh {
            assert_eq!(path, &mesh);
        }
    }
}

#[test]
fn a_missing_mesh_names_the_nearest_file() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("bunny.vtu"), "").unwrap();
    let config = directory.path().join("scene.toml");
    let body = "[[body]]\nmesh = \"buny.vtu\"\nmaterial = { model = \"arap\", k = 1 }\n";
    std::fs::write(&config, body).unwrap();
    let message = load(&config, &Overrides::default()).unwrap_err().to_string();
    assert!(message.contains("scene.toml:2:8: body.0.mesh: no such file: "), "{message}");
    assert!(message.contains("did you mean 'bunny.vtu'?"), "{message}");
    std::fs::write(&config, body.replace("buny", "bunny")).unwrap();
    assert_eq!(load(&config, &Overrides::default()).unwrap().scene.name, "scene");
    assert!(
        load(&directory.path().join("none.toml"), &Overrides::default()).unwrap_err().exit()
            == crate::error::Exit::Usage
    );
    std::fs::write(&config, [0xff, 0xfe, 0x00]).unwrap();
    assert!(load(&config, &Overrides::default()).unwrap_err().to_string().contains("byte 0"));
}

#[test]
fn odd_but_possible_configs_load_with_a_warning() {
    let text =
        BASE.replace("formats =", "every = 11\nformats =").replace("motion = {", "motion = { from = 5,");
    let warnings = load_with(&text, &Overrides::default()).unwrap().warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

#[test]
fn every_shipped_config_loads() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/configs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let loaded = load(&path, &Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
            assert!(loaded.warnings.is_empty(), "{}: {:?}", path.display(), loaded.warnings);
            assert!(loaded.scene.time.frames <= 120);
            names.push(loaded.scene.name);
        }
    }
    names.sort();
    names.dedup();
    assert!(names.len() >= 10, "{names:?}");
}

proptest::proptest! {
    #[test]
    fn no_text_and_no_flag_panics(cut in 0..BASE.len(), with in "[\\[\\]{}=.,\"a-z0-9\n-]{0,6}", set in ".{0,12}") {
        if BASE.is_char_boundary(cut) {
            let text = format!("{}{with}{}", &BASE[..cut], &BASE[(cut + with.len()).min(BASE.len())..]);
            let overrides = Overrides { set: vec![set], ..Overrides::default() };
            if let Err(faults) = load_with(&text, &overrides) {
                proptest::prop_assert!(!faults.0.is_empty() && !faults.render(true).is_empty());
            }
        }
    }
}

#[test]
fn a_step_ends_by_a_tolerance_unless_iterations_are_given_or_gradients_say_nothing() {
    let body = &BASE[BASE.find("[[body]]").unwrap()..];
    for (before, expected) in [
        ("", (100, 1e-2)),
        ("[solver]\nkind = \"vbd\"\n", (100, 1e-2)),
        ("[solver]\ntolerance = 1e-4\n", (100, 1e-4)),
        ("[solver]\niterations = 7\n", (7, 0.0)),
        ("[solver]\niterations = 7\ntolerance = 1e-4\n", (7, 1e-4)),
        ("[solver]\nkind = \"xpbd\"\n", (10, 0.0)),
        ("[solver]\nkind = \"constrained-pd\"\n", (10, 0.0)),
        ("[contact]\nresponse = \"published\"\n", (10, 0.0)),
    ] {
        let text = before.to_owned() + body;
        let loaded =
            load_with(&text, &Overrides::default()).unwrap_or_else(|faults| panic!("{before}: {faults}"));
        let settings = &loaded.scene.solver;
        assert_eq!((settings.iterations, settings.tolerance), expected, "{before}");
        let again = load_with(&to_toml(&loaded), &Overrides::default()).unwrap();
        assert_eq!(again.scene, loaded.scene, "{before}");
    }
}
