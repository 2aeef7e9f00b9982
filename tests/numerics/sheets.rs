//! Sheets, springs and fibres against closed forms.

use crate::common::scenes::{HELD, equilibrium};
use crate::common::simulation;
use pliant::simulate::Simulation;

/// A strip of unit width along x, its ends held, the right one moved by `strain` of the length; equilibrium by a few
/// huge steps.
fn pulled_strip(material: &str, strain: f64) -> Simulation {
    let mut simulation = simulation(&equilibrium(
        "iterations = 50",
        &format!(
            r#"
        generate = {{ shape = "cloth", size = [8, 1], cells = [64, 8] }}
        thickness = 0.01
        material = {material}
        {HELD}
        [[body.pin]]
        select = {{ box = {{ min = [7.999, -1, -1], max = [9, 9, 9] }} }}
        motion = {{ keyframes = {{ axis = [1, 0, 0], keys = [{{ time = 0 }}, {{ time = 1, translate = [{}, 0, 0] }}] }} }}
        "#,
            8.0 * strain
        ),
    ));
    for _ in 0..6 {
        simulation.advance().unwrap();
    }
    simulation
}

#[test]
fn a_pulled_strip_narrows_by_poissons_ratio() {
    for poisson in [0.0, 0.3, 0.45] {
        for model in ["corotated", "stvk", "neo-hookean", "stable-neo-hookean"] {
            let material = format!("{{ model = \"{model}\", young = 1e5, poisson = {poisson} }}");
            let simulation = pulled_strip(&material, 1e-4);
            let (x, rest) = (simulation.model.to_input(&simulation.state.x), &simulation.model.rest);
            // In the middle, far from the held ends, which keep their width and so raise the strain elsewhere.
            let at = |px: f64, pz: f64| {
                let found = rest.iter().position(|r| (r[0] - px).abs() < 1e-9 && (r[2] - pz).abs() < 1e-9);
                x[found.unwrap()]
            };
            let strain = (at(4.125, 0.5)[0] - at(3.875, 0.5)[0]) / 0.25 - 1.0;
            assert!((strain / 1e-4 - 1.0).abs() < 0.02, "{strain}");
            let narrowing = (at(4.0, 1.0)[2] - at(4.0, 0.0)[2] - 1.0) / strain;
            assert!((narrowing + poisson).abs() < 0.01, "{model}, ν = {poisson}: {narrowing}");
            // Uniaxial stress: Ψ = E ε²/2 in the middle.
            let states = simulation.model.element_states(&simulation.objective.terms, &simulation.state.x);
            let cell = simulation.model.triangles.iter().position(|t| {
                let centre = t.iter().map(|v| rest[*v as usize][0]).sum::<f64>() / 3.0;
                (centre - 4.0).abs() < 0.1
            });
            let state = states[cell.unwrap()];
            assert!(
                (state.energy_density / (0.5 * 1e5 * strain * strain) - 1.0).abs() < 0.01,
                "{model}: {state:?}"
            );
            assert!((state.von_mises / (1e5 * strain) - 1.0).abs() < 0.01, "{model}: {state:?}");
        }
    }
}

#[test]
fn an_affine_stretch_of_the_border_strains_every_triangle_alike() {
    let mut simulation = simulation(&equilibrium(
        "iterations = 50",
        r#"
        generate = { shape = "cloth", size = [1, 1], cells = [6, 6] }
        material = { model = "neo-hookean", young = 1e5, poisson = 0.3 }
        deform = { stretch = [1.3, 1, 1.1] }
        [[body.pin]]
        select = { plane = { point = [1e-6, 0, 0], normal = [-1, 0, 0] } }
        [[body.pin]]
        select = { plane = { point = [0.999999, 0, 0], normal = [1, 0, 0] } }
        [[body.pin]]
        select = { plane = { point = [0, 0, 1e-6], normal = [0, 0, -1] } }
        [[body.pin]]
        select = { plane = { point = [0, 0, 0.999999], normal = [0, 0, 1] } }
        "#,
    ));
    // The inside starts off its place, in the plane and out of it.
    let mut random = 1u64;
    for i in 0..simulation.objective.free {
        for k in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            simulation.state.x[i].0[k] += 0.03 * ((random >> 11) as f64 / (1u64 << 53) as f64 - 0.5);
        }
    }
    let spread = |simulation: &Simulation| {
        let states = simulation.model.element_states(&simulation.objective.terms, &simulation.state.x);
        let (low, high) =
            states.iter().fold((f64::INFINITY, 0.0f64), |(l, h), s| (l.min(s.det_f), h.max(s.det_f)));
        (high - low, states[0].det_f)
    };
    assert!(spread(&simulation).0 > 0.01);
    for _ in 0..5 {
        simulation.advance().unwrap();
    }
    let (off, det) = spread(&simulation);
    assert!(off < 1e-9 && (det - 1.3 * 1.1).abs() < 1e-9, "{off} {det}");
}

/// How far the lower end of a hanging bar of unit length sinks.
fn sag(fibers: &str) -> f64 {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 100.0
        frames = 8
        [solver]
        kind = "newton"
        iterations = 50
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [0.2, 1, 0.2], cells = [2, 10, 2] }}
        material = {{ model = "arap", k = 1e7 }}
        {fibers}
        [[body.pin]]
        select = {{ plane = {{ point = [0, 0.999999, 0], normal = [0, 1, 0] }} }}
        "#
    ));
    for _ in 0..8 {
        simulation.advance().unwrap();
    }
    let x = simulation.model.to_input(&simulation.state.x);
    -x.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min)
}

#[test]
fn fibres_stiffen_their_direction_and_no_other() {
    let bare = sag("");
    // ρ g L²/(2k): a bar under its own weight, without lateral contraction.
    assert!((bare / (1000.0 * 9.81 / 2e7) - 1.0).abs() < 0.02, "{bare}");
    let along = sag("fibers = [{ direction = [0, 2, 0], stiffness = 3e7 }]");
    assert!((along / (bare / 4.0) - 1.0).abs() < 0.02, "{bare} {along}");
    let across = sag("fibers = [{ direction = [1, 0, 0], stiffness = 3e7 }]");
    assert!((across / bare - 1.0).abs() < 0.02, "{bare} {across}");
}

#[test]
fn a_sheet_of_springs_hangs_by_its_corners_with_every_solver() {
    let mut ends = vec![];
    for (solver, iterations) in [("pd", 2000), ("quasi-newton", 400), ("newton", 60)] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/30"
            frames = 5
            [solver]
            kind = "{solver}"
            iterations = {iterations}
            [[body]]
            generate = {{ shape = "cloth", size = [1, 1], cells = [6, 6] }}
            density = 300
            springs = {{ stiffness = 100, cross = true }}
            [[body.pin]]
            select = {{ nearest = {{ point = [0, 0, 0] }} }}
            [[body.pin]]
            select = {{ nearest = {{ point = [1, 0, 0] }} }}
            "#
        ));
        for _ in 0..5 {
            simulation.advance().unwrap();
        }
        ends.push(simulation.model.to_input(&simulation.state.x));
    }
    assert!(ends[0].iter().any(|p| p[1] < -0.05), "it does not hang");
    for other in &ends[1..] {
        for (a, b) in ends[0].iter().flatten().zip(other.iter().flatten()) {
            assert!((a - b).abs() < 1e-6, "solvers end apart: {a} {b}");
        }
    }
}

#[test]
fn what_a_body_cannot_have_is_refused() {
    let load = |body: &str| {
        let config = pliant::config::parse(&format!("[[body]]\n{body}")).unwrap().scene;
        Simulation::new(&config, &pliant::cache::Cache::disabled()).err().unwrap().to_string()
    };
    let cloth = "generate = { shape = \"cloth\", size = [1, 1], cells = [2, 2] }\n";
    let cube = "element = \"linear\"\ngenerate = { shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n";
    let material = "material = { model = \"arap\", k = 1e5 }\n";
    let fibers = "fibers = [{ direction = [1, 0, 0], stiffness = 1e5 }]\n";
    assert!(load(&format!("{cloth}{material}{fibers}")).contains("cannot have 'fibers'"));
    assert!(
        load(&format!("{cube}{material}springs = {{ stiffness = 1 }}")).contains("cannot have 'springs'")
    );
    assert!(load(&format!("{cube}springs = {{ stiffness = 1 }}")).contains("springs"));
    assert!(load(&format!("{cube}line = {{ }}")).contains("consists of tetrahedra and cannot have 'line'"));
    assert!(load(&format!("{cloth}line = {{ }}")).contains("sheet of triangles and cannot have 'line'"));
}

/// A strip along x, clamped at x = 0 by its first two columns, sagging a little under its weight; equilibrium.
fn sagging_strip(cells: [usize; 2], length: f64, clamp: f64) -> Simulation {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 100.0
        frames = 6
        [solver]
        kind = "newton"
        iterations = 50
        [[body]]
        generate = {{ shape = "cloth", size = [{length}, 0.25], cells = [{}, {}] }}
        density = 1000.0
        thickness = 0.01
        material = {{ model = "arap", young = 1e8 }}
        bending = {{ stiffness = 100.0 }}
        [[body.pin]]
        select = {{ box = {{ min = [-1, -1, -1], max = [{}, 9, 9] }} }}
        "#,
        cells[0],
        cells[1],
        clamp + 1e-6
    ));
    for _ in 0..6 {
        simulation.advance().unwrap();
    }
    simulation
}

#[test]
fn a_clamped_strip_sags_as_a_beam_does() {
    let mut errors = vec![];
    for n in [20, 40] {
        let clamp = 1.0 / n as f64;
        let simulation = sagging_strip([n, n / 4], 1.0, clamp);
        let x = simulation.model.to_input(&simulation.state.x);
        let sag = -x[n][1];
        let free: f64 = 1.0 - clamp;
        let theory = 1000.0 * 0.01 * 9.81 * free.powi(4) / (8.0 * 100.0);
        println!("{n} cells: sag {sag}, theory {theory}, ratio {}", sag / theory);
        errors.push((sag / theory - 1.0).abs());
    }
    assert!(errors[1] < 0.05 && errors[1] < 0.8 * errors[0], "{errors:?}");
}
