//! Bodies whose parts differ: materials, moduli and densities by selection or array; limits; fibres that are not parallel.

use crate::common::scenes::{HELD, equilibrium};
use crate::common::simulation;
use pliant::mesh::{DataArray, Mesh};
use pliant::simulate::Simulation;

/// A bar along x, pulled at its right end, in equilibrium. `body` has its mesh and material.
fn pulled_bar(body: &str) -> Simulation {
    let mut simulation = simulation(&equilibrium(
        "iterations = 50",
        &format!(
            r#"
        {body}
        {HELD}
        [[body.pin]]
        select = {{ box = {{ min = [3.999, -1, -1], max = [9, 9, 9] }} }}
        motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = 1, translate = [4e-3, 0, 0] }}] }} }}
        "#
        ),
    ));
    for _ in 0..6 {
        simulation.advance().unwrap();
    }
    simulation
}

const BAR: &str =
    "element = \"linear\"\ngenerate = { shape = \"beam\", size = [4, 0.5, 0.5], cells = [32, 4, 4] }\n";

/// Strains of the left and the right half of a bar, far from its ends and its middle.
fn strains(simulation: &Simulation) -> [f64; 2] {
    let (x, rest) = (simulation.model.to_input(&simulation.state.x), &simulation.model.rest);
    let at = |px: f64| {
        let near = |r: &[f64; 3]| {
            (r[0] - px).abs() < 1e-9 && (r[1] - 0.25).abs() < 1e-9 && (r[2] - 0.25).abs() < 1e-9
        };
        x[rest.iter().position(near).unwrap()][0]
    };
    [(at(1.5) - at(0.5)) / 1.0 - 1.0, (at(3.5) - at(2.5)) / 1.0 - 1.0]
}

#[test]
fn strains_of_halves_in_series_are_as_their_stiffnesses() {
    let right = "{ box = { min = [2, -1, -1], max = [9, 9, 9] } }";
    let by_material = format!(
        "{BAR}material = [{{ model = \"corotated\", young = 1e6, poisson = 0.3 }}, \
         {{ select = {right}, model = \"neo-hookean\", young = 5e6, poisson = 0.3 }}]"
    );
    let by_value = format!(
        "{BAR}material = {{ model = \"stable-neo-hookean\", poisson = 0.3, \
         young = [{{ value = 1e6 }}, {{ select = {right}, value = 5e6 }}] }}"
    );
    for body in [by_material, by_value] {
        let simulation = pulled_bar(&body);
        let [soft, stiff] = strains(&simulation);
        assert!((soft / stiff / 5.0 - 1.0).abs() < 0.02, "{body}: {soft} {stiff}");
        // Both carry the same force, F = E ε A, and share the elongation: ε₁ + ε₂ = 2·10⁻³.
        assert!(((soft + stiff) / 2e-3 - 1.0).abs() < 0.02, "{soft} {stiff}");
    }
}

/// The bar as a file with its modulus as a cell array, a point array, and fibre directions.
fn bar_file(directory: &std::path::Path) -> std::path::PathBuf {
    let shape = pliant::scene::Shape::Block { size: [4.0, 0.5, 0.5], cells: [32, 4, 4], split: 5 };
    let mut mesh: Mesh = pliant::mesh::generate::generate(&shape);
    let centre = |tet: &[u32; 4]| tet.iter().map(|v| mesh.points[*v as usize][0]).sum::<f64>() / 4.0;
    let young = mesh.tets.iter().map(|t| if centre(t) < 2.0 { 1e6 } else { 5e6 }).collect();
    let density = mesh.points.iter().map(|p| 1000.0 + 500.0 * p[0]).collect();
    let along = mesh.tets.iter().flat_map(|_| [2.0, 0.0, 0.0]).collect();
    mesh.cell_data.push(DataArray { name: "young".into(), components: 1, values: young });
    mesh.cell_data.push(DataArray { name: "along".into(), components: 3, values: along });
    mesh.point_data.push(DataArray { name: "density".into(), components: 1, values: density });
    let path = directory.join("bar.vtu");
    pliant::io::write(&mesh, &path).unwrap();
    path
}

#[test]
fn arrays_of_the_mesh_serve_as_well_as_selections() {
    let directory = tempfile::tempdir().unwrap();
    let path = bar_file(directory.path());
    let body = format!(
        "mesh = {path:?}\ndensity = {{ array = \"density\" }}\n\
         material = {{ model = \"stable-neo-hookean\", poisson = 0.3, young = {{ array = \"young\" }} }}"
    );
    let simulation = pulled_bar(&body);
    let [soft, stiff] = strains(&simulation);
    assert!((soft / stiff / 5.0 - 1.0).abs() < 0.02, "{soft} {stiff}");
    // The mean of 1000 + 500 x over the bar is 2000.
    let mass: f64 = simulation.objective.mass.iter().sum();
    assert!((mass / (2000.0 * 4.0 * 0.25) - 1.0).abs() < 1e-12, "{mass}");
    // Turned by 90 degrees, the array's directions turn too: fibres along the bar, wherever it points.
    let energy = |extra: &str, stretch: &str| {
        let text = format!(
            "[[body]]\nmesh = {path:?}\nmaterial = {{ model = \"arap\", young = 1e5 }}\n{extra}\ndeform = {{ stretch = {stretch} }}"
        );
        let simulation = crate::common::simulation(&text);
        let mut at = simulation.objective.iterate_at(simulation.state.x.clone());
        simulation.objective.evaluate(&mut at);
        at.value.elastic
    };
    let plain = energy("", "[1.1, 1, 1]");
    let fibers = "fibers = [{ direction = { array = \"along\" }, stiffness = 3e5 }]";
    // κ/2 (0.1)² V on top.
    let extra = energy(fibers, "[1.1, 1, 1]") - plain;
    assert!((extra / (0.5 * 3e5 * 0.01) - 1.0).abs() < 1e-9, "{extra}");
    let turned = "transform = { rotate = { axis = [0, 0, 1], degrees = 90 } }\n";
    let extra = energy(&format!("{turned}{fibers}"), "[1, 1.1, 1]") - energy(turned, "[1, 1.1, 1]");
    assert!((extra / (0.5 * 3e5 * 0.01) - 1.0).abs() < 1e-9, "{extra}");
}

#[test]
fn radial_fibres_resist_inflation_and_no_turning() {
    let energy = |deform: &str, radial: &str| {
        let simulation = simulation(&format!(
            "[[body]]\nelement = \"linear\"\ngenerate = {{ shape = \"sphere\", radius = 1, cells = 6 }}\n\
             material = {{ model = \"arap\", k = 1e-3 }}\n\
             fibers = [{{ direction = {{ radial = {radial} }}, stiffness = 2e3 }}]\ndeform = {{ stretch = {deform} }}"
        ));
        let mut at = simulation.objective.iterate_at(simulation.state.x.clone());
        simulation.objective.evaluate(&mut at);
        let volume = simulation.objective.mass.iter().sum::<f64>() / 1000.0;
        at.value.elastic / volume
    };
    // All fibres are stretched by 1.2: κ/2 (0.2)², and nothing else counts beside it.
    assert!((energy("[1.2, 1.2, 1.2]", "{}") / 40.0 - 1.0).abs() < 1e-4);
    assert!((energy("[1.2, 1.2, 7]", "{ axis = [0, 0, 3] }") / 40.0 - 1.0).abs() < 1e-2);
}

#[test]
fn limits_cost_what_exceeds_them() {
    let energy = |limits: &str, stretch: [f64; 2]| {
        let simulation = simulation(&format!(
            "[[body]]\ngenerate = {{ shape = \"cloth\", size = [2, 1], cells = [8, 4] }}\nthickness = 0.01\n\
             springs = {{ stiffness = 1e-9 }}\n{limits}\ndeform = {{ stretch = [{}, 1, {}] }}",
            stretch[0], stretch[1]
        ));
        let mut at = simulation.objective.iterate_at(simulation.state.x.clone());
        simulation.objective.evaluate(&mut at);
        at.value.elastic
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + b);
    // κ/2 (excess)² times the volume 0.02.
    let stretch = "limits = { stretch = [0.9, 1.1], stiffness = 1e5 }";
    assert!(near(energy(stretch, [1.1, 0.9]), 0.0));
    assert!(near(energy(stretch, [1.3, 1.0]), 0.02 * 0.5e5 * 0.04));
    assert!(near(energy(stretch, [1.3, 0.6]), 0.02 * 0.5e5 * (0.04 + 0.09)));
    let warp = "limits = { warp = [0.9, 1.1], weft = [0, 1.5], stiffness = 1e5 }";
    assert!(near(energy(warp, [1.3, 1.4]), 0.02 * 0.5e5 * 0.04));
    assert!(near(energy(warp, [1.0, 1.7]), 0.02 * 0.5e5 * 0.04));
    assert!(near(energy(warp, [1.0, 0.2]), 0.0));
    // Along the diagonal, a stretch of 1.3 along x is one of ((1.3² + 1)/2)^½.
    let diagonal = "limits = { warp = [0, 1], direction = [1, 0, 1], stiffness = 1e5 }";
    let excess = ((1.69 + 1.0) / 2.0f64).sqrt() - 1.0;
    assert!(near(energy(diagonal, [1.3, 1.0]), 0.02 * 0.5e5 * excess * excess));
}

#[test]
fn what_varies_wrongly_is_refused_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = bar_file(directory.path());
    let load = |rest: &str| {
        let text = format!("[[body]]\nmesh = {path:?}\n{rest}");
        match pliant::config::parse(&text) {
            Err(error) => error.to_string(),
            Ok(loaded) => match Simulation::new(&loaded.scene, &pliant::cache::Cache::disabled()) {
                Err(error) => error.to_string(),
                Ok(_) => "nothing".into(),
            },
        }
    };
    for (rest, expected) in [
        ("material = { model = \"arap\", k = { array = \"yuong\" } }", "did you mean 'young'?"),
        ("material = { model = \"arap\", k = { array = \"along\" } }", "has 3 components, 1 are wanted"),
        ("material = { model = \"arap\", k = [{ value = -1 }] }", "must be greater than 0"),
        (
            "material = { model = \"corotated\", young = 1e5, poisson = { array = \"density\" } }",
            "cell 0: poisson must lie",
        ),
        (
            "material = { model = \"arap\", k = [{ select = { box = { min = [0, 0, 0], max = [1, 1, 1] } }, value = 1 }] }",
            "let the first one select \"all\"",
        ),
        (
            "material = [{ select = { box = { min = [0, 0, 0], max = [1, 1, 1] } }, model = \"arap\", k = 1 }]",
            "has no material",
        ),
        (
            "material = [{ model = \"arap\", k = 1 }, { select = { box = { min = [8, 8, 8], max = [9, 9, 9] } }, model = \"arap\", k = 1 }]",
            "material 1 selects no cell",
        ),
        (
            "material = { model = \"arap\", k = 1 }\nlimits = { stiffness = 1 }",
            "at least one of stretch, warp, weft",
        ),
        (
            "material = { model = \"arap\", k = 1 }\nlimits = { stretch = [1.1, 1.2], stiffness = 1 }",
            "two stretches",
        ),
    ] {
        let found = load(rest);
        assert!(found.contains(expected), "{rest}\n{found}");
    }
}

/// A body hung by a soft pin's worth of weight: its sag is inverse to its stiffness.
fn hanging(scale: &str) -> String {
    format!(
        r#"
        [time]
        step = 0.05
        frames = 40
        [solver]
        iterations = 30
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [0.1, 1, 0.1], cells = [1, 10, 1] }}
        material = {{ model = "arap", young = 1e6 }}
        stiffness_scale = {scale}
        damping = {{ stiffness = 0.2 }}
        [[body.pin]]
        select = {{ plane = {{ point = [0, 0.999, 0], normal = [0, 1, 0] }} }}
        "#
    )
}

#[test]
fn a_body_that_hardens_sags_as_if_it_had_always_been_so_stiff() {
    let directory = tempfile::tempdir().unwrap();
    let cache = pliant::cache::Cache::at(directory.path());
    let run = |scale: &str| {
        let config = pliant::config::parse(&hanging(scale)).unwrap().scene;
        let (mut simulation, report) = Simulation::new(&config, &cache).unwrap();
        for _ in 0..40 {
            simulation.advance().unwrap();
        }
        let lowest = simulation.state.x.iter().fold(f64::INFINITY, |m, x| m.min(x.0[1]));
        (lowest, simulation.refactors, report)
    };
    let keys = "{ keys = [{ time = 0, value = 1 }, { time = 0.5, value = 4 }] }";
    let (hardened, refactors, _) = run(keys);
    // Ten steps until 0.5 s, each with a factor of its own; then it stands still.
    assert_eq!((refactors.count, refactors.hits), (10, 0));
    let (stiff, none, _) = run("4");
    assert_eq!(none.count, 0);
    assert!(stiff < -0.0005 && (hardened / stiff - 1.0).abs() < 1e-3, "{hardened} {stiff}");
    let (again, refactors, report) = run(keys);
    assert_eq!((refactors.count, refactors.hits, report.is_hit()), (10, 10, true));
    assert_eq!(again.to_bits(), hardened.to_bits());
}

#[test]
fn precompute_fills_the_cache_for_every_value() {
    let directory = tempfile::tempdir().unwrap();
    let cache = pliant::cache::Cache::at(directory.path());
    for integrator in ["implicit-euler", "midpoint", "bdf2"] {
        let text = hanging("{ keys = [{ time = 0.01, value = 1 }, { time = 0.4, value = 2 }] }");
        let text = text.replace("frames = 40", &format!("frames = 40\nintegrator = \"{integrator}\""));
        let config = pliant::config::parse(&text).unwrap().scene;
        let (mut simulation, _) = Simulation::new(&config, &cache).unwrap();
        simulation.precompute(40).unwrap();
        let (mut simulation, _) = Simulation::new(&config, &cache).unwrap();
        for _ in 0..12 {
            simulation.advance().unwrap();
        }
        let done = simulation.refactors;
        assert!(done.count >= 8 && done.hits == done.count, "{integrator}: {done:?}");
    }
}
