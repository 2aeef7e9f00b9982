//! One defect at a time, with exact counts.

use super::*;
use crate::mesh::generate::generate;
use crate::mesh::surface::{enclosed_volume, extract};
use crate::scene::Shape;

/// The surface of a box of 2 × 1 × 1 unit cubes with numbered data; 20 triangles, 12 vertices.
fn clean() -> Mesh {
    let block = generate(&Shape::Block { size: [2.0, 1.0, 1.0], cells: [2, 1, 1], split: 6 });
    let surface = extract(&block.tets);
    let points: Vec<[f64; 3]> = surface.vertices.iter().map(|&v| block.points[v as usize]).collect();
    let numbers = |count: usize| DataArray {
        name: "number".into(),
        components: 2,
        values: (0..2 * count).map(|i| (i / 2) as f64).collect(),
    };
    Mesh {
        point_data: vec![numbers(points.len())],
        cell_data: vec![numbers(surface.triangles.len())],
        points,
        triangles: surface.triangles,
        ..Mesh::default()
    }
}

fn changed(change: impl FnOnce(&mut Mesh)) -> Mesh {
    let mut mesh = clean();
    change(&mut mesh);
    mesh
}

fn push(mesh: &mut Mesh, triangle: [u32; 3]) {
    push_triangle(mesh, triangle, 0);
}

fn push_point(mesh: &mut Mesh, point: [f64; 3]) -> u32 {
    mesh.points.push(point);
    mesh.point_data[0].values.extend([-1.0; 2]);
    mesh.points.len() as u32 - 1
}

/// Repairs a mesh and expects the clean box back, to the bit; returns the report.
#[track_caller]
fn restored(mesh: Mesh) -> Report {
    let (repaired, report) = repair(mesh, &Repair::default());
    assert_eq!(repaired, clean(), "{report}");
    Report { left: Topology::default(), ..report }
}

/// Checks that it is closed, manifold, oriented and of this volume, and that another repair changes nothing.
#[track_caller]
fn check_solid(mesh: &Mesh, volume: f64, shells: usize) {
    assert_eq!(topology(&mesh.triangles), Topology { shells, ..Topology::default() });
    assert!((enclosed_volume(&mesh.points, &mesh.triangles) - volume).abs() < 1e-12);
    assert_eq!(mesh.point_data[0].values.len(), 2 * mesh.points.len());
    assert_eq!(mesh.cell_data[0].values.len(), 2 * mesh.triangles.len());
    let (again, report) = repair(mesh.clone(), &Repair::default());
    assert_eq!(&again, mesh, "{report}");
    assert_eq!(report.to_string(), "");
}

#[test]
fn a_clean_surface_is_left_alone() {
    assert_eq!(restored(clean()), Report::default());
    check_solid(&clean(), 2.0, 1);
    let solid = generate(&Shape::Sphere { radius: 1.0, cells: 2 });
    assert_eq!(repair(solid.clone(), &Repair::default()), (solid, Report::default()));
}

#[test]
fn nothing_is_done_where_nothing_is_asked_for() {
    let mess = changed(|m| {
        m.triangles[0].swap(0, 1);
        m.triangles[3] = m.triangles[4];
        push(m, [0, 0, 1]);
        push_point(m, [0.0; 3]);
    });
    let (same, report) = repair(mess.clone(), &Repair::none());
    assert_eq!((same, Report { left: Topology::default(), ..report }), (mess, Report::default()));
}

#[test]
fn duplicate_vertices_are_welded() {
    let seam = changed(|m| {
        let copy = push_point(m, m.points[5]);
        m.triangles.iter_mut().flatten().filter(|v| **v == 5).take(2).for_each(|v| *v = copy);
    });
    assert_eq!(restored(seam), Report { welded_vertices: 1, ..Report::default() });
    let near = changed(|m| {
        let copy = push_point(m, m.points[5].map(|x| x + 1e-7));
        m.triangles.iter_mut().flatten().filter(|v| **v == 5).take(2).for_each(|v| *v = copy);
    });
    let exact = Repair { holes: 0, ..Repair::default() };
    assert_eq!(repair(near.clone(), &exact).1.left.open_edges, 4, "not at exactly one place");
    let (repaired, report) = repair(near, &Repair { weld: Some(1e-6), ..exact });
    assert_eq!((repaired, report.welded_vertices), (clean(), 1));
}

#[test]
fn stray_vertices_and_triangles_without_area_are_dropped() {
    let stray = changed(|m| {
        push_point(m, [0.5; 3]);
    });
    assert_eq!(restored(stray), Report { unreferenced_vertices: 1, ..Report::default() });
    let flat = changed(|m| push(m, [3, 3, 4]));
    assert_eq!(restored(flat), Report { degenerate_triangles: 1, ..Report::default() });
    let infinite = changed(|m| {
        let v = push_point(m, [f64::NAN, 0.0, 0.0]);
        push(m, [0, 1, v]);
    });
    let expected = Report { degenerate_triangles: 1, unreferenced_vertices: 1, ..Report::default() };
    assert_eq!(restored(infinite), expected);
}

/// Puts a vertex on the first side of triangle 0 and splits only this triangle. The gap gets a triangle without
/// area if it is `filled`.
fn with_vertex_on_a_side(filled: bool) -> Mesh {
    changed(|m| {
        let [a, b, c] = m.triangles[0];
        let [p, q] = [a, b].map(|v| m.points[v as usize]);
        let middle = push_point(m, std::array::from_fn(|k| 0.25 * p[k] + 0.75 * q[k]));
        m.triangles[0] = [a, middle, c];
        push(m, [middle, b, c]);
        if filled {
            push(m, [b, middle, a]);
        }
    })
}

#[test]
fn a_triangle_without_area_leaves_no_gap() {
    let (mesh, report) = repair(with_vertex_on_a_side(true), &Repair::default());
    assert_eq!((report.degenerate_triangles, report.split_triangles, report.filled_holes), (1, 1, 0));
    assert_eq!(mesh.triangles.len(), 22);
    check_solid(&mesh, 2.0, 1);
}

#[test]
fn a_crack_at_a_vertex_on_a_side_is_closed() {
    let (mesh, report) = repair(with_vertex_on_a_side(false), &Repair::default());
    assert_eq!((report.degenerate_triangles, report.split_triangles, report.filled_holes), (0, 1, 1));
    assert_eq!((mesh.triangles.len(), report.hole_triangles), (22, 1));
    check_solid(&mesh, 2.0, 1);
}

#[test]
fn vertices_apart_by_rounding_are_welded_where_triangles_have_no_area_for_that() {
    // Vertex 5 exists twice, one last digit apart. The slit on one side has a needle in it, the other is open.
    let slit = changed(|m| {
        let copy = push_point(m, m.points[5].map(|x| x * (1.0 - f64::EPSILON)));
        let at: Vec<usize> = (0..20).filter(|&t| m.triangles[t].contains(&5)).collect();
        m.triangles[at[0]].iter_mut().filter(|v| **v == 5).for_each(|v| *v = copy);
    });
    let (mesh, report) = repair(slit, &Repair::default());
    assert_eq!(mesh, clean(), "{report}");
    assert_eq!((report.welded_vertices, report.filled_holes, report.split_triangles), (1, 1, 0));
}

#[test]
fn duplicates_are_dropped_whatever_way_they_face() {
    let twice = changed(|m| push(m, m.triangles[7]));
    assert_eq!(restored(twice), Report { duplicate_triangles: 1, ..Report::default() });
    let thrice = changed(|m| {
        let [a, b, c] = m.triangles[7];
        push(m, [c, b, a]);
        push(m, [b, c, a]);
    });
    assert_eq!(restored(thrice), Report { duplicate_triangles: 2, ..Report::default() });
    let both_sides = changed(|m| {
        for t in 0..20 {
            let [a, b, c] = m.triangles[t];
            push_triangle(m, [a, c, b], t);
        }
    });
    assert_eq!(restored(both_sides), Report { duplicate_triangles: 20, ..Report::default() });
}

#[test]
fn the_wall_between_two_blocks_goes() {
    let blocks = |turned: bool| {
        let mut blocks = Mesh::default();
        for x in [0.0, 1.0] {
            let block = generate(&Shape::Block { size: [1.0; 3], cells: [1; 3], split: 6 });
            let (surface, first) = (extract(&block.tets), blocks.points.len() as u32);
            blocks.points.extend(block.points.iter().map(|p| [p[0] + x, p[1], p[2]]));
            blocks.triangles.extend(surface.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        if turned {
            blocks.triangles[12..].iter_mut().for_each(|t| t.swap(0, 1));
        }
        let numbers =
            |count: usize| DataArray { name: "number".into(), components: 2, values: vec![1.0; 2 * count] };
        blocks.point_data = vec![numbers(blocks.points.len())];
        blocks.cell_data = vec![numbers(blocks.triangles.len())];
        blocks
    };
    for turned in [false, true] {
        let (mesh, report) = repair(blocks(turned), &Repair::default());
        assert_eq!((report.welded_vertices, report.wall_triangles, report.duplicate_triangles), (4, 4, 0));
        assert_eq!(mesh.triangles.len(), 20);
        check_solid(&mesh, 2.0, 1);
    }
}

#[test]
fn triangles_are_turned_like_their_neighbours_and_outward() {
    let one = changed(|m| m.triangles[7].swap(1, 2));
    assert_eq!(restored(one), Report { turned_triangles: 1, ..Report::default() });
    let all = changed(|m| m.triangles.iter_mut().for_each(|t| t.swap(1, 2)));
    assert_eq!(restored(all), Report { turned_triangles: 20, ..Report::default() });
    let most = changed(|m| m.triangles[..15].iter_mut().for_each(|t| t.swap(1, 2)));
    assert_eq!(restored(most), Report { turned_triangles: 15, ..Report::default() });
}

#[test]
fn a_sheet_keeps_the_side_of_its_larger_part_and_its_border() {
    let mut cloth = generate(&Shape::Cloth { size: [1.0, 1.0], cells: [3, 3] });
    let expected = cloth.clone();
    cloth.triangles[..5].iter_mut().for_each(|t| t.swap(1, 2));
    let (mesh, report) = repair(cloth, &Repair::default());
    assert_eq!(mesh, expected);
    assert_eq!((report.turned_triangles, report.filled_holes, report.left.open_edges), (5, 0, 12));
    assert!(
        report.to_string().ends_with("5 triangles turned round\nleft: 12 edges of one triangle"),
        "{report}"
    );
}

#[test]
fn a_moebius_strip_stays_one() {
    let n = 7;
    let strip = Mesh {
        points: (0..n)
            .flat_map(|i| {
                let angle = std::f64::consts::TAU * i as f64 / n as f64;
                [1.0, -1.0].map(|side| {
                    let radius = 3.0 + side * (angle / 2.0).cos();
                    [radius * angle.cos(), radius * angle.sin(), side * (angle / 2.0).sin()]
                })
            })
            .collect(),
        triangles: (0..n)
            .flat_map(|i| {
                let [a, b] = [2 * i, 2 * i + 1];
                let [c, d] = if i + 1 < n { [2 * i + 2, 2 * i + 3] } else { [1, 0] };
                [[a, b, c], [b, d, c]]
            })
            .collect(),
        ..Mesh::default()
    };
    let (once, report) = repair(strip, &Repair::default());
    assert_eq!((report.left.inconsistent_edges, report.left.shells), (1, 1));
    assert_eq!(repair(once.clone(), &Repair::default()).0, once);
}

#[test]
fn a_cavity_faces_inward_and_dust_goes() {
    let cavity = |scale: f64, centre: [f64; 3]| {
        changed(|m| {
            let (points, triangles) = (m.points.clone(), m.triangles.clone());
            let numbers: Vec<u32> = points
                .iter()
                .map(|p| push_point(m, std::array::from_fn(|k| centre[k] + scale * (p[k] - 0.5))))
                .collect();
            triangles.iter().for_each(|t| push(m, t.map(|v| numbers[v as usize])));
        })
    };
    let (mesh, report) = repair(cavity(0.25, [0.75, 0.5, 0.5]), &Repair::default());
    assert_eq!(report.turned_triangles, 20);
    check_solid(&mesh, 2.0 - 2.0 / 64.0, 2);
    let (mesh, report) = repair(cavity(0.25, [5.0, 0.5, 0.5]), &Repair::default());
    assert_eq!(report.turned_triangles, 0);
    check_solid(&mesh, 2.0 + 2.0 / 64.0, 2);
    let expected = Report { small_shells: 1, shell_triangles: 20, ..Report::default() };
    assert_eq!(restored(cavity(0.9e-4, [1.0, 2.0, 2.0])), expected);
    let lone = changed(|m| {
        let corners = [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]].map(|p| push_point(m, p));
        push(m, corners);
    });
    assert_eq!(restored(lone), Report { small_shells: 1, shell_triangles: 1, ..Report::default() });
    let (mesh, _) = repair(cavity(1.1e-4, [1.0, 2.0, 2.0]), &Repair::default());
    assert_eq!(topology(&mesh.triangles).shells, 2);
}

#[test]
fn holes_are_filled_with_the_values_of_a_neighbour() {
    let one = changed(|m| keep_triangles(m, |t| t != 7));
    let (mesh, report) = repair(one, &Repair::default());
    assert_eq!((report.filled_holes, report.hole_triangles), (1, 1));
    assert_eq!(mesh.triangles.len(), 20);
    check_solid(&mesh, 2.0, 1);
    let value = mesh.cell_data[0].values[38];
    let beyond = mesh.cell_data[0].values[..38].iter().position(|v| *v == value).unwrap() / 2;
    assert!(mesh.triangles[beyond].iter().filter(|v| mesh.triangles[19].contains(v)).count() == 2);
    // One end of the box is open, and a hole is too large.
    let end = |most: usize| {
        let open = changed(|m| {
            let (points, triangles) = (m.points.clone(), m.triangles.clone());
            keep_triangles(m, |t| triangles[t].iter().any(|&v| points[v as usize][0] < 2.0));
        });
        repair(open, &Repair { holes: most, ..Repair::default() })
    };
    let (mesh, report) = end(4);
    assert_eq!((report.filled_holes, report.hole_triangles), (1, 2));
    check_solid(&mesh, 2.0, 1);
    let (_, report) = end(3);
    assert_eq!((report.filled_holes, report.left.open_edges), (0, 4));
}

#[test]
fn no_filling_gives_an_edge_a_third_triangle() {
    // The hole's only diagonals are edges of a fin and of a tent over it.
    let open = changed(|m| {
        let (points, triangles) = (m.points.clone(), m.triangles.clone());
        keep_triangles(m, |t| triangles[t].iter().any(|&v| points[v as usize][0] < 2.0));
        let end: Vec<u32> = (0..12).filter(|&v| m.points[v as usize][0] == 2.0).collect();
        let far = push_point(m, [9.0, 0.3, 0.4]);
        let distance = |a: u32, b: u32| {
            let [p, q] = [a, b].map(|v| m.points[v as usize]);
            (0..3).map(|k| (p[k] - q[k]).abs()).sum::<f64>()
        };
        let across: Vec<[u32; 2]> = end
            .iter()
            .flat_map(|&a| end.iter().map(move |&b| [a, b]))
            .filter(|&[a, b]| a < b && distance(a, b) == 2.0)
            .collect();
        assert_eq!(across.len(), 2);
        across.iter().for_each(|&[a, b]| push(m, [a, b, far]));
    });
    let (_, report) = repair(open, &Repair::default());
    assert_eq!((report.filled_holes, report.left.nonmanifold_edges), (0, 0));
}

#[test]
fn long_loops_are_filled_too() {
    // A tube of 600 sides, open at both ends.
    let n = 600;
    let mesh = Mesh {
        points: (0..2 * n)
            .map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i / 2) / f64::from(n);
                [angle.cos(), angle.sin(), f64::from(i % 2)]
            })
            .collect(),
        triangles: (0..n as u32)
            .flat_map(|i| {
                let [a, b, c, d] =
                    [2 * i, 2 * i + 1, (2 * i + 2) % (2 * n as u32), (2 * i + 3) % (2 * n as u32)];
                [[a, c, b], [b, c, d]]
            })
            .collect(),
        ..Mesh::default()
    };
    let (closed, report) = repair(mesh, &Repair { holes: usize::MAX, ..Repair::default() });
    assert_eq!((report.filled_holes, report.hole_triangles), (2, 2 * (n as usize - 2)));
    let area = 0.5 * f64::from(n) * (std::f64::consts::TAU / f64::from(n)).sin();
    assert!((enclosed_volume(&closed.points, &closed.triangles) - area).abs() < 1e-12);
    assert_eq!(report.left, Topology { shells: 1, ..Topology::default() });
}
