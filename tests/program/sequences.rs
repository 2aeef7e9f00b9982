//! Obstacles and pins that follow files: numbered meshes and point caches.

use pliant::io::point_cache;
use pliant::io::stored::StoredGrid;
use pliant::mesh::generate::generate;
use pliant::mesh::{DataArray, Mesh};
use pliant::scene::Shape;

use crate::common::meshes::boundary;
use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::formats;

/// A cloth that a ball below it lifts. The obstacle follows.
const LIFTING: &str = r#"
name = "lifting"
[time]
step = "1/60"
frames = 20
[solver]
kind = "newton"
iterations = 40
tolerance = 1e-8
[contact]
distance = 0.01
friction = 0.3
[[body]]
name = "cloth"
generate = { shape = "cloth", size = [1, 1], cells = [6, 6] }
thickness = 0.002
density = 300
material = { model = "arap", young = 2e5, poisson = 0.3 }
bending = { stiffness = 1e-3 }
transform = { translate = [-0.5, 0.27, -0.5] }
[[obstacle]]
name = "ball"
friction = 0.5
"#;

/// The velocity of the ball in m/s.
const VELOCITY: [f64; 3] = [0.1, 0.3, -0.05];
/// The rate of the files, which is not that of the steps.
const FPS: f64 = 24.0;

fn ball() -> Mesh {
    boundary(&Shape::Sphere { radius: 0.25, cells: 2 })
}

/// The points so many frames later.
fn later(points: &[[f64; 3]], frame: usize) -> Vec<[f64; 3]> {
    let moved = |p: &[f64; 3]| std::array::from_fn(|k| p[k] + VELOCITY[k] * frame as f64 / FPS);
    points.iter().map(moved).collect()
}

/// Writes meshes with numbers from 7 on.
fn write_numbered(place: &Place, ending: &str, mesh: &Mesh, frames: &[Vec<[f64; 3]>]) {
    for (frame, points) in frames.iter().enumerate() {
        let mesh = Mesh { points: points.clone(), ..mesh.clone() };
        pliant::io::write(&mesh, &place.path(&format!("ball_{:03}.{ending}", frame + 7))).unwrap();
    }
}

/// A PC2 file with a sample for every so many frames of an animation.
fn pc2(frames: &[Vec<[f64; 3]>], rate: f32) -> Vec<u8> {
    let mut out = b"POINTCACHE2\0".to_vec();
    out.extend([1, frames[0].len() as i32].map(i32::to_le_bytes).as_flattened());
    out.extend([1.0, rate].map(f32::to_le_bytes).as_flattened());
    out.extend((frames.len() as i32).to_le_bytes());
    out.extend(frames.iter().flatten().flatten().flat_map(|x| (*x as f32).to_le_bytes()));
    out
}

fn mdd(frames: &[Vec<[f64; 3]>], times: &[f64]) -> Vec<u8> {
    let mut out = [frames.len() as i32, frames[0].len() as i32].map(i32::to_be_bytes).as_flattened().to_vec();
    let numbers = times.iter().chain(frames.iter().flatten().flatten());
    out.extend(numbers.flat_map(|x| (*x as f32).to_be_bytes()));
    out
}

fn grid(place: &Place, run: &str, name: &str, frame: u32) -> StoredGrid {
    StoredGrid::read(&place.path(&format!("{run}/vtu/{name}_{frame:04}.vtu"))).unwrap()
}

/// The largest difference between coordinates in m.
fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A place with the ball in all forms, and a scene for each way to move it.
fn balls() -> (Place, Vec<(&'static str, f64)>) {
    let place = Place::new();
    let ball = ball();
    let frames: Vec<Vec<[f64; 3]>> = (0..10).map(|frame| later(&ball.points, frame)).collect();
    for ending in ["obj", "ply", "stl"] {
        write_numbered(&place, ending, &ball, &frames);
    }
    pliant::io::write(&ball, &place.path("ball.obj")).unwrap();
    let halves: Vec<Vec<[f64; 3]>> = frames.iter().step_by(2).cloned().collect();
    std::fs::write(place.path("ball.pc2"), pc2(&halves, 2.0)).unwrap();
    let times: Vec<f64> = (0..10).map(|frame| 5.0 + frame as f64 / FPS).collect();
    std::fs::write(place.path("ball.mdd"), mdd(&frames, &times)).unwrap();
    let mesh = "shape = { mesh = \"ball.obj\" }\n";
    let ways = [
        ("motion", format!("{mesh}motion = {{ translate = {VELOCITY:?} }}"), 0.0),
        ("obj", "sequence = { files = \"ball_###.obj\", fps = 24 }".into(), 1e-9),
        ("ply", "sequence = { files = \"ball_###.ply\", fps = 24 }".into(), 1e-9),
        // These have single precision.
        ("stl", "sequence = { files = \"ball_###.stl\", fps = 24 }".into(), 2e-6),
        ("pc2", format!("{mesh}sequence = {{ files = \"ball.pc2\", fps = 24 }}"), 2e-6),
        ("mdd", format!("{mesh}sequence = {{ files = \"ball.mdd\" }}"), 2e-6),
    ];
    for (name, text, _) in &ways {
        place.write(&format!("{name}.toml"), &format!("{LIFTING}{text}\n"));
    }
    (place, ways.map(|(name, _, tolerance)| (name, tolerance)).to_vec())
}

#[test]
fn files_move_an_obstacle_as_a_motion_does() {
    let (place, ways) = balls();
    let ball = ball().points.len();
    for (name, tolerance) in ways {
        place.succeed(&["simulate", &format!("{name}.toml"), "-o", name]);
        for frame in [0, 5, 13, 20] {
            let [exact, found] = ["motion", name].map(|run| grid(&place, run, "lifting", frame));
            // Vertices of STL files come in another order, those of the cloth do not.
            let count = if name == "stl" { found.points.len() - ball } else { found.points.len() };
            let off = apart(&exact.points[..count], &found.points[..count]);
            assert!(off <= tolerance, "{name}, frame {frame}: {off}");
            assert_eq!(exact.points.len(), found.points.len(), "{name}");
        }
        let summary = std::fs::read_to_string(place.path(&format!("{name}/summary.json"))).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert!(summary["contact"]["intersection_free"] == true, "{name}: {summary}");
    }
    let lifted = grid(&place, "motion", "lifting", 20).points[24][1] - 0.27;
    assert!(lifted > 0.05, "the ball lifts the middle by {lifted} m");
}

#[test]
fn check_tells_the_frames_and_a_run_that_outlasts_them_is_noted() {
    let (place, _) = balls();
    for (name, frames) in [("obj", 10), ("pc2", 5), ("mdd", 10)] {
        let output = place.run(&["check", &format!("{name}.toml"), "--frames", "40"]);
        let [text, notes] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let lasts = if frames == 5 { "0.333333" } else { "0.375000" };
        let line = format!("  obstacle 'ball' follows {frames} frames of files, which last {lasts} s\n");
        assert!(text.contains(&line) && text.contains("obstacle ball: mesh, moving"), "{text}");
        let note = format!(
            "obstacle 'ball' stands still from {lasts} s on, where its files end; the run ends at 0.6666"
        );
        assert!(notes.contains(&note), "{notes}");
    }
    let notes = place.succeed(&["check", "obj.toml"]);
    assert!(!notes.contains("stands still"), "{notes}");
}

#[test]
fn runs_with_files_have_the_same_bytes_for_any_threads_and_through_resume() {
    let (place, _) = balls();
    let set = ["--set", formats(), "--set", "solver.kind=quasi-newton", "--set", "solver.tolerance=1e-4"];
    let run = |out: &str, more: &[&str]| {
        place.succeed(&[&["simulate", "obj.toml", "-o", out], &set[..], more].concat());
    };
    run("one", &["--threads", "1"]);
    run("two", &["--threads", "2"]);
    assert_equal_content(&place.path("one"), &place.path("two"));
    run("parts", &["--frames", "8"]);
    run("parts", &["--resume"]);
    assert_equal_content(&place.path("one"), &place.path("parts"));
    // The ball is in all formats, and moves in each of them.
    for (directory, ending) in [("ply", "ply"), ("obj", "obj"), ("stl", "stl")] {
        let read = |frame: u32| {
            let path = place.path(&format!("one/{directory}/ball_{frame:04}.{ending}"));
            pliant::io::read(&path).unwrap().points[0]
        };
        let (before, after) = (read(0), read(20));
        let off = |k: usize| (after[k] - before[k] - VELOCITY[k] / 3.0).abs();
        assert!((0..3).all(|k| off(k) < 1e-6), "{directory}: {before:?} {after:?}");
    }
    let usd = std::fs::read_to_string(place.path("one/blender/lifting.usda")).unwrap();
    assert!(
        usd.contains("def Mesh \"ball\"") && usd.contains("points.timeSamples"),
        "no ball in the USD file"
    );
    let [a, b] =
        ["pc2", "mdd"].map(|e| point_cache::read(&place.path(&format!("one/blender/ball.{e}"))).unwrap());
    assert_eq!((a.frames, b.frames, a.vertices), (21, 21, ball().points.len()));
    for frame in [0, 9, 20] {
        let exact = grid(&place, "one", "lifting", frame as u32).points[49..].to_vec();
        assert!(a.points(frame) == b.points(frame) && apart(&a.points(frame), &exact) < 1e-7, "{frame}");
    }
    place.succeed(&["preview", "one", "--png", "end.png", "--size", "64x48", "-o", "page.html"]);
}

#[test]
fn a_changed_file_of_a_sequence_is_refused_on_resume() {
    for (scene, file) in [("obj", "ball_012.obj"), ("pc2", "ball.pc2")] {
        let (place, _) = balls();
        let config = format!("{scene}.toml");
        place.succeed(&["simulate", &config, "-o", "run", "--frames", "2"]);
        let mut bytes = std::fs::read(place.path(file)).unwrap();
        match scene {
            // The fifth frame, which has not been reached, and in which only a comment differs.
            "obj" => bytes.extend(b"# other\n"),
            _ => *bytes.last_mut().unwrap() ^= 1,
        }
        std::fs::write(place.path(file), bytes).unwrap();
        let message = place.fail(2, &["simulate", &config, "-o", "run", "--resume"]);
        assert!(message.contains("run") && message.contains("--force"), "{message}");
    }
}

#[test]
fn files_that_do_not_fit_are_refused_with_file_frame_and_counts() {
    let (place, _) = balls();
    let refused = |scene: &str, parts: &[&str]| {
        let message = place.fail(2, &["check", scene]);
        assert!(parts.iter().all(|part| message.contains(part)), "{scene}: {message}");
    };
    let ball = ball();
    let (count, triangles) = (ball.points.len(), ball.triangles.len());
    let third = place.path("ball_009.obj");
    let sound = std::fs::read(&third).unwrap();
    let coarse = boundary(&Shape::Sphere { radius: 0.25, cells: 1 });
    pliant::io::write(&coarse, &third).unwrap();
    let counts = format!("has {} vertices, the mesh has {count}", coarse.points.len());
    refused(
        "obj.toml",
        &["obstacle 'ball'", "ball_009.obj (frame 2)", &counts, "one mesh in different shapes"],
    );
    let mut other = ball.clone();
    other.triangles.pop();
    pliant::io::write(&other, &third).unwrap();
    let counts = format!("has {} triangles, the first frame {triangles}", triangles - 1);
    refused("obj.toml", &["ball_009.obj (frame 2)", &counts]);
    other.triangles.push([0, 1, 2]);
    pliant::io::write(&other, &third).unwrap();
    refused("obj.toml", &["ball_009.obj (frame 2)", "to other cells than the first frame"]);
    let text = String::from_utf8(sound).unwrap();
    let (first, rest) = text.split_at(text.find("\nv ").unwrap() + 3);
    let rest = &rest[rest.find(' ').unwrap()..];
    std::fs::write(&third, format!("{first}nan{rest}")).unwrap();
    refused("obj.toml", &["ball_009.obj"]);
    std::fs::remove_file(&third).unwrap();
    refused("obj.toml", &["obstacle.0.sequence.files", "but ball_009.obj is missing"]);
    let whole = std::fs::read(place.path("ball.pc2")).unwrap();
    std::fs::write(place.path("ball.pc2"), &whole[..whole.len() - 5]).unwrap();
    refused("pc2.toml", &["ball.pc2", "5 frames of", "truncated"]);
    std::fs::write(place.path("ball.pc2"), pc2(&[coarse.points], 1.0)).unwrap();
    refused("pc2.toml", &["obstacle 'ball'", "ball.pc2 has", &format!("the mesh has {count}")]);
    std::fs::write(place.path("ball.mdd"), pc2(&[ball.points], 1.0)).unwrap();
    refused("mdd.toml", &["ball.mdd is a PC2 file, which has no times", "give 'fps'"]);
}

/// A plate of two quads. At first the left one has no area, and it opens over the right one; a second plate crosses it, and
/// a third lies on it, all in one open mesh that touches and cuts itself.
fn opening(frame: usize) -> String {
    let left = -0.4 * (frame.min(4) as f64) / 4.0;
    let mut text =
        format!("v {left} 0 -0.4\nv 0 0 -0.4\nv 0.4 0 -0.4\nv {left} 0 0.4\nv 0 0 0.4\nv 0.4 0 0.4\n");
    // The quads are cut in other ways in odd frames.
    text += if frame.is_multiple_of(2) { "f 1 4 5 2\nf 2 5 6 3\n" } else { "f 4 5 2 1\nf 2 5 6 3\n" };
    text += "v 0.1 -0.2 -0.3\nv 0.1 0 -0.3\nv 0.1 0 0.3\nv 0.1 -0.2 0.3\nf 7 8 9 10\n";
    text += "v 0.2 0 -0.2\nv 0.2 0 0.2\nv 0.4 0 0.2\nf 11 12 13\n";
    text
}

#[test]
fn open_meshes_that_touch_themselves_and_open_from_nothing_hold() {
    let place = Place::new();
    for frame in 0..6 {
        place.write(&format!("plate{}.obj", frame + 8), &opening(frame));
    }
    let head = LIFTING.replace("tolerance = 1e-8", "tolerance = 1e-3").replace("frames = 20", "frames = 30");
    let scene = format!(
        "{head}sequence = {{ files = \"plate#.obj\", fps = 24 }}\ntransform = {{ translate = [0, 0.2, 0] }}\n"
    );
    place.write(
        "scene.toml",
        &scene.replace("translate = [-0.5, 0.27, -0.5]", "translate = [-0.5, 0.23, -0.5]"),
    );
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    let last = grid(&place, "run", "lifting", 30);
    let near = |x: f64, z: f64| {
        let distance = |p: &[f64; 3]| (p[0] - x).hypot(p[2] - z);
        *last.points[..49].iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
    };
    // The cloth lies on both halves; without the left one that side would have fallen by 1.2 m.
    for x in [-0.17, 0.17] {
        let height = near(x, 0.0)[1];
        assert!(height > 0.2 && height < 0.25, "at x = {x} the cloth is at {height} m");
    }
    let summary = std::fs::read_to_string(place.path("run/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert!(summary["contact"]["intersection_free"] == true, "{summary}");
}

/// A sheet whose vertices at x = 0 follow a file.
fn sheet(kind: &str, motion: &str) -> String {
    format!(
        "name = \"sheet\"\n[time]\nstep = \"1/60\"\nframes = 24\n[solver]\nkind = \"newton\"\niterations = 20\n\
         [[body]]\nname = \"sheet\"\ngenerate = {{ shape = \"cloth\", size = [1, 1], cells = [4, 4] }}\n\
         density = 300\nmaterial = {{ model = \"arap\", young = 1e5, poisson = 0.3 }}\n\
         transform = {{ scale = 2, rotate = {{ axis = [0, 0, 1], degrees = 90 }}, translate = [1, 0, 0] }}\n\
         [[body.pin]]\nselect = {{ ids = [0, 5, 10, 15, 20] }}\nkind = {kind}\nmotion = {motion}\n"
    )
}

/// The sheet's points at frame k of the file: x = 0 waves along z, all others are far off, which nobody looks at.
fn waving(frame: usize) -> Vec<[f64; 3]> {
    let points = generate(&Shape::Cloth { size: [1.0, 1.0], cells: [4, 4] }).points;
    let moved = |p: &[f64; 3]| match p[0] {
        0.0 => {
            [0.05 * (frame as f64 + 8.0 * p[2]).sin() - 0.05 * (8.0 * p[2]).sin(), 0.01 * frame as f64, p[2]]
        }
        _ => [9.0, 9.0, 9.0],
    };
    points.iter().map(moved).collect()
}

/// Where the pinned vertices should be at a time: those of the file in the body's placement.
fn held(time: f64) -> Vec<[f64; 3]> {
    let frame = (time * FPS).clamp(0.0, 8.0);
    let (before, part) = (frame.floor() as usize, frame.fract());
    let (a, b) = (waving(before), waving((before + 1).min(8)));
    let place = |v: usize| -> [f64; 3] {
        let p: [f64; 3] = std::array::from_fn(|k| a[v][k] + part * (b[v][k] - a[v][k]));
        [1.0 - 2.0 * p[1], 2.0 * p[0], 2.0 * p[2]]
    };
    [0, 5, 10, 15, 20].map(place).to_vec()
}

#[test]
fn pinned_vertices_follow_the_vertices_of_a_file() {
    let place = Place::new();
    let frames: Vec<Vec<[f64; 3]>> = (0..9).map(waving).collect();
    std::fs::write(place.path("sheet.pc2"), pc2(&frames, 1.0)).unwrap();
    let mesh = generate(&Shape::Cloth { size: [1.0, 1.0], cells: [4, 4] });
    for (frame, points) in frames.iter().enumerate() {
        let mesh = Mesh { points: points.clone(), ..mesh.clone() };
        pliant::io::write(&mesh, &place.path(&format!("sheet{frame}.vtu"))).unwrap();
    }
    for (name, kind, motion, tolerance) in [
        ("cache", "\"hard\"", "{ file = \"sheet.pc2\", fps = 24 }", 1e-6),
        ("meshes", "\"hard\"", "{ file = \"sheet#.vtu\", fps = 24 }", 1e-12),
        ("late", "\"hard\"", "{ file = \"sheet#.vtu\", fps = 24, from = 0.1, until = 0.25 }", 1e-12),
        ("soft", "{ soft = 1e5 }", "{ file = \"sheet.pc2\", fps = 24 }", 2e-3),
    ] {
        let scene = format!("{name}.toml");
        place.write(&scene, &sheet(kind, motion));
        let notes = place.succeed(&["simulate", &scene, "-o", name]);
        assert!(!notes.contains("warning"), "{name}: {notes}");
        assert_eq!(
            notes.contains("body 'sheet': pin 0 stands still from 0.333333 s on"),
            name != "late",
            "{notes}"
        );
        for frame in 0..=24 {
            let points = grid(&place, name, "sheet", frame).points;
            let found: Vec<[f64; 3]> = [0, 5, 10, 15, 20].map(|v| points[v]).to_vec();
            let time = f64::from(frame) / 60.0;
            let time = if name == "late" { time.clamp(0.1, 0.25) - 0.1 } else { time };
            let off = apart(&found, &held(time));
            assert!(off < tolerance, "{name}, frame {frame}: {off}");
        }
    }
}

#[test]
fn files_that_begin_elsewhere_or_have_other_vertices_are_told() {
    let place = Place::new();
    std::fs::write(place.path("sheet.pc2"), pc2(&[waving(3), waving(4)], 1.0)).unwrap();
    place.write("jump.toml", &sheet("\"hard\"", "{ file = \"sheet.pc2\", fps = 24 }"));
    let warnings = place.succeed(&["simulate", "jump.toml", "-o", "jump", "--frames", "2"]);
    assert!(warnings.contains("pin 0: its files begin elsewhere than the body"), "{warnings}");
    // Frame 0 is the body as it stands; the next one has the pins where the file has them.
    let rest = generate(&Shape::Cloth { size: [1.0, 1.0], cells: [4, 4] }).points;
    let placed: Vec<[f64; 3]> = rest.iter().map(|p| [1.0 - 2.0 * p[1], 2.0 * p[0], 2.0 * p[2]]).collect();
    assert!(apart(&grid(&place, "jump", "sheet", 0).points, &placed) < 1e-12);
    let first = grid(&place, "jump", "sheet", 1).points[5];
    let expected = held(3.0 / FPS + 1.0 / 60.0)[1];
    assert!(apart(&[first], &[expected]) < 1e-6, "{first:?} {expected:?}");
    std::fs::write(place.path("sheet.pc2"), pc2(&[vec![[0.0; 3]; 24]], 1.0)).unwrap();
    let message = place.fail(2, &["check", "jump.toml"]);
    assert!(
        message.contains("pin 0") && message.contains("24 vertices in each frame, the mesh has 25"),
        "{message}"
    );
}

/// A ball of tets that were made from its surface, whose upper half follows a file.
fn filled(surface: &str) -> String {
    format!(
        "[time]\nstep = \"1/48\"\nframes = 16\n[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"ball\"\n\
         surface = {surface}\ntetrahedralize = {{ cells = 2000 }}\ntransform = {{ scale = 2 }}\n\
         material = {{ model = \"corotated\", young = 1e5, poisson = 0.3 }}\n[[body.pin]]\n\
         select = {{ array = {{ name = \"height\", above = 0.0 }} }}\nmotion = {{ file = \"ball.pc2\", fps = 24 }}\n\
         [output]\nformats = [\"ply\"]\n"
    )
}

#[test]
fn a_surface_filled_with_tets_follows_files_of_its_own_vertices() {
    let place = Place::new();
    let mut ball = ball();
    let heights = ball.points.iter().map(|p| p[1]).collect();
    ball.point_data = vec![DataArray { name: "height".into(), components: 1, values: heights }];
    pliant::io::write(&ball, &place.path("ball.ply")).unwrap();
    place.write("scene.toml", &filled("\"ball.ply\""));
    let turned = |p: &[f64; 3], radians: f64, up: f64| {
        let (sin, cos) = radians.sin_cos();
        [cos * p[0] + sin * p[2], p[1] + up, cos * p[2] - sin * p[0]]
    };
    // As a whole, and twisted by a radian a metre, which the tets cannot follow within a cell.
    for (name, twist, tolerance) in [("turned", 0.0, 1e-6), ("twisted", 0.125, 5e-3)] {
        let at = |frame: usize| -> Vec<[f64; 3]> {
            let k = frame as f64;
            ball.points.iter().map(|p| turned(p, k * (0.15 + twist * p[1]), 0.02 * k)).collect()
        };
        std::fs::write(place.path("ball.pc2"), pc2(&(0..9).map(at).collect::<Vec<_>>(), 1.0)).unwrap();
        place.succeed(&["-q", "simulate", "scene.toml", "-o", name]);
        for frame in [0, 4, 8] {
            let ply = place.path(&format!("{name}/ply/ball_{:04}.ply", 2 * frame));
            let found = pliant::io::read(&ply).unwrap().points;
            for ((x, file), rest) in found.iter().zip(at(frame)).zip(&ball.points).filter(|(_, p)| p[1] > 0.0)
            {
                let off = apart(&[*x], &[file.map(|c| 2.0 * c)]);
                assert!(off < tolerance, "{name}, frame {frame}, {rest:?}: {off}");
            }
        }
    }
    std::fs::write(place.path("ball.pc2"), pc2(&[vec![[0.0; 3]; 24]], 1.0)).unwrap();
    let message = place.fail(2, &["check", "scene.toml"]);
    let count = ball.points.len();
    assert!(message.contains(&format!("24 vertices in each frame, the mesh has {count}")), "{message}");
    let right = later(&ball.points, 300);
    pliant::io::write(&Mesh { points: right, ..ball.clone() }, &place.path("right.ply")).unwrap();
    place.write("scene.toml", &filled("[\"ball.ply\", \"right.ply\"]"));
    let message = place.fail(2, &["check", "scene.toml"]);
    assert!(
        message.contains("pin 0") && message.contains("files move the vertices of one surface"),
        "{message}"
    );
}

#[test]
fn what_a_run_wrote_for_blender_moves_an_obstacle() {
    let place = Place::new();
    place.write("first.toml", &sheet("\"hard\"", "{ shake = { amplitude = [0, 0.1, 0], frequency = 2 } }"));
    place.succeed(&[
        "simulate",
        "first.toml",
        "-o",
        "first",
        "--set",
        "output.formats=[\"vtu\", \"pc2\", \"mdd\"]",
    ]);
    for file in ["sheet.obj", "sheet.pc2", "sheet.mdd"] {
        assert!(place.path("first/blender").join(file).is_file(), "{file}");
    }
    let body = "[[body]]\nname = \"ball\"\nelement = \"linear\"\ngenerate = { shape = \"sphere\", radius = 0.1, cells = 1 }\n\
                material = { model = \"arap\", young = 1e5, poisson = 0.3 }\ntransform = { translate = [5, 5, 5] }\n";
    let head = "name = \"second\"\n[time]\nstep = \"1/60\"\nframes = 24\n[world]\ngravity = [0, 0, 0]\n[contact]\ndistance = 0.01\n";
    for (ending, fps) in [("pc2", ", fps = 60"), ("mdd", "")] {
        let obstacle = format!(
            "[[obstacle]]\nname = \"sheet\"\nshape = {{ mesh = \"first/blender/sheet.obj\" }}\n\
             sequence = {{ files = \"first/blender/sheet.{ending}\"{fps} }}\n"
        );
        place.write("second.toml", &format!("{head}{body}{obstacle}"));
        place.succeed(&["simulate", "second.toml", "-o", ending]);
        for frame in [0, 7, 24] {
            let own = grid(&place, "first", "sheet", frame).points;
            let all = grid(&place, ending, "second", frame).points;
            let off = apart(&all[all.len() - own.len()..], &own);
            assert!(off < 1e-6, "{ending}, frame {frame}: {off}");
        }
    }
}
