//! Runs that cannot be believed, through the real binary.

use crate::common::program::Place;

#[test]
fn a_run_that_cannot_be_believed_says_so_and_can_be_refused() {
    let place = Place::new();
    let scene = "name = \"heavy\"\n[time]\nframes = 5\n[solver]\nkind = \"xpbd\"\n[world]\ngravity = [0, -1e5, 0]\n[[body]]\n\
                 name = \"bar\"\nelement = \"linear\"\ngenerate = { shape = \"beam\", size = [1, 0.3, 0.3], cells = [4, 2, 2] }\n\
                 material = { model = \"stable-neo-hookean\", young = 1e5, poisson = 0.4 }\n\
                 [[body.pin]]\nselect = { box = { min = [-1, -1, -1], max = [0.001, 9, 9] } }\n";
    place.write("heavy.toml", scene);
    let told = place.succeed(&["-q", "simulate", "heavy.toml"]);
    for part in ["the motion is not to be trusted", "have inverted cells", "energy from nowhere"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let summary = std::fs::read_to_string(place.path("outputs/heavy/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["status"], "inverted", "{summary}");
    assert!(summary["inverted_frames"].as_u64() > Some(0), "{summary}");
    assert!(summary["energy_jump"].as_f64() > Some(1e6), "{summary}");
    let told = place.fail(4, &["-q", "simulate", "heavy.toml", "--require-sound", "--force"]);
    assert!(told.contains("the run is not sound"), "{told}");
    // With stable-neo-hookean, ten iterations would leave 200 J in this beam, which has 0.4 J.
    let light =
        scene.replace("-1e5", "-9.81").replace("heavy", "light").replace("stable-neo-hookean", "arap");
    place.write("light.toml", &light);
    place.succeed(&["-q", "simulate", "light.toml", "--require-sound"]);
    let summary = std::fs::read_to_string(place.path("outputs/light/summary.json")).unwrap();
    assert!(summary.contains("\"status\": \"sound\""), "{summary}");
}

#[test]
fn a_start_that_no_force_leads_out_of_is_told() {
    let place = Place::new();
    let scene = |model: &str, collapse: &str| {
        format!(
            "[time]\nframes = 20\n[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"box\"\n\
             element = \"linear\"\n\
             generate = {{ shape = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }}\n\
             material = {{ model = \"{model}\", young = 1e5, poisson = 0.3 }}\ndeform = {{ collapse = {collapse} }}\n"
        )
    };
    for (model, collapse, is_told) in
        [("stvk", "{ jitter = 0 }", true), ("stvk", "{}", false), ("arap", "{ jitter = 0 }", false)]
    {
        place.write("point.toml", &scene(model, collapse));
        let told = place.succeed(&["-q", "check", "point.toml"]);
        assert_eq!(told.contains("no force opens them"), is_told, "{model}, {collapse}: {told}");
    }
    // From the point the body never moves; the default jitter leads out of it. Half of the cells then end inside out, where
    // this material has as good a minimum. Both ends are told.
    for (collapse, end) in [("{ jitter = 0 }", "det F = 0.0e0 in a cell"), ("{}", "inverted cells")] {
        place.write("point.toml", &scene("stvk", collapse));
        let told =
            place.fail(4, &["-q", "simulate", "point.toml", "--force", "--require-sound", "-o", "run"]);
        assert!(told.contains(end), "{collapse}: {told}");
    }
}
