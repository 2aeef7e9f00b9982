//! `pliant paper` through the real binary, on a small row of its own.

use crate::common::program::Place;
use crate::common::scenes::beam;

const ROW: &str = r#"
title = "A paper, Table 1: a twisted beam | and more"
claim = "Quasi-Newton is fast, and PD is not far from it."
chosen = "A small beam."
scene = "small"

[measure]
kind = "step"
iterations = 60
solvers = ["quasi-newton", "pd"]
quick = { iterations = 40 }

[[cell]]
name = "iterations"
value = { of = "iterations", solver = "quasi-newton", below = 1e-6 }
paper = 10
within = 1
better = "lower"

[[cell]]
name = "error of PD at the end"
value = { of = "error", solver = "pd", iteration = 60 }
at_most = 0.5
full = true
"#;

/// A place with a folder of one row.
fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.path("rows/scenes")).unwrap();
    place.write("rows/paper-table1.toml", ROW);
    let scene = beam([6, 2, 2], 4, "", "{ model = \"arap\", young = 1e5 }");
    place.write("rows/scenes/small.toml", &scene);
    place
}

#[test]
fn a_row_is_measured_once_judged_and_reported() {
    let place = place();
    let run = ["paper", "run", "paper", "--rows", "rows", "-o", "out"];
    let first = place.run(&run);
    let (out, log) = (
        String::from_utf8_lossy(&first.stdout).into_owned(),
        String::from_utf8_lossy(&first.stderr).into_owned(),
    );
    assert!(first.status.success(), "{out}{log}");
    assert!(
        out.contains("iterations") && out.contains("error of PD") && !log.contains("still hold"),
        "{out}{log}"
    );
    let again = place.run(&run);
    assert!(String::from_utf8_lossy(&again.stderr).contains("still hold"));
    assert_eq!(first.stdout, again.stdout);

    // What is damaged is measured again, and so is a row that has changed.
    place.write("out/paper-table1/figures.json", "{");
    assert!(!String::from_utf8_lossy(&place.run(&run).stderr).contains("still hold"));
    place.write("rows/paper-table1.toml", &ROW.replace("iterations = 60", "iterations = 61"));
    assert!(!String::from_utf8_lossy(&place.run(&run).stderr).contains("still hold"));

    let report = place.run(&["paper", "report", "--rows", "rows", "-o", "out"]);
    assert!(report.status.success());
    let [html, markdown] = ["html", "md"]
        .map(|ending| std::fs::read_to_string(place.path(&format!("out/report.{ending}"))).unwrap());
    assert!(
        html.contains("<svg")
            && html.contains("A small beam.")
            && html.contains("pliant paper run paper-table1")
    );
    assert!(markdown.contains("twisted beam \\| and more") && markdown.contains("relative-error.svg"));
    let list = place.run(&["paper", "list", "--rows", "rows", "-o", "out"]);
    assert!(String::from_utf8_lossy(&list.stdout).starts_with("paper-table1"));
}

#[test]
fn a_bad_solver_fails_the_row() {
    let place = place();
    let bad = "quasi-newton=>quasi-newton:initial_hessian=identity:history=0";
    let error = place.fail(4, &["paper", "run", "--rows", "rows", "-o", "out", "--swap", bad]);
    assert!(error.contains("1 of the rows differ without an explanation: paper-table1"), "{error}");
    // Its figures are not taken for those of the row itself.
    assert!(place.run(&["paper", "run", "--rows", "rows", "-o", "out"]).status.success());
}

#[test]
fn the_quick_form_has_its_own_figures() {
    let place = place();
    let quick = place.run(&["paper", "run", "--rows", "rows", "--quick"]);
    let out = String::from_utf8_lossy(&quick.stdout).into_owned();
    assert!(quick.status.success() && !out.contains("error of PD"), "{out}");
    assert!(place.path("outputs/papers-quick/paper-table1/figures.json").is_file());
}

#[test]
fn what_cannot_be_used_is_named() {
    let place = place();
    for (arguments, expected) in [
        (vec!["paper-table2", "--rows", "rows"], "there is no row 'paper-table2'"),
        (vec!["--rows", "none"], "cannot list none"),
        (vec!["--rows", "rows", "--meshes", "none"], "--meshes: there is no folder none"),
        (vec!["--rows", "rows", "--swap", "pd"], "wants SOLVER=>OTHER"),
        (vec!["--rows", "rows", "--swap", "pd=>pdd"], "did you mean 'pd'?"),
    ] {
        let error = place.fail(2, &[&["paper", "run"][..], &arguments].concat());
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn many_steps_are_compared_by_their_means() {
    let place = place();
    let arguments = ["compare", "rows/scenes/small.toml", "--frames", "3", "-o", "out", "--solvers"];
    let solvers = "quasi-newton:iterations=10,newton:iterations=1";
    let output = place.run(&[&arguments[..], &[solvers]].concat());
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && printed.contains("mean relative error"), "{printed}");
    let table = std::fs::read_to_string(place.path("out/frames.csv")).unwrap();
    assert_eq!(table.lines().count(), 7, "{table}");
    for (line, iterations) in table.lines().skip(1).zip([10, 10, 10, 1, 1, 1]) {
        assert_eq!(line.split(',').nth(3), Some(iterations.to_string().as_str()), "{table}");
    }
    let refused = place.fail(2, &[&arguments[..], &["pd:integrator=bdf2", "--force"]].concat());
    assert!(refused.contains("integrator in 'pd:integrator=bdf2' needs --runs"), "{refused}");
}
