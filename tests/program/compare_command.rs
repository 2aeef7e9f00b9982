//! `pliant compare` and `pliant solvers` through the real binary.

use crate::common::program::Place;
use crate::common::scenes::beam;

const ARAP: &str = "{ model = \"arap\", young = 1e5 }";

/// The numbers of a row behind the solver, but for a step length that is not there.
fn numbers(row: &str) -> Vec<f64> {
    row.split(',').skip(1).filter(|number| !number.is_empty()).map(|number| number.parse().unwrap()).collect()
}

#[test]
fn a_comparison_writes_a_table_and_charts_and_says_who_was_faster() {
    let place = Place::new();
    place.write("scene.toml", &beam([6, 2, 2], 12, "", ARAP));
    let arguments =
        ["compare", "scene.toml", "--at-frame", "2", "--iterations", "30", "-o", "out", "--solvers"];
    let solvers = "quasi-newton,pd,admm:weight_scale=0.5,chebyshev:inner=jacobi,xpbd,newton";
    let output = place.run(&[&arguments[..], &[solvers]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    for solver in solvers.split(',') {
        assert!(printed.lines().any(|line| line.starts_with(solver)), "{printed}");
    }
    let table = std::fs::read_to_string(place.path("out/convergence.csv")).unwrap();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some(pliant::compare::HEADER));
    // What minimizes ends far below its start, and nothing is below the reference.
    for row in rows.filter(|row| row.starts_with("\"quasi-newton\",") || row.starts_with("\"newton\",")) {
        let numbers = numbers(row);
        assert!(numbers[5] >= 0.0 && (numbers[0] < 20.0 || numbers[5] < 1e-6), "{row}");
    }
    for name in ["iterations", "seconds"] {
        let chart = std::fs::read_to_string(place.path(&format!("out/relative-error-{name}.svg"))).unwrap();
        assert!(chart.contains("chebyshev:inner=jacobi") && roxmltree::Document::parse(&chart).is_ok());
    }
    // Not without being told to.
    let refused = place.fail(2, &[&arguments[..], &[solvers]].concat());
    assert!(refused.contains("--force"), "{refused}");
    let unknown = place.fail(2, &[&arguments[..], &["pdd"]].concat());
    assert!(unknown.contains("did you mean 'pd'?"), "{unknown}");
}

#[test]
fn whole_runs_are_compared_in_directories_of_their_own() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], 4, "", ARAP));
    let solvers = "pd,quasi-newton:history=0,chebyshev:inner=gauss-seidel";
    let output = place.run(&["compare", "scene.toml", "--runs", "-o", "out", "--solvers", solvers]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for run in ["pd", "quasi-newton_history_0", "chebyshev_inner_gauss-seidel"] {
        assert!(place.path(&format!("out/{run}/summary.json")).is_file(), "{run}");
    }
    assert!(place.path("out/energy.svg").is_file());
    let again = place.fail(2, &["compare", "scene.toml", "--runs", "-o", "out", "--solvers", "pd"]);
    assert!(again.contains("--force"), "{again}");
}

#[test]
fn a_config_holds_comparisons_of_its_own() {
    let place = Place::new();
    let comparisons = |key: &str| {
        format!(
            r#"
            [[comparison]]
            name = "one"
            solvers = ["pd", "quasi-newton"]
            iterations = 5
            [[comparison]]
            name = "cases"
            solvers = ["pd", "xpbd"]
            iterations = 4
            vary = [
                {{ keys = ["time.step"], values = [0.1, "1/100"] }},
                {{ keys = ["{key}"], values = [1e5, 1e6, 1e7] }},
            ]
            "#
        )
    };
    let scene = beam([4, 2, 2], 4, "", ARAP);
    let good = format!("{scene}\n{}", comparisons("body.0.material.young"));
    place.write("scene.toml", &good);
    let output = place.run(&["compare", "scene.toml", "-o", "out"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.lines().any(|line| line.trim_start().starts_with("1/100")), "{printed}");
    assert!(
        place.path("out/one/convergence.csv").is_file()
            && place.path("out/one/momenta-iterations.svg").is_file()
    );
    let table = std::fs::read_to_string(place.path("out/cases/cases.csv")).unwrap();
    assert!(table.starts_with("time.step,body.0.material.young,solver,iterations,"), "{table}");
    assert_eq!(table.lines().count(), 1 + 2 * 3 * 2, "{table}");

    for more in [&["--runs"][..], &[]] {
        let arguments = ["-q", "compare", "scene.toml", "--solvers", "pd", "--force", "-o", "left"];
        let told = place.succeed(&[&arguments[..], more].concat());
        assert!(told.contains("'vary' of the config's comparisons (cases) is left out"), "{told}");
    }

    let refused =
        |arguments: &[&str]| place.fail(2, &[&["compare", "scene.toml", "-o", "other"], arguments].concat());
    let unknown = refused(&["--only", "case"]);
    assert!(unknown.contains("did you mean 'cases'?"), "{unknown}");
    place.write("scene.toml", &format!("{scene}\n{}", comparisons("body.0.material.yuong")));
    let typo = refused(&["--only", "cases"]);
    assert!(typo.contains("yuong") && typo.contains("young"), "{typo}");
    assert!(!place.path("other/cases/cases.csv").exists());
    place.write("scene.toml", &good.replace("\"pd\", \"xpbd\"", "\"pd\", \"xpdb\""));
    let solver = refused(&[]);
    assert!(solver.contains("comparison.1.solvers.1") || solver.contains("did you mean 'xpbd'?"), "{solver}");
    place.write("scene.toml", &scene);
    let none = refused(&[]);
    assert!(none.contains("no [[comparison]]") && none.contains("--solvers"), "{none}");
}

#[test]
fn steps_with_contact_are_compared_from_a_start_without_intersections() {
    let place = Place::new();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/compare-contact.toml");
    let output = place.run(&["-q", "compare", config, "-o", "out"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for step in ["impact", "pressed", "stiff-step-5", "stiff-step-7"] {
        let table = std::fs::read_to_string(place.path(&format!("out/{step}/convergence.csv"))).unwrap();
        let needed = |solver: &str| {
            let mut rows = table.lines().filter(|row| row.starts_with(&format!("\"{solver}\",")));
            rows.find_map(|row| (numbers(row)[5] <= 1e-6).then(|| [numbers(row)[0], numbers(row)[13]]))
                .unwrap()
        };
        let [newton, _] = needed("newton");
        let [iterations, tries] = needed("quasi-newton");
        assert!(
            newton <= 10.0 && iterations <= 15.0 && tries <= 1.1 * iterations,
            "{step}: {iterations}, {tries}"
        );
    }
    let accelerated = "xpbd:rho=0.5";
    let refused = place.fail(2, &["compare", config, "--solvers", accelerated, "-o", "refused"]);
    assert!(refused.contains("contact") && refused.contains("rho"), "{refused}");
}

#[test]
fn solvers_are_listed_with_what_they_cannot_do() {
    let place = Place::new();
    let output = place.run(&["solvers"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let row =
        |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
    assert!(row("solid: arap").split_whitespace().filter(|word| *word == "yes").count() >= 7, "{text}");
    assert!(row("solid: neo-hookean").contains("(1)"), "{text}");
    assert!(row("(1)").contains("needs a projective energy"), "{text}");
    assert!(row("damping: stiffness").contains("(2)") && row("(2)").contains("not a constraint"), "{text}");
}

#[test]
fn convergence_cannot_be_required_of_what_does_not_minimize() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], 4, "", ARAP));
    let refused =
        place.fail(2, &["simulate", "scene.toml", "--solver", "xpbd", "--require-converged", "1e-3"]);
    assert!(refused.contains("does not minimize"), "{refused}");
    let rope = "[time]\nframes = 2\n[solver]\nkind = \"admm\"\n[[body]]\ngenerate = { shape = \"rope\", length = 1, segments = 4 }\n\
                line = {}\n[[body.pin]]\nselect = { ids = [0] }\n";
    place.write("rope.toml", rope);
    let refused = place.fail(2, &["simulate", "rope.toml", "--require-converged", "1e-3"]);
    assert!(refused.contains("solver 'admm' does not minimize"), "{refused}");
}
