//! Files that pliant writes, read by the crates `vtkio` and `ply-rs-bw`: what they find is what our own readers find.

use std::path::Path;

use crate::common::program::Place;
use crate::common::scenes::{CLOTH, RUBBER, beam};
use pliant::io;
use pliant::mesh::generate::generate;
use pliant::mesh::{DataArray, Mesh};
use pliant::scene::Shape;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use vtkio::Vtk;
use vtkio::model::{Attribute, CellType, DataSet, Piece};

/// A solid, a sheet and a line, each with an array at its points and one at its cells.
fn meshes() -> Vec<(&'static str, Mesh)> {
    let shapes = [
        ("solid", Shape::Sphere { radius: 0.3, cells: 2 }),
        ("sheet", Shape::Cloth { size: [1.0, 0.7], cells: [3, 4] }),
        ("line", Shape::Rope { length: 2.0, segments: 7 }),
    ];
    let array = |name: &str, components: usize, tuples: usize| DataArray {
        name: name.into(),
        components,
        values: (0..tuples * components).map(|i| (i as f64).sqrt()).collect(),
    };
    let mesh = |(name, shape)| {
        let mut mesh = generate(&shape);
        mesh.points[0] = [1e-300, -0.1, 1.0 / 3.0];
        mesh.point_data = vec![array("flow", 3, mesh.points.len())];
        mesh.cell_data = vec![array("part", 1, mesh.cells())];
        (name, mesh)
    };
    shapes.map(mesh).into()
}

/// A run of a solid, a sheet and a line with frames of this format.
fn run(format: &str, float32: bool) -> Place {
    let place = Place::new();
    let rope = "[[body]]\nname = \"rope\"\ngenerate = { shape = \"rope\", length = 1, segments = 6 }\n";
    place.write("scene.toml", &(beam([6, 2, 2], 2, "", RUBBER) + CLOTH + rope));
    let (formats, precision) =
        (format!("output.formats=[\"{format}\"]"), format!("output.float32={float32}"));
    place.succeed(&["simulate", "scene.toml", "--set", &formats, "--set", &precision, "-o", "run"]);
    place
}

/// The arrays of a grid by name, with their values as doubles.
fn arrays(attributes: &[Attribute]) -> Vec<DataArray> {
    let fields = attributes.iter().flat_map(|attribute| match attribute {
        Attribute::Field { data_array, .. } => data_array,
        Attribute::DataArray(array) => panic!("{} is no field", array.name),
    });
    let array = |field: &vtkio::model::FieldArray| DataArray {
        name: field.name.clone(),
        components: field.elem as usize,
        values: field.data.cast_into().expect("numbers"),
    };
    fields.map(array).collect()
}

/// A grid as vtkio reads it.
fn by_vtkio(bytes: &[u8]) -> Mesh {
    let vtk = Vtk::parse_legacy_be(bytes).expect("a legacy file");
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else { panic!("{:?}", vtk.data) };
    let [Piece::Inline(piece)] = &pieces[..] else { panic!("{} pieces", pieces.len()) };
    let points: Vec<f64> = piece.points.cast_into().expect("coordinates");
    let mut mesh = Mesh { points: points.as_chunks().0.to_vec(), ..Mesh::default() };
    let (count, words) = piece.cells.cell_verts.clone().into_legacy();
    assert_eq!(count as usize, piece.cells.types.len());
    let mut rest = &words[..];
    for kind in &piece.cells.types {
        let (corners, after) = rest[1..].split_at(rest[0] as usize);
        match kind {
            CellType::Tetra => mesh.tets.push(corners.try_into().unwrap()),
            CellType::Triangle => mesh.triangles.push(corners.try_into().unwrap()),
            CellType::Line => mesh.edges.push(corners.try_into().unwrap()),
            other => panic!("a cell of the kind {other:?}"),
        }
        rest = after;
    }
    assert!(rest.is_empty(), "{} words after the last cell", rest.len());
    mesh.point_data = arrays(&piece.data.point);
    mesh.cell_data = arrays(&piece.data.cell);
    mesh
}

#[test]
fn vtkio_reads_legacy_meshes_as_we_do() {
    let directory = tempfile::tempdir().unwrap();
    for (name, mesh) in meshes() {
        let path = directory.path().join(format!("{name}.vtk"));
        io::write(&mesh, &path).unwrap();
        let theirs = by_vtkio(&std::fs::read(&path).unwrap());
        assert_eq!(theirs, mesh, "{name}");
        assert_eq!(theirs, io::read(&path).unwrap(), "{name}");
    }
}

/// A frame without its time.
///
/// VTK writes the field data of a data set between `DATASET` and `POINTS` and so do we: the time stands there as
/// `TimeValue`. vtkio 0.7 wants `POINTS` at once (its parser of unstructured grids has no place for `FIELD` before them)
/// and refuses such a file, VTK's own ones too.
fn without_time(frame: &[u8]) -> Vec<u8> {
    assert!(Vtk::parse_legacy_be(frame).is_err(), "vtkio reads field data now: nothing is to be cut out");
    let head = b"FIELD FieldData 1\nTimeValue 1 1 double\n";
    let start = frame.windows(head.len()).position(|w| w == head).expect("a time");
    // The number and the end of its line.
    let end = start + head.len() + 9;
    [&frame[..start], &frame[end..]].concat()
}

#[test]
fn vtkio_reads_legacy_frames_as_we_do() {
    for float32 in [false, true] {
        let place = run("vtk", float32);
        for number in 0..=2 {
            let path = place.path(&format!("run/vtk/beam_{number:04}.vtk"));
            let mut theirs = by_vtkio(&without_time(&std::fs::read(&path).unwrap()));
            let ours = io::read(&path).unwrap();
            // Our reader leaves lines beside solids out, and has arrays of the tets, which come first, only.
            let cells = [theirs.tets.len(), theirs.triangles.len(), theirs.edges.len()];
            assert_eq!(cells, [120, 32, 6]);
            for array in &mut theirs.cell_data {
                assert_eq!(array.values.len(), 158 * array.components, "{}", array.name);
                array.values.truncate(120 * array.components);
            }
            let segments: Vec<[u32; 2]> = (0..6).map(|i| [63 + 25 + i, 63 + 25 + i + 1]).collect();
            assert_eq!(std::mem::take(&mut theirs.edges), segments);
            assert!(!ours.point_data.is_empty() && !ours.cell_data.is_empty());
            assert_eq!(theirs, ours, "frame {number}, float32 = {float32}");
        }
    }
}

/// A scalar of an element as a double.
fn number(element: &DefaultElement, name: &str) -> f64 {
    match element[name] {
        Property::Float(x) => f64::from(x),
        Property::Double(x) => x,
        Property::Int(i) => f64::from(i),
        ref other => panic!("{name} is {other:?}"),
    }
}

/// What elements have beside these properties, an array each.
fn others(elements: &[DefaultElement], geometry: &[&str]) -> Vec<DataArray> {
    let names = elements[0].keys().filter(|name| !geometry.contains(&name.as_str()));
    let array = |name: &String| DataArray {
        name: name.clone(),
        components: 1,
        values: elements.iter().map(|element| number(element, name)).collect(),
    };
    names.map(array).collect()
}

/// A surface or a line as ply-rs-bw reads it.
fn by_ply_rs(path: &Path) -> Mesh {
    let mut file = std::fs::File::open(path).unwrap();
    let ply = Parser::<DefaultElement>::new().read_ply(&mut file).unwrap_or_else(|e| panic!("{e}"));
    let (vertices, none) = (&ply.payload["vertex"], vec![]);
    let [faces, edges] = ["face", "edge"].map(|name| ply.payload.get(name).unwrap_or(&none));
    let cells = if faces.is_empty() { edges } else { faces };
    let corners = |face: &DefaultElement| face["vertex_indices"].to_u32_list().unwrap().try_into().unwrap();
    Mesh {
        points: vertices.iter().map(|v| ["x", "y", "z"].map(|name| number(v, name))).collect(),
        triangles: faces.iter().map(corners).collect(),
        edges: edges.iter().map(|e| ["vertex1", "vertex2"].map(|name| number(e, name) as u32)).collect(),
        point_data: others(vertices, &["x", "y", "z"]),
        cell_data: others(cells, &["vertex_indices", "vertex1", "vertex2"]),
        ..Mesh::default()
    }
}

#[test]
fn ply_rs_reads_meshes_as_we_do() {
    let directory = tempfile::tempdir().unwrap();
    for (name, mesh) in meshes() {
        let path = directory.path().join(format!("{name}.ply"));
        io::write(&mesh, &path).unwrap();
        let ours = io::read(&path).unwrap();
        let theirs = by_ply_rs(&path);
        // Of a solid the boundary alone is written.
        assert!(name == "solid" || theirs.cell_data == mesh.cell_data, "{name}");
        assert_eq!(theirs, ours, "{name}");
        let geometry = |mesh: &Mesh| (mesh.points.clone(), mesh.triangles.clone(), mesh.edges.clone());
        assert!(name == "solid" || geometry(&ours) == geometry(&mesh), "{name}");
        // PLY has no vectors: an array of three components is three properties.
        let names: Vec<&str> = ours.point_data.iter().map(|array| array.name.as_str()).collect();
        assert_eq!(names, ["flow_0", "flow_1", "flow_2"], "{name}");
    }
}

#[test]
fn ply_rs_reads_frames_as_we_do() {
    for float32 in [false, true] {
        let place = run("ply", float32);
        for (body, counts) in [("bar", [58, 112, 0]), ("cloth", [25, 32, 0]), ("rope", [7, 0, 6])] {
            for frame in 0..=2 {
                let path = place.path(&format!("run/ply/{body}_{frame:04}.ply"));
                let ours = io::read(&path).unwrap();
                assert_eq!([ours.points.len(), ours.triangles.len(), ours.edges.len()], counts, "{body}");
                assert_eq!(by_ply_rs(&path), ours, "{body}, frame {frame}, float32 = {float32}");
            }
        }
    }
}
