//! Scenes on finer and finer meshes: the error that is told against the true one, and pins that stay what they were.

use elements::math::vec3::{norm, sub};
use pliant::cache::Cache;
use pliant::compare::resolution::{Resolutions, converge};

/// A beam that sags a little, held at the vertices of one end by their numbers or by a box, on three resolutions.
fn sagging(element: &str, pin: &str, more: &str) -> Resolutions {
    // Beside sheets and lines the steps are short: slack ones have no equilibrium that is easily found.
    let step = if more.is_empty() { 1000.0 } else { 0.01 };
    let text = format!(
        r#"
        [time]
        step = {step}
        frames = 2
        [solver]
        kind = "newton"
        iterations = 30
        tolerance = 1e-10
        [world]
        gravity = [0, -1e-3, 0]
        [[body]]
        generate = {{ shape = "beam", size = [1, 0.1, 0.1], cells = [20, 2, 2], split = 6 }}
        element = "{element}"
        density = 1000
        material = {{ model = "corotated", young = 1e6, poisson = 0.3 }}
        pin = [{{ select = {pin} }}]
        {more}
        "#
    );
    let scene = pliant::config::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).scene;
    let levels = if element == "linear" { 3 } else { 2 };
    let mut heard = vec![];
    let found = converge(&scene, levels, &Cache::disabled(), &mut |level, frame| heard.push((level, frame)));
    assert_eq!(heard, (0..levels).flat_map(|level| [(level, 1), (level, 2)]).collect::<Vec<_>>());
    found.expect("resolutions that come nearer")
}

#[test]
fn the_error_that_is_told_is_the_true_one() {
    // The sag of beam theory, and 0.2 % for what finer meshes have of it.
    let theory = 1000.0 * 1e-3 * 0.01 / (8.0 * 1e6 * 1e-4 / 12.0) * 1.002;
    let box_pin = "{ box = { min = [-1, -1, -1], max = [1e-6, 1, 1] } }";
    let found = sagging("linear", box_pin, "");
    let tip = found.nearest([1.0, 0.05, 0.05]);
    assert!(norm(sub(found.rest[tip], [1.0, 0.05, 0.05])) < 1e-12);
    assert!(found.order.1, "three resolutions measure the order");
    let sag = |level: usize| found.rest[tip][1] - found.levels[level].frames[1][tip][1];
    for (level, told) in found.errors(1, Some(tip)).iter().enumerate() {
        let truth = theory - sag(level);
        println!(
            "resolution {level}: sag {:.3} of theory, error {:.3e} m, told {:.3e} m",
            sag(level) / theory,
            truth,
            told.mean
        );
        assert!((0.9..1.8).contains(&(told.mean / truth)), "{level}");
    }
    assert_eq!(found.levels.iter().map(|level| level.cells).collect::<Vec<_>>(), [480, 8 * 480, 64 * 480]);
    let all = found.errors(1, None);
    assert!(all[0].mean < all[0].most && all[1].mean < all[0].mean);
    // The same pins by number: all vertices of the end, new ones between them too.
    let ends: Vec<usize> = (0..found.rest.len()).filter(|v| found.rest[*v][0] < 1e-9).collect();
    let by_number = sagging("linear", &format!("{{ ids = {ends:?} }}"), "");
    for (a, b) in found.levels.iter().zip(&by_number.levels) {
        assert_eq!((a.vertices, &a.frames), (b.vertices, &b.frames));
    }
}

#[test]
fn quadratic_tets_are_refined_as_such() {
    let found = sagging("quadratic", "{ box = { min = [-1, -1, -1], max = [1e-6, 1, 1] } }", "");
    let tip = found.nearest([1.0, 0.05, 0.05]);
    assert_eq!(found.order, (3.0, false));
    let told = found.errors(1, Some(tip));
    let sag = found.rest[tip][1] - found.levels[1].frames[1][tip][1];
    println!("errors {:.1e} and {:.1e} of the sag", told[0].mean / sag, told[1].mean / sag);
    assert!(told[0].mean < 0.005 * sag && told[1].mean < told[0].mean);
    assert_eq!(found.levels[1].cells, 8 * 480);
}

#[test]
fn sheets_and_lines_are_refined_with_their_pins() {
    let more = r#"
        [[body]]
        name = "cloth"
        generate = { shape = "cloth", size = [1, 1], cells = [4, 4] }
        transform = { translate = [0, 2, 0] }
        material = { model = "arap", k = 1e4 }
        pin = [{ select = { box = { min = [-1, -9, -1], max = [1e-6, 9, 9] } } }]
        [[body]]
        name = "rope"
        generate = { shape = "rope", length = 1, segments = 8 }
        transform = { translate = [0, 4, 0] }
        line = { kind = "spring", young = 1e5 }
        pin = [{ select = { ids = [0, 8] } }]
    "#;
    let found = sagging("quadratic", "{ box = { min = [-1, -1, -1], max = [1e-6, 1, 1] } }", more);
    assert_eq!(found.levels[1].cells, 8 * 480 + 4 * 32 + 2 * 8);
    for level in &found.levels {
        for v in 0..found.rest.len() {
            let rest = found.rest[v];
            if rest[0] < 1e-9 || (rest[1] == 4.0 && rest[0] == 1.0) {
                assert!(norm(sub(level.frames[1][v], rest)) < 1e-12, "a pinned vertex has moved");
            }
        }
    }
}
