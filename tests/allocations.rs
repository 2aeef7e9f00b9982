//! Iterations allocate nothing: all they need stands after the first ones.

mod common;

use std::alloc::System;

use common::Descent;
use common::scenes::{HELD, material};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Iterations before they are watched: more than quasi-newton has pairs.
const FIRST: usize = 8;

#[test]
fn iterations_allocate_nothing() {
    let cases = [
        ("kind = \"pd\"", "arap"),
        ("kind = \"chebyshev\"\nrho = 0.9", "arap"),
        ("kind = \"quasi-newton\"", "arap"),
        ("kind = \"quasi-newton\"", "neo-hookean"),
        ("kind = \"admm\"", "neo-hookean"),
        ("kind = \"xpbd\"", "arap"),
        ("kind = \"vbd\"", "neo-hookean"),
    ];
    let both =
        |(solver, model)| [("linear", [16, 8, 8]), ("quadratic", [6, 3, 3])].map(|e| (solver, model, e));
    for (solver, model, (element, cells)) in cases.into_iter().flat_map(both) {
        let text = format!(
            r#"
            [time]
            step = "1/30"
            [solver]
            {solver}
            [[body]]
            generate = {{ shape = "beam", size = [4, 1, 1], cells = {cells:?} }}
            element = "{element}"
            material = {}
            {HELD}
            "#,
            material(model, 1e5)
        );
        let changes = elements::par::with_threads(1, || {
            let mut descent = Descent::new(&text, |_| {});
            (0..FIRST).for_each(|_| assert!(descent.step(), "{solver}, {model}, {element}: done too soon"));
            let region = Region::new(ALLOCATOR);
            (0..5).for_each(|_| assert!(descent.step(), "{solver}, {model}, {element}: done too soon"));
            region.change()
        });
        assert_eq!(
            (changes.allocations, changes.reallocations),
            (0, 0),
            "{solver}, {model}, {element}: {changes:?}"
        );
    }
}
