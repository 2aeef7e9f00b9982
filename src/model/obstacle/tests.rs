//! Tests of obstacles as data and in a model.

use super::*;
use crate::cache::Cache;
use crate::mesh::generate::Shape;
use crate::mesh::surface::{enclosed_volume, topology};
use crate::model::build::build;
use crate::scene::{Body, Integrator, Path, Selection, Transform};
use crate::simulate::Simulation;
use crate::solvers::{Method, Newton, QuasiNewton, SolverSettings};
use elements::energy::material::Material;
use elements::math::vec3::{cross, norm, sub};

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    norm(sub(a, b)) < 1e-14
}

/// A quarter turn about z, twice as large, one metre up.
const PLACED: Transform = Transform {
    translate: [0.0, 1.0, 0.0],
    rotate: ([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2),
    scale: 2.0,
};

#[test]
fn planes_balls_and_capsules_are_exact_and_follow_their_placement() {
    let plane = Obstacle::plane("floor", [1.0, 0.0, 0.0], [0.0, 7.0, 0.0]);
    for (obstacle, point, normal) in [
        (plane.clone(), [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
        (plane.transform(PLACED), [0.0, 3.0, 0.0], [-1.0, 0.0, 0.0]),
    ] {
        let data = load(&obstacle).unwrap();
        let [u, v] = [1, 2].map(|i| sub(data.points[i], data.points[0]));
        assert_eq!((data.points.len(), data.triangles.len(), data.kind), (3, 0, ObstacleKind::Plane));
        assert!(near(data.points[0], point) && near(cross(u, v), normal), "{data:?}");
    }
    let ball = load(&Obstacle::sphere("ball", [1.0, 0.0, 0.0], 0.5).transform(PLACED)).unwrap();
    assert!(near(ball.points[0], [0.0, 3.0, 0.0]) && ball.radius == 1.0 && ball.kind == ObstacleKind::Point);
    let shape = ObstacleShape::Capsule { from: [0.0; 3], to: [1.0, 0.0, 0.0], radius: 0.25 };
    let capsule = load(&Obstacle::new("pole", shape)).unwrap();
    assert_eq!(capsule.points, [[0.0; 3], [1.0, 0.0, 0.0]]);
    assert_eq!((capsule.edges, capsule.radius, capsule.kind), (vec![[0, 1]], 0.25, ObstacleKind::Segment));
}

#[test]
fn triangles_have_every_edge_once() {
    let shape = ObstacleShape::Box { min: [0.0; 3], max: [1.0; 3] };
    let data = load(&Obstacle::new("box", shape).transform(PLACED)).unwrap();
    assert!((enclosed_volume(&data.points, &data.triangles) - 8.0).abs() < 1e-13);
    assert_eq!((data.edges.len(), data.radius, data.kind), (18, 0.0, ObstacleKind::Triangles));
    assert!(data.edges.is_sorted() && data.edges.iter().all(|[a, b]| a < b));
}

/// Two triangles of a unit square with a corner at the origin, every vertex as often as it is used.
fn soup() -> Mesh {
    let [a, b, c, d] = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    Mesh {
        points: vec![[9.0; 3], a, b, c, a, c, d],
        triangles: vec![[1, 2, 3], [4, 5, 6]],
        ..Mesh::default()
    }
}

#[test]
fn meshes_are_welded_and_closed_ones_face_outward() {
    let sheet = load(&Obstacle::mesh("sheet", soup())).unwrap();
    assert_eq!(
        (sheet.points.len(), sheet.triangles.len(), sheet.edges.len()),
        (4, 2, 5),
        "open, and without what is in no triangle"
    );
    assert!(sheet.notes == Notes::default());
    let ball = load(&Obstacle::mesh("ball", Shape::Sphere { radius: 1.0, cells: 3 })).unwrap();
    assert!(topology(&ball.triangles).closed() && enclosed_volume(&ball.points, &ball.triangles) > 3.0);
    let (points, mut triangles) = shapes::block([0.0; 3], [1.0; 3]);
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    triangles.push([0, 1, 1]);
    let turned = load(&Obstacle::mesh("crate", Mesh { points, triangles, ..Mesh::default() })).unwrap();
    assert!((enclosed_volume(&turned.points, &turned.triangles) - 1.0).abs() < 1e-15);
    assert_eq!(
        turned.notes.notes,
        ["obstacle 'crate': 1 triangle without area dropped", "obstacle 'crate': 12 triangles turned round"]
    );
}

#[test]
fn what_has_no_surface_is_refused() {
    let mut flat = soup();
    flat.points.iter_mut().for_each(|p| p[1] = 0.0);
    let rope = Mesh { points: vec![[0.0; 3], [1.0; 3]], edges: vec![[0, 1]], ..Mesh::default() };
    let mut outside = soup();
    outside.triangles[0][0] = 7;
    let far = Transform { scale: 1e308, ..Transform::default() };
    for (obstacle, reason) in [
        (Obstacle::mesh("x", flat), "obstacle 'x': no triangle of its mesh has an area"),
        (Obstacle::mesh("x", rope), "obstacle 'x': it has no triangles"),
        (Obstacle::mesh("x", outside), "obstacle 'x': a triangle uses vertex 7, which does not exist"),
        (Obstacle::sphere("x", [9.0; 3], 1.0).transform(far), "obstacle 'x': its points are not finite"),
    ] {
        let message = load(&obstacle).unwrap_err().to_string();
        assert!(message.starts_with(reason), "{message}");
    }
}

/// A block that falls, and one that is held at a corner.
fn blocks() -> Scene {
    let block = |name: &str, x: f64| {
        let shape = Shape::Block { size: [1.0; 3], cells: [2; 3], split: 5 };
        let mut body = Body::new(name, shape).material(Material::elastic("stvk", 1e4, 0.3).unwrap());
        body.transform.translate = [x, 0.0, 0.0];
        body
    };
    let corner = Selection::Nearest { point: [0.0; 3], count: 1 };
    Scene::new("blocks").body(block("free", 3.0)).body(block("held", 0.0).pin(corner))
}

/// With a floor far below and a ball far away that rises.
fn with_obstacles() -> Scene {
    let ball = Obstacle::sphere("ball", [50.0, -60.0, 0.0], 4.0).moving(Path::Translate([0.0, 3.0, 0.0]));
    blocks().obstacle(Obstacle::plane("floor", [0.0, -10.0, 0.0], [0.0, 1.0, 0.0])).obstacle(ball)
}

#[test]
fn obstacles_come_after_bodies_as_prescribed_vertices_without_mass() {
    let [without, with] =
        [blocks(), with_obstacles()].map(|scene| build(&scene, &Cache::disabled()).unwrap());
    let (plain, model) = (&without.model, &with.model);
    let bodies = model.body_vertices();
    assert_eq!((bodies, model.rest.len()), (plain.rest.len(), plain.rest.len() + 4));
    let [floor, ball] = &model.obstacles[..] else { panic!("two obstacles") };
    assert_eq!((&floor.vertices, &ball.vertices), (&(bodies..bodies + 3), &(bodies + 3..bodies + 4)));
    assert_eq!((floor.motion, ball.motion, ball.radius), (None, Some(0), 4.0));
    assert_eq!(model.size, plain.size);
    assert_eq!(model.numbering.free, plain.numbering.free);
    assert_eq!(model.numbering.position[..bodies], plain.numbering.position);
    assert_eq!(model.pinned[bodies..], [1; 4]);
    let last = model.numbering.order.len() - 4;
    assert!(with.objective.mass[last..].iter().all(|m| *m == 0.0));
    assert_eq!(with.objective.mass[..last], without.objective.mass);
    assert_eq!(model.initial.x[last + 3].xyz(), [50.0, -60.0, 0.0]);
    assert_eq!(model.hard_pins.len(), plain.hard_pins.len() + 4);
    assert_eq!(with.notes.notes, without.notes.notes);
    assert!(with.notes.warnings.is_empty() && without.notes.warnings[0].contains("falls for ever"));
}

#[test]
fn obstacles_move_and_bodies_fall_as_without_them() {
    let exact = |method: Method| SolverSettings::new(method, 200, 1e-12).unwrap();
    let solvers = || [exact(QuasiNewton::default().into()), exact(Newton::default().into())];
    let integrators = [Integrator::ImplicitEuler, Integrator::Bdf2];
    let cases = integrators.into_iter().flat_map(|integrator| solvers().map(|solver| (integrator, solver)));
    for case @ (integrator, _) in &cases.collect::<Vec<_>>() {
        let [mut without, mut with] = [blocks(), with_obstacles()].map(|mut scene| {
            scene.time.integrator = *integrator;
            Simulation::start(&scene.solver(case.1.clone())).unwrap()
        });
        for _ in 0..4 {
            without.advance().unwrap();
            with.advance().unwrap();
        }
        for name in ["held", "free"] {
            let apart = without.positions(name).unwrap().into_iter().zip(with.positions(name).unwrap());
            apart.for_each(|(a, b)| assert!(norm(sub(a, b)) < 1e-9, "{case:?}: {a:?} {b:?}"));
        }
        let ball = with.model.obstacles[1].vertices.start;
        let place = with.state.x[with.model.numbering.position[ball] as usize].xyz();
        assert!(near(place, [50.0, -60.0 + 3.0 * with.now(), 0.0]), "{case:?}: {place:?}");
    }
}
