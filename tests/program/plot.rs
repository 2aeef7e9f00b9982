//! `pliant plot` through the real binary: charts of runs and of materials, and what it refuses.

use crate::common::program::Place;
use crate::common::scenes::{RUBBER, beam};

const CHARTS: [&str; 5] = ["energy", "momentum", "iterations", "convergence", "timings"];

/// The texts of an SVG, and the corners of its lines that are curves.
fn read(place: &Place, name: &str) -> (Vec<String>, Vec<Vec<[f64; 2]>>) {
    let text = std::fs::read_to_string(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let nodes = |tag: &'static str| {
        document.descendants().filter(move |n| n.has_tag_name(("http://www.w3.org/2000/svg", tag)))
    };
    let texts = nodes("text").filter_map(|n| n.text().map(str::to_owned)).collect();
    let corner = |pair: &str| {
        let (x, y) = pair.split_once(',').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    let curves = nodes("polyline")
        .filter(|n| n.attribute("stroke-width") != Some("1"))
        .map(|n| n.attribute("points").unwrap().split(' ').map(corner).collect())
        .collect();
    (texts, curves)
}

fn stdout(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn runs_are_drawn_alone_and_together() {
    let place = Place::new();
    place.write("scene.toml", &beam([6, 2, 2], 12, "", RUBBER));
    place.succeed(&["simulate", "scene.toml"]);
    place.succeed(&["simulate", "scene.toml", "--solver", "newton", "-o", "outputs/newton"]);

    let printed = stdout(&place, &["plot", "outputs/beam"]);
    let wanted: Vec<String> = CHARTS.iter().map(|c| format!("outputs/beam/{c}.svg")).collect();
    assert_eq!(printed.lines().collect::<Vec<_>>(), wanted);
    let (texts, curves) = read(&place, "outputs/beam/energy.svg");
    for text in ["Energy: beam", "elastic", "kinetic", "potential", "total", "energy (J)", "time (s)"] {
        assert!(texts.iter().any(|t| t == text), "{text}: {texts:?}");
    }
    // Four curves with a corner for each step, and the samples of the legend.
    assert_eq!(curves.iter().filter(|c| c.len() == 12).count(), 4);
    assert_eq!(curves.iter().filter(|c| c.len() == 2).count(), 4);
    let (texts, _) = read(&place, "outputs/beam/convergence.svg");
    assert!(texts.iter().any(|t| t == "10¹"), "{texts:?}");

    let both = [
        "plot",
        "outputs/beam",
        "outputs/newton",
        "-o",
        "charts",
        "--format",
        "png",
        "--format",
        "svg",
        "--theme",
        "dark",
    ];
    let printed = stdout(&place, &both);
    assert_eq!(printed.lines().count(), 10);
    for chart in CHARTS {
        let (texts, _) = read(&place, &format!("charts/{chart}.svg"));
        assert!(
            texts.iter().any(|t| t == "newton") && texts.iter().any(|t| t == "beam"),
            "{chart}: {texts:?}"
        );
        let png = std::fs::read(place.path(&format!("charts/{chart}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xaeB`\x82"), "{chart}");
    }
    assert_eq!(std::fs::read_dir(place.path("charts")).unwrap().count(), 10);
}

/// A run written by hand: the curve must go through the numbers of the file, whatever the order of its columns.
#[test]
fn curves_show_the_numbers_of_the_file() {
    let place = Place::new();
    std::fs::create_dir(place.path("run")).unwrap();
    let header = "time,potential,kinetic,elastic,iterations,line_search,px,py,pz,lx,ly,lz,gradient_norm,\
                  local_ms,global_ms,line_search_ms,collision_ms,total_ms\n";
    let row = |t: f64, g: &str| format!("{t},0,{},0,3,4,3,0,4,0,0,{t},{g},1,2,3,0,9\n", t * t);
    let rows = [row(0.0, "1"), row(1.0, "0.1"), row(2.0, "nan"), row(3.0, "0.01"), row(4.0, "1e-4")];
    place.write("run/metrics.csv", &(header.to_owned() + &rows.concat()));
    stdout(&place, &["plot", "run"]);
    let (_, curves) = read(&place, "run/energy.svg");
    let kinetic = curves.iter().filter(|c| c.len() == 5).nth(1).unwrap();
    for (i, p) in kinetic.iter().enumerate() {
        let (t, whole) = (i as f64 / 4.0, [kinetic[4][0] - kinetic[0][0], kinetic[4][1] - kinetic[0][1]]);
        assert!((p[0] - kinetic[0][0] - t * whole[0]).abs() < 0.2, "{kinetic:?}");
        assert!((p[1] - kinetic[0][1] - t * t * whole[1]).abs() < 0.2, "{kinetic:?}");
    }
    // On the logarithmic axis, the gap parts the curve in two, of one and of two decades.
    let (_, curves) = read(&place, "run/convergence.svg");
    let [before, after] = &curves[..] else { panic!("{curves:?}") };
    let fall = |c: &[[f64; 2]]| c[1][1] - c[0][1];
    assert!((fall(after) / fall(before) - 2.0).abs() < 0.01, "{curves:?}");
}

#[test]
fn what_is_no_run_is_refused_with_the_place() {
    let place = Place::new();
    std::fs::create_dir(place.path("run")).unwrap();
    let refused = |arguments: &[&str], words: &[&str]| {
        let message = place.fail(2, arguments);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    refused(&["plot", "nowhere"], &["nowhere", "does not exist"]);
    refused(&["plot", "run"], &["run", "no metrics.csv"]);
    place.write("run/metrics.csv", "");
    refused(&["plot", "run"], &["metrics.csv", "no rows"]);
    place.write("run/metrics.csv", "frame,step,time\n");
    refused(&["plot", "run"], &["metrics.csv", "no rows"]);
    place.write("run/metrics.csv", "frame,step,time\n1,1,0.1\n2,2\n");
    refused(&["plot", "run"], &["metrics.csv", "line 3", "2 values for 3 columns"]);
    place.write("run/metrics.csv", "frame,step,time\n1,1,soon\n");
    refused(&["plot", "run"], &["metrics.csv", "line 2", "time is 'soon'"]);
    place.write("run/metrics.csv", "frame,step,time\n1,1,0.1\n");
    refused(&["plot", "run"], &["metrics.csv", "no column 'elastic'"]);
    refused(&["plot"], &["RUN_DIR"]);
    refused(&["plot", "run", "--material", "x.toml"], &["--material"]);
    refused(&["plot", "run", "--set", "a=1"], &["--set"]);
    assert_eq!(std::fs::read_dir(place.path("run")).unwrap().count(), 1, "something was written");
}

#[test]
fn materials_are_drawn_for_every_body() {
    let place = Place::new();
    let two = "[{ model = \"corotated\", young = 1e5, poisson = 0.3 }, \
               { select = { box = { min = [0, 0, 0], max = [0.3, 1, 1] } }, model = \"neo-hookean\", young = \
               [{ value = 1e5 }, { select = { box = { min = [0, 0, 0], max = [0.1, 1, 1] } }, value = 2e5 }], poisson = 0.4 }]";
    let spline = "{ model = \"spline\", a = [[0.5, -1e4], [1, 0], [1.5, 1e4]], monotone = true }";
    let scene = beam([6, 2, 2], 2, "", two)
        + &format!(
            "[[body]]\nname = \"Würfel\"\nelement = \"linear\"\ngenerate = {{ shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }}\n\
             material = {spline}\n[[body]]\nname = \"sheet\"\ngenerate = {{ shape = \"cloth\", size = [1, 1], cells = \
             [2, 2] }}\nmaterial = {{ model = \"arap\", k = 1e3 }}\n"
        );
    place.write("scene.toml", &scene);
    let printed = stdout(&place, &["plot", "--material", "scene.toml", "--set", "body.2.material.k=2e5"]);
    let files: Vec<&str> = printed.lines().collect();
    let wanted = ["material-bar-0.svg", "material-bar-1.svg", "material-Würfel.svg", "material-sheet.svg"];
    assert_eq!(files, wanted);
    let (texts, _) = read(&place, "material-bar-1.svg");
    assert!(
        texts.iter().any(|t| t == "sides free, stiffest") && texts.iter().any(|t| t == "sides held, softest")
    );
    let (texts, _) = read(&place, "material-sheet.svg");
    assert!(texts.iter().any(|t| t == "sheet: arap, k 2e5"), "{texts:?}");
    let (texts, _) = read(&place, "material-Würfel.svg");
    assert!(texts.iter().any(|t| t.starts_with("a′")), "{texts:?}");
    assert!(!place.path("outputs").exists(), "something was simulated");

    place.write("rope.toml", "[[body]]\ngenerate = { shape = \"rope\", length = 1, segments = 3 }\n");
    let message = place.fail(2, &["plot", "--material", "rope.toml"]);
    assert!(message.contains("no body has a material"), "{message}");
    let message = place.fail(2, &["plot", "--material", "scene.toml", "--set", "body.0.material.0.young=-1"]);
    assert!(message.contains("young"), "{message}");
}
