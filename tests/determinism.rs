//! The same bytes for any number of threads and any width of registers, with every solver.

mod common;

use common::scenes::{HELD, material};
use common::simulation;
use elements::energy::material::Material;
use elements::math::lanes::{Instructions, Vec4, limit};
use elements::par;
use pliant::solver::KINDS;

fn bytes(values: &[Vec4]) -> Vec<u8> {
    values.iter().flat_map(|v| v.0).flat_map(f64::to_le_bytes).collect()
}

/// Two bodies of thousands of elements in several chunks, the second of linear tets; hard and soft pins.
fn run(solver: &str, model: &str, element: &str) -> (Vec<u8>, String) {
    let (cells, steps) = if element == "quadratic" { ([14, 6, 6], 3) } else { ([24, 8, 8], 10) };
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = "1/30"
        frames = 10
        [solver]
        kind = "{solver}"
        iterations = 4
        [[body]]
        generate = {{ shape = "beam", size = [2, 0.5, 0.5], cells = {cells:?}, split = 5 }}
        element = "{element}"
        material = {material}
        deform = {{ twist = {{ axis = "x", degrees = 60 }} }}
        {HELD}
        [[body]]
        element = "linear"
        generate = {{ shape = "box", size = [1, 0.5, 0.5], cells = [8, 6, 6], split = 6 }}
        material = {material}
        transform = {{ translate = [0, 0, 2] }}
        [[body.pin]]
        select = {{ plane = {{ point = [0.9, 0, 0], normal = [1, 0, 0] }} }}
        kind = {{ soft = 1e4 }}
        motion = {{ shake = {{ amplitude = [0, 0.1, 0], frequency = 2 }} }}
        "#,
        material = material(model, 1e5)
    ));
    assert!(simulation.objective.elements() >= par::WORTH_WAKING);
    let mut numbers = String::new();
    for _ in 0..steps {
        let metrics = simulation.advance().unwrap();
        numbers += &format!("{:?} {} {:?}\n", metrics.value, metrics.gradient_norm, metrics.volumes);
    }
    let mut out = bytes(&simulation.state.x);
    out.extend(bytes(&simulation.state.v));
    (out, numbers)
}

#[test]
fn any_number_of_threads_and_any_instructions_give_the_same_bytes() {
    let mut cases = vec![
        ("pd", "arap"),
        ("chebyshev", "arap"),
        ("quasi-newton", "arap"),
        ("quasi-newton", "neo-hookean"),
        ("newton", "corotated"),
        ("xpbd", "stable-neo-hookean"),
        ("pbd", "arap"),
        ("admm", "neo-hookean"),
        ("admm\"\nweights = \"own", "neo-hookean"),
        ("admm\"\nweights = \"own", "arap"),
        ("constrained-pd", "arap"),
        ("constrained-pd", "neo-hookean"),
        ("vbd", "neo-hookean"),
    ];
    let rubber = Material::elastic("neo-hookean", 1e5, 0.3).unwrap();
    for kind in KINDS {
        if !cases.iter().any(|(solver, _)| *solver == kind.name) {
            let takes_rubber = (kind.refuses_material)(&rubber).is_none();
            cases.push((kind.name, if takes_rubber { "neo-hookean" } else { "arap" }));
        }
    }
    let cases =
        cases.iter().flat_map(|(solver, model)| ["linear", "quadratic"].map(|e| (*solver, *model, e)));
    for (solver, model, element) in cases {
        let one = par::with_threads(1, || run(solver, model, element));
        for threads in [2, 3, 8] {
            let many = par::with_threads(threads, || run(solver, model, element));
            assert!(one.0 == many.0, "{solver}, {model}, {element}: state differs with {threads} threads");
            assert_eq!(one.1, many.1, "{solver}, {model}, {element}: metrics differ with {threads} threads");
        }
        // Results do not depend on the limit, so that tests beside this one may run on.
        for most in [Instructions::Portable, Instructions::Avx2] {
            limit(most);
            assert!(
                one == run(solver, model, element),
                "{solver}, {model}, {element}: {most:?} makes a difference"
            );
            limit(Instructions::Avx512);
        }
    }
}
