//! Names that are more than they seem: control characters, numbers beyond all frames, places of a template.

use std::process::{Command, Output};

use crate::common::program::Place;
use crate::common::scenes::{RUBBER, beam};

/// Panics if a terminal would obey something of what was printed.
fn assert_plain(output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}

const BELL: &str = "\x1b[31mred\x07";

#[test]
fn control_characters_of_names_never_reach_a_terminal() {
    let place = Place::new();
    let name = format!("{BELL}.vtk");
    let array = format!("SCALARS {BELL} double 1\nLOOKUP_TABLE default\n0\n0\n0\n");
    let mesh = "POINTS 3 double\n0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\n";
    place.write(&name, &format!("# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n{mesh}{array}"));
    let output = place.run(&["info", &name]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.matches("\\u{1b}[31mred\\u{7}").count() >= 2, "{said}");
    assert_plain(&output);
    let toml = format!("[[body]]\nmesh = \"{}\"\n", "\\u001b[31m\\nerror: none.vtu");
    place.write("scene.toml", &toml);
    place.write("broken.vtu", "<");
    let damaged = format!("{BELL}\nnone.vtu");
    place.write(&damaged, "<");
    std::fs::create_dir(place.path(BELL)).unwrap();
    for arguments in [
        &["info", "nowhere\x1b[2J"][..],
        &["info", &damaged],
        &["convert", &name, &format!("a.{BELL}")],
        &["convert", &name, "flat.stl"],
        &["check", "scene.toml"],
        &["simulate", "scene.toml", "--set", &format!("name=\"{BELL}\"")],
        &["simulate", "scene.toml", "--log-format", "json"],
        &["preview", BELL],
        &["plot", BELL],
        &["export", BELL, "--format", "ply"],
        &[BELL],
        &["info", &format!("--{BELL}"), "--color", "always"],
    ] {
        // Forced colours are those of a terminal: elsewhere, escapes in messages about the command line are left out.
        assert_plain(&place.pliant(arguments).env("CLICOLOR_FORCE", "1").output().unwrap());
    }
}

#[cfg(unix)]
#[test]
fn a_number_beyond_all_frames_costs_nothing() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], 3, "iterations = 3", RUBBER));
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    for number in ["99999999999", "18446744073709551615", "99999999999999999999999"] {
        std::fs::copy(place.path("run/vtu/beam_0003.vtu"), place.path(&format!("run/vtu/beam_{number}.vtu")))
            .unwrap();
    }
    for arguments in [&["preview", "run"][..], &["export", "run", "--format", "obj"]] {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 4000000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_pliant")]);
        command.args(arguments).current_dir(place.dir.path()).env("PLIANT_CACHE_DIR", place.path("cache"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("missing"), "{said}");
        assert!(said.contains("4 frames"), "{said}");
    }
}

#[test]
fn a_run_may_be_named_like_a_place_of_the_page() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], 1, "iterations = 3", RUBBER));
    for name in ["{{data}}", "{{script}}", "{{title}}"] {
        let set = format!("name=\"{name}\"");
        place.succeed(&["simulate", "scene.toml", "-o", name, "--set", &set]);
        place.succeed(&["preview", name, "-o", "page.html"]);
        let page = std::fs::read_to_string(place.path("page.html")).unwrap();
        assert_eq!(page.matches("<script>").count(), 1, "{name}");
        assert!(page.find("</title>").unwrap() < 400, "{name}: the title is long");
        assert!(page.contains(&format!("<title>{name}</title>")) && page.ends_with("</html>\n"), "{name}");
    }
}
