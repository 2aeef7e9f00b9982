//! The real binary on every scene of `configs/`, and the rules of run directories.

use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::{RUBBER, beam};

#[test]
fn every_scene_of_configs_checks_and_simulates() {
    let configs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut scenes: Vec<_> = std::fs::read_dir(configs).unwrap().map(|e| e.unwrap().path()).collect();
    scenes.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    assert!(scenes.len() >= 8);
    let place = Place::new();
    for scene in scenes {
        let scene = scene.to_str().unwrap();
        let text = std::fs::read_to_string(scene).unwrap();
        assert!(text.starts_with('#') && text.contains("Look for"), "{scene} does not say what to look for");
        place.succeed(&["check", scene]);
        let messages = place.succeed(&["simulate", scene, "--frames", "4", "-o", "out", "--force"]);
        assert!(messages.contains("4 frames in"), "{scene}: {messages}");
    }
}

#[test]
fn an_existing_run_is_refused_replaced_or_resumed_as_asked() {
    let place = Place::new();
    place.write("scene.toml", &beam([6, 2, 2], 4, "", RUBBER));
    place.succeed(&["simulate", "scene.toml"]);
    let run = place.path("outputs/beam");
    for file in
        ["beam.pvd", "vtu/beam_0004.vtu", "ply/bar_0000.ply", "metrics.csv", "summary.json", "config.toml"]
    {
        assert!(run.join(file).exists(), "{file}");
    }
    let refused = place.fail(2, &["simulate", "scene.toml"]);
    assert!(refused.contains("--resume") && refused.contains("--force"), "{refused}");

    std::fs::write(run.join("vtu/notes.txt"), "mine").unwrap();
    place.succeed(&["simulate", "scene.toml", "--force", "--frames", "2"]);
    assert!(!run.join("vtu/beam_0003.vtu").exists(), "a frame of the replaced run is left");
    assert!(run.join("vtu/notes.txt").exists(), "a file of the user's is gone");

    let resumed = place.succeed(&["simulate", "scene.toml", "--resume"]);
    assert!(resumed.contains("resuming after frame 2 of 4"), "{resumed}");
    let other = place.fail(2, &["simulate", "scene.toml", "--resume", "--set", "body.0.material.young=2e5"]);
    assert!(other.contains("another config"), "{other}");

    std::fs::create_dir(place.path("full")).unwrap();
    place.write("full/thesis.doc", "precious");
    for flag in ["--force", "--resume"] {
        let refused = place.fail(2, &["simulate", "scene.toml", flag, "-o", "full"]);
        assert!(refused.contains("no run of pliant"), "{refused}");
    }
    assert!(place.path("full/thesis.doc").exists());
}

#[test]
fn the_resolved_config_of_a_run_gives_the_same_bytes() {
    let place = Place::new();
    place.write("scene.toml", &beam([6, 2, 2], 4, "iterations = 5", RUBBER));
    place.succeed(&["simulate", "scene.toml", "--set", "body.0.density=700", "--solver", "newton"]);
    place.succeed(&["simulate", "outputs/beam/config.toml", "-o", "again"]);
    assert_equal_content(&place.path("outputs/beam"), &place.path("again"));
}

#[test]
fn what_cannot_work_is_refused_before_the_work() {
    let place = Place::new();
    place.write("pd.toml", &beam([6, 2, 2], 4, "kind = \"pd\"", RUBBER));
    for command in ["check", "simulate"] {
        let message = place.fail(2, &[command, "pd.toml"]);
        assert!(message.contains("pd.toml:") && message.contains("arap"), "{message}");
    }
    place.write("typo.toml", &beam([6, 2, 2], 4, "itertions = 3", RUBBER));
    let message = place.fail(2, &["check", "typo.toml"]);
    assert!(message.contains("typo.toml:6:1") && message.contains("'iterations'"), "{message}");

    let nowhere = beam([6, 2, 2], 4, "", RUBBER).replace("[0.001, 9, 9]", "[-0.5, 9, 9]");
    place.write("nowhere.toml", &nowhere);
    let message = place.fail(2, &["check", "nowhere.toml"]);
    assert!(message.contains("selects no vertex") && message.contains("spans"), "{message}");

    place.write("flat.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n");
    let flat = "name = \"f\"\n[[body]]\nmesh = \"flat.mesh\"\nmaterial = { model = \"arap\", k = 1e5 }\n";
    place.write("flat.toml", flat);
    let message = place.fail(2, &["check", "flat.toml"]);
    assert!(message.contains("flat.mesh") && message.contains("repair = true"), "{message}");
    assert!(!place.path("outputs").exists(), "something was written");
}

#[test]
fn require_converged_turns_a_bad_end_into_exit_code_four() {
    let place = Place::new();
    place.write(
        "scene.toml",
        &beam([6, 2, 2], 4, "kind = \"pd\"\niterations = 1", "{ model = \"arap\", k = 1e7 }"),
    );
    let warned = place.succeed(&["simulate", "scene.toml"]);
    assert!(warned.contains("far from converged") && warned.contains("solver.iterations"), "{warned}");
    let failed = place.fail(4, &["simulate", "scene.toml", "--force", "--require-converged", "1e-3"]);
    assert!(failed.contains("above the required"), "{failed}");
    let args =
        ["--force", "--solver", "newton", "--set", "solver.iterations=20", "--require-converged", "1e-3"];
    place.succeed(&[&["simulate", "scene.toml"], &args[..]].concat());
}

#[test]
fn threads_do_not_change_a_byte() {
    let place = Place::new();
    for (solver, material) in [
        ("pd", "{ model = \"arap\", young = 1e5 }"),
        ("quasi-newton", "{ model = \"neo-hookean\", young = 1e5, poisson = 0.4 }"),
        ("newton", "{ model = \"corotated\", young = 1e5, poisson = 0.3 }"),
        ("vbd", "{ model = \"stable-neo-hookean\", young = 1e5, poisson = 0.4 }"),
    ] {
        let text = beam([20, 6, 6], 3, &format!("kind = \"{solver}\"\niterations = 4"), material);
        place.write("scene.toml", &text);
        for threads in ["1", "2", "3", "8"] {
            place.succeed(&[
                "simulate",
                "scene.toml",
                "--threads",
                threads,
                "-o",
                &format!("{solver}-{threads}"),
            ]);
            assert_equal_content(
                &place.path(&format!("{solver}-1")),
                &place.path(&format!("{solver}-{threads}")),
            );
        }
    }
}
