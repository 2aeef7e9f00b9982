//! Ropes, rods and springs of edges against closed forms.

use crate::common::program::Place;
use crate::common::{distance, simulation};
use elements::par;
use pliant::cache::Cache;
use pliant::io;
use pliant::mesh::generate::generate;
use pliant::scene::Shape;
use pliant::simulate::Simulation;

const GRAVITY: f64 = 9.81;
/// The default radius of a line in m, and its density in kg/m³.
const RADIUS: f64 = 0.005;
const DENSITY: f64 = 1000.0;

/// Weight of a rope per length, N/m.
fn weight() -> f64 {
    DENSITY * std::f64::consts::PI * RADIUS * RADIUS * GRAVITY
}

/// A rope of `length` in `segments` between pins `span` apart, let fall from a slack straight line until it rests.
fn hanging(length: f64, span: f64, segments: usize, solver: &str) -> Simulation {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 0.2
        frames = 60
        [solver]
        {solver}
        [[body]]
        generate = {{ shape = "rope", length = {length}, segments = {segments} }}
        deform = {{ stretch = [{}, 1, 1] }}
        [[body.pin]]
        select = {{ ids = [0, {segments}] }}
        "#,
        span / length
    ));
    for _ in 0..60 {
        simulation.advance().unwrap();
    }
    simulation
}

/// The parameter a of the catenary y = a cosh(x/a) of `length` over `span`: 2a sinh(span/(2a)) = length.
fn catenary(length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (1e-3 * span, 1e3 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        // The length falls with a.
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    0.5 * (low + high)
}

/// The elastic force on a vertex (input number), N.
fn force_on(simulation: &Simulation, vertex: u32) -> [f64; 3] {
    let states = simulation.model.element_states(&simulation.objective.terms, &simulation.state.x);
    let x = simulation.model.to_input(&simulation.state.x);
    let area = std::f64::consts::PI * RADIUS * RADIUS;
    let mut force = [0.0; 3];
    for (edge, state) in simulation.model.edges.iter().zip(&states) {
        if let Some(at) = edge.iter().position(|v| *v == vertex) {
            let (here, there) = (x[vertex as usize], x[edge[1 - at] as usize]);
            let along: [f64; 3] = std::array::from_fn(|k| there[k] - here[k]);
            let length = along.iter().map(|c| c * c).sum::<f64>().sqrt();
            for k in 0..3 {
                force[k] += state.von_mises * area * along[k] / length;
            }
        }
    }
    force
}

#[test]
fn a_hanging_rope_is_a_catenary() {
    for ratio in [1.2, 1.5] {
        let (span, segments) = (1.0, 60);
        let length = ratio * span;
        let simulation = hanging(length, span, segments, "kind = \"newton\"\niterations = 60");
        let x = simulation.model.to_input(&simulation.state.x);
        let fastest = simulation.state.v.iter().flat_map(|v| v.0).fold(0.0f64, |m, c| m.max(c.abs()));
        assert!(fastest < 1e-4, "not at rest: {fastest} m/s");
        let a = catenary(length, span);
        let (left, sag) = (x[0], a * (span / (2.0 * a)).cosh() - a);
        for (i, p) in x.iter().enumerate() {
            let from_middle = p[0] - left[0] - 0.5 * span;
            let y = left[1] - sag + a * (from_middle / a).cosh() - a;
            assert!((p[1] - y).abs() < 0.01 * sag, "{ratio}: vertex {i} is {} off {y}", p[1] - y);
            // By arc length from the middle, s = a sinh(x/a): no vertex has slid along the curve.
            let s = length * (i as f64 / segments as f64 - 0.5);
            assert!((from_middle - a * (s / a).asinh()).abs() < 0.01 * sag, "{ratio}: vertex {i}");
        }
        let lowest = x.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        assert!(((left[1] - lowest) / sag - 1.0).abs() < 0.01, "{ratio}: sag {} {sag}", left[1] - lowest);
        let force = force_on(&simulation, 0);
        assert!((force[0] / (weight() * a) - 1.0).abs() < 0.01, "{ratio}: {force:?} {}", weight() * a);
        // Half the weight, but for the half segment whose mass the pin has.
        let carried = 0.5 * weight() * length * (1.0 - 1.0 / segments as f64);
        assert!((-force[1] / carried - 1.0).abs() < 1e-3, "{ratio}: {force:?} {carried}");
    }
}

/// How far the lower end of a line of 1 m hanging by its upper end sinks.
fn elongation(line: &str) -> f64 {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 1.0
        frames = 30
        [solver]
        kind = "newton"
        iterations = 30
        [[body]]
        generate = {{ shape = "rope", length = 1, segments = 10 }}
        {line}
        transform = {{ rotate = {{ axis = [0, 0, 1], degrees = -90 }} }}
        [[body.pin]]
        select = {{ ids = [0] }}
        "#
    ));
    for _ in 0..30 {
        simulation.advance().unwrap();
    }
    -1.0 - simulation.model.to_input(&simulation.state.x)[10][1]
}

#[test]
fn a_line_lengthens_under_its_weight_by_its_modulus() {
    // ρ g L²/(2E), whatever the cross-section.
    let expected = |young: f64| DENSITY * GRAVITY / (2.0 * young);
    for (line, young) in [
        ("", 1e7),
        ("line = { kind = \"rod\" }", 1e7),
        ("line = { young = 1e6 }\nradius = 0.02", 1e6),
        ("line = { kind = \"spring\", young = 1e5 }", 1e5),
    ] {
        let sunk = elongation(line);
        assert!((sunk / expected(young) - 1.0).abs() < 1e-3, "{line}: {sunk} {}", expected(young));
    }
    assert!(elongation("") < 1e-3, "the default stretches by less than 0.1 %");
}

/// A straight line along x of `kind`, its ends at `part` of its length, in free fall.
fn compressed(kind: &str, part: f64) -> Simulation {
    simulation(&format!(
        r#"
        [time]
        step = 0.01
        frames = 3
        [solver]
        kind = "newton"
        iterations = 20
        [[body]]
        generate = {{ shape = "rope", length = 2, segments = 8 }}
        line = {{ kind = "{kind}", young = 1e6 }}
        deform = {{ stretch = [{part}, 1, 1] }}
        "#
    ))
}

#[test]
fn a_rope_is_slack_under_compression_and_a_rod_is_not() {
    // Every edge is strained by part − 1: E/2 (part − 1)² A L.
    let full = |part: f64| 0.5 * 1e6 * (part - 1.0f64).powi(2) * std::f64::consts::PI * RADIUS * RADIUS * 2.0;
    for (kind, part, expected) in [
        ("rope", 0.6, 0.0),
        ("rope", 1.1, full(1.1)),
        ("rod", 0.6, full(0.6)),
        ("spring", 0.6, full(0.6)),
        ("spring", 1.1, full(1.1)),
    ] {
        let simulation = compressed(kind, part);
        let mut at = simulation.objective.iterate_at(simulation.state.x.clone());
        simulation.objective.evaluate(&mut at);
        let energy = at.value.elastic;
        assert!((energy - expected).abs() <= 1e-9 * expected, "{kind}, {part}: {energy} {expected}");
        let states = simulation.model.element_states(&simulation.objective.terms, &simulation.state.x);
        let stress = if expected == 0.0 { 0.0 } else { 1e6 * (part - 1.0).abs() };
        for state in states {
            assert!((state.det_f - part).abs() < 1e-12 && (state.von_mises - stress).abs() <= 1e-6 * stress);
        }
    }
    let mut falling = compressed("rope", 0.6);
    for _ in 0..3 {
        falling.advance().unwrap();
    }
    for v in &falling.state.v {
        assert!(
            v.0[0].abs() < 1e-9 && (v.0[1] + 0.03 * GRAVITY).abs() < 1e-9,
            "a slack rope falls freely: {v:?}"
        );
    }
}

#[test]
fn a_rod_pendulum_keeps_its_lengths_and_its_time() {
    // All the mass that moves is at the end: a simple pendulum.
    let mut pendulum = simulation(
        r#"
        [time]
        step = 0.002
        frames = 400
        integrator = "midpoint"
        [solver]
        kind = "newton"
        iterations = 20
        [[body]]
        generate = { shape = "rope", length = 1, segments = 1 }
        line = { kind = "rod" }
        transform = { rotate = { axis = [0, 0, 1], degrees = -80 } }
        [[body.pin]]
        select = { ids = [0] }
        "#,
    );
    let amplitude = 10f64.to_radians();
    let quarter = 0.5 * std::f64::consts::PI * (1.0 / GRAVITY).sqrt() * (1.0 + amplitude * amplitude / 16.0);
    let (mut before, mut crossed) = (f64::NAN, None);
    for step in 1..=400 {
        pendulum.advance().unwrap();
        let x = pendulum.model.to_input(&pendulum.state.x)[1];
        let length = x.iter().map(|c| c * c).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 5e-3, "step {step}: {length}");
        if before > 0.0 && x[0] <= 0.0 {
            crossed = Some(0.002 * (f64::from(step) - x[0] / (x[0] - before)));
        }
        before = x[0];
    }
    let time = crossed.expect("it swings through");
    assert!((time / quarter - 1.0).abs() < 2e-3, "{time} {quarter}");
}

#[test]
fn a_swinging_chain_of_rods_keeps_its_lengths() {
    let mut chain = simulation(
        r#"
        [time]
        step = "1/240"
        frames = 240
        [solver]
        kind = "newton"
        iterations = 20
        [[body]]
        generate = { shape = "rope", length = 1, segments = 10 }
        line = { kind = "rod", young = 1e8 }
        [[body.pin]]
        select = { ids = [0] }
        "#,
    );
    let mut lowest = 0.0f64;
    for _ in 0..240 {
        chain.advance().unwrap();
        lowest = lowest.min(chain.model.to_input(&chain.state.x)[10][1]);
        for state in chain.model.element_states(&chain.objective.terms, &chain.state.x) {
            assert!((state.det_f - 1.0).abs() < 2e-3, "{state:?}");
        }
    }
    assert!(lowest < -0.9, "it does not swing: {lowest}");
}

#[test]
fn all_solvers_find_the_same_rope() {
    let mut ends = vec![];
    for (solver, iterations) in [("pd", 4000), ("quasi-newton", 600), ("newton", 60)] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/30"
            frames = 5
            [solver]
            kind = "{solver}"
            iterations = {iterations}
            [[body]]
            generate = {{ shape = "rope", length = 1, segments = 10 }}
            line = {{ young = 1e5 }}
            [[body.pin]]
            select = {{ ids = [0] }}
            "#
        ));
        for _ in 0..5 {
            simulation.advance().unwrap();
        }
        ends.push(simulation.state.x);
    }
    assert!(ends[0].iter().any(|p| p.0[1] < -0.05), "it does not fall");
    for other in &ends[1..] {
        assert!(distance(&ends[0], other) < 1e-6, "solvers end {} apart", distance(&ends[0], other));
    }
}

/// Several chunks of edges.
fn long_rope() -> Vec<[u64; 4]> {
    let mut simulation = simulation(
        r#"
        [time]
        step = "1/60"
        frames = 4
        [solver]
        iterations = 6
        [[body]]
        generate = { shape = "rope", length = 20, segments = 6000 }
        [[body.pin]]
        select = { ids = [0, 6000] }
        "#,
    );
    assert!(simulation.objective.elements() >= par::WORTH_WAKING);
    for _ in 0..4 {
        simulation.advance().unwrap();
    }
    simulation.state.x.iter().map(|p| p.0.map(f64::to_bits)).collect()
}

#[test]
fn a_rope_has_the_same_bytes_with_any_number_of_threads() {
    let one = par::with_threads(1, long_rope);
    for threads in [2, 3, 8] {
        assert!(one == par::with_threads(threads, long_rope), "{threads} threads");
    }
}

#[test]
fn a_polyline_from_a_file_is_a_rope_and_wants_line() {
    let place = Place::new();
    let path = place.path("rope.vtu");
    io::write(&generate(&Shape::Rope { length: 2.0, segments: 5 }), &path).unwrap();
    let load = |more: &str| {
        let text = format!("[[body]]\nmesh = '{}'\n{more}", path.display());
        let config = pliant::config::parse(&text).unwrap().scene;
        Simulation::new(&config, &Cache::disabled()).map(|(s, _)| s).map_err(|e| e.to_string())
    };
    let from_file = load("line = { kind = \"rod\" }\nradius = 0.01\ndensity = 500").unwrap();
    assert_eq!(from_file.model.edges, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]);
    let mass: f64 = from_file.objective.mass.iter().sum();
    assert!((mass / (500.0 * std::f64::consts::PI * 1e-4 * 2.0) - 1.0).abs() < 1e-12, "{mass}");
    let end = from_file.model.numbering.position[0] as usize;
    assert!((from_file.objective.mass[end] / mass - 0.1).abs() < 1e-12, "an end has half of its segment");
    let refused = load("material = { model = \"arap\", k = 1e5 }").err().unwrap();
    assert!(
        refused.contains("rope.vtu") && refused.contains("cannot have 'material' (it wants 'line'"),
        "{refused}"
    );
    assert!(
        load("springs = { stiffness = 1 }").err().unwrap().contains("cannot have 'springs' (it wants 'line'")
    );
}

#[test]
fn what_a_line_cannot_have_is_refused_with_its_key() {
    let rope = "[[body]]\ngenerate = { shape = \"rope\", length = 1, segments = 4 }\n";
    for (more, key, reason) in [
        ("material = { model = \"arap\", k = 1 }", "body.0.material", "does not take this key"),
        ("springs = { stiffness = 1 }", "body.0.springs", "does not take this key"),
        ("fibers = [{ direction = [1, 0, 0], stiffness = 1 }]", "body.0.fibers", "does not take this key"),
        ("line = { kind = \"spring\" }", "body.0.line.young", "missing"),
        ("line = { young = 0 }", "body.0.line.young", "must be above 0"),
        ("line = { kind = \"rods\" }", "body.0.line.kind", "did you mean 'rod'"),
        ("line = { stiffness = 1 }", "body.0.line.stiffness", "unknown key"),
        ("radius = -1", "body.0.radius", "must be above 0"),
    ] {
        let message = pliant::config::parse(&format!("{rope}{more}")).unwrap_err().to_string();
        assert!(message.contains(key) && message.contains(reason), "{more}: {message}");
        assert_eq!(message.matches("body.0").count(), 1, "one fault only: {message}");
    }
}

/// A cube, a sheet and two lines in one scene.
const MIXED: &str = r#"
name = "mixed"
[time]
frames = 4
[[body]]
name = "rope"
generate = { shape = "rope", length = 1, segments = 6 }
pin = [{ select = { ids = [0] } }]
[[body]]
name = "cube"
element = "linear"
generate = { shape = "box", size = [1, 1, 1], cells = [1, 1, 1] }
material = { model = "arap", k = 1e5 }
[[body]]
name = "spring"
generate = { shape = "rope", length = 1, segments = 2 }
line = { kind = "spring", young = 1e6 }
[[body]]
name = "sheet"
generate = { shape = "cloth", size = [1, 1], cells = [2, 2] }
springs = { stiffness = 10 }
"#;

#[test]
fn a_mixed_scene_runs_resumes_and_tells_its_edges() {
    let place = Place::new();
    place.write("mixed.toml", MIXED);
    let checked = String::from_utf8(place.run(&["check", "mixed.toml"]).stdout).unwrap();
    assert!(checked.contains("body rope: 7 vertices (1 pinned), 6 edges, rope"), "{checked}");
    assert!(checked.contains("body spring: 3 vertices (0 pinned), 2 edges, spring"), "{checked}");
    let messages = place.succeed(&["simulate", "mixed.toml", "-o", "whole"]);
    assert!(messages.contains("5 tets, 8 triangles, 8 edges"), "{messages}");
    let summary = std::fs::read_to_string(place.path("whole/summary.json")).unwrap();
    assert!(summary.contains("\"edges\": 8"), "{summary}");
    place.succeed(&["simulate", "mixed.toml", "-o", "parts", "--frames", "2"]);
    let other = place
        .fail(2, &["simulate", "mixed.toml", "-o", "parts", "--resume", "--set", "body.2.line.young=2e6"]);
    assert!(other.contains("another config"), "{other}");
    place.succeed(&["simulate", "mixed.toml", "-o", "parts", "--resume"]);
    for file in ["vtu/mixed_0004.vtu", "ply/rope_0004.ply", "ply/sheet_0004.ply"] {
        let [whole, parts] = ["whole", "parts"].map(|run| std::fs::read(place.path(run).join(file)).unwrap());
        assert!(whole == parts, "{file} differs after a resume");
    }
    let info = String::from_utf8(
        place.run(&["generate", "rope", "--length", "2", "--segments", "4", "-o", "r.vtu"]).stdout,
    );
    assert_eq!(info.unwrap(), "");
    let info = String::from_utf8(place.run(&["info", "r.vtu", "--json"]).stdout).unwrap();
    assert!(info.contains("\"edges\": 4") && info.contains("\"length\": 2.0"), "{info}");
}
