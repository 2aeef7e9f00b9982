//! Tests of the switches for TetGen, and of the checks of its results.

use super::*;
use crate::mesh::generate::generate;
use crate::meshing::Join;
use crate::scene::Shape;

/// A box of tets, numbered with its surface first, and that surface.
fn filled_box() -> (Mesh, Mesh) {
    let solid = generate(&Shape::Block { size: [1.0; 3], cells: [3; 3], split: 5 });
    let outside = surface::extract(&solid.tets).vertices;
    let mut order = outside.clone();
    order.extend((0..solid.points.len() as u32).filter(|v| outside.binary_search(v).is_err()));
    let points: Vec<[f64; 3]> = order.iter().map(|&v| solid.points[v as usize]).collect();
    let number = |v: u32| order.iter().position(|&u| u == v).unwrap() as u32;
    let tets: Vec<[u32; 4]> = solid.tets.iter().map(|t| t.map(number)).collect();
    let triangles = surface::boundary(&tets);
    let surface = Mesh { points: points[..outside.len()].to_vec(), triangles, ..Mesh::default() };
    (Mesh { points, tets, ..Mesh::default() }, surface)
}

const KEEP: Options = Options {
    size: Size::Automatic,
    keep_surface: true,
    quality: None,
    join: Join::Cell,
    time_limit: std::time::Duration::ZERO,
};

fn refusal(surface: &Mesh, tets: &Mesh) -> String {
    Task::new(surface, &KEEP).unwrap().check(tets).unwrap_err().reason
}

#[test]
fn switches_say_what_is_asked_for() {
    assert_eq!(switches(&Options::default(), None), "pzQq1.414/15");
    let options = Options { quality: Some(2.0), ..KEEP };
    assert_eq!(switches(&options, Some(1.5e-7)), "pzQYq2/15a1.5e-7");
}

#[test]
fn a_good_filling_is_taken() {
    let (tets, surface) = filled_box();
    let task = Task::new(&surface, &KEEP).unwrap();
    assert_eq!(task.check(&tets), Ok(()));
    let turned = tets.tets.iter().map(|t| [t[0], t[1], t[3], t[2]]).collect();
    assert_eq!(task.inside((tets.points.clone(), turned)), tets);
}

#[test]
fn whatever_is_wrong_with_a_filling_is_refused() {
    let (good, surface) = filled_box();
    assert!(refusal(&surface, &Mesh::default()).contains("nothing inside"));

    let mut bad = good.clone();
    bad.tets[7].swap(0, 1);
    assert!(refusal(&surface, &bad).contains("positive volume: 1 of"));

    let mut bad = good.clone();
    bad.points.last_mut().unwrap()[1] = f64::NAN;
    assert!(refusal(&surface, &bad).contains("positive volume"));

    let mut bad = good.clone();
    bad.tets.pop();
    assert!(refusal(&surface, &bad).contains("but the surface encloses 1.0"));

    let mut bad = good.clone();
    bad.points[0][0] = -f64::MIN_POSITIVE;
    assert!(refusal(&surface, &bad).contains("lost or moved: 1"), "{}", refusal(&surface, &bad));
}

#[test]
fn a_surface_cut_along_other_diagonals_is_not_kept() {
    let (good, mut surface) = filled_box();
    // Two coplanar triangles with a common edge, cut along the other diagonal.
    let edges = surface::half_edges(&surface.triangles);
    let normal = |t: usize| surface::area_vector(&surface.points, surface.triangles[t]);
    let pair =
        edges.chunk_by(|a, b| a.ends == b.ends).find(|p| normal(p[0].triangle()) == normal(p[1].triangle()));
    let [one, other] = pair.unwrap() else { panic!("the surface of a box is closed") };
    let (s, t) = (one.triangle(), other.triangle());
    let apex = |t: usize| *surface.triangles[t].iter().find(|v| !one.ends.contains(v)).unwrap();
    let (p, q) = (apex(s), apex(t));
    let [a, b] = if one.forward { one.ends } else { [one.ends[1], one.ends[0]] };
    (surface.triangles[s], surface.triangles[t]) = ([p, a, q], [q, b, p]);
    assert!(refusal(&surface, &good).contains("triangles lost: 2 of 108"), "{}", refusal(&surface, &good));
}
