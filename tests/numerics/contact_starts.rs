//! Starts in which surfaces intersect: what is left out until it is apart, and what is said of it.

use pliant::config::parse;
use pliant::error::Error;
use pliant::prelude::*;

use crate::contact::{FLOOR, cube, start, touching};

/// The lowest place of a body.
fn lowest(simulation: &Simulation, body: &str) -> f64 {
    simulation.positions(body).unwrap().iter().map(|x| x[1]).fold(f64::INFINITY, f64::min)
}

const BLOCK: &str =
    "[[obstacle]]\nname = \"block\"\nshape = { box = { min = [-1, -1, -1], max = [2, 1, 2] } }\n";

/// A cube of `cells` cells that starts at a height and rises.
fn rising(name: &str, cells: u32, height: f64) -> String {
    format!("{}velocity = {{ linear = [0, 3, 0] }}\n", cube(name, cells, height, 1e5))
}

#[test]
fn what_starts_inside_leaves_and_is_held_when_it_comes_back() {
    for (solver, obstacle, level) in
        [("newton", FLOOR, 0.0), ("newton", BLOCK, 1.0), ("quasi-newton", BLOCK, 1.0)]
    {
        let text = format!(
            "[time]\nstep = \"1/60\"\n[contact]\nstart = \"exclude\"\ndistance = 0.01\n{obstacle}{}",
            rising("cube", 4, level - 0.3)
        );
        let mut simulation = start(solver, &text);
        assert!(simulation.contact.as_ref().unwrap().excluded > 20, "{obstacle}");
        let first = touching(&mut simulation);
        // Nothing pushes, neither out nor further in.
        assert!(first.pairs == 0 && first.excluded > 20, "{obstacle}: {} pairs", first.pairs);
        let mut highest = f64::NEG_INFINITY;
        for frame in 0..90 {
            simulation.check_clean(frame).unwrap();
            simulation.advance().unwrap();
            highest = highest.max(lowest(&simulation, "cube"));
        }
        let last = touching(&mut simulation);
        assert!(highest > level + 0.05, "{obstacle}: {highest}");
        assert_eq!(last.excluded, 0, "{obstacle}");
        assert!(lowest(&simulation, "cube") > level && last.pairs > 0, "{solver}, {obstacle}: it lies on it");
    }
}

#[test]
fn all_else_is_held_while_something_is_left_out() {
    // The cube on the left is sunk into the block and falls through; that on the right lands.
    let left = cube("left", 3, 0.9, 1e5).replace("[0, 0.9, 0]", "[-0.9, 0.9, 0.1]");
    let right = cube("right", 3, 1.02, 1e5).replace("[0, 1.02, 0]", "[0.9, 1.02, 0.1]");
    let text = format!(
        "[time]\nstep = \"1/60\"\n[contact]\nstart = \"exclude\"\ndistance = 0.01\n{BLOCK}{left}{right}"
    );
    let mut simulation = start("newton", &text);
    for frame in 0..20 {
        simulation.check_clean(frame).unwrap();
        simulation.advance().unwrap();
    }
    let (left, right) = (lowest(&simulation, "left"), lowest(&simulation, "right"));
    assert!(touching(&mut simulation).excluded > 0 && left < 0.9, "{left}");
    assert!(right > 1.0, "{right}");
}

#[test]
fn what_is_left_out_may_slide_over_the_surface() {
    // A thin rod through a sheet of many triangles, moving sideways.
    let sheet = "[[body]]\nname = \"sheet\"\nthickness = 0.001\ncontact = { thickness = 0 }\n\
        generate = { shape = \"cloth\", size = [1, 1], cells = [24, 24] }\n\
        material = { model = \"arap\", young = 1e6, poisson = 0.3 }\ntransform = { translate = [0, 0.5, 0] }\n\
        pin = [{ select = { box = { min = [-1, 0, -1], max = [2, 1, 2] } } }]\n";
    let rod = "[[body]]\nname = \"rod\"\nvelocity = { linear = [1, 0, 0.2] }\n\
        element = \"linear\"\n\
        generate = { shape = \"box\", size = [0.01, 1, 0.01], cells = [1, 4, 1] }\n\
        material = { model = \"arap\", young = 1e5, poisson = 0 }\ntransform = { translate = [0.403, 0.1, 0.507] }\n";
    let text = format!(
        "[time]\nstep = \"1/120\"\n[world]\ngravity = [0, 0, 0]\n[contact]\nstart = \"exclude\"\ndistance = 0.002\n{sheet}{rod}"
    );
    let mut simulation = start("newton", &text);
    let before = simulation.positions("rod").unwrap()[0][0];
    for frame in 0..30 {
        simulation.check_clean(frame).unwrap();
        simulation.advance().unwrap();
    }
    simulation.check_clean(30).unwrap();
    assert!(touching(&mut simulation).excluded > 0);
    let way = simulation.positions("rod").unwrap()[0][0] - before;
    assert!(way > 0.01, "the rod moved by {way}");
}

#[test]
fn what_is_left_out_is_restored_and_damaged_bytes_are_refused() {
    let text = format!(
        "[time]\nstep = \"1/60\"\n[contact]\nstart = \"exclude\"\ndistance = 0.01\nfriction = 0.3\n{BLOCK}{}{}",
        FLOOR.replace("[0, 0, 0]", "[0, 0.85, 0]"),
        rising("cube", 3, 0.7)
    );
    let mut simulation = start("newton", &text);
    for _ in 0..4 {
        simulation.advance().unwrap();
    }
    let saved = simulation.objective.active().next().unwrap().save();
    let mut other = start("newton", &text);
    let term = other.objective.active_mut().next().unwrap();
    assert_ne!(term.save(), saved, "some are apart by now");
    for length in 0..saved.len() {
        assert!(!term.restore(&saved[..length]), "{length} of {} bytes", saved.len());
    }
    for byte in 0..24 {
        let mut damaged = saved.clone();
        damaged[byte] ^= 0x41;
        assert!(!term.restore(&damaged), "byte {byte}");
    }
    let mut strange = saved.clone();
    let end = strange.len();
    strange[end - 4..].fill(0xff);
    assert!(!term.restore(&strange) && !term.restore(&[saved.clone(), vec![0; 8]].concat()));
    assert!(term.restore(&saved));
    assert_eq!(term.save(), saved);
    other.state = simulation.state.clone();
    other.step = simulation.step;
    for _ in 0..40 {
        simulation.advance().unwrap();
        other.advance().unwrap();
        assert_eq!(other.state, simulation.state);
    }
}

fn refusal(text: &str) -> Error {
    let config = format!("[solver]\nkind = \"quasi-newton\"\n{text}");
    let Err(error) = Simulation::start(&parse(&config).unwrap().scene) else { panic!("not refused") };
    error
}

#[test]
fn a_refusal_tells_what_is_wrong_and_shows_it() {
    let low = cube("low", 2, 0.5, 1e5);
    let on = |height: f64, at: f64| {
        let old = format!("[0, {height}, 0]");
        cube("high", 2, height, 1e5).replace(&old, &format!("[{at}, {height}, {at}]"))
    };
    let error = refusal(&format!("[contact]\n{low}{}", on(1.4, 0.3)));
    let Error::Intersecting { reason, hint, found, .. } = &error else { panic!("{error}") };
    assert!(
        reason.starts_with("surfaces intersect at the start: 'low' and 'high' intersect in "),
        "{reason}"
    );
    let mut places: Vec<&str> = reason.split('(').skip(1).collect();
    places.dedup();
    assert_eq!(places.len(), 3, "{reason}");
    assert!(hint.contains("contact.pairs = [{ between = [\"low\", \"high\"], contact = false }]"), "{hint}");
    assert!(!hint.contains("thickness") && hint.contains("contact.start = \"exclude\""), "{hint}");
    assert!(found.triangles.len() > 4 && found.edges.is_empty());
    assert_eq!((found.body_ids.len(), found.pairs.len()), (found.triangles.len(), found.triangles.len()));
    assert!([0, 1].iter().all(|id| found.body_ids.contains(id)) && found.pairs.iter().all(|pair| *pair == 0));

    // Layers of equal cells pass through nothing, but one is inside the other.
    let aligned = refusal(&format!("[contact]\n{low}{}", on(1.4, 0.0))).to_string();
    assert!(aligned.contains("'low' and 'high' intersect in "), "{aligned}");
    for at in [0.0, 0.3] {
        let touching = refusal(&format!("[contact]\ndistance = 0.004\n{low}{}", on(1.5, at))).to_string();
        assert!(touching.contains("surfaces touch at the start: 'low' and 'high' touch in "), "{touching}");
        assert!(touching.contains("leave a gap of about 0.004 m"), "{touching}");
    }
    let sunk = refusal(&format!("{FLOOR}{}", cube("sunk", 2, -0.2, 1e5))).to_string();
    assert!(sunk.contains("'sunk' and 'floor' intersect: 9 of 26 vertices"), "{sunk}");
    assert!(sunk.contains("by up to 2.000e-1 m"), "{sunk}");
    let behind = refusal(&format!("{}{low}", FLOOR.replace("[0, 1, 0]", "[0, -1, 0]"))).to_string();
    assert!(behind.contains("'low' is wholly behind 'floor' (is its normal reversed?)"), "{behind}");
    assert!(behind.contains("turn the normal"), "{behind}");
    let on_it = refusal(&format!("{FLOOR}{}", cube("flat", 2, 0.0, 1e5))).to_string();
    assert!(on_it.contains("'flat' and 'floor' touch in 9 places"), "{on_it}");
    let cloth = "[[body]]\nname = \"cloth\"\nthickness = 0.01\ngenerate = { shape = \"cloth\", size = [1, 1], cells = [2, 2] }\n\
        material = { model = \"arap\", young = 1e5, poisson = 0.3 }\ntransform = { translate = [0.1, 1.503, 0.1] }\n";
    let close = refusal(&format!("[contact]\n{low}{cloth}")).to_string();
    assert!(close.contains("'low' and 'cloth' are closer than their thickness"), "{close}");
    assert!(close.contains("make contact.thickness of 'cloth' smaller"), "{close}");
}

#[test]
fn numbers_that_are_not_meant_are_warned_of() {
    let warnings = |contact: &str| {
        let text =
            format!("[solver]\nkind = \"newton\"\n[contact]\n{contact}{FLOOR}{}", cube("cube", 4, 2.0, 1e5));
        Simulation::new(&parse(&text).unwrap().scene, &Cache::disabled())
            .map(|(_, report)| report.notes.warnings)
    };
    for fine in ["", "distance = 0.05\n", "stiffness = 1e8\n", "stiffness = 100\n"] {
        assert_eq!(warnings(fine).unwrap(), Vec::<String>::new(), "{fine}");
    }
    // Edges of 0.25 m and their diagonals; the diagonal of the cube is 1.73 m.
    let far = warnings("distance = 0.16\n").unwrap();
    assert!(far.len() == 1 && far[0].contains("half the mean edge of the surface of 'cube'"), "{far:?}");
    assert!(far[0].contains("set contact.distance = 0.1"), "{far:?}");
    let huge = warnings("distance = 1.8\n").unwrap_err().to_string();
    assert!(huge.contains("contact.distance = 1.8 is larger than the body 'cube'"), "{huge}");
    for (stiffness, word) in [("1.1e9", "more than"), ("9", "less than")] {
        let found = warnings(&format!("stiffness = {stiffness}\n")).unwrap();
        assert!(found.len() == 1 && found[0].contains(word), "{found:?}");
        assert!(found[0].contains("set contact.stiffness = 1e5"), "{found:?}");
    }
}
