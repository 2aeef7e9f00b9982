//! Runs that cannot be believed, through the real binary.

use crate::common::program::Place;

#[test]
fn a_run_that_cannot_be_believed_says_so_and_can_be_refused() {
    let place = Place::new();
    let scene = "name = \"heavy\"\n[time]\nframes = 5\n[solver]\nkind = \"xpbd\"\n[world]\ngravity = [0, -1e5, 0]\n[[body]]\n\
                 name = \"bar\"\ngenerate = { shape = \"beam\", size = [1, 0.3, 0.3], cells = [4, 2, 2] }\n\
                 material = { model = \"stable-neo-hookean\", young = 1e5, poisson = 0.4 }\n\
                 [[body.pin]]\nselect = { box = { min = [-1, -1, -1], max = [0.001, 9, 9] } }\n";
    place.write("heavy.toml", scene);
    let told = place.succeed(&["-q", "simulate", "heavy.toml"]);
    assert!(told.contains("the motion is not to be trusted"), "{told}");
    let summary = std::fs::read_to_string(place.path("outputs/heavy/summary.json")).unwrap();
    assert!(!summary.contains("\"status\": \"sound\""), "{summary}");
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
