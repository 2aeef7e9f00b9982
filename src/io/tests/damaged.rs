//! Tests of every reader with whole and with damaged files: a file that cannot be read is refused.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// A file's content and its parser.
type Victim = (Vec<u8>, fn(&[u8]) -> Parsed<Mesh>);

/// The files to be damaged.
fn victims() -> Vec<Victim> {
    let mut raw = Vec::new();
    grid::with_grid(&sample(Shape::Sphere { radius: 1.0, cells: 1 }), |g| vtu_write::write(g, &mut raw))
        .unwrap();
    vec![
        (raw, |bytes| vtu_read::parse(bytes).map(|import| import.mesh)),
        (VTU.into(), |bytes| vtu_read::parse(bytes).map(|import| import.mesh)),
        (LEGACY.into(), |bytes| legacy_read::parse(bytes).map(|import| import.mesh)),
        (binary_legacy(), |bytes| legacy_read::parse(bytes).map(|import| import.mesh)),
        (compressed("vtkZLibDataCompressor"), |bytes| vtu_read::parse(bytes).map(|import| import.mesh)),
        (compressed("vtkLZ4DataCompressor"), |bytes| vtu_read::parse(bytes).map(|import| import.mesh)),
        (compressed("vtkLZMADataCompressor"), |bytes| vtu_read::parse(bytes).map(|import| import.mesh)),
        (MEDIT.into(), medit::parse),
        (NODE.into(), |bytes| tetgen_pair(bytes, ELE.as_bytes())),
        (ELE.into(), |bytes| tetgen_pair(NODE.as_bytes(), bytes)),
        (line_vtu().into(), |bytes| vtu_read::parse(bytes).map(|import| import.mesh)),
        (POLYLINES.into(), |bytes| legacy_read::parse(bytes).map(|import| import.mesh)),
        (MEDIT_EDGES.into(), medit::parse),
        (binary_medit(), medit::parse),
        (OBJ.into(), |bytes| obj::parse(bytes).map(|import| import.mesh)),
        (PLY.into(), |bytes| ply_read::parse(bytes).map(|import| import.mesh)),
        (binary_ply(), |bytes| ply_read::parse(bytes).map(|import| import.mesh)),
        (STL.into(), |bytes| stl::parse(bytes).map(|import| import.mesh)),
        (binary_stl(), |bytes| stl::parse(bytes).map(|import| import.mesh)),
        (OFF.into(), |bytes| off::parse(bytes).map(|import| import.mesh)),
        (MSH.into(), |bytes| msh::parse(bytes).map(|import| import.mesh)),
        (binary_msh(), |bytes| msh::parse(bytes).map(|import| import.mesh)),
    ]
}

const OBJ: &str = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 1\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1\nusemtl b\nf -1 -2 -3\n";

const PLY: &str = "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
    property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nelement face 2\n\
    property list uchar int vertex_indices\nproperty short part\nproperty list uchar float texcoord\nend_header\n\
    0 0 0 0 0 1 1\n1 0 0 0 0 1 2\n0 1 0 0 0 1 3\n0 0 1 0 0 1 4\n4 0 1 2 3 7 2 0.5 0.5\n3 0 1 2 8 0\n";

const OFF: &str = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n4 0 1 2 3 255 0 0\n3 0 1 3\n";

const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
    facet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\nendloop\nendfacet\nendsolid a\n";

const MSH: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n10 0 0 0 1 1 1 1 8 0\n$EndEntities\n$Nodes\n\
    1 4 1 4\n3 10 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 10 4 1\n1 1 2 3 4\n\
    $EndElements\n$NodeData\n1\n\"a\"\n0\n3\n0\n1\n1\n2 0.5\n$EndNodeData\n";

fn binary_ply() -> Vec<u8> {
    let head = PLY.split("end_header\n").next().unwrap().replace("ascii", "binary_big_endian");
    let mut out = (head + "end_header\n").into_bytes();
    for point in CORNER {
        out.extend((point[0] as f32).to_be_bytes());
        out.extend(point[1].to_be_bytes());
        out.extend((point[2] as f32).to_be_bytes());
        out.extend([0.0f32, 0.0, 1.0].map(f32::to_be_bytes).as_flattened());
        out.push(9);
    }
    for corners in [&[0i32, 1, 2, 3][..], &[3, 2, 1]] {
        out.push(corners.len() as u8);
        corners.iter().for_each(|c| out.extend(c.to_be_bytes()));
        out.extend(7i16.to_be_bytes());
        out.push(1);
        out.extend(0.5f32.to_be_bytes());
    }
    out
}

fn binary_stl() -> Vec<u8> {
    let mut out = vec![];
    stl::write(&CORNER, &[[0, 1, 2], [1, 2, 3]], &mut out).unwrap();
    out
}

/// The corner tet in version 2 of the format, with references.
pub(super) fn binary_medit() -> Vec<u8> {
    let int = |out: &mut Vec<u8>, v: i32| out.extend(v.to_le_bytes());
    let mut out = vec![];
    for v in [1, 2, 3, 20, 3, 4, 144] {
        int(&mut out, v);
    }
    int(&mut out, 4);
    for (i, point) in CORNER.iter().enumerate() {
        out.extend(point.map(f64::to_le_bytes).as_flattened());
        int(&mut out, i as i32);
    }
    for v in [8, 176, 1, 1, 2, 3, 4, 7, 54, 0] {
        int(&mut out, v);
    }
    out
}

/// The corner tet in version 4.1.
fn binary_msh() -> Vec<u8> {
    let mut out = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    let int = |out: &mut Vec<u8>, v: i32| out.extend(v.to_le_bytes());
    let long = |out: &mut Vec<u8>, v: u64| out.extend(v.to_le_bytes());
    [1, 4, 1, 4].into_iter().for_each(|v| long(&mut out, v));
    [3, 1, 0].into_iter().for_each(|v| int(&mut out, v));
    [4, 1, 2, 3, 4].into_iter().for_each(|v| long(&mut out, v));
    CORNER.iter().flatten().for_each(|x| out.extend(x.to_le_bytes()));
    out.extend(b"\n$EndNodes\n$Elements\n");
    [1, 1, 1, 1].into_iter().for_each(|v| long(&mut out, v));
    [3, 1, 4].into_iter().for_each(|v| int(&mut out, v));
    [1, 1, 1, 2, 3, 4].into_iter().for_each(|v| long(&mut out, v));
    out.extend(b"\n$EndElements\n");
    out
}

#[test]
fn ply_properties_become_arrays() {
    let Import { mesh, notes } = ply_read::parse(PLY.as_bytes()).unwrap();
    assert_eq!((mesh.points.as_slice(), mesh.triangles.len()), (&CORNER[..], 3));
    let names: Vec<&str> = mesh.point_data.iter().map(|a| a.name.as_str()).collect();
    assert_eq!((names, mesh.point_data[0].components), (vec!["normal", "red"], 3));
    assert_eq!(mesh.cell_data, [array("part", 1, &[7.0, 7.0, 8.0])]);
    assert_eq!(notes, ["the list 'texcoord' is left out"]);
    let binary = ply_read::parse(&binary_ply()).unwrap().mesh;
    assert_eq!((binary.points.as_slice(), binary.triangles[2]), (&CORNER[..], [3, 2, 1]));
    let fault = ply_read::parse(PLY.replace("3 0 1 2 8", "3 0 1 9 8").as_bytes()).unwrap_err();
    assert!(fault.reason.contains("face 1 uses vertex 9") && fault.place.contains("line 2"), "{fault:?}");
}

#[test]
fn content_tells_the_format_whatever_the_name() {
    for (bytes, format) in [
        (PLY.as_bytes().to_vec(), Format::Ply),
        (binary_ply(), Format::Ply),
        (OFF.into(), Format::Off),
        (STL.into(), Format::Stl),
        (binary_stl(), Format::Stl),
        (MSH.into(), Format::Msh),
        (binary_medit(), Format::Medit),
        (MEDIT.into(), Format::Medit),
        (VTU.into(), Format::Vtu),
        (LEGACY.into(), Format::VtkLegacy),
    ] {
        assert_eq!(Format::sniff(&bytes), Some(format));
    }
    assert_eq!(Format::sniff(OBJ.as_bytes()), None);
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [("a.vtk", PLY), ("b.stl", OFF), ("c", OBJ)] {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        assert_eq!(read(&path).unwrap().points, CORNER, "{name}");
    }
}

/// A binary legacy file, version 5.1.
fn binary_legacy() -> Vec<u8> {
    let mut out =
        b"# vtk DataFile Version 5.1\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n".to_vec();
    out.extend(CORNER.iter().flatten().flat_map(|x| x.to_be_bytes()));
    out.extend(b"\nCELLS 2 4\nOFFSETS vtktypeint64\n");
    out.extend([0i64, 4].iter().flat_map(|x| x.to_be_bytes()));
    out.extend(b"\nCONNECTIVITY vtktypeint64\n");
    out.extend([0i64, 1, 2, 3].iter().flat_map(|x| x.to_be_bytes()));
    out.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\nPOINT_DATA 4\nSCALARS s unsigned_char 1\nLOOKUP_TABLE default\n\x01\x02\x03\x0a\n");
    out
}

/// The corner tet with its points in a compressed inline block.
fn compressed(compressor: &str) -> Vec<u8> {
    use base64::Engine;
    let points: Vec<u8> = CORNER.iter().flatten().flat_map(|&x| (x as f32).to_be_bytes()).collect();
    let mut block = Vec::new();
    match compressor {
        "vtkZLibDataCompressor" => {
            let mut encoder = flate2::write::ZlibEncoder::new(&mut block, flate2::Compression::best());
            std::io::Write::write_all(&mut encoder, &points).unwrap();
        }
        "vtkLZ4DataCompressor" => block = lz4_flex::block::compress(&points),
        _ => block = vtu_data::xz(&points),
    }
    let words = [1, points.len() as u32, 0, block.len() as u32];
    let mut data: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
    data.extend(block);
    let text = base64::engine::general_purpose::STANDARD.encode(data);
    let inline = format!("NumberOfComponents=\"3\" format=\"binary\">{text}<");
    VTU.replace("NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1<", &inline)
        .replace("byte_order", &format!("compressor=\"{compressor}\" byte_order"))
        .into_bytes()
}

/// Changes to a file: each has a place, a byte and what becomes of the byte there.
type Edits = Vec<(prop::sample::Index, u8, u8)>;

fn edits() -> impl Strategy<Value = Edits> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..6)
}

/// Checks a reader, for the tests in its own file: the content shows the format, the whole file is read, and neither
/// a truncated nor an edited one panics or gives a mesh that contradicts itself.
pub(in crate::io) fn check_reader(format: Format, bytes: &[u8], parse: fn(&[u8]) -> Parsed<Mesh>) {
    assert_eq!(Format::sniff(bytes), Some(format));
    check_whole(bytes, parse);
    check_truncated(bytes, parse);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
    runner.run(&edits(), |edits| check_edited(bytes.to_vec(), parse, edits)).unwrap();
}

fn check_whole(bytes: &[u8], parse: fn(&[u8]) -> Parsed<Mesh>) {
    let mesh = parse(bytes).unwrap();
    assert!(mesh.cells() > 0 && mesh.points.len() >= 4);
}

fn check_truncated(bytes: &[u8], parse: fn(&[u8]) -> Parsed<Mesh>) {
    for length in 0..bytes.len() {
        let _ = parse(&bytes[..length]);
    }
}

fn check_edited(
    mut bytes: Vec<u8>,
    parse: fn(&[u8]) -> Parsed<Mesh>,
    edits: Edits,
) -> Result<(), TestCaseError> {
    for (place, byte, kind) in edits {
        let at = place.index(bytes.len());
        match kind {
            0 => bytes[at] = byte,
            1 => bytes[at] = b'0' + byte % 10,
            2 => bytes.insert(at, b'0' + byte % 10),
            _ => drop(bytes.remove(at)),
        }
    }
    if let Ok(mesh) = parse(&bytes) {
        let points = mesh.points.len();
        prop_assert!(mesh.tets.iter().flatten().all(|&v| (v as usize) < points));
        prop_assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < points));
        prop_assert!(mesh.edges.iter().flatten().all(|&v| (v as usize) < points));
        let cells = mesh.cells();
        prop_assert!(mesh.point_data.iter().all(|a| a.values.len() == points * a.components));
        prop_assert!(mesh.cell_data.iter().all(|a| a.values.len() == cells * a.components));
    }
    Ok(())
}

#[test]
fn undamaged_victims_are_read() {
    for (bytes, parse) in victims() {
        check_whole(&bytes, parse);
    }
    let mesh = legacy_read::parse(&binary_legacy()).unwrap().mesh;
    assert_eq!(mesh.point_data, [array("s", 1, &[1.0, 2.0, 3.0, 10.0])]);
}

#[test]
fn no_truncation_panics() {
    for (bytes, parse) in victims() {
        check_truncated(&bytes, parse);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_mutation_panics(which in any::<prop::sample::Index>(), edits in edits()) {
        let mut victims = victims();
        let (bytes, parse) = victims.swap_remove(which.index(victims.len()));
        check_edited(bytes, parse, edits)?;
    }
}
