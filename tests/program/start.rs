//! The way from a mesh to a first scene: `new`, commands that take a mesh, presets, what `check` tells, `help`.

use std::path::Path;

use super::common::program::{Place, assert_equal_content};

/// A place with a mesh of every kind: a closed surface, tets, a hanging cloth, a lying cloth, a rope.
fn meshes() -> Place {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(root.join("meshes/knot.obj"), place.path("knot.obj")).unwrap();
    for line in [
        "generate beam --size 2,0.5,0.5 --cells 8,2,2 -o bar.vtu",
        "generate cloth --size 1,1 --cells 6,6 -o cloth.obj",
        "generate rope --length 2 --segments 10 -o rope.vtk",
    ] {
        place.succeed(&line.split(' ').collect::<Vec<_>>());
    }
    place.write(
        "curtain.obj",
        "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0.5 1 0.1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n",
    );
    place
}

fn lines_of(text: &str, word: &str) -> Vec<String> {
    text.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
}

#[test]
fn a_new_config_checks_and_simulates_quietly_and_a_mesh_gives_the_same_frames() {
    let place = meshes();
    for mesh in ["knot.obj", "bar.vtu", "cloth.obj", "curtain.obj", "rope.vtk"] {
        let config = format!("{mesh}.toml");
        place.succeed(&["new", mesh, "-o", &config]);
        let text = std::fs::read_to_string(place.path(&config)).unwrap();
        assert!(text.lines().any(|line| line.starts_with('#')) && text.contains("[[body.pin]]"), "{text}");
        let checked = place.run(&["check", &config]);
        let table = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(
            checked.status.success() && table.contains(" pinned)") && !table.contains("(0 pinned)"),
            "{table}"
        );
        let said = place.succeed(&["simulate", &config, "--frames", "4", "-o", "by-config"]);
        assert_eq!(lines_of(&said, " WARN "), [""; 0], "{mesh}");
        place.succeed(&["simulate", mesh, "--frames", "4", "-o", "by-mesh"]);
        assert_equal_content(&place.path("by-config"), &place.path("by-mesh"));
        for run in ["by-config", "by-mesh"] {
            std::fs::remove_dir_all(place.path(run)).unwrap();
        }
    }
}

#[test]
fn a_run_of_a_mesh_is_resumed_by_the_same_flags_and_a_config_is_kept() {
    let place = meshes();
    place.succeed(&["simulate", "bar.vtu", "--pin", "left", "--frames", "6", "-o", "whole"]);
    place.succeed(&["simulate", "bar.vtu", "--pin", "left", "--frames", "3", "-o", "parts"]);
    place.succeed(&["simulate", "bar.vtu", "--pin", "left", "--frames", "6", "-o", "parts", "--resume"]);
    assert_equal_content(&place.path("whole"), &place.path("parts"));
    let other = ["simulate", "bar.vtu", "--pin", "right", "--frames", "9", "-o", "parts", "--resume"];
    assert!(place.fail(2, &other).contains("body.0.pin.0"), "another scene");
    place.succeed(&["new", "bar.vtu", "-o", "bar.toml"]);
    assert!(place.fail(2, &["new", "bar.vtu", "-o", "bar.toml"]).contains("--force"));
    place.succeed(&["new", "bar.vtu", "--pin", "left", "-o", "bar.toml", "--force"]);
    assert!(place.fail(2, &["simulate", "bar.toml", "--pin", "top"]).contains("[[body.pin]]"));
}

#[test]
fn sides_arrays_shaking_and_floors_are_written_or_refused_with_a_way_out() {
    let place = meshes();
    let print = |line: &str| {
        let output = place.run(&line.split(' ').collect::<Vec<_>>());
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    for (side, normal) in [
        ("top", "[0, 1, 0]"),
        ("bottom", "[0, -1, 0]"),
        ("left", "[-1, 0, 0]"),
        ("right", "[1, 0, 0]"),
        ("front", "[0, 0, 1]"),
        ("back", "[0, 0, -1]"),
    ] {
        let (code, text) = print(&format!("new bar.vtu --pin {side} --shake z"));
        assert!(code == Some(0) && text.contains(&format!("normal = {normal}")), "{text}");
        assert!(
            lines_of(&text, "motion = ").iter().all(|line| line.starts_with("motion = { shake")),
            "{text}"
        );
    }
    let (_, text) = print("new knot.obj --floor --preset jelly");
    assert!(text.contains("\n[[obstacle]]\n") && !text.contains("\n[[body.pin]]\n"), "{text}");
    assert!(text.contains("preset = \"jelly\"") && text.contains("Source: "), "{text}");
    for (line, expected) in [
        ("new bar.vtu --pin tip", "valid names: top, bottom"),
        ("new bar.vtu --preset ruber", "did you mean 'rubber'?"),
        ("new bar.vtu --preset rope", "presets for solids: jelly"),
        ("new bar.vtu --floor --shake x", "--pin bottom"),
        ("new cloth.obj --pin top", "--pin left"),
        ("new bar.toml", "bar.toml"),
        ("compare knot.obj --solvers pd", "pliant new knot.obj -o knot.toml"),
    ] {
        let (code, text) = print(line);
        assert!(code != Some(0) && text.contains(expected), "{line}: {text}");
    }
}

#[test]
fn sheets_and_ropes_of_every_preset_converge() {
    let place = meshes();
    for (mesh, presets) in
        [("cloth.obj", &["silk", "cotton", "denim", "rubber"][..]), ("rope.vtk", &["rope", "bungee"])]
    {
        for preset in presets {
            let said = place.succeed(&["simulate", mesh, "--preset", preset, "--frames", "20", "-o", preset]);
            assert_eq!(lines_of(&said, " WARN "), [""; 0], "{preset}");
        }
    }
}

#[test]
fn an_array_of_the_file_pins_its_upper_half() {
    let place = Place::new();
    place.write(
        "flag.vtk",
        "# vtk DataFile Version 3.0\nflag\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nPOLYGONS 2 8\n\
         3 0 1 2\n3 0 2 3\nPOINT_DATA 4\nSCALARS goal float 1\nLOOKUP_TABLE default\n1 0.2 0.2 0.8\n",
    );
    let text = String::from_utf8(place.run(&["new", "flag.vtk", "--pin", "goal"]).stdout).unwrap();
    assert!(text.contains("array = { name = \"goal\", above = 0.6"), "{text}");
    let table = String::from_utf8(place.run(&["check", "flag.vtk", "--pin", "goal"]).stdout).unwrap();
    assert!(table.contains("(2 pinned)"), "{table}");
}

#[test]
fn check_tells_mass_size_and_sag_and_warns_before_the_work() {
    let place = meshes();
    let body = "[[body]]\nmesh = \"bar.vtu\"\nmaterial = { preset = \"rubber\" }\n";
    let pin = "[[body.pin]]\nselect = { plane = { point = [0.01, 0, 0], normal = [-1, 0, 0] } }\n";
    place.write("bar.toml", &format!("{body}{pin}"));
    place.succeed(&["convert", "bar.vtu", "box.obj"]);
    place.succeed(&["generate", "beam", "--size", "200,50,50", "--cells", "4,1,1", "-o", "large.vtu"]);
    let output = place.run(&["check", "bar.toml"]);
    let (table, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // 930 kg/m³ times half a cubic metre.
    assert!(table.contains("4.6500e2 kg, 2.000 x 0.500 x 0.500 m; sags by about"), "{table}");
    assert!(said.contains("Treloar") && lines_of(&said, " WARN ").is_empty(), "{said}");
    for (change, expected) in [
        ("--set=body.0.material.young=5e3", "it is far too soft"),
        ("--set=body.0.material.young=1e13", "it will look rigid"),
        ("--set=body.0.pin=[]", "nothing holds body 'body0'"),
        ("--set=body.0.mesh=box.obj", "surface = \"box.obj\" in place of mesh"),
        ("--set=body.0.mesh=large.vtu", "transform = { scale = 0.001 }"),
    ] {
        let said = place.succeed(&["check", "bar.toml", change]);
        assert!(lines_of(&said, " WARN ").iter().any(|line| line.contains(expected)), "{change}: {said}");
    }
}

#[test]
fn shipped_configs_give_no_warning_of_what_is_not_meant() {
    let place = Place::new();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut checked = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let output = place.run(&["check", path.to_str().unwrap(), "-o", "run"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}: {said}", path.display());
        for what in ["falls for ever", "too soft", "look rigid", "hollow sheet", "m large;"] {
            assert!(!said.contains(what), "{}: {said}", path.display());
        }
        checked += 1;
    }
    assert!(checked > 40);
}

#[test]
fn help_has_the_commands_and_the_keys_of_configs() {
    let place = Place::new();
    let print = |line: &str| {
        let output = place.run(&line.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{line}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(print("help").contains("Commands:") && print("help simulate").contains("--require-converged"));
    assert!(print("help cache verify").contains("Usage: pliant cache verify"));
    assert!(print("help config").contains("solver"));
    assert!(print("help config material.preset").contains("rubber"));
    assert!(place.fail(2, &["help", "config", "yuong"]).contains("did you mean 'young'?"));
    assert!(place.fail(2, &["help", "simulat"]).contains("has no command 'simulat'"));
}

#[test]
fn a_run_that_ends_far_from_converged_names_keys_and_values_that_help() {
    let place = meshes();
    place.write(
        "stiff.toml",
        "[time]\nframes = 6\n[solver]\niterations = 1\n[[body]]\nmesh = \"bar.vtu\"\nmaterial = { model = \"neo-hookean\", young = 1e7, \
         poisson = 0.4 }\n[[body.pin]]\nselect = { plane = { point = [0.01, 0, 0], normal = [-1, 0, 0] } }\nmotion = { rotate = { \
         axis = [1, 0, 0], degrees_per_second = 360 } }\n",
    );
    let said = place.succeed(&["simulate", "stiff.toml"]);
    let warned = lines_of(&said, "far from converged");
    assert!(
        warned.len() == 1
            && warned[0].contains("solver.tolerance = 0.01 and solver.iterations = 100 (now 1)"),
        "{said}"
    );
    // What it says does help.
    let helped = ["--set=solver.tolerance=0.01", "--set=solver.iterations=100", "--force"];
    let said = place.succeed(&[&["simulate", "stiff.toml"][..], &helped].concat());
    assert_eq!(lines_of(&said, "far from converged"), [""; 0]);
}
