//! `pliant fit` through the real binary: what it prints is a material of a config, and what it refuses.

use crate::common::program::Place;

const POINTS: &str =
    "mode,stretch,stress [kPa]\nuniaxial,1.1,25\nuniaxial,1.5,100\nuniaxial,2,170\nplanar,1.5,120\n";

fn printed(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_fitted_material_can_be_simulated_as_printed() {
    let place = Place::new();
    place.write("data.csv", POINTS);
    // The law of Saint Venant and Kirchhoff has no equilibrium with free sides at large stretches.
    place.write(
        "small.csv",
        "mode,stretch,stress [kPa]\nuniaxial,1.05,13\nuniaxial,1.1,25\nplanar,1.05,17\nplanar,1.1,33\n",
    );
    let models = ["neo-hookean", "stable-neo-hookean", "corotated", "stvk", "mooney-rivlin", "spline"];
    for model in models {
        let data = if model == "stvk" { "small.csv" } else { "data.csv" };
        let text = printed(&place, &["fit", data, "--model", model, "--knots", "6"]);
        assert!(text.contains("# all: 4 points, root mean square deviation"), "{text}");
        let body = "[[body]]\ngenerate = { shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n";
        place.write(&format!("{model}.toml"), &format!("[time]\nframes = 1\n{body}{text}"));
        place.succeed(&["simulate", &format!("{model}.toml"), "-o", &format!("outputs/{model}")]);
    }
}

#[test]
fn a_fit_is_written_drawn_and_told_to_programs() {
    let place = Place::new();
    place.write("data.csv", POINTS);
    let said = printed(&place, &["fit", "data.csv", "-o", "m.toml", "--chart", "m.svg"]);
    assert_eq!(said, "m.toml\n");
    let text = std::fs::read_to_string(place.path("m.toml")).unwrap();
    assert!(
        text.starts_with("# pliant fit data.csv --model neo-hookean --poisson 0.49\n# uniaxial: 3 points"),
        "{text}"
    );
    let chart = std::fs::read_to_string(place.path("m.svg")).unwrap();
    for name in ["uniaxial, fitted", "uniaxial, measured", "planar, fitted", "neo-hookean fitted to 4 points"]
    {
        assert!(chart.contains(name), "{name}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&printed(&place, &["fit", "data.csv", "--json"])).unwrap();
    let young = json["parameters"]["young"].as_f64().unwrap();
    let material = text.lines().last().unwrap().strip_prefix("material = ").unwrap();
    let table: toml::Table = format!("m = {material}").parse().unwrap();
    let written = table["m"]["young"].as_float().unwrap();
    assert!((written / young - 1.0).abs() < 1e-6, "{text}");
    assert!(json["deviation"]["uniaxial"]["points"] == 3 && json["at_bounds"].as_array().unwrap().is_empty());
}

#[test]
fn wrong_data_and_flags_are_refused_with_the_place() {
    let place = Place::new();
    place.write("data.csv", POINTS);
    place.write("plain.csv", "stretch,stress\n1.5,1\n");
    place.write("bad.csv", "mode,stretch,stress [MPa]\nuniaxial,1.5,x\n");
    for (arguments, expected) in [
        (&["fit", "nothing.csv"][..], "nothing.csv"),
        (&["fit", "bad.csv"], "bad.csv, line 2: the stress is 'x', no number"),
        (&["fit", "plain.csv"], "there is no column 'mode'"),
        (&["fit", "plain.csv", "--mode", "uniaxial"], "or say --unit"),
        (&["fit", "data.csv", "--poisson", "0.5"], "--poisson 0.5: must lie between 0 and 0.5"),
        (&["fit", "data.csv", "--model", "putty"], "'putty' cannot be fitted; these can: corotated"),
        (&["fit", "data.csv", "--model", "spline", "--knots", "99"], "--knots: must lie between 5 and 24"),
        (&["fit", "data.csv", "--chart", "m.pdf"], "must end with .svg or .png"),
    ] {
        assert!(place.fail(2, arguments).contains(expected), "{arguments:?}");
    }
    printed(&place, &["fit", "plain.csv", "--mode", "uniaxial", "--unit", "MPa"]);
}
