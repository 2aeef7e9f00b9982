//! Tests of every reader with files made by hand and files from our own writer.

pub(super) mod damaged;

use super::*;
use crate::mesh::generate::generate;
use crate::mesh::{DataArray, quadratic};
use crate::scene::Shape;

/// One tet as Medit, with a comment, a section that nobody needs, and a surface.
const MEDIT: &str = "MeshVersionFormatted 2\nDimension\n3 # of course\nRidges 2 1 nan\nTetrahedra 1\n1 2 3 4 7\n\
                     Vertices 4\n0 0 0 1\n1 0 0 1\n0 1d0 0 2\n0 0 1 2\nTriangles 1\n1 3 2 5\nEnd\n";

const NODE: &str = "# points\n4 3 1 1\n1 0 0 0 0.5 9\n2 1 0 0 0.25 9\n3 0 1 0 0 9\n4 0 0 1 0 8 # last\n";
const ELE: &str = "1 4 1\n1 1 2 3 4 42\n# done\n";

const LEGACY: &str = "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    FIELD FieldData 1\nTIME 1 1 double\n0.5\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1 5 5 5\nMETADATA\n\
    INFORMATION 0\n\nCELLS 3 12\n2 0 1\n4 0 1 2 3\n3 0 1 2\n\nCELL_TYPES 3\n3 10 5\nCELL_DATA 3\n\
    SCALARS part int\nLOOKUP_TABLE default\n1 2 3\nPOINT_DATA 5\nVECTORS v%20w double\n\
    1 2 3 4 5 6 7 8 9 1 2 3 4 5 6\nFIELD f 1\na 1 5 float\n0 1 2 3 nan\n";

const VTU: &str = r#"<?xml version="1.0"?><VTKFile type="UnstructuredGrid" byte_order="BigEndian">
  <UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="2">
  <PointData><DataArray type="Int16" Name="id" format="ascii">0 1 2 3</DataArray></PointData>
  <CellData><DataArray type="Float32" Name="c" NumberOfComponents="2" format="ascii">1 2 3 4</DataArray></CellData>
  <Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>
  <Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 0 1 2 3</DataArray>
  <DataArray type="Int32" Name="offsets" format="ascii">2 6</DataArray>
  <DataArray type="UInt8" Name="types" format="ascii">3 10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"#;

/// Two polylines of a polygonal data set, of three and two points, after a vertex.
const POLYLINES: &str = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n\
    0 0 0 1 0 0 0 1 0 0 0 1\nVERTICES 1 2\n1 0\nLINES 2 7\n3 0 1 2\n2 3 0\nCELL_DATA 3\n\
    SCALARS part int\nLOOKUP_TABLE default\n5 6 7\n";

/// Edges as Medit, with an empty section of a kind that would make them ridges.
const MEDIT_EDGES: &str = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 1\n1 0 0 1\n0 1 0 2\n0 0 1 2\n\
                           Quadrilaterals 0\nEdges 2\n1 2 7\n2 4 8\nEnd\n";

const CORNER: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn array(name: &str, components: usize, values: &[f64]) -> DataArray {
    DataArray { name: name.into(), components, values: values.to_vec() }
}

fn tetgen_pair(node: &[u8], ele: &[u8]) -> Parsed<Mesh> {
    tetgen::parse_tets(ele, tetgen::parse_nodes(node)?)
}

/// A small mesh with everything that VTU can hold, NaN and −0 included.
fn sample(shape: Shape) -> Mesh {
    let mut mesh = generate(&shape);
    let (points, cells) = (mesh.points.len(), mesh.cells());
    let mut vectors: Vec<f64> = (0..3 * points).map(|i| (i as f64).sin()).collect();
    vectors[..3].copy_from_slice(&[f64::NAN, -0.0, f64::NEG_INFINITY]);
    mesh.point_data.push(array("a <\"&> name\n", 3, &vectors));
    mesh.cell_data.push(array("größe", 1, &(0..cells).map(|i| 1.0 / i as f64).collect::<Vec<_>>()));
    mesh
}

/// The whole content of a mesh, with numbers as bits so that NaN equals itself.
fn bits(mesh: &Mesh) -> (Vec<u64>, Mesh, Vec<String>) {
    let data = mesh.point_data.iter().chain(&mesh.cell_data);
    let values = data.clone().flat_map(|a| &a.values).chain(mesh.points.as_flattened());
    let names = data.map(|a| format!("{} {}", a.name, a.components)).collect();
    let Mesh { tets, middles, triangles, edges, .. } = mesh.clone();
    let cells = Mesh { tets, middles, triangles, edges, ..Mesh::default() };
    (values.map(|x| x.to_bits()).collect(), cells, names)
}

#[test]
fn medit_sections_in_any_order() {
    let mesh = medit::parse(MEDIT.as_bytes()).unwrap();
    assert_eq!(mesh.points, CORNER);
    assert_eq!((mesh.tets, mesh.triangles), (vec![[0, 1, 2, 3]], vec![[0, 2, 1]]));
    assert_eq!(mesh.point_data, [array("medit:ref", 1, &[1.0, 1.0, 2.0, 2.0])]);
    assert_eq!(mesh.cell_data, [array("medit:ref", 1, &[7.0])]);
}

#[test]
fn tetgen_from_one_with_attributes_and_markers() {
    let mesh = tetgen_pair(NODE.as_bytes(), ELE.as_bytes()).unwrap();
    assert_eq!((mesh.points, mesh.tets), (CORNER.to_vec(), vec![[0, 1, 2, 3]]));
    assert_eq!(mesh.point_data[0], array("tetgen:attr1", 1, &[0.5, 0.25, 0.0, 0.0]));
    assert_eq!(mesh.point_data[1], array("tetgen:ref", 1, &[9.0, 9.0, 9.0, 8.0]));
    assert_eq!(mesh.cell_data, [array("tetgen:ref", 1, &[42.0])]);
}

#[test]
fn either_tetgen_file_finds_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let [node, ele] = ["x.1.node", "x.1.ele"].map(|name| dir.path().join(name));
    std::fs::write(&node, NODE).unwrap();
    let message = read(&node).unwrap_err().to_string();
    assert!(message.contains("x.1.ele"), "{message}");
    std::fs::write(&ele, ELE).unwrap();
    assert_eq!(read(&node).unwrap(), read(&ele).unwrap());
}

#[test]
fn legacy_text_with_fields_and_other_cells() {
    let mesh = legacy_read::parse(LEGACY.as_bytes()).unwrap().mesh;
    assert_eq!((mesh.points.len(), &mesh.tets, &mesh.triangles), (5, &vec![[0, 1, 2, 3]], &vec![[0, 1, 2]]));
    assert_eq!(mesh.cell_data, [array("part", 1, &[2.0])], "only the tet's");
    assert_eq!((mesh.point_data[0].name.as_str(), mesh.point_data[0].components), ("v w", 3));
    assert_eq!(mesh.point_data[1].values[..4], [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn vtu_text_keeps_the_tets_data() {
    let mesh = vtu_read::parse(VTU.as_bytes()).unwrap().mesh;
    assert_eq!((&mesh.points[..], &mesh.tets), (&CORNER[..], &vec![[0, 1, 2, 3]]));
    assert_eq!(mesh.cell_data, [array("c", 2, &[3.0, 4.0])]);
    assert_eq!(mesh.point_data, [array("id", 1, &[0.0, 1.0, 2.0, 3.0])]);
}

/// A line, a polyline of three points, a vertex and a quadratic edge.
fn line_vtu() -> String {
    VTU.replace("0 1 0 1 2 3</", "0 1 3 2 0 1 2 3 1</")
        .replace(">2 6<", ">2 5 6 9<")
        .replace(">3 10<", ">3 4 1 21<")
        .replace("NumberOfCells=\"2\"", "NumberOfCells=\"4\"")
        .replace("format=\"ascii\">1 2 3 4<", "format=\"ascii\">1 2 3 4 5 6 7 8<")
}

#[test]
fn lines_alone_are_a_mesh_of_edges() {
    let mesh = vtu_read::parse(line_vtu().as_bytes()).unwrap().mesh;
    assert_eq!(mesh.edges, [[0, 1], [3, 2], [2, 0], [2, 3]]);
    assert_eq!(mesh.cell_data, [array("c", 2, &[1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 7.0, 8.0])]);
    let mesh = legacy_read::parse(POLYLINES.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.edges, [[0, 1], [1, 2], [3, 0]]);
    assert_eq!(mesh.cell_data, [array("part", 1, &[6.0, 6.0, 7.0])]);
    let mesh = medit::parse(MEDIT_EDGES.as_bytes()).unwrap();
    assert_eq!(mesh.edges, [[0, 1], [1, 3]]);
    assert_eq!(mesh.cell_data, [array("medit:ref", 1, &[7.0, 8.0])]);
}

#[test]
fn lines_beside_other_cells_are_left_out() {
    let with_triangle = MEDIT_EDGES.replace("Quadrilaterals 0", "Triangles 1\n1 2 3 4");
    let mesh = medit::parse(with_triangle.as_bytes()).unwrap();
    assert_eq!((mesh.triangles.len(), mesh.edges.len(), mesh.cells()), (1, 0, 1));
    assert_eq!(mesh.cell_data, [array("medit:ref", 1, &[4.0])]);
    let with_quad = MEDIT_EDGES.replace("Quadrilaterals 0", "Quadrilaterals 1\n1 2 4 3 1");
    assert_eq!(medit::parse(with_quad.as_bytes()).unwrap().kind(), None, "the edges are the quad's");
    let with_polygon =
        POLYLINES.replace("CELL_DATA 3", "POLYGONS 1 4\n3 0 1 2\nCELL_DATA 4").replace("5 6 7", "5 6 7 8");
    let mesh = legacy_read::parse(with_polygon.as_bytes()).unwrap().mesh;
    assert_eq!((mesh.triangles.len(), mesh.edges.len()), (1, 0));
    assert_eq!(mesh.cell_data, [array("part", 1, &[8.0])]);
}

#[test]
fn vtu_pieces_are_concatenated() {
    let piece = &VTU[VTU.find("<Piece").unwrap()..VTU.find("</UnstructuredGrid>").unwrap()];
    let second = piece.replace("\"c\"", "\"d\"");
    let mesh = vtu_read::parse(VTU.replace(piece, &format!("{piece}{second}")).as_bytes()).unwrap().mesh;
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(mesh.point_data[0].values.len(), 8);
    assert_eq!(mesh.cell_data, [], "array c is not in all pieces");
}

#[test]
fn faults_name_place_and_reason() {
    let fault = |parsed: Parsed<Mesh>| {
        let Fault { place, reason, .. } = parsed.unwrap_err();
        format!("{place}: {reason}")
    };
    let medit = |from, to| fault(medit::parse(MEDIT.replace(from, to).as_bytes()));
    assert_eq!(
        medit("1 2 3 4 7", "1 2 3 5 7"),
        "tetrahedron 1: uses vertex 5, but vertices are numbered from 1 to 4"
    );
    assert_eq!(medit("0 1d0 0 2", "0 x 0 2"), "line 10: 'x' where a coordinate should be");
    assert!(medit("Vertices 4", "Vertices 400000000000").contains("do not fit"));
    assert!(fault(medit::parse(&damaged::binary_medit()[..100])).contains("bytes"));
    let vtu = |from, to| fault(vtu_read::parse(VTU.replace(from, to).as_bytes()).map(|import| import.mesh));
    assert_eq!(vtu("0 1 2 3</", "0 1 2 4</").split(':').next(), Some("cell 1"));
    assert_eq!(vtu("\"ascii\">2 6", "\"ascii\">2 7").split(':').next(), Some("DataArray 'offsets'"));
    assert_eq!(vtu(">1 2 3 4<", ">1 2 3<"), "DataArray 'c': it has 3 values, not 2 × 2");
    assert!(vtu(">3 10<", ">3 42<").contains("1 × line, 1 × polyhedron"));
    let legacy =
        |from, to| fault(legacy_read::parse(LEGACY.replace(from, to).as_bytes()).map(|import| import.mesh));
    assert!(legacy("UNSTRUCTURED_GRID", "STRUCTURED_POINTS").contains("the file holds STRUCTURED_POINTS"));
    assert!(legacy("4 0 1 2 3\n", "9 0 1 2 3\n").contains("cell 1 does not fit"));
    assert!(legacy("VECTORS", "VEKTORS").contains("'VEKTORS' is not known"));
    let ele = |from, to| fault(tetgen_pair(NODE.as_bytes(), ELE.replace(from, to).as_bytes()));
    assert_eq!(ele("1 2 3 4 42", "0 2 3 4 42"), "line 2: tetrahedron 0 uses point 0, not in 1 to 4");
}

#[test]
fn content_counts_more_than_the_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.vtk");
    std::fs::write(&path, VTU).unwrap();
    assert_eq!(read(&path).unwrap().tets.len(), 1);
    let path = dir.path().join("x.xyz");
    std::fs::write(&path, "0 0 0").unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("readable are .vtu"));
    assert!(write(&Mesh::default(), &path).unwrap_err().to_string().contains("writable are .vtu"));
    assert!(read(&dir.path().join("none.vtu")).unwrap_err().to_string().starts_with("cannot read"));
}

#[test]
fn what_we_write_we_read_bit_by_bit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.vtu");
    for shape in [
        Shape::Sphere { radius: 1.0, cells: 3 },
        Shape::Cloth { size: [1.0, 2.0], cells: [4, 3] },
        Shape::Rope { length: 1.0, segments: 7 },
        Shape::Block { size: [1.0; 3], cells: [30, 30, 30], split: 5 },
    ] {
        let mesh = sample(shape);
        write(&mesh, &path).unwrap();
        assert_eq!(bits(&read(&path).unwrap()), bits(&mesh));
    }
}

/// A ball of quadratic tets with curved edges.
fn curved_ball() -> Mesh {
    let mut mesh = generate(&Shape::Sphere { radius: 1.0, cells: 3 });
    quadratic::promote(&mut mesh);
    for (n, p) in mesh.points.iter_mut().enumerate() {
        p[n % 3] += 0.02 * (n as f64).sin();
    }
    mesh
}

#[test]
fn quadratic_tets_come_back_from_all_formats_that_have_them() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = curved_ball();
    for name in ["x.vtu", "x.vtk", "x.msh", "x.mesh", "x.ele"] {
        let path = dir.path().join(name);
        write(&mesh, &path).unwrap();
        let back = read(&path).unwrap();
        assert_eq!((&back.tets, &back.middles), (&mesh.tets, &mesh.middles), "{name}");
        assert_eq!(back.points, mesh.points, "{name}");
    }
}

#[test]
fn tets_have_middles_only_if_all_are_quadratic() {
    let points: Vec<[f64; 3]> = (0..11).map(|i| [f64::from(i), 0.5, (0.3 * f64::from(i)).sin()]).collect();
    let written = |middles: &[Option<[u32; 6]>]| {
        let tets = [[0, 1, 2, 3], [1, 2, 3, 10]];
        let frame = grid::Grid {
            points: &points,
            cells: grid::Cells { tets: &tets, middles, ..Default::default() },
            ..Default::default()
        };
        let (mut vtu, mut legacy) = (vec![], vec![]);
        vtu_write::write(&frame, &mut vtu).unwrap();
        legacy_write::write(&frame, &mut legacy).unwrap();
        let [one, other] = [vtu_read::parse(&vtu).unwrap().mesh, legacy_read::parse(&legacy).unwrap().mesh];
        assert_eq!((&one.tets[..], &one.middles), (&tets[..], &other.middles));
        one.middles
    };
    let first = [4, 5, 6, 7, 8, 9];
    assert!(written(&[Some(first), None]).is_empty());
    assert!(written(&[None, Some(first)]).is_empty());
    assert_eq!(written(&[Some(first), Some([5, 6, 7, 8, 9, 10])]), [first, [5, 6, 7, 8, 9, 10]]);
}

#[test]
fn middles_are_put_where_they_lie() {
    let mesh = curved_ball();
    let usual = [0, 1, 2, 3, 4, 5];
    for order in [usual, [5, 3, 0, 1, 4, 2], [0, 3, 1, 2, 4, 5]] {
        let mut middles: Vec<[u32; 6]> =
            mesh.middles.iter().map(|middles| order.map(|edge| middles[edge])).collect();
        quadratic::sort_middles(&mesh.points, &mesh.tets, &mut middles, usual);
        assert_eq!(middles, mesh.middles, "{order:?}");
    }
}

#[test]
fn frames_hold_all_kinds_of_cells_in_any_type() {
    let arrays = [
        grid::Array { name: "i", components: 1, data: grid::Data::I32(&[-7, 8, 9, 10]) },
        grid::Array { name: "u", components: 2, data: grid::Data::U8(&[1, 2, 3, 255, 5, 6, 7, 8]) },
    ];
    let frame = grid::Grid {
        points: &CORNER,
        cells: grid::Cells {
            tets: &[[0, 1, 2, 3]],
            middles: &[],
            triangles: &[[0, 1, 2]],
            edges: &[[1, 2], [3, 0]],
        },
        cell_arrays: &arrays,
        time: Some(0.1),
        float32: true,
        ..Default::default()
    };
    let mut out = Vec::new();
    vtu_write::write(&frame, &mut out).unwrap();
    let mesh = vtu_read::parse(&out).unwrap().mesh;
    assert_eq!(
        (mesh.points, mesh.tets, mesh.triangles),
        (CORNER.to_vec(), vec![[0, 1, 2, 3]], vec![[0, 1, 2]])
    );
    assert_eq!(mesh.cell_data, [array("i", 1, &[-7.0]), array("u", 2, &[1.0, 2.0])]);
    assert!(mesh.edges.is_empty(), "beside tets and triangles they are not the mesh");
    let wrong = grid::Grid { cells: grid::Cells { triangles: &[], ..frame.cells }, ..frame };
    assert!(
        vtu_write::write(&wrong, &mut Vec::new())
            .unwrap_err()
            .to_string()
            .contains("array 'i' has 4 values, not 3 × 1")
    );
    let lines = grid::Grid {
        cells: grid::Cells { tets: &[], triangles: &[], ..frame.cells },
        cell_arrays: &[],
        ..frame
    };
    let mut out = Vec::new();
    vtu_write::write(&lines, &mut out).unwrap();
    assert_eq!(vtu_read::parse(&out).unwrap().mesh.edges, [[1, 2], [3, 0]]);
}

#[test]
fn compressed_and_legacy_frames_hold_the_same() {
    for shape in [
        Shape::Block { size: [1.0; 3], cells: [20, 10, 10], split: 5 },
        Shape::Cloth { size: [1.0, 2.0], cells: [40, 30] },
        Shape::Rope { length: 1.0, segments: 1 },
    ] {
        let mesh = sample(shape);
        let (mut raw, mut legacy) = (vec![], vec![]);
        grid::with_grid(&mesh, |g| vtu_write::write(g, &mut raw)).unwrap();
        grid::with_grid(&mesh, |g| legacy_write::write(g, &mut legacy)).unwrap();
        assert_eq!(bits(&legacy_read::parse(&legacy).unwrap().mesh), bits(&mesh));
        for compression in [vtu_write::Compression::Lz4, vtu_write::Compression::Zlib] {
            let mut small = vec![];
            grid::with_grid(&mesh, |g| vtu_write::write_compressed(g, compression, &mut small)).unwrap();
            assert_eq!(bits(&vtu_read::parse(&small).unwrap().mesh), bits(&mesh), "{compression:?}");
            assert!(mesh.points.len() < 100 || small.len() < 3 * raw.len() / 4, "{compression:?}");
        }
    }
}

#[test]
fn arrays_of_edges_come_back_from_ply() {
    let mut mesh = generate(&Shape::Rope { length: 1.0, segments: 3 });
    mesh.cell_data.push(array("thickness", 1, &[0.5, 0.25, 4.0]));
    mesh.point_data.push(array("normal", 3, &[1.0; 12]));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rope.ply");
    assert!(write(&mesh, &path).unwrap().is_empty());
    assert_eq!(import(&path).unwrap(), Import::from(mesh));
    // Beside faces, edges and their arrays are left out, which is told.
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\nelement edge 1\n\
        property int vertex1\nproperty int vertex2\nproperty int w\nelement face 1\nproperty list int int vertex_indices\n\
        end_header\n0 0 0\n1 0 0\n0 1 0\n0 1 5\n3 0 1 2\n";
    let Import { mesh, notes } = ply_read::parse(text.as_bytes()).unwrap();
    assert!(mesh.edges.is_empty() && mesh.cell_data.is_empty() && mesh.triangles.len() == 1);
    assert_eq!(notes, ["the array 'w' of edges is left out"]);
}
