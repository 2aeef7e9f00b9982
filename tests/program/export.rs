//! `pliant export`: frames of other formats out of a finished run, through the real binary.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::program::Place;
use crate::common::scenes::{RUBBER, beam, formats, frame_directories};

/// A solid, a sheet, a line, and a solid that is seen as a surface of its own; `output` goes into that table.
fn mixed(frames: u32, output: &str) -> String {
    format!(
        "name = \"mixed\"\n[time]\nstep = \"1/30\"\nframes = {frames}\n[solver]\niterations = 3\n\
         [[body]]\nname = \"bar\"\nelement = \"linear\"\ngenerate = {{ shape = \"beam\", size = [1, 0.3, 0.3], cells = [6, 2, 2] }}\n\
         material = {RUBBER}\n[[body.pin]]\nselect = {{ box = {{ min = [-1, -1, -1], max = [0.001, 9, 9] }} }}\n\
         [[body]]\nname = \"cloth\"\ngenerate = {{ shape = \"cloth\", size = [1, 1], cells = [6, 6] }}\n\
         material = {RUBBER}\nthickness = 0.01\ntransform = {{ translate = [0, 1, 0] }}\n\
         [[body.pin]]\nselect = {{ ids = [0, 6] }}\n\
         [[body]]\nname = \"rope\"\ngenerate = {{ shape = \"rope\", length = 1, segments = 8 }}\n\
         transform = {{ translate = [0, 2, 0] }}\n[[body.pin]]\nselect = {{ ids = [0] }}\n\
         [[body]]\nname = \"ghost\"\nmesh = \"ball.vtu\"\nsurface = \"shell.obj\"\nmaterial = {RUBBER}\n\
         transform = {{ translate = [3, 0, 0] }}\n\
         [output]\n{output}\n"
    )
}

/// A place with the mixed scene's files.
fn place() -> Place {
    let place = Place::new();
    place.succeed(&["generate", "sphere", "--radius", "0.4", "--cells", "3", "-o", "ball.vtu"]);
    place.succeed(&["convert", "ball.vtu", "shell.obj"]);
    place
}

/// The files of a directory by name, without hidden ones and those below it.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let read = |entry: std::fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap())
    };
    let all = entries.map(Result::unwrap).filter(|entry| entry.path().is_file()).map(read);
    all.filter(|(name, _)| !name.starts_with('.')).collect()
}

/// Panics naming the first file that differs.
fn assert_same(a: &Path, b: &Path) {
    let (left, right) = (files(a), files(b));
    assert!(!left.is_empty());
    assert!(left.keys().eq(right.keys()), "{:?} {:?}", left.keys(), right.keys());
    for (name, bytes) in &left {
        assert!(bytes == &right[name], "{name} differs between {} and {}", a.display(), b.display());
    }
}

#[test]
fn exported_frames_are_those_that_simulate_writes() {
    let place = place();
    place.write("vtu.toml", &mixed(4, "formats = [\"vtu\"]\ndir = \"vtu\""));
    place.write("all.toml", &mixed(4, "dir = \"all\""));
    place.succeed(&["simulate", "vtu.toml"]);
    place.succeed(&["simulate", "all.toml", "--set", formats()]);
    let said = place.succeed(&["export", "vtu", "--format", "ply", "--format", "obj"]);
    assert!(said.contains("5 frames, 40 files (obj, ply) written to vtu"), "{said}");
    let others = frame_directories().filter(|format| !["vtu", "ply", "obj"].contains(format)).chain(["pc2"]);
    let flags: Vec<&str> = others.flat_map(|format| ["--format", format]).collect();
    place.succeed(&[&["export", "vtu"], &flags[..]].concat());
    place.succeed(&["export", "vtu", "--format", "mdd", "--format", "usd"]);
    let directories = frame_directories().filter(|directory| *directory != "vtu");
    for format in directories.chain(["blender", "maps"]) {
        assert_same(&place.path("vtu").join(format), &place.path("all").join(format));
    }
    place.succeed(&["export", "all", "--format", "vtu", "-o", "copy"]);
    assert_same(&place.path("copy/vtu"), &place.path("all/vtu"));
    assert_eq!(files(&place.path("copy"))["mixed.pvd"], files(&place.path("all"))["mixed.pvd"]);
}

#[test]
fn single_precision_is_rounded_once() {
    let place = Place::new();
    place.write("scene.toml", &beam([6, 2, 2], 3, "", RUBBER));
    place.succeed(&["simulate", "scene.toml", "-o", "double"]);
    place.succeed(&["simulate", "scene.toml", "-o", "single", "--set", "output.float32=true"]);
    place.succeed(&[
        "export",
        "double",
        "--format",
        "ply",
        "--format",
        "vtu",
        "--float32",
        "-o",
        "from-double",
    ]);
    place.succeed(&["export", "single", "--format", "ply", "-o", "from-single"]);
    for (a, b) in [
        ("from-double/ply", "single/ply"),
        ("from-double/vtu", "single/vtu"),
        ("from-single/ply", "single/ply"),
    ] {
        assert_same(&place.path(a), &place.path(b));
    }
}

#[test]
fn frames_can_be_chosen_and_older_ones_are_replaced_only_when_asked() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 1, 1], 10, "", RUBBER));
    place.succeed(&["simulate", "scene.toml", "-o", "run", "--set", "output.formats=[\"vtu\"]"]);
    let names = |dir: &str| files(&place.path(dir)).into_keys().collect::<Vec<_>>();
    let all = ["export", "run", "--format", "ply"];
    place.succeed(&all);
    assert_eq!(names("run/ply").len(), 11);
    let refused = place.fail(2, &all);
    assert!(refused.contains("ply/bar_0000.ply: exists") && refused.contains("--force"), "{refused}");

    place.write("run/ply/notes.txt", "mine");
    place.succeed(&[&all[..], &["--every", "4", "--from", "3", "--until", "9", "--force"]].concat());
    assert_eq!(names("run/ply"), ["bar_0004.ply", "bar_0008.ply", "bar_0009.ply", "notes.txt"]);

    place.succeed(&["export", "run", "--format", "vtu", "--from", "9", "-o", "late"]);
    assert_eq!(names("late/vtu"), ["beam_0009.vtu", "beam_0010.vtu"]);
    let series = std::fs::read_to_string(place.path("late/beam.pvd")).unwrap();
    assert_eq!(series.matches("<DataSet").count(), 2, "{series}");

    let refused = place.fail(2, &["export", "run", "--format", "vtu", "--force", "--float32"]);
    assert!(refused.contains("are read") && refused.contains("-o"), "{refused}");
    let refused = place.fail(2, &["export", "run", "--format", "ply", "--from", "11", "-o", "none"]);
    assert!(refused.contains("frames 0 to 10"), "{refused}");
    let refused = place.fail(2, &["export", "run", "--format", "gltf"]);
    assert!(refused.contains("gltf") && refused.contains("ply"), "{refused}");
    let left = std::fs::read_dir(place.path("run")).unwrap().map(|e| e.unwrap().file_name());
    assert!(
        left.into_iter().all(|name| !name.to_string_lossy().starts_with(".export")),
        "a hidden directory is left"
    );
}

#[test]
fn interrupted_runs_are_exported_as_far_as_they_went() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 1, 1], 6, "", RUBBER));
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    for file in ["summary.json", "vtu/beam_0006.vtu", "vtu/beam_0005.vtu"] {
        std::fs::remove_file(place.path("run").join(file)).unwrap();
    }
    let said = place.succeed(&["export", "run", "--format", "obj"]);
    assert!(said.contains("5 frames") && !said.contains("missing"), "{said}");
    std::fs::remove_file(place.path("run/vtu/beam_0002.vtu")).unwrap();
    let said = place.succeed(&["export", "run", "--format", "obj", "--force"]);
    assert!(said.contains("1 frames are missing: 2") && said.contains("4 frames"), "{said}");
}

#[test]
fn what_is_no_run_or_no_longer_fits_is_refused() {
    let place = place();
    place.write("scene.toml", &mixed(2, "dir = \"run\""));
    place.succeed(&["simulate", "scene.toml"]);
    std::fs::create_dir(place.path("empty")).unwrap();
    for (dir, text) in [("empty", "no run of pliant"), ("nowhere", "is no directory")] {
        let refused = place.fail(2, &["export", dir, "--format", "obj"]);
        assert!(refused.contains(text) && refused.contains("pliant simulate"), "{refused}");
    }
    let export = ["export", "run", "--format", "obj"];

    let ball = std::fs::read(place.path("ball.vtu")).unwrap();
    place.succeed(&["generate", "sphere", "--radius", "0.41", "--cells", "3", "-o", "ball.vtu"]);
    let refused = place.fail(2, &export);
    assert!(refused.contains("mixed_0000.vtu") && refused.contains("a mesh has changed"), "{refused}");
    place.succeed(&["generate", "sphere", "--radius", "0.4", "--cells", "4", "-o", "ball.vtu"]);
    let refused = place.fail(2, &export);
    assert!(refused.contains("points") && refused.contains("a mesh has changed"), "{refused}");
    std::fs::write(place.path("ball.vtu"), ball).unwrap();
    place.succeed(&export);

    let frame = place.path("run/vtu/mixed_0001.vtu");
    let whole = std::fs::read(&frame).unwrap();
    std::fs::write(&frame, &whole[..whole.len() / 2]).unwrap();
    let refused = place.fail(2, &["export", "run", "--format", "obj", "-o", "half"]);
    assert!(refused.contains("mixed_0001.vtu"), "{refused}");
    assert_eq!(std::fs::read_dir(place.path("half")).unwrap().count(), 0, "half an export is left");

    std::fs::remove_dir_all(place.path("run/vtu")).unwrap();
    let refused = place.fail(2, &["export", "run", "--format", "obj", "--force"]);
    assert!(
        refused.contains("no frames vtu/mixed_0000.vtu") && refused.contains("output.formats"),
        "{refused}"
    );
}
