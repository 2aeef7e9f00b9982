//! Scenes with contact: what frames, `metrics.csv`, `contacts.csv`, `summary.json`, `check` and `preview` tell of it.

use pliant::io::stored::StoredGrid;

use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::formats;

/// A box of 2³ cells that lands on a plane, a ball that moves beside it, and a rod that turns.
const LANDING: &str = r#"
name = "landing"
[time]
step = "1/60"
frames = 40
substeps = 2
[solver]
kind = "newton"
iterations = 20
[contact]
distance = 0.01
[[body]]
name = "box"
element = "linear"
generate = { shape = "beam", size = [0.5, 0.5, 0.5], cells = [2, 2, 2] }
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }
density = 1000
damping = { mass = 4.0, stiffness = 0.01 }
transform = { translate = [0, 0.02, 0] }
[[obstacle]]
name = "floor"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
[[obstacle]]
name = "ball, moving"
shape = { sphere = { center = [-0.8, 0.3, 0.25], radius = 0.2 } }
motion = { translate = [0.1, 0, 0] }
[[obstacle]]
name = "rod"
shape = { capsule = { from = [1.0, 0.2, 0], to = [1.0, 0.2, 0.5], radius = 0.05 } }
motion = { rotate = { axis = [0, 1, 0], origin = [1, 0.2, 0.25], degrees_per_second = 90 } }
"#;

/// The weight of the box in N.
const WEIGHT: f64 = 0.125 * 1000.0 * 9.81;

/// The values of an array of points.
fn of_points<'a>(mesh: &'a StoredGrid, name: &str) -> &'a [f64] {
    let found = mesh.point_data.iter().find(|array| array.name == name);
    &found.unwrap_or_else(|| panic!("no array {name}")).values
}

#[test]
fn frames_tell_what_touches_and_show_obstacles() {
    let place = Place::new();
    place.write("scene.toml", LANDING);
    let text = String::from_utf8(place.run(&["check", "scene.toml"]).stdout).unwrap();
    assert!(text.contains("distance 0.01 m, stiffness 100000 Pa, 48 surface triangles"), "{text}");
    assert!(text.contains("least gap at the start 2.000e-2 m"), "{text}");
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    let read =
        |frame: u32| StoredGrid::read(&place.path(&format!("run/vtu/landing_{frame:04}.vtu"))).unwrap();
    let (first, last) = (read(0), read(40));
    let sum =
        |mesh: &StoredGrid, k: usize| of_points(mesh, "contact_force").chunks(3).map(|f| f[k]).sum::<f64>();
    assert_eq!(sum(&first, 1), 0.0);
    assert!((sum(&last, 1) / WEIGHT - 1.0).abs() < 1e-2, "{}", sum(&last, 1));
    assert!(of_points(&last, "friction_force").iter().all(|f| *f == 0.0));
    let gaps = of_points(&last, "contact_gap");
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least > 0.0 && least < 0.01 && gaps.iter().all(|gap| *gap <= 0.01), "{least}");
    // The obstacles: a square, a ball and a capsule behind the 27 points and 40 tets of the box.
    let ids = &last.cell_data.iter().find(|array| array.name == "body_id").unwrap().values;
    let count = |id: f64| ids.iter().filter(|own| **own == id).count();
    assert_eq!([0.0, -1.0, -2.0, -3.0].map(count), [40, 2, 960, 1024]);
    assert!(last.triangles[0].iter().all(|v| last.points[*v as usize][1] == 0.0));
    let middle = |mesh: &StoredGrid, id: f64| -> [f64; 3] {
        let cells = mesh.triangles.iter().zip(&ids[40..]).filter(|(_, own)| **own == id);
        let points: Vec<[f64; 3]> = cells.flat_map(|(t, _)| t.map(|v| mesh.points[v as usize])).collect();
        std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64)
    };
    let (before, after) = (middle(&first, -2.0), middle(&last, -2.0));
    assert!((after[0] - before[0] - 0.1 * 80.0 / 60.0).abs() < 1e-9, "{before:?} {after:?}");
    assert!((before[1] - 0.3).abs() < 1e-9 && (before[2] - 0.25).abs() < 1e-9, "{before:?}");
    let turned = middle(&last, -3.0);
    assert!((0..3).all(|k| (turned[k] - [1.0, 0.2, 0.25][k]).abs() < 1e-9), "{turned:?}");
    for name in ["box", "floor", "ball, moving", "rod"] {
        assert!(place.path(&format!("run/ply/{name}_0040.ply")).is_file(), "{name}");
    }
}

#[test]
fn tables_have_the_forces_and_gaps_of_every_step() {
    let place = Place::new();
    place.write("scene.toml", LANDING);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    let read = |name: &str| std::fs::read_to_string(place.path(&format!("run/{name}"))).unwrap();
    let contacts = read("contacts.csv");
    let rows: Vec<Vec<&str>> = contacts.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 9 && row[1..3] == ["box", "floor"]), "{contacts}");
    let last = rows.last().unwrap();
    let force: f64 = last[4].parse().unwrap();
    assert!(last[0] == "80" && (force / WEIGHT - 1.0).abs() < 1e-2, "{last:?}");
    let metrics = read("metrics.csv");
    let mut lines = metrics.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert!(
        metrics.starts_with("frame,step")
            && header[25..] == ["min_gap", "truncated", "friction_work", "first_gradient"],
        "{header:?}"
    );
    let place_of = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let rows: Vec<Vec<f64>> =
        lines.map(|row| row.split(',').map(|value| value.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 80);
    let (contacts, gap, time) = (place_of("contacts"), place_of("min_gap"), place_of("collision_ms"));
    assert!(rows[0][contacts] == 0.0 && rows[0][gap] == 0.01, "{:?}", rows[0]);
    assert!(rows[79][contacts] >= 4.0 && rows[79][gap] < 0.01 && rows[79][time] > 0.0, "{:?}", rows[79]);
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
    let contact = &summary["contact"];
    assert!(contact["intersection_free"] == true && contact["distance"] == 0.01, "{contact}");
    let least = rows.iter().map(|row| row[gap]).fold(f64::INFINITY, f64::min);
    assert_eq!(contact["min_gap"].as_f64(), Some(least));
    place.succeed(&["plot", "run"]);
    place.succeed(&["preview", "run", "--png", "end.png", "--size", "64x48", "-o", "page.html"]);
}

#[test]
fn resumed_and_exported_contact_has_the_same_bytes() {
    let place = Place::new();
    place.write("scene.toml", LANDING);
    place.succeed(&["simulate", "scene.toml", "-o", "whole", "--set", formats()]);
    place.succeed(&["simulate", "scene.toml", "-o", "parts", "--set", formats(), "--frames", "13"]);
    place.succeed(&["simulate", "scene.toml", "-o", "parts", "--set", formats(), "--resume"]);
    assert_equal_content(&place.path("whole"), &place.path("parts"));
    place.succeed(&["export", "whole", "--format", "vtk", "--format", "usd", "--format", "pc2", "-o", "out"]);
    for file in ["vtk/landing_0040.vtk", "blender/landing.usda", "blender/rod.pc2", "blender/floor.obj"] {
        let [a, b] = ["whole", "out"].map(|dir| std::fs::read(place.path(&format!("{dir}/{file}"))).unwrap());
        assert!(a == b, "{file}");
    }
}

/// A summary's table of contact.
fn of_contact(place: &Place, run: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(place.path(&format!("{run}/summary.json"))).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap()["contact"].clone()
}

#[test]
fn a_refused_start_leaves_a_file_that_shows_it_and_nothing_else() {
    let place = Place::new();
    place.write("scene.toml", &LANDING.replace("[0, 0.02, 0]", "[-0.75, 0.02, 0]"));
    for command in ["check", "simulate", "precompute"] {
        let file = place.path(&format!("new/{command}-intersections.vtu"));
        let output = place.run(&[command, "scene.toml", "-o", &format!("new/{command}")]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("'box' and 'ball, moving' are closer than their thickness"), "{text}");
        assert!(text.contains(&format!("{command}-intersections.vtu shows")), "{text}");
        assert!(text.contains("between = [\"box\", \"ball, moving\"]"), "{text}");
        let grid = StoredGrid::read(&file).unwrap();
        let of_cells = |name: &str| &grid.cell_data.iter().find(|array| array.name == name).unwrap().values;
        assert!(!grid.triangles.is_empty() && grid.tets.is_empty());
        assert!(of_cells("body_id").iter().chain(of_cells("pair")).all(|value| *value == 0.0));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(std::fs::read_dir(place.path("new")).unwrap().count(), 0, "{command}");
    }
    // A directory in its place stays, and the refusal is the same.
    std::fs::create_dir_all(place.path("run-intersections.vtu/mine")).unwrap();
    let output = place.run(&["check", "scene.toml", "-o", "run"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("cannot be shown"), "{text}");
    assert!(place.path("run-intersections.vtu/mine").is_dir());
}

#[test]
fn a_run_that_starts_inside_goes_on_with_a_warning_and_resumes_to_the_same_bytes() {
    let place = Place::new();
    let rising = LANDING
        .replace("[0, 0.02, 0]", "[0, -0.1, 0]")
        .replace("distance = 0.01", "distance = 0.01\nfriction = 0.4\nstart = \"exclude\"")
        .replace(
            "density = 1000",
            "density = 1000\nvelocity = { linear = [0.5, 2.5, 0], angular = [0, 0, 2] }",
        );
    place.write("scene.toml", &rising);
    let output = place.run(&["simulate", "scene.toml", "-o", "whole"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("'box' and 'floor' intersect: 9 of 26 vertices are behind the plane"), "{text}");
    let contact = of_contact(&place, "whole");
    assert!(contact["intersection_free"] == false, "{contact}");
    assert_eq!(contact["excluded"], serde_json::json!([9, 0]));
    for frames in ["2", "3", "6", "20"] {
        place.succeed(&["simulate", "scene.toml", "-o", "parts", "--frames", frames, "--force"]);
        place.succeed(&["simulate", "scene.toml", "-o", "parts", "--resume"]);
        assert_equal_content(&place.path("whole"), &place.path("parts"));
    }
    place.succeed(&["simulate", "scene.toml", "-o", "short", "--frames", "1"]);
    assert_eq!(of_contact(&place, "short")["excluded"], serde_json::json!([9, 9]));
}
