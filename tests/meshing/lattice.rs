//! Surfaces to tets by the lattice: volumes, angles, topology, refusals, and real files.

use std::f64::consts::PI;
use std::path::Path;

use crate::common::meshes::{boundary, files};
use crate::common::program::Place;
use crate::common::scenes::RUBBER;
use crate::common::{distance, simulation};
use elements::math::vec3::{norm, sub};
use elements::par;
use pliant::cache::{Cache, Outcome};
use pliant::io;
use pliant::mesh::generate::generate;
use pliant::mesh::repair::{Repair, repair};
use pliant::mesh::tree::Tree;
use pliant::mesh::{Mesh, quality, surface};
use pliant::meshing::{Filling, Join, METHODS, Options, Size, tetrahedralize};
use pliant::scene::Shape;

fn sphere(radius: f64) -> Mesh {
    boundary(&Shape::Sphere { radius, cells: 10 })
}

/// Two surfaces in one.
fn both(mut a: Mesh, b: &Mesh) -> Mesh {
    let first = a.points.len() as u32;
    a.points.extend(&b.points);
    a.triangles.extend(b.triangles.iter().map(|t| t.map(|v| v + first)));
    a
}

fn turned(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}

fn fill(surface: &Mesh, size: Size) -> Filling {
    tetrahedralize(surface, "it", &METHODS[0], size, &Cache::disabled()).unwrap().0
}

fn refusal(surface: &Mesh, size: Size) -> String {
    tetrahedralize(surface, "it", &METHODS[0], size, &Cache::disabled()).unwrap_err().to_string()
}

/// What holds for every filling: all tets positive, the promised angles, no orphans, a closed boundary. Returns its
/// volume.
fn check(name: &str, filling: &Filling) -> f64 {
    let mesh = &filling.mesh;
    let shape = quality::measure(&mesh.points, &mesh.tets);
    assert_eq!((shape.inverted, shape.degenerate), (0, 0), "{name}");
    assert!(shape.min_dihedral_deg >= 8.0, "{name}: {}°", shape.min_dihedral_deg);
    assert!(!mesh.orphans().contains(&true), "{name}");
    let topology = surface::topology(&surface::boundary(&mesh.tets));
    assert_eq!((topology.open_edges, topology.inconsistent_edges), (0, 0), "{name}");
    assert!(topology.manifold() || filling.warnings.iter().any(|w| w.contains("manifold")), "{name}");
    shape.volume
}

/// Euler's number of the boundary.
fn euler(mesh: &Mesh) -> i64 {
    let map = surface::extract(&mesh.tets);
    map.vertices.len() as i64 - map.triangles.len() as i64 / 2
}

#[test]
fn a_sphere_is_filled_to_its_surface() {
    let surface = sphere(1.0);
    let inside = surface::enclosed_volume(&surface.points, &surface.triangles);
    let filling = fill(&surface, Size::Automatic);
    let volume = check("sphere", &filling);
    assert!((18_000..22_000).contains(&filling.mesh.tets.len()), "{} tets", filling.mesh.tets.len());
    assert!(filling.warnings.is_empty(), "{:?}", filling.warnings);
    assert_eq!(filling.surface_volume, inside);
    assert!((volume / inside - 1.0).abs() < 0.01, "{volume} of {inside}");
    assert!((volume / (4.0 / 3.0 * PI) - 1.0).abs() < 0.03);
    assert_eq!(euler(&filling.mesh), 2);
    let tree = Tree::new(&surface.points, &surface.triangles);
    for v in surface::extract(&filling.mesh.tets).vertices {
        let distance = tree.nearest(filling.mesh.points[v as usize]).unwrap().distance_squared.sqrt();
        assert!(distance < 1e-12, "a vertex of the boundary is {distance:e} away from the surface");
    }
}

#[test]
fn the_volume_converges_with_the_square_of_the_spacing() {
    let surface = sphere(1.0);
    let inside = surface::enclosed_volume(&surface.points, &surface.triangles);
    let errors = [2_000, 16_000, 128_000].map(|cells| {
        let filling = fill(&surface, Size::Cells(cells));
        assert!((filling.mesh.tets.len() as f64 / cells as f64 - 1.0).abs() < 0.15, "about {cells}");
        1.0 - check("sphere", &filling) / inside
    });
    println!("volume lost: {errors:?}");
    // Half the spacing, a quarter of the error; the surface's own facets count at the finest.
    assert!(errors[0] > 3.0 * errors[1] && errors[1] > 2.5 * errors[2] && errors[2] > 0.0, "{errors:?}");
}

#[test]
fn a_torus_keeps_its_hole_and_no_tet_is_larger_than_allowed() {
    let surface = boundary(&Shape::Torus { major: 1.0, minor: 0.35, cells: 16 });
    let limit = 2e-4;
    let filling = fill(&surface, Size::MaxVolume(limit));
    let volume = check("torus", &filling);
    assert!((volume / filling.surface_volume - 1.0).abs() < 0.03);
    assert_eq!(euler(&filling.mesh), 0);
    let largest = filling.mesh.tets.iter().map(|&t| quality::volume(&filling.mesh.points, t));
    let largest = largest.fold(0.0, f64::max);
    assert!(largest <= limit && largest > 0.3 * limit, "{largest}");
}

/// A cylinder along x without caps being rounded: `n` sides.
fn bar(from: f64, to: f64, radius: f64) -> Mesh {
    let n = 12u32;
    let ring = |x: f64| {
        (0..n).map(move |i| {
            let angle = 2.0 * PI * f64::from(i) / f64::from(n);
            [x, radius * angle.cos(), radius * angle.sin()]
        })
    };
    let mut points: Vec<[f64; 3]> = ring(from).chain(ring(to)).collect();
    points.extend([[from, 0.0, 0.0], [to, 0.0, 0.0]]);
    let mut triangles = vec![];
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i], [2 * n, j, i], [2 * n + 1, n + i, n + j]]);
    }
    Mesh { points, triangles, ..Mesh::default() }
}

fn moved(mut mesh: Mesh, by: [f64; 3]) -> Mesh {
    mesh.points.iter_mut().for_each(|p| *p = std::array::from_fn(|i| p[i] + by[i]));
    mesh
}

/// The number of pieces that are connected by faces.
fn pieces(mesh: &Mesh) -> usize {
    surface::topology(&surface::boundary(&mesh.tets)).shells
}

#[test]
fn what_is_thinner_than_a_cell_stays_in_one_piece_and_reaches_to_its_tip() {
    // Two balls on a bar that is a fifth of a cell thick, and juts out.
    let balls = both(moved(sphere(1.0), [-2.0, 0.0, 0.0]), &moved(sphere(1.0), [2.0, 0.0, 0.0]));
    let body = both(balls, &bar(-1.5, 4.5, 0.02));
    let filling = fill(&body, Size::Cells(8_000));
    check("dumbbell", &filling);
    assert_eq!(pieces(&filling.mesh), 1, "{:?}", filling.warnings);
    let tip = filling.mesh.points.iter().map(|p| p[0]).fold(0.0, f64::max);
    assert!((tip - 4.5).abs() < 0.15, "{tip}");
    let ratio = quality::measure(&filling.mesh.points, &filling.mesh.tets).volume / filling.surface_volume;
    assert!((0.97..1.05).contains(&ratio), "{ratio}");
}

#[test]
fn a_ring_that_is_thinner_than_a_cell_keeps_its_hole() {
    let ball = moved(sphere(1.0), [0.0, 0.0, 1.2]);
    let mut ring = boundary(&Shape::Torus { major: 1.0, minor: 0.04, cells: 2 });
    // It stands on the ball: a handle.
    ring.points.iter_mut().for_each(|p| *p = [p[0], p[2], p[1] + 3.0]);
    let filling = fill(&both(ball, &turned(ring)), Size::Cells(5_000));
    check("handle", &filling);
    assert_eq!((pieces(&filling.mesh), euler(&filling.mesh)), (1, 0), "{:?}", filling.warnings);
}

#[test]
fn shells_that_nearly_touch_are_held_together_unless_that_is_not_wanted() {
    let gap = |gap: f64| both(sphere(1.0), &moved(sphere(1.0), [2.0 + gap, 0.0, 0.0]));
    let joined = |mesh: &Mesh, join: Join| {
        let options = Options { size: Size::Cells(8_000), join, ..Options::default() };
        let filling = tetrahedralize(mesh, "it", &METHODS[0], options, &Cache::disabled()).unwrap().0;
        check("balls", &filling);
        let told = filling.warnings.iter().any(|w| w.contains("shells 0 and 1 are held together"));
        assert_eq!(told, pieces(&filling.mesh) == 1, "{:?}", filling.warnings);
        pieces(&filling.mesh)
    };
    assert_eq!(joined(&gap(0.05), Join::Cell), 1);
    assert_eq!(joined(&gap(0.2), Join::Cell), 1);
    assert_eq!(joined(&gap(0.5), Join::Cell), 2);
    assert_eq!(joined(&gap(0.2), Join::Never), 2);
    assert_eq!(joined(&gap(0.5), Join::Within(0.6)), 1);
    assert_eq!(joined(&gap(0.5), Join::Within(0.4)), 2);
}

#[test]
fn surfaces_that_are_written_twice_are_filled_and_loose_blades_are_refused() {
    let cube = boundary(&Shape::Block { size: [1.0; 3], cells: [1; 3], split: 5 });
    let mut twin = cube.clone();
    // The first two triangles with a common long edge are a quad: cut it along the other diagonal.
    let [a, b, c] = twin.triangles[0];
    let beside = (1..12)
        .find(|t| {
            twin.triangles[*t].iter().filter(|v| [a, b, c].contains(v)).count() == 2 && {
                let normal = |t: [u32; 3]| surface::area_vector(&twin.points, t);
                norm(sub(normal(twin.triangles[0]), normal(twin.triangles[*t]))) < 1e-12
            }
        })
        .unwrap();
    let other = twin.triangles[beside].into_iter().find(|v| ![a, b, c].contains(v)).unwrap();
    let apex = [a, b, c].into_iter().find(|v| !twin.triangles[beside].contains(v)).unwrap();
    let [first, second] = match [a, b, c].iter().position(|v| *v == apex).unwrap() {
        0 => [b, c],
        1 => [c, a],
        _ => [a, b],
    };
    twin.triangles[0] = [apex, first, other];
    twin.triangles[beside] = [apex, other, second];
    let (repaired, report) = repair(both(cube, &twin), &Repair::default());
    assert_eq!((report.duplicate_triangles, report.wall_triangles), (10, 0));
    let filling = fill(&repaired, Size::Cells(3_000));
    assert!((check("twice", &filling) - 1.0).abs() < 0.03);

    let blade = |i: usize| {
        let (x, y) = ((i % 8) as f64 / 8.0, (i / 8) as f64 / 8.0);
        let points = vec![[x, y, 0.0], [x + 0.04, y + 0.01, 0.0], [x + 0.04, y + 0.01, 0.5], [x, y, 0.5]];
        Mesh { points, triangles: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() }
    };
    let grass = (0..64).map(blade).reduce(|all, next| both(all, &next)).unwrap();
    assert!(
        refusal(&grass, Size::Automatic).contains("open and lie loosely"),
        "{}",
        refusal(&grass, Size::Automatic)
    );
}

#[test]
fn a_cavity_stays_empty_and_overlaps_count_once() {
    let hollow = both(sphere(1.0), &turned(sphere(0.5)));
    let filling = fill(&hollow, Size::Cells(30_000));
    let volume = check("cavity", &filling);
    assert!((volume / filling.surface_volume - 1.0).abs() < 0.02);
    assert!((filling.surface_volume / (4.0 / 3.0 * PI * 0.875) - 1.0).abs() < 0.02);
    assert_eq!(euler(&filling.mesh), 4);
    let mut moved = sphere(1.0);
    moved.points.iter_mut().for_each(|p| p[0] += 1.0);
    let filling = fill(&both(sphere(1.0), &moved), Size::Automatic);
    let volume = check("overlap", &filling);
    // The lens in which unit balls at a distance of 1 overlap has the volume 5π/12.
    let union = (8.0 / 3.0 - 5.0 / 12.0) * PI;
    assert!((volume / union - 1.0).abs() < 0.03 && (filling.surface_volume / union - 1.0).abs() < 0.03);
    assert_eq!((euler(&filling.mesh), filling.warnings.len()), (2, 0), "{:?}", filling.warnings);
}

#[test]
fn an_open_hemisphere_is_closed_where_the_winding_number_is_one_half() {
    let mut half = sphere(1.0);
    let points = half.points.clone();
    half.triangles.retain(|t| t.iter().map(|&v| points[v as usize][2]).sum::<f64>() < 0.0);
    let filling = fill(&half, Size::Automatic);
    let volume = check("hemisphere", &filling);
    assert!((volume / filling.surface_volume - 1.0).abs() < 0.03, "{volume} of {}", filling.surface_volume);
    // The set w > ½ of a bowl lies above its brim's plane nowhere, and leaves out a dent below it.
    let whole = 2.0 / 3.0 * PI;
    assert!(volume < whole && volume > 0.5 * whole, "{volume}");
    let top = filling.mesh.points.iter().map(|p| p[2]).fold(f64::NEG_INFINITY, f64::max);
    assert!(top < 0.1, "{top}");
}

#[test]
fn parts_thinner_than_a_cell_are_held_and_bodies_that_are_so_are_refused() {
    let mut blade = boundary(&Shape::Block { size: [3.0, 0.02, 0.5], cells: [6, 1, 2], split: 6 });
    blade.points.iter_mut().for_each(|p| p[0] += 1.5);
    let filling = fill(&both(sphere(1.0), &blade), Size::Cells(5_000));
    check("blade", &filling);
    assert_eq!(pieces(&filling.mesh), 2);
    let end = filling.mesh.points.iter().map(|p| p[0]).fold(0.0, f64::max);
    assert!((end - 4.5).abs() < 0.3, "{end}");
    let told = filling.warnings.join("\n");
    assert!(told.contains("the volume differs by +") && told.contains("cells come closer"), "{told}");
    let plate = boundary(&Shape::Block { size: [1.0, 0.01, 1.0], cells: [1, 1, 1], split: 5 });
    let message = refusal(&plate, Size::Cells(2_000));
    let words: Vec<&str> = message.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "cells").expect("a number of cells");
    let asked: f64 = words[at - 1].parse().unwrap();
    assert!((2e5..2e6).contains(&asked), "{message}");
    let wide = boundary(&Shape::Block { size: [1.0, 1e-5, 1.0], cells: [1, 1, 1], split: 5 });
    let message = refusal(&wide, Size::Automatic);
    assert!(message.contains("thinner than a cell") && message.contains("as a sheet"), "{message}");
}

#[test]
fn what_encloses_nothing_is_refused_with_the_reason() {
    let cloth = generate(&Shape::Cloth { size: [1.0, 1.0], cells: [4, 4] });
    assert!(refusal(&cloth, Size::Automatic).contains("flat"));
    let mut bent = cloth;
    bent.points.iter_mut().for_each(|p| p[1] = 0.3 * p[0] * p[0]);
    assert!(refusal(&bent, Size::Automatic).contains("above one half nowhere"));
    assert!(refusal(&turned(sphere(1.0)), Size::Automatic).contains("normals point inward"));
    assert!(refusal(&sphere(1.0), Size::Cells(1 << 40)).contains("more than"));
    assert!(refusal(&sphere(1.0), Size::Cells(0)).contains("0 cells"));
    assert!(refusal(&sphere(1.0), Size::MaxVolume(f64::NAN)).contains("NaN"));
    let solid = generate(&Shape::Sphere { radius: 1.0, cells: 2 });
    assert!(refusal(&solid, Size::Automatic).contains("tets already"));
    let mut broken = sphere(1.0);
    broken.points[7][1] = f64::NAN;
    assert!(refusal(&broken, Size::Automatic).contains("vertex 7 is not finite"));
}

#[test]
fn neither_threads_nor_the_cache_change_a_bit() {
    let surface = both(sphere(1.0), &turned(sphere(0.6)));
    let one = par::with_threads(1, || fill(&surface, Size::Cells(6_000)));
    for threads in [2, 3] {
        assert!(one == par::with_threads(threads, || fill(&surface, Size::Cells(6_000))));
    }
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path());
    let fetch = |size| tetrahedralize(&surface, "it", &METHODS[0], size, &cache).unwrap();
    for wanted in [Outcome::Miss, Outcome::Hit] {
        let (filling, outcome) = fetch(Size::Cells(6_000));
        assert!(outcome == wanted && filling == one);
    }
    assert_eq!(fetch(Size::Cells(6_001)).1, Outcome::Miss);
}

#[test]
fn the_command_writes_a_mesh_that_can_be_simulated() {
    let place = Place::new();
    io::write(&sphere(0.5), &place.path("ball.obj")).unwrap();
    let told = place.succeed(&["mesh", "ball.obj", "-o", "ball.vtu", "--cells", "3000"]);
    io::write(&turned(sphere(0.5)), &place.path("turned.stl")).unwrap();
    let repaired = place.succeed(&["mesh", "turned.stl", "-o", "turned.vtu", "--cells", "3000"]);
    assert!(repaired.contains("turned round") && repaired.contains("tets; volume"), "{repaired}");
    let inward = place.fail(2, &["mesh", "turned.stl", "-o", "b.vtu", "--no-repair"]);
    assert!(inward.contains("encloses nothing"), "{inward}");
    assert!(told.contains("tets; volume") && told.contains("dihedral angles"), "{told}");
    let mesh = io::read(&place.path("ball.vtu")).unwrap();
    assert!((2_500..3_500).contains(&mesh.tets.len()) && mesh.triangles.is_empty());
    assert!(place.fail(2, &["mesh", "ball.obj", "-o", "ball.vtu"]).contains("--force"));
    let again = place.succeed(&["mesh", "ball.obj", "-o", "ball.vtu", "--cells", "3000", "--force"]);
    assert!(again.contains("found in the cache"), "{again}");
    assert!(mesh == io::read(&place.path("ball.vtu")).unwrap());
    let method = place.fail(2, &["mesh", "ball.obj", "-o", "b.vtu", "--method", "tetgne"]);
    assert!(method.contains("no method 'tetgne'") && method.contains("lattice, tetgen"), "{method}");
    assert!(place.fail(2, &["mesh", "ball.vtu", "-o", "b.vtu"]).contains("ball.vtu: it consists of tets"));
    assert_falls(&mesh, "ball");
}

/// Simulates 30 frames of a soft body that is pinned at its top and falls under gravity; all numbers stay finite.
fn assert_falls(mesh: &Mesh, name: &str) {
    let place = Place::new();
    let path = place.path("body.vtu");
    io::write(mesh, &path).unwrap();
    let [low, high] = mesh.bounds().unwrap();
    let size = norm(sub(high, low));
    // Lengths in units of the body's diagonal: the scene is the same for every file.
    let pinned = high[1] - 0.1 * (high[1] - low[1]);
    let mut simulation = simulation(&format!(
        "[time]\nstep = \"1/30\"\nframes = 30\n[solver]\nkind = \"quasi-newton\"\niterations = 5\n\
         [world]\ngravity = [0, -9.81, 0]\n[[body]]\nmesh = {path:?}\ndensity = 1000\n\
         transform = {{ scale = {:e} }}\nmaterial = {RUBBER}\n\
         [[body.pin]]\nselect = {{ plane = {{ point = [0, {:e}, 0], normal = [0, 1, 0] }} }}\n",
        1.0 / size,
        pinned / size,
    ));
    let before = simulation.state.x.clone();
    for _ in 0..30 {
        simulation.advance().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let moved = distance(&before, &simulation.state.x);
    assert!(simulation.state.x.iter().all(|x| x.0.iter().all(|c| c.is_finite())), "{name}");
    assert!(moved.is_finite() && moved > 1e-6, "{name} moved by {moved}");
}

/// Reads and repairs a file.
fn repaired(path: &Path) -> Mesh {
    let mesh = io::read(path).unwrap_or_else(|error| panic!("{error}"));
    repair(mesh, &Repair::default()).0
}

/// Fills a file's surface, checks and simulates it. Returns the volume over the surface's, and the filling.
fn fill_file(path: &Path, size: Size) -> Result<(f64, Filling), String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let surface = repaired(path);
    let start = std::time::Instant::now();
    let filled = tetrahedralize(&surface, &name, &METHODS[0], size, &Cache::disabled());
    let (filling, _) = filled.map_err(|error| error.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    let ratio = check(&name, &filling) / filling.surface_volume;
    let shape = quality::measure(&filling.mesh.points, &filling.mesh.tets);
    println!(
        "{name}: {} tets, volume {:+.2}%, angles from {:.1}°, {seconds:.2} s",
        filling.mesh.tets.len(),
        100.0 * (ratio - 1.0),
        shape.min_dihedral_deg
    );
    filling.warnings.iter().for_each(|warning| println!("    {warning}"));
    assert_falls(&filling.mesh, &name);
    Ok((ratio, filling))
}

#[test]
#[ignore = "fills and simulates fourteen files"]
fn clean_files_keep_their_volume_and_can_be_simulated() {
    for path in files("surface") {
        match fill_file(&path, Size::Automatic) {
            Ok((ratio, _)) => assert!((ratio - 1.0).abs() < 0.03, "{}: {ratio}", path.display()),
            // A hollow ball with a wall of a hundredth of its radius.
            Err(message) => {
                assert!(message.starts_with("manifold_Cray_left.obj: most of it is thinner"), "{message}");
            }
        }
    }
}

/// Files that enclose nothing, and those with walls too thin for 20,000 cells, with the reason.
const REFUSED: [(&str, &str); 9] = [
    ("cgal_all_degen.off", "no triangles"),
    ("cgal_caps_and_needles.off", "encloses nothing"),
    ("cgal_degtri_nullface.off", "flat"),
    ("cgal_non_manifold.off", "flat"),
    ("cgal_quads_to_stitch.off", "flat"),
    ("igl_degenerated.obj", "as a sheet"),
    ("igl_sliver_tet.ply", "as a sheet"),
    ("manifold_Havocglass8_left.obj", "cells would fill them"),
    ("woody.obj", "flat"),
];

/// Dirty files are filled and simulated, with volumes that are right or a warning, or refused with the reason.
fn check_dirty(which: impl Fn(&str) -> bool) {
    for path in files("dirty") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !which(&name) {
            continue;
        }
        let expected = REFUSED.iter().find(|(file, _)| *file == name);
        match (fill_file(&path, Size::Cells(20_000)), expected) {
            (Ok((ratio, filling)), None) => {
                let told = !filling.warnings.is_empty();
                assert!((ratio - 1.0).abs() < 0.1 || told, "{name}: {ratio} without a warning");
            }
            (Err(message), Some((_, reason))) => assert!(message.contains(reason), "{message}"),
            (Ok(_), Some((_, reason))) => panic!("{name} should be refused: {reason}"),
            (Err(message), None) => panic!("{message}"),
        }
    }
}

#[test]
#[ignore = "fills and simulates many files"]
fn dirty_files_of_cgal_and_admesh_are_filled_or_refused() {
    check_dirty(|name| name < "d");
}

#[test]
#[ignore = "fills and simulates many files"]
fn other_dirty_files_are_filled_or_refused() {
    check_dirty(|name| name >= "d");
}
