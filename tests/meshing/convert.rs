//! Meshes between formats: points to the bit, cells in their order, arrays where the format has a place for them.

use std::path::Path;

use crate::common::program::Place;
use pliant::io;
use pliant::mesh::generate::generate;
use pliant::mesh::{DataArray, Mesh};
use pliant::scene::Shape;

fn array(name: &str, components: usize, tuples: usize, f: impl Fn(usize) -> f64) -> DataArray {
    DataArray { name: name.into(), components, values: (0..tuples * components).map(f).collect() }
}

/// Tets with odd coordinates and arrays of several kinds.
fn solid() -> Mesh {
    let mut mesh = generate(&Shape::Sphere { radius: 0.3, cells: 2 });
    mesh.points[0] = [1e-300, -0.1, 1.0 / 3.0];
    let (points, tets) = (mesh.points.len(), mesh.tets.len());
    mesh.point_data =
        vec![array("heat", 1, points, |i| (i as f64).sqrt()), array("my flow", 3, points, |i| -(i as f64))];
    mesh.cell_data = vec![array("part", 1, tets, |i| (i % 3) as f64)];
    mesh
}

/// A surface with what artists' meshes have.
fn surface() -> Mesh {
    let mut mesh = generate(&Shape::Cloth { size: [1.0, 0.7], cells: [3, 4] });
    let points = mesh.points.len();
    mesh.point_data = vec![
        array("uv", 2, points, |i| i as f64 / 7.0),
        array("normal", 3, points, |i| f64::from(u8::from(i % 3 == 1))),
    ];
    mesh.cell_data = vec![array("part", 1, mesh.triangles.len(), |i| (i % 2) as f64)];
    mesh
}

fn converted(mesh: &Mesh, path: &Path) -> (Mesh, Vec<String>) {
    let notes = io::write(mesh, path).unwrap();
    (io::read(path).unwrap(), notes)
}

#[test]
fn solids_come_back_from_every_format_that_holds_them() {
    let directory = tempfile::tempdir().unwrap();
    let mesh = solid();
    for (extension, arrays) in [("vtu", true), ("vtk", true), ("msh", true), ("mesh", false), ("ele", false)]
    {
        let (again, notes) = converted(&mesh, &directory.path().join(format!("x.{extension}")));
        assert_eq!((&again.points, &again.tets), (&mesh.points, &mesh.tets), "{extension}");
        if arrays {
            assert_eq!(
                (&again.point_data, &again.cell_data),
                (&mesh.point_data, &mesh.cell_data),
                "{extension}"
            );
            assert!(notes.is_empty(), "{extension}: {notes:?}");
        } else {
            assert_eq!(notes.len(), 3, "{extension}: {notes:?}");
            assert!(notes[0].contains("'heat' is left out"), "{notes:?}");
        }
    }
    // Names of their own are kept.
    for (extension, name) in [("mesh", "medit:ref"), ("node", "tetgen:ref")] {
        let (points, tets) = (mesh.points.len(), mesh.tets.len());
        let named = Mesh {
            point_data: vec![array(name, 1, points, |i| i as f64)],
            cell_data: vec![array(name, 1, tets, |i| (i % 5) as f64)],
            ..mesh.clone()
        };
        let (again, notes) = converted(&named, &directory.path().join(format!("y.{extension}")));
        assert_eq!((again, notes), (named, vec![]), "{extension}");
    }
}

#[test]
fn surfaces_come_back_from_every_format_that_holds_them() {
    let directory = tempfile::tempdir().unwrap();
    let mesh = surface();
    for extension in ["vtu", "vtk", "msh", "ply", "obj", "mesh"] {
        let (again, notes) = converted(&mesh, &directory.path().join(format!("x.{extension}")));
        assert_eq!((&again.points, &again.triangles), (&mesh.points, &mesh.triangles), "{extension}");
        match extension {
            "obj" => {
                assert_eq!(again.point_data, mesh.point_data);
                assert_eq!(notes, ["the cell array 'part' is left out"]);
            }
            "mesh" => assert_eq!(notes.len(), 3, "{notes:?}"),
            _ => assert_eq!(
                (&again.point_data, &again.cell_data),
                (&mesh.point_data, &mesh.cell_data),
                "{extension}"
            ),
        }
    }
    let (again, notes) = converted(&mesh, &directory.path().join("x.stl"));
    assert_eq!(again.triangles.len(), mesh.triangles.len());
    for (triangle, corner) in mesh.triangles.iter().zip(again.points.chunks_exact(3)) {
        let wanted = triangle.map(|v| mesh.points[v as usize].map(|x| f64::from(x as f32)));
        assert_eq!(corner, wanted);
    }
    assert!(notes.iter().any(|note| note.contains("single precision")), "{notes:?}");
}

#[test]
fn lines_come_back_too_and_the_boundary_of_a_solid() {
    let directory = tempfile::tempdir().unwrap();
    let rope = generate(&Shape::Rope { length: 2.0, segments: 7 });
    for extension in ["vtu", "vtk", "msh", "ply", "obj", "mesh"] {
        let (again, _) = converted(&rope, &directory.path().join(format!("x.{extension}")));
        assert_eq!((&again.points, &again.edges), (&rope.points, &rope.edges), "{extension}");
    }
    assert!(
        io::write(&rope, &directory.path().join("x.stl")).unwrap_err().to_string().contains("triangles only")
    );
    assert!(io::write(&rope, &directory.path().join("x.ele")).unwrap_err().to_string().contains("hold tets"));
    let (again, notes) = converted(&solid(), &directory.path().join("y.ply"));
    assert!(again.tets.is_empty() && again.point_data[0].values.len() == again.points.len());
    assert!(notes[0].contains("only the boundary") && notes[1].contains("'part' is left out"), "{notes:?}");
}

#[test]
fn the_command_says_what_it_leaves_out_and_does_not_overwrite() {
    let place = Place::new();
    io::write(&solid(), &place.path("in.vtu")).unwrap();
    let output = place.run(&["convert", "in.vtu", "out.obj"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("only the boundary") && told.contains("'heat' is left out"), "{told}");
    let again = place.fail(2, &["convert", "in.vtu", "out.obj"]);
    assert!(again.contains("exists") && again.contains("--force"), "{again}");
    let format = place.fail(2, &["convert", "in.vtu", "out.xyz"]);
    assert!(format.contains("'.xyz' cannot be written") && format.contains(".msh"), "{format}");
}
