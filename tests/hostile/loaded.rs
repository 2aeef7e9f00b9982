//! What a run loads is held against the scene: checkpoints and entries of the cache that lie are refused.

use std::path::Path;

use pliant::run::checkpoint::Checkpoint;

use super::entry::Entry;
use super::turn;
use crate::common::program::{Place, assert_equal_content};

/// A filled sphere and a beam, which need every kind of entry, with a solver that needs the spectral radius.
pub const SCENE: &str = r#"
    name = "both"
    [time]
    step = "1/30"
    frames = 2
    [solver]
    kind = "chebyshev"
    iterations = 12
    [output]
    formats = ["vtu"]
    [[body]]
    name = "ball"
    surface = "ball.obj"
    tetrahedralize = { cells = 100 }
    material = { model = "arap", young = 1e4, poisson = 0.3 }
    [[body]]
    name = "beam"
    element = "linear"
    generate = { shape = "beam", size = [1, 1, 1], cells = [2, 2, 2] }
    material = { model = "arap", young = 1e4, poisson = 0.3 }
"#;

/// A place with the scene, its mesh and a finished run in `first`.
pub fn place() -> Place {
    let place = Place::new();
    place.succeed(&["generate", "sphere", "--radius", "1", "--cells", "2", "-o", "ball.obj"]);
    place.write("scene.toml", SCENE);
    place.succeed(&["simulate", "scene.toml", "-o", "first"]);
    place
}

#[test]
fn checkpoints_that_do_not_fit_the_scene_are_refused() {
    let _turn = turn();
    let place = place();
    let path = place.path("first/checkpoint.bin");
    let whole = Checkpoint::read(&path).unwrap().unwrap();
    type Edit = fn(&mut Checkpoint);
    let edits: [(&str, Edit); 6] = [
        ("vertices, but the scene has", |c| {
            c.state.x.truncate(5);
            c.state.v.truncate(5);
        }),
        ("vertices, but the scene has", |c| {
            let more = c.state.x.clone();
            c.state.x.extend(more);
            c.state.v = c.state.x.clone();
        }),
        ("not finite", |c| c.state.v[3].0[1] = f64::NAN),
        ("accounts of 1 bodies", |c| c.accounts.push(Default::default())),
        ("1 states of contacts and pins", |c| c.kept.push(vec![7])),
        ("steps for", |c| c.step += 1),
    ];
    for (reason, edit) in edits {
        let mut lying = whole.clone();
        lying.frame = 1;
        lying.step = 1;
        edit(&mut lying);
        lying.write(&path).unwrap();
        let message = place.run(&["simulate", "scene.toml", "-o", "first", "--resume"]);
        let message = String::from_utf8_lossy(&message.stderr).into_owned();
        assert!(message.contains(reason) && message.contains("--force"), "{reason}: {message}");
        assert!(!message.contains("panicked"), "{message}");
    }
}

/// Puts a signed entry in the place of one that a run has made: `cache verify` tells it if it `contradicts` itself, and a
/// run computes it anew and writes the same frames.
fn is_refused(place: &Place, path: &Path, what: &str, entry: &Entry, contradicts: bool) {
    std::fs::write(path, entry.signed()).unwrap();
    let verified = place.run(&["cache", "verify"]);
    assert_eq!(verified.status.success(), !contradicts, "{what}: {verified:?}");
    let message = place.succeed(&["simulate", "scene.toml", "-o", "again", "--force"]);
    assert!(message.contains("computing it anew"), "{what}: {message}");
    assert_equal_content(&place.path("first"), &place.path("again"));
    place.succeed(&["cache", "verify"]);
}

#[test]
fn tets_in_the_cache_that_are_none_are_filled_anew() {
    let _turn = turn();
    let place = place();
    let (path, whole) = Entry::find(&place.path("cache"), "tets");
    type Edit = fn(&mut Entry);
    let edits: [(&str, Edit); 5] = [
        ("NaN", |e| e.edit_f64(0, |points| points[4] = f64::NAN)),
        ("flat", |e| e.edit_f64(0, |points| points.chunks_exact_mut(3).for_each(|p| p[2] = 0.0))),
        ("inverted", |e| e.edit_u32(1, |tets| tets.swap(0, 1))),
        ("empty", |e| e.edit_u32(1, Vec::clear)),
        ("out of range", |e| e.edit_u32(1, |tets| tets[2] = 1 << 30)),
    ];
    for (what, edit) in edits {
        let mut entry = whole.clone();
        edit(&mut entry);
        is_refused(&place, &path, what, &entry, true);
    }
}

#[test]
fn factors_and_orderings_of_another_system_are_computed_anew() {
    let _turn = turn();
    let place = place();
    // The entries of a smaller and of a larger scene.
    for (name, cells) in [("small", "[1, 1, 1]"), ("large", "[3, 2, 2]")] {
        place.write("other.toml", &SCENE.replace("cells = [2, 2, 2]", &format!("cells = {cells}")));
        let cache = place.path(name).to_string_lossy().into_owned();
        place.succeed(&["precompute", "other.toml", "--cache-dir", &cache]);
        for kind in ["factor", "ordering"] {
            let (path, mut own) = Entry::find(&place.path("cache"), kind);
            own.arrays = Entry::find(&place.path(name), kind).1.arrays;
            is_refused(&place, &path, &format!("{name} {kind}"), &own, false);
        }
    }
    let (path, whole) = Entry::find(&place.path("cache"), "factor");
    type Edit = fn(&mut Entry);
    let edits: [(&str, Edit); 4] = [
        ("a node of width 0", |e| {
            e.edit_u32(3, |nodes| drop(nodes.splice(..0, [0; 3])));
            // All parts but the first begin a node later: each has six numbers, after the size of the system.
            e.edit_u64(0, |layout| layout[1..].chunks_exact_mut(6).skip(1).for_each(|part| part[0] += 1));
        }),
        ("a connected part twice", |e| e.edit_u32(5, |ends| ends.insert(0, ends[0]))),
        ("sums that are NaN", |e| e.edit_f64(6, |sums| sums[0] = f64::NAN)),
        ("values that are NaN", |e| e.arrays[7].1[..4].fill(0xff)),
    ];
    for (what, edit) in edits {
        let mut entry = whole.clone();
        edit(&mut entry);
        is_refused(&place, &path, what, &entry, true);
    }
    let (path, mut rho) = Entry::find(&place.path("cache"), "rho");
    rho.edit_f64(0, |rho| rho[0] = 1.5);
    is_refused(&place, &path, "a radius above 1", &rho, true);
}
