//! A user's own surface that follows the tets within it, through the real binary.

use std::path::Path;

use pliant::mesh::Mesh;

use crate::common::meshes::shared;
use crate::common::program::Place;
use crate::common::scenes::RUBBER;

/// A ring of quads about the y axis with texture coordinates, as Blender writes it; and what it encloses.
fn ring(shift: f64) -> (String, Vec<[f64; 3]>, f64) {
    let (around, across, major, minor) = (32, 12, 1.0, 0.35);
    let mut text = String::from("# a ring\nmtllib ring.mtl\no ring\n");
    let mut points = vec![];
    for i in 0..around {
        for j in 0..across {
            let (a, b) = [(i, around), (j, across)]
                .map(|(k, n)| std::f64::consts::TAU * f64::from(k) / f64::from(n))
                .into();
            let radius: f64 = major + minor * f64::cos(b);
            points.push([radius * f64::cos(a) + shift, minor * f64::sin(b), radius * f64::sin(a)]);
        }
    }
    for [x, y, z] in &points {
        text += &format!("v {x} {y} {z}\n");
    }
    for i in 0..=around {
        for j in 0..=across {
            text +=
                &format!("vt {} {}\n", f64::from(i) / f64::from(around), f64::from(j) / f64::from(across));
        }
    }
    text += "vn 0 1 0\nusemtl skin\ns 1\n";
    let mut volume = 0.0;
    for i in 0..around {
        for j in 0..across {
            let corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)];
            let vertex = corners.map(|(a, b)| ((a % around) * across + b % across) as usize);
            let word = |k: usize| {
                let (a, b) = corners[k];
                format!(" {}/{}/1", vertex[k] + 1, a * (across + 1) + b + 1)
            };
            text += &format!("f{}{}{}{}\n", word(0), word(1), word(2), word(3));
            for [p, q, r] in [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|k| points[vertex[k]])) {
                let cross = [q[1] * r[2] - q[2] * r[1], q[2] * r[0] - q[0] * r[2], q[0] * r[1] - q[1] * r[0]];
                volume += (p[0] * cross[0] + p[1] * cross[1] + p[2] * cross[2]) / 6.0;
            }
        }
    }
    (text, points, volume.abs())
}

/// The positions of an OBJ file, and everything else in it.
fn split(path: &Path) -> (Vec<[f64; 3]>, String) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (vertices, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("v "));
    let number = |word: &str| word.parse::<f64>().expect("a number");
    let point = |line: &&str| {
        let words: Vec<f64> = line.split_whitespace().skip(1).map(number).collect();
        [words[0], words[1], words[2]]
    };
    (vertices.iter().map(point).collect(), rest.join("\n"))
}

fn farthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs())).fold(0.0, f64::max)
}

fn scene(body: &str, more: &str) -> String {
    format!(
        "name = \"scene\"\n[time]\nframes = 6\n[[body]]\nname = \"jelly\"\n{body}\ndensity = 1000\n\
         material = {RUBBER}\n\
         [[body.pin]]\nselect = {{ plane = {{ point = [-1, 0, 0], normal = [-1, 0, 0] }} }}\n\
         [output]\nformats = [\"vtu\", \"ply\", \"obj\"]\n{more}"
    )
}

#[test]
fn the_users_own_file_comes_back_frame_by_frame() {
    let place = Place::new();
    let (text, points, _) = ring(0.0);
    place.write("ring.obj", &text);
    let filled = "surface = \"ring.obj\"\ntetrahedralize = { cells = 3000 }";
    place.write("scene.toml", &scene(filled, ""));
    let messages = place.succeed(&["simulate", "scene.toml"]);
    assert!(!messages.contains("left out"), "{messages}");
    let run = place.path("outputs/scene");
    let (first, rest) = split(&run.join("obj/jelly_0000.obj"));
    let (_, own) = split(&place.path("ring.obj"));
    assert_eq!(rest, own, "faces, texture coordinates and materials stay");
    assert!(farthest(&first, &points) < 1e-14, "{:e}", farthest(&first, &points));
    let (last, rest) = split(&run.join("obj/jelly_0006.obj"));
    assert_eq!(rest, own);
    let fall = farthest(&last, &points);
    assert!((0.05..1.0).contains(&fall), "held at one side, it sags: {fall}");
    // PLY has the same vertices in the same order.
    let ply = pliant::io::read(&run.join("ply/jelly_0006.ply")).unwrap();
    assert_eq!(farthest(&ply.points, &last), 0.0);
    assert_eq!(ply.triangles.len(), 2 * 32 * 12);
    // A second run finds the tets in the cache and gives the same bytes.
    place.succeed(&["simulate", "scene.toml", "-o", "again"]);
    for file in ["obj/jelly_0006.obj", "ply/jelly_0006.ply", "vtu/scene_0006.vtu"] {
        assert_eq!(
            std::fs::read(run.join(file)).unwrap(),
            std::fs::read(place.path("again").join(file)).unwrap()
        );
    }
}

#[test]
fn normals_are_made_anew_where_asked_for() {
    let place = Place::new();
    let (text, ..) = ring(0.0);
    place.write("ring.obj", &text);
    let body = "surface = \"ring.obj\"\ntetrahedralize = { cells = 2000 }";
    place.write("scene.toml", &scene(body, "normals = true"));
    place.succeed(&["simulate", "scene.toml", "--frames", "1"]);
    let run = place.path("outputs/scene");
    let ply = pliant::io::read(&run.join("ply/jelly_0000.ply")).unwrap();
    let component = |name: &str| ply.point_data.iter().find(|a| a.name == name).map(|a| a.values.clone());
    let normals: Vec<[f64; 3]> = match ["nx", "ny", "nz"].map(component) {
        [Some(x), Some(y), Some(z)] => (0..x.len()).map(|i| [x[i], y[i], z[i]]).collect(),
        _ => {
            let all = &ply.point_data.iter().find(|a| a.components == 3).expect("normals").values;
            all.chunks_exact(3).map(|n| [n[0], n[1], n[2]]).collect()
        }
    };
    for (p, n) in ply.points.iter().zip(&normals) {
        let radius = (p[0] * p[0] + p[2] * p[2]).sqrt();
        let outward =
            [(radius - 1.0) * p[0] / radius / 0.35, p[1] / 0.35, (radius - 1.0) * p[2] / radius / 0.35];
        let cosine = (0..3).map(|k| outward[k] * n[k]).sum::<f64>();
        assert!(cosine > 0.99, "{p:?}: {n:?} for {outward:?}");
    }
    // One normal of the file serves all vertices: their mean, which is nothing special, but of length 1.
    let (_, rest) = split(&run.join("obj/jelly_0001.obj"));
    let line = rest.lines().find(|l| l.starts_with("vn ")).expect("a normal");
    let square: f64 = line.split_whitespace().skip(1).map(|w| w.parse::<f64>().unwrap().powi(2)).sum();
    assert!((square - 1.0).abs() < 1e-12, "{line}");
}

#[test]
fn a_body_weighs_what_its_surface_encloses() {
    use pliant::cache::Cache;
    use pliant::config::{self, Overrides};
    use pliant::simulate::Simulation;
    let place = Place::new();
    let (text, _, volume) = ring(0.0);
    place.write("ring.obj", &text);
    for (body, surface) in [
        ("surface = \"ring.obj\"\ntetrahedralize = { cells = 1500 }", volume),
        // In a cage that is larger than it.
        (
            "element = \"linear\"\ngenerate = { shape = \"box\", size = [4, 2, 4], cells = [8, 4, 8] }\nsurface = \"ring.obj\"\n\
             transform = { translate = [0, 0, 0] }",
            volume,
        ),
    ] {
        let text = scene(body, "").replace("point = [-1, 0, 0]", "point = [0.1, 0, 0]");
        let path = place.write("scene.toml", &text);
        let loaded = config::load(&path, &Overrides::default()).unwrap();
        let (simulation, _) = Simulation::new(&loaded.scene, &Cache::disabled()).unwrap();
        let mass: f64 = simulation.objective.mass.iter().sum();
        assert!((mass / (1000.0 * surface) - 1.0).abs() < 0.03, "{body}: {mass} for {}", 1000.0 * surface);
    }
}

#[test]
fn several_surfaces_follow_one_body() {
    let place = Place::new();
    let (text, points, _) = ring(0.0);
    let (other, moved, _) = ring(2.2);
    place.write("left.obj", &text);
    place.write("right.obj", &other);
    let body = "surface = [\"left.obj\", \"right.obj\"]\ntetrahedralize = { cells = 4000 }";
    place.write("scene.toml", &scene(body, ""));
    place.succeed(&["simulate", "scene.toml", "--frames", "1"]);
    let run = place.path("outputs/scene");
    for (name, points) in [("left", points), ("right", moved)] {
        let (first, _) = split(&run.join(format!("obj/jelly-{name}_0000.obj")));
        assert!(farthest(&first, &points) < 1e-14);
        assert!(run.join(format!("ply/jelly-{name}_0001.ply")).exists());
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_way_out() {
    let place = Place::new();
    let (text, ..) = ring(0.0);
    place.write("ring.obj", &text);
    place.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n");
    for (body, parts) in [
        ("surface = \"rinng.obj\"", vec!["body.0.surface", "rinng.obj", "ring.obj"]),
        ("surface = []", vec!["body.0.surface", "names no file"]),
        (
            "surface = \"ring.obj\"\ntetrahedralize = { method = \"latice\" }",
            vec!["tetrahedralize.method", "latice", "lattice"],
        ),
        (
            "surface = \"ring.obj\"\ntetrahedralize = { cells = 9, max_volume = 1 }",
            vec!["max_volume", "either"],
        ),
        (
            "element = \"linear\"\ngenerate = { shape = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }\ntetrahedralize = { cells = 9 }",
            vec!["tetrahedralize", "without a surface"],
        ),
        (
            "generate = { shape = \"cloth\", size = [1, 1], cells = [2, 2] }\nsurface = \"ring.obj\"",
            vec!["no tets", "surface"],
        ),
        ("surface = \"flat.obj\"", vec!["flat.obj"]),
        ("surface = [\"ring.obj\", \"ring.obj\"]", vec!["the same name"]),
    ] {
        place.write("scene.toml", &scene(body, ""));
        let output = place.run(&["check", "scene.toml"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{body}: {error}");
        for part in parts {
            assert!(error.contains(part), "{body}: no '{part}' in {error}");
        }
    }
}

#[test]
fn spot_comes_back_with_her_own_vertices() {
    let Some(spot) = shared().map(|folder| folder.join("surface/spot.obj")) else { return };
    let place = Place::new();
    let body = format!("surface = {:?}\ntetrahedralize = {{ cells = 8000 }}", spot.display().to_string());
    place.write("scene.toml", &scene(&body, "").replace("[-1, 0, 0], normal", "[0, -0.6, 0], normal"));
    place.succeed(&["simulate", "scene.toml", "--frames", "2"]);
    let run = place.path("outputs/scene");
    let (own, rest) = split(&spot);
    assert_eq!(own.len(), 2930);
    let (first, same) = split(&run.join("obj/jelly_0000.obj"));
    assert_eq!(rest, same);
    let ply = pliant::io::read(&run.join("ply/jelly_0000.ply")).unwrap();
    // Her size is about 2.
    assert!(farthest(&first, &own) < 2e-12 && farthest(&ply.points, &own) < 2e-12);
    assert_eq!(split(&run.join("obj/jelly_0002.obj")).1, rest);
}

/// The ring as a legacy VTK file, with a point array that is 1 at the given vertices and 0 elsewhere.
fn painted_ring(marked: &[usize]) -> (String, Vec<[f64; 3]>) {
    let (obj, points, _) = ring(0.0);
    let places: Vec<String> = points.iter().map(|[x, y, z]| format!("{x} {y} {z}")).collect();
    let corner = |word: &str| word.split('/').next().unwrap().parse::<usize>().unwrap() - 1;
    let faces = obj.lines().filter_map(|line| line.strip_prefix("f "));
    let quads: Vec<Vec<usize>> = faces.map(|face| face.split_whitespace().map(corner).collect()).collect();
    let row = |quad: &Vec<usize>| format!("4 {} {} {} {}", quad[0], quad[1], quad[2], quad[3]);
    let rows: Vec<String> = quads.iter().map(row).collect();
    let weights: Vec<&str> = (0..points.len()).map(|v| if marked.contains(&v) { "1" } else { "0" }).collect();
    let text = format!(
        "# vtk DataFile Version 3.0\nring\nASCII\nDATASET POLYDATA\nPOINTS {n} double\n{}\nPOLYGONS {q} {}\n{}\n\
         POINT_DATA {n}\nSCALARS hold double 1\nLOOKUP_TABLE default\n{}\n",
        places.join("\n"),
        5 * rows.len(),
        rows.join("\n"),
        weights.join("\n"),
        n = points.len(),
        q = rows.len(),
    );
    (text, points)
}

#[test]
fn numbers_and_arrays_of_a_surface_select_what_the_user_sees() {
    let place = Place::new();
    let marked: Vec<usize> = (24..36).collect();
    let (text, points) = painted_ring(&marked);
    place.write("ring.vtk", &text);
    let scene = |select: &str| {
        format!(
            "[time]\nframes = 8\n[[body]]\nname = \"jelly\"\nsurface = \"ring.vtk\"\n\
             tetrahedralize = {{ method = \"lattice\", cells = 6000 }}\nmaterial = {RUBBER}\n\
             [[body.pin]]\nselect = {select}\n[output]\nformats = [\"ply\"]\n"
        )
    };
    for (name, select) in [
        ("ids", format!("{{ ids = {marked:?} }}")),
        ("array", "{ array = { name = \"hold\", above = 0.5 } }".into()),
    ] {
        place.write(&format!("{name}.toml"), &scene(&select));
        place.succeed(&["simulate", &format!("{name}.toml"), "-o", name]);
        let frame = pliant::io::read(&place.path(&format!("{name}/ply/jelly_0008.ply"))).unwrap();
        // What is selected stands still, all else falls.
        for (v, (now, before)) in frame.points.iter().zip(&points).enumerate() {
            let way = (0..3).map(|k| (now[k] - before[k]).abs()).fold(0.0, f64::max);
            assert!(
                if marked.contains(&v) { way < 1e-9 } else { way > 0.0 },
                "{name}: vertex {v} went {way}"
            );
        }
    }
    for (select, reason) in [
        ("{ array = { name = \"hodl\", above = 0.5 } }", "did you mean 'hold'?"),
        ("{ ids = [100000] }", "the mesh has 384 vertices"),
    ] {
        place.write("bad.toml", &scene(select));
        let told = place.fail(2, &["check", "bad.toml"]);
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn groups_objects_and_materials_select_the_vertices_of_their_faces() {
    let place = Place::new();
    let (obj, points, _) = ring(0.0);
    // A strip of faces around the tube between the circles 3 and 4, and a name for the rest.
    let mut face = 0;
    let named = obj.lines().map(|line| {
        face += usize::from(line.starts_with("f "));
        match (line.starts_with("f "), face) {
            (true, 1) => format!("g rest\n{line}"),
            (true, 37) => format!("g strip marked\nusemtl Steel Blue\n{line}"),
            (true, 49) => format!("g rest\nusemtl skin\n{line}"),
            _ => line.to_owned(),
        }
    });
    place.write("ring.obj", &named.collect::<Vec<_>>().join("\n"));
    let triangles = pliant::io::read(&place.path("ring.obj")).unwrap().triangles;
    pliant::io::write(
        &Mesh { points: points.clone(), triangles, ..Mesh::default() },
        &place.path("plain.ply"),
    )
    .unwrap();
    let scene = |body: &str, name: &str| {
        format!(
            "[time]\nframes = 3\n[[body]]\nname = \"jelly\"\n{body}\nmaterial = {RUBBER}\n\
             [[body.pin]]\nselect = {{ group = \"{name}\" }}\n[output]\nformats = [\"ply\"]\n"
        )
    };
    let filled = "surface = \"ring.obj\"\ntetrahedralize = { cells = 6000 }";
    for (body, name) in
        [(filled, "strip"), (filled, "marked"), (filled, "Steel Blue"), ("mesh = \"ring.obj\"", "strip")]
    {
        place.write("ring.toml", &scene(body, name));
        place.succeed(&["simulate", "ring.toml", "-o", "run", "--force"]);
        let frame = pliant::io::read(&place.path("run/ply/jelly_0003.ply")).unwrap();
        for (v, (now, before)) in frame.points.iter().zip(&points).enumerate() {
            let way = (0..3).map(|k| (now[k] - before[k]).abs()).fold(0.0, f64::max);
            let is_held = (36..60).contains(&v);
            assert!(if is_held { way < 1e-9 } else { way > 0.0 }, "{body}, {name}: vertex {v} went {way}");
        }
    }
    for (body, name, reason) in [
        (filled, "stripe", "pin 0: the mesh has no group 'stripe' (did you mean 'strip'?)"),
        (filled, "x", "(it has: Steel Blue, marked, rest, ring, skin, strip)"),
        ("surface = \"plain.ply\"", "strip", "(it has none; only those of OBJ files are read)"),
    ] {
        place.write("bad.toml", &scene(body, name));
        let told = place.fail(2, &["check", "bad.toml"]);
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn parts_that_no_pin_holds_are_told_by_every_command() {
    let place = Place::new();
    place.succeed(&["generate", "box", "--size", "1,1,1", "--cells", "2,2,2", "-o", "a.vtu"]);
    let one = pliant::io::read(&place.path("a.vtu")).unwrap();
    let mut two = one.clone();
    let first = two.points.len() as u32;
    two.points.extend(one.points.iter().map(|p| [p[0] + 3.0, p[1], p[2]]));
    two.tets.extend(one.tets.iter().map(|t| t.map(|v| first + v)));
    pliant::io::write(&two, &place.path("two.vtu")).unwrap();
    let scene = |select: &str| {
        format!(
            "[time]\nframes = 2\n[[body]]\nname = \"jelly\"\nmesh = \"two.vtu\"\nmaterial = {RUBBER}\n\
             [[body.pin]]\nselect = {select}\n"
        )
    };
    place.write("loose.toml", &scene("{ ids = [0] }"));
    for arguments in [
        &["-q", "check", "loose.toml"][..],
        &["-q", "simulate", "loose.toml"],
        &["-q", "precompute", "loose.toml"],
    ] {
        let told = place.succeed(arguments);
        assert!(
            told.contains("it has 2 parts that no cell connects, and 1 of them (27 vertices) has no pin"),
            "{told}"
        );
    }
    place.write("held.toml", &scene("{ ids = [0, 27] }"));
    assert_eq!(place.succeed(&["-q", "check", "held.toml"]), "");
}
