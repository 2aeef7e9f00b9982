//! Tests of the description of meshes.

use super::*;
use crate::mesh::generate::generate;
use crate::scene::Shape;

#[test]
fn a_block_is_described_in_the_contracts_words() {
    let mesh = generate(&Shape::Block { size: [2.0, 1.0, 1.0], cells: [2, 1, 1], split: 6 });
    let json = serde_json::to_value(describe(&mesh)).unwrap();
    assert_eq!(json["vertices"], 12);
    assert_eq!(json["tets"], 12);
    assert_eq!(json["triangles"], 20);
    assert_eq!(json["bounds"], serde_json::json!([[0.0, 0.0, 0.0], [2.0, 1.0, 1.0]]));
    assert_eq!(json["volume"], 2.0);
    assert_eq!((&json["closed"], &json["manifold"]), (&true.into(), &true.into()));
    assert_eq!((&json["inverted"], &json["components"]), (&0.into(), &1.into()));
    assert!((json["min_dihedral_deg"].as_f64().unwrap() - 45.0).abs() < 1e-9);
    assert_eq!(json["arrays"], serde_json::json!([]));
}

#[test]
fn a_broken_mesh_is_described_too() {
    let mesh = Mesh {
        points: vec![[0.0; 3], [f64::NAN; 3], [0.0, 1.0, 0.0], [f64::INFINITY, 0.0, 1.0]],
        tets: vec![[0, 1, 2, 3], [0, 1, 2, 9]],
        point_data: vec![DataArray {
            name: "t".into(),
            components: 1,
            values: vec![f64::NAN, 1.0, 2.0, 3.0],
        }],
        ..Mesh::default()
    };
    let info = describe(&mesh);
    assert_eq!((info.degenerate, info.out_of_range, info.nonfinite), (1, 1, 2));
    let json = serde_json::to_string(&info).unwrap();
    assert!(json.contains(r#""volume":null"#) && json.contains(r#""range":[1.0,3.0]"#), "{json}");
    assert!(info.to_string().contains("2 vertices with a coordinate that is not finite"));
    assert!(describe(&Mesh::default()).to_string().contains("0 tets"));
}

#[test]
fn a_closed_surface_has_a_volume_and_a_cloth_has_none() {
    let ball = generate(&Shape::Sphere { radius: 1.0, cells: 3 });
    let surface =
        Mesh { points: ball.points.clone(), triangles: surface::boundary(&ball.tets), ..Mesh::default() };
    let (solid, shell) = (describe(&ball), describe(&surface));
    assert!((solid.volume.unwrap() / shell.volume.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(shell.orphans, 1 + 12 + 42);
    let cloth = describe(&generate(&Shape::Cloth { size: [1.0, 1.0], cells: [3, 3] }));
    assert_eq!((cloth.volume, cloth.closed, cloth.manifold), (None, Some(false), Some(true)));
    assert_eq!((cloth.edges, cloth.length), (0, None));
}

#[test]
fn lines_have_a_length_and_nothing_of_a_surface() {
    let mut mesh = generate(&Shape::Rope { length: 2.0, segments: 8 });
    mesh.edges.remove(3);
    mesh.edges.extend([[5, 5], [0, 99]]);
    let info = describe(&mesh);
    assert_eq!((info.edges, info.triangles, info.tets, info.components), (9, 0, 0, 2));
    assert_eq!((info.degenerate, info.out_of_range, info.orphans), (1, 1, 0));
    assert!((info.length.unwrap() - 1.75).abs() < 1e-15);
    assert_eq!((info.volume, info.area, info.closed, info.manifold), (None, None, None, None));
    let text = info.to_string();
    assert!(text.contains("9 edges") && text.contains("2 components"), "{text}");
    assert!(!["area", "surface", "tets,"].iter().any(|word| text.contains(word)), "{text}");
}

/// The surface of a box of unit cubes, with its own vertices only.
fn shell() -> Mesh {
    let block = generate(&Shape::Block { size: [2.0, 1.0, 1.0], cells: [2, 1, 1], split: 6 });
    let surface = surface::extract(&block.tets);
    let points = surface.vertices.iter().map(|&v| block.points[v as usize]).collect();
    Mesh { points, triangles: surface.triangles, ..Mesh::default() }
}

#[test]
fn a_clean_surface_has_no_defect() {
    let info = describe(&shell());
    assert_eq!(
        (info.closed, info.manifold, info.oriented, info.outward),
        (Some(true), Some(true), Some(true), Some(true))
    );
    assert_eq!(
        (info.volume, info.shells, info.boundary_loops, info.self_intersections),
        (Some(2.0), 1, 0, Some(0))
    );
    let text = info.to_string();
    assert!(
        text.starts_with("surface      closed, manifold, oriented outward; 1 shell, 1 component\n"),
        "{text}"
    );
    assert!(!text.contains("--repair"), "{text}");
}

#[test]
fn every_defect_of_a_surface_is_counted() {
    let clean = shell();
    let changed = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = clean.clone();
        change(&mut mesh);
        describe(&mesh)
    };
    let hole = changed(&|m| m.triangles.truncate(19));
    assert_eq!((hole.closed, hole.open_edges, hole.boundary_loops, hole.outward), (Some(false), 3, 1, None));
    assert!(hole.to_string().contains("3 border edges in 1 loop\n"), "{hole}");
    let turned = changed(&|m| m.triangles[3].swap(0, 1));
    assert_eq!((turned.oriented, turned.inconsistent_edges, turned.outward), (Some(false), 3, None));
    let inward = changed(&|m| m.triangles.iter_mut().for_each(|t| t.swap(0, 1)));
    assert_eq!((inward.oriented, inward.outward, inward.inside_out), (Some(true), Some(false), 1));
    assert_eq!(inward.volume, Some(-2.0));
    let twice = changed(&|m| m.triangles.push(m.triangles[0]));
    assert_eq!(
        (twice.duplicate_triangles, twice.nonmanifold_edges, twice.self_intersections),
        (1, 3, Some(0))
    );
    let flat = changed(&|m| m.triangles.push([0, 0, 1]));
    assert_eq!((flat.degenerate, flat.closed), (1, Some(true)), "left out of the topology");
    let stray = changed(&|m| m.points.push(m.points[0]));
    assert_eq!((stray.orphans, stray.duplicate_vertices, stray.welded), (1, 1, 0));
    // A fin on an edge of the box.
    let fin = changed(&|m| {
        m.points.push([9.0; 3]);
        let [a, b, _] = m.triangles[0];
        m.triangles.push([b, a, m.points.len() as u32 - 1]);
    });
    assert_eq!((fin.nonmanifold_edges, fin.open_edges, fin.shells), (1, 2, 1));
    assert_eq!((fin.closed, fin.manifold), (Some(false), Some(false)));
}

#[test]
fn a_soup_is_judged_by_places() {
    let clean = shell();
    let soup = Mesh {
        points: clean.triangles.as_flattened().iter().map(|&v| clean.points[v as usize]).collect(),
        triangles: (0..clean.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        ..Mesh::default()
    };
    let info = describe(&soup);
    let welded = soup.points.len() - clean.points.len();
    assert_eq!((info.welded, info.duplicate_vertices, info.components), (welded, welded, 1));
    assert_eq!((info.closed, info.outward, info.volume), (Some(true), Some(true), Some(2.0)));
    assert!(info.to_string().contains("at another's place: welded"), "{info}");
}

#[test]
fn two_boxes_that_cross_intersect_and_a_seam_does_not() {
    let mut mesh = shell();
    let (points, first) = (mesh.points.clone(), mesh.points.len() as u32);
    let triangles = mesh.triangles.clone();
    mesh.points.extend(points.iter().map(|p| [p[0] + 0.3, p[1] + 0.35, p[2] + 0.4]));
    mesh.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first)));
    let info = describe(&mesh);
    assert_eq!((info.shells, info.outward), (2, Some(true)));
    assert!(info.self_intersections > Some(10) && info.intersecting_triangles > 8, "{info}");
    let [a, b] = info.first_intersection.unwrap();
    assert!(a < triangles.len() as u32 && b >= triangles.len() as u32);
    // The same box again at the same place, with its own vertices: triangles on top of each other are duplicates.
    mesh.points.truncate(first as usize);
    mesh.points.extend(points);
    let info = describe(&mesh);
    assert_eq!((info.self_intersections, info.duplicate_vertices), (Some(0), first as usize));
}
