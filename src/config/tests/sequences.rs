//! Tests of obstacles and pins that follow files.

use std::path::PathBuf;

use super::{BASE, Overrides};
use crate::config::{Loaded, load, to_toml};
use crate::error::Result;
use crate::scene::{MeshSource, ObstacleShape, Path, Sequence};

/// A directory with numbered meshes and point caches, none of which is read here.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let names =
        ["walk_0003.obj", "walk_0004.obj", "gap1.obj", "gap3.obj", "body.obj", "body.pc2", "body.mdd"];
    for name in names {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    directory
}

/// Loads the base scene with more text, and another motion of its pin.
fn loaded(directory: &tempfile::TempDir, motion: &str, more: &str) -> Result<Loaded> {
    let config = directory.path().join("scene.toml");
    let base = BASE.replace("{ rotate = { axis = [1, 0, 0], degrees_per_second = 90 } }", motion);
    assert!(base.contains(motion));
    std::fs::write(&config, format!("{base}{more}")).unwrap();
    load(&config, &Overrides::default())
}

const STILL: &str = "{ translate = [0, 0, 0] }";

#[test]
fn files_are_found_beside_the_config_and_written_back() {
    let directory = directory();
    let more = "[[obstacle]]\nsequence = { files = \"./walk_####.obj\", fps = 24 }\n\
                [[obstacle]]\nshape = { mesh = \"body.obj\" }\nsequence = { files = \"body.mdd\", start = -0.5 }";
    let first = loaded(&directory, "{ file = \"body.pc2\", fps = 25, from = 0.1 }", more).unwrap();
    let at = |name: &str| -> PathBuf { directory.path().join(name) };
    let [walker, body] = &first.scene.obstacles[..] else { panic!("two obstacles") };
    assert_eq!(walker.shape, ObstacleShape::Mesh(MeshSource::File(at("walk_0003.obj"))));
    let files = vec![at("walk_0003.obj"), at("walk_0004.obj")];
    assert_eq!(walker.sequence(), Some(&Sequence { files, fps: Some(24.0) }));
    assert_eq!(body.shape, ObstacleShape::Mesh(MeshSource::File(at("body.obj"))));
    assert_eq!(body.sequence(), Some(&Sequence { files: vec![at("body.mdd")], fps: None }));
    assert_eq!(body.motion.as_ref().unwrap().from, -0.5);
    let motion = first.scene.bodies[0].pins[0].motion.as_ref().unwrap();
    let cache = Sequence { files: vec![at("body.pc2")], fps: Some(25.0) };
    assert_eq!((&motion.path, motion.from), (&Path::Sequence(cache), 0.1));
    let text = to_toml(&first);
    std::fs::write(at("again.toml"), &text).unwrap();
    let again = load(&at("again.toml"), &Overrides::default()).unwrap();
    assert_eq!(format!("{:?}", first.scene), format!("{:?}", again.scene));
    assert_eq!(text, to_toml(&again));
    first.scene.check().unwrap();
}

/// Each row: the obstacle, and the only message.
const BAD: &[(&str, &str)] = &[
    ("sequence = { fps = 24 }", "obstacle.0.sequence.files: missing"),
    ("sequence = { files = \"\", fps = 24 }", "obstacle.0.sequence.files: must not be empty"),
    ("sequence = { files = \"walk_####.obj\" }", "obstacle.0.sequence.fps: missing: only .mdd files"),
    ("sequence = { files = \"walk_####.obj\", fps = 0 }", "obstacle.0.sequence.fps: must be above 0"),
    (
        "sequence = { files = \"walk_####.obj\", fsp = 24 }",
        "obstacle.0.sequence.fsp: unknown key|did you mean 'fps'?",
    ),
    (
        "sequence = { files = \"walk_0003.obj\", fps = 24 }",
        "obstacle.0.sequence.files: |walk_0003.obj is neither numbered nor a point cache|such as walk_####.obj",
    ),
    ("sequence = { files = \"run_####.obj\", fps = 24 }", "obstacle.0.sequence.files: no such files: "),
    (
        "sequence = { files = \"gap#.obj\", fps = 24 }",
        "obstacle.0.sequence.files: the files go from gap1.obj to gap3.obj, but gap2.obj is missing",
    ),
    (
        "sequence = { files = \"walk_####.obj\", fps = 24 }\nmotion = { translate = [0, 1, 0] }",
        "obstacle.0.motion: the obstacle has a sequence, which moves it already|give either motion or sequence",
    ),
    (
        "sequence = { files = \"walk_####.obj\", fps = 24 }\nshape = { mesh = \"body.obj\" }",
        "obstacle.0.shape: the files of the sequence are its shape|leave it out",
    ),
    (
        "sequence = { files = \"body.pc2\", fps = 24 }",
        "obstacle.0.shape: missing: a point cache has no triangles|shape = { mesh = ",
    ),
    (
        "sequence = { files = \"body.pc2\", fps = 24 }\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }",
        "obstacle.0.sequence: only a mesh has vertices that follow a sequence",
    ),
    (
        "sequence = { files = \"bdy.pc2\", fps = 24 }\nshape = { mesh = \"body.obj\" }",
        "obstacle.0.sequence.files: no such file: |did you mean 'body.pc2'?",
    ),
    (
        "motion = { file = \"body.pc2\", fps = 24 }\nshape = { mesh = \"body.obj\" }",
        "obstacle.0.motion.file: an obstacle follows files by the key 'sequence'|such as sequence = ",
    ),
];

/// Each row: the motion of a pin, and the only message.
const BAD_PINS: &[(&str, &str)] = &[
    ("{ file = \"body.pc2\" }", "body.0.pin.0.motion.fps: missing: only .mdd files"),
    ("{ file = \"body.pc2\", fps = -1 }", "body.0.pin.0.motion.fps: must be above 0"),
    (
        "{ file = \"body.obj\", fps = 1 }",
        "body.0.pin.0.motion.file: |body.obj is neither numbered nor a point cache",
    ),
    ("{ file = \"none.mdd\" }", "body.0.pin.0.motion.file: no such file: "),
    ("{ translate = [0, 0, 0], fps = 1 }", "body.0.pin.0.motion.fps: has no effect without file"),
    (
        "{ file = \"body.mdd\", translate = [0, 0, 0] }",
        "body.0.pin.0.motion: wants exactly one kind, found file and translate|keyframes, shake, file",
    ),
];

#[test]
fn what_files_cannot_do_is_refused_at_its_key() {
    let directory = directory();
    let obstacles = BAD.iter().map(|(text, parts)| (STILL, format!("[[obstacle]]\n{text}"), *parts));
    for (motion, more, parts) in
        obstacles.chain(BAD_PINS.iter().map(|(m, parts)| (*m, String::new(), *parts)))
    {
        let message = loaded(&directory, motion, &more).unwrap_err().to_string();
        assert!(parts.split('|').all(|part| message.contains(part)), "{motion} {more}:\n{message}");
        assert_eq!(message.matches("scene.toml:").count(), 1, "{motion} {more}:\n{message}");
    }
    let late = "[[obstacle]]\nsequence = { files = \"walk_####.obj\", fps = 24, start = 9 }";
    let warnings = loaded(&directory, STILL, late).unwrap().warnings;
    assert!(warnings[0].contains("obstacle.0.sequence starts at 9 s"), "{warnings:?}");
}
