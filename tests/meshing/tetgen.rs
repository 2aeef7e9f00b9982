//! Surfaces to tets by TetGen, in a child process: kept surfaces, sizes, cavities, refusals, and real files.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::meshes::{boundary, files};
use crate::common::program::Place;
use elements::par;
use pliant::cache::{Cache, Outcome};
use pliant::io;
use pliant::mesh::repair::{Repair, repair};
use pliant::mesh::{Mesh, quality, surface};
use pliant::meshing::tetgen;
use pliant::meshing::{Filling, Join, Options, Size, method, tetrahedralize};
use pliant::scene::Shape;

fn sphere(radius: f64) -> Mesh {
    boundary(&Shape::Sphere { radius, cells: 6 })
}

fn cube() -> Mesh {
    boundary(&Shape::Block { size: [1.0, 2.0, 0.5], cells: [4, 8, 2], split: 5 })
}

const KEEP: Options = Options {
    size: Size::Automatic,
    keep_surface: true,
    quality: None,
    join: Join::Cell,
    time_limit: Duration::from_secs(120),
};

fn try_fill(surface: &Mesh, options: impl Into<Options>) -> Result<Filling, String> {
    let result = tetrahedralize(surface, "it", method("tetgen").unwrap(), options, &Cache::disabled());
    result.map(|(filling, _)| filling).map_err(|error| error.to_string())
}

fn fill(surface: &Mesh, options: impl Into<Options>) -> Filling {
    try_fill(surface, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether there is a TetGen to be tested: the binary's, which must be there, or the program `tetgen` where it was not
/// compiled in.
fn is_there() -> bool {
    if cfg!(feature = "tetgen") {
        tetgen::set_program(env!("CARGO_BIN_EXE_pliant").into());
        return true;
    }
    let there = !matches!(try_fill(&cube(), KEEP), Err(error) if error.contains("TetGen is not here"));
    if !there {
        println!("skipped: there is no program 'tetgen'");
    }
    there
}

/// What holds for every filling: positive tets, no orphans, a closed boundary. Returns its volume over the surface's.
fn check(filling: &Filling) -> f64 {
    let mesh = &filling.mesh;
    let shape = quality::measure(&mesh.points, &mesh.tets);
    assert_eq!(shape.inverted, 0);
    assert!(!mesh.orphans().contains(&true));
    let topology = surface::topology(&surface::boundary(&mesh.tets));
    assert_eq!((topology.open_edges, topology.inconsistent_edges), (0, 0));
    shape.volume / filling.surface_volume
}

/// Every vertex with its number and every triangle with its orientation is there, and nothing else.
fn assert_kept(surface: &Mesh, mesh: &Mesh) {
    assert_eq!(surface.points, mesh.points[..surface.points.len()]);
    let normal = |t: &[u32; 3]| {
        let least = (0..3).min_by_key(|&i| t[i]).unwrap();
        [0, 1, 2].map(|i| t[(least + i) % 3])
    };
    let faces = |triangles: &[[u32; 3]]| {
        let mut out: Vec<[u32; 3]> = triangles.iter().map(normal).collect();
        out.sort_unstable();
        out
    };
    assert_eq!(faces(&surface.triangles), faces(&surface::boundary(&mesh.tets)));
}

#[test]
fn surfaces_are_kept_bit_for_bit() {
    if !is_there() {
        return;
    }
    for surface in [sphere(1.0), cube(), boundary(&Shape::Torus { major: 1.0, minor: 0.35, cells: 8 })] {
        let filling = fill(&surface, KEEP);
        assert_kept(&surface, &filling.mesh);
        assert!((check(&filling) - 1.0).abs() < 1e-12);
        assert!(filling.warnings.is_empty(), "{:?}", filling.warnings);
        assert_eq!(filling, par::with_threads(3, || fill(&surface, KEEP)));
    }
}

#[test]
fn a_surface_that_need_not_be_kept_has_its_shape_all_the_same() {
    if !is_there() {
        return;
    }
    let filling = fill(&cube(), Size::MaxVolume(2e-4));
    assert!((check(&filling) - 1.0).abs() < 1e-12);
    let shape = quality::measure(&filling.mesh.points, &filling.mesh.tets);
    assert!(shape.min_dihedral_deg > 10.0, "{}°", shape.min_dihedral_deg);
    assert_eq!(filling.mesh.bounds(), cube().bounds());
    let largest =
        filling.mesh.tets.iter().map(|&t| quality::volume(&filling.mesh.points, t)).fold(0.0, f64::max);
    assert!(largest <= 2e-4 * (1.0 + 1e-9) && largest > 1e-4, "{largest}");
}

#[test]
fn about_as_many_tets_come_as_are_asked_for_or_a_warning() {
    if !is_there() {
        return;
    }
    for cells in [5_000, 40_000] {
        let filling = fill(&sphere(1.0), Size::Cells(cells));
        check(&filling);
        let ratio = filling.mesh.tets.len() as f64 / cells as f64;
        println!("{cells}: {ratio}");
        assert!((ratio - 1.0).abs() < 0.2 && filling.warnings.is_empty(), "{ratio}: {:?}", filling.warnings);
    }
    // The surface alone takes more.
    let filling = fill(&sphere(1.0), Options { size: Size::Cells(10), ..KEEP });
    assert!(filling.warnings[0].contains("not about 10"), "{:?}", filling.warnings);
}

#[test]
fn a_better_quality_takes_more_tets() {
    if !is_there() {
        return;
    }
    let counts = [3.0, 1.2].map(|quality| {
        let filling = fill(&sphere(1.0), Options { quality: Some(quality), ..KEEP });
        check(&filling);
        filling.mesh.tets.len()
    });
    assert!(counts[0] < counts[1], "{counts:?}");
}

#[test]
fn a_cavity_stays_empty() {
    if !is_there() {
        return;
    }
    let mut surface = sphere(1.0);
    let inner = sphere(0.5);
    let first = surface.points.len() as u32;
    surface.points.extend(&inner.points);
    surface.triangles.extend(inner.triangles.iter().map(|&[a, b, c]| [a, c, b].map(|v| v + first)));
    let filling = fill(&surface, KEEP);
    assert_kept(&surface, &filling.mesh);
    assert!((check(&filling) - 1.0).abs() < 1e-12);
}

#[test]
fn surfaces_that_cannot_be_filled_are_refused_with_the_reason() {
    if !is_there() {
        return;
    }
    let mut open = sphere(1.0);
    open.triangles.pop();
    let error = try_fill(&open, KEEP).unwrap_err();
    assert!(error.contains("open at 3 edges") && error.contains("--method lattice"), "{error}");

    let mut crossed = sphere(1.0);
    let (first, other) = (crossed.points.len() as u32, cube());
    crossed.points.extend(&other.points);
    crossed.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    let error = try_fill(&crossed, KEEP).unwrap_err();
    // Debian's program crashes on it.
    let reason = if cfg!(feature = "tetgen") { "intersect" } else { "TetGen" };
    assert!(error.contains(reason) && error.contains("--method lattice"), "{error}");
}

#[test]
fn time_and_options_are_bounded() {
    if !is_there() {
        return;
    }
    let options = Options { size: Size::MaxVolume(1e-10), time_limit: Duration::from_millis(200), ..KEEP };
    let error = try_fill(&sphere(1.0), options).unwrap_err();
    assert!(error.contains("TetGen was stopped") && error.contains("--time-limit"), "{error}");
    for quality in [0.5, -1.0, f64::NAN, f64::INFINITY] {
        let error = try_fill(&cube(), Options { quality: Some(quality), ..KEEP }).unwrap_err();
        assert!(error.contains("quality cannot be"), "{error}");
    }
    let lattice = method("lattice").unwrap();
    let error = tetrahedralize(&cube(), "it", lattice, KEEP, &Cache::disabled()).unwrap_err().to_string();
    assert!(error.contains("'lattice' keeps no surface") && error.contains("--method tetgen"), "{error}");
}

#[test]
fn the_cache_tells_kept_surfaces_and_qualities_apart() {
    if !is_there() {
        return;
    }
    let place = Place::new();
    let cache = Cache::at(&place.path("cache"));
    let surface = cube();
    let fetch = |options| tetrahedralize(&surface, "it", method("tetgen").unwrap(), options, &cache).unwrap();
    let one = fetch(KEEP);
    assert_eq!(one.1, Outcome::Miss);
    let patient = Options { time_limit: Duration::from_secs(600), ..KEEP };
    assert_eq!(fetch(patient), (one.0, Outcome::Hit));
    for other in [Options { keep_surface: false, ..KEEP }, Options { quality: Some(2.0), ..KEEP }] {
        assert_eq!(fetch(other).1, Outcome::Miss);
    }
}

#[test]
fn the_command_keeps_a_surface_and_explains_what_it_cannot() {
    if !is_there() {
        return;
    }
    let place = Place::new();
    io::write(&sphere(1.0), &place.path("ball.ply")).unwrap();
    place.succeed(&["mesh", "ball.ply", "-o", "ball.vtu", "--method", "tetgen", "--keep-surface"]);
    assert_kept(&sphere(1.0), &io::read(&place.path("ball.vtu")).unwrap());
    let line = ["mesh", "ball.ply", "-o", "b.vtu", "--method", "tetgen", "--max-volume", "1e-10"];
    let error = place.fail(2, &[&line[..], &["--time-limit", "0.2"]].concat());
    assert!(error.contains("ball.ply: TetGen was stopped after 0 s"), "{error}");
    assert!(!place.path("b.vtu").exists());
    let error = place.fail(2, &[&line[..], &["--time-limit", "-1"]].concat());
    assert!(error.contains("--time-limit"), "{error}");
}

#[test]
fn garbage_given_to_the_child_is_no_crash() {
    if !cfg!(feature = "tetgen") {
        return;
    }
    let place = Place::new();
    place.write("garbage", "not a surface at all");
    for arguments in
        [&["__tetgen"][..], &["__tetgen", "pzQ", "garbage", "out"], &["__tetgen", "pzQ", "none", "out"]]
    {
        place.fail(20, arguments);
    }
    assert!(!place.path("out").exists());
}

/// Fills a file's repaired surface, keeps it, checks that and tells about it.
fn fill_file(path: &Path, time_limit: Duration) -> Result<(), String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mesh = io::read(path).map_err(|error| error.to_string())?;
    let (surface, _) = repair(mesh, &Repair::default());
    let start = Instant::now();
    let result = try_fill(&surface, Options { time_limit, ..KEEP });
    let seconds = start.elapsed().as_secs_f64();
    match &result {
        Ok(filling) => {
            let shape = quality::measure(&filling.mesh.points, &filling.mesh.tets);
            let (tets, least) = (filling.mesh.tets.len(), shape.min_dihedral_deg);
            println!("{name}: {tets} tets, angles from {least:.2}°, {seconds:.2} s");
            check(filling);
            assert_kept(&surface, &filling.mesh);
        }
        Err(error) => println!("{name}: {error} {seconds:.2} s"),
    }
    result.map(|_| ())
}

#[test]
#[ignore = "fills fourteen files"]
fn clean_files_keep_every_vertex_and_triangle() {
    let there = is_there();
    for path in files("surface").iter().filter(|_| there) {
        fill_file(path, KEEP.time_limit).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

#[test]
#[ignore = "fills all dirty files"]
fn dirty_files_are_filled_or_refused_with_a_reason() {
    let ways_out = ["--method lattice", "a surface is wanted", "as a sheet"];
    let mut filled = 0;
    let there = is_there();
    for path in files("dirty").iter().filter(|_| there) {
        match fill_file(path, Duration::from_secs(15)) {
            Ok(()) => filled += 1,
            Err(error) => {
                assert!(ways_out.iter().any(|way| error.contains(way)), "{}: {error}", path.display());
            }
        }
    }
    println!("{filled} were filled");
}
