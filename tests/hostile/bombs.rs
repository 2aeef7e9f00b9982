//! Small files that would become large, or take for ever.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use pliant::io::{self, Import};

use super::{allocated, budget, turn};
use crate::common::program::Place;

/// How many times its budget a reader may allocate on the way, with vectors that grow and copies that are made.
const SLACK: usize = 3;

/// Reads a file of this content; returns the result and the bytes that were allocated for it.
fn measured(name: &str, bytes: &[u8]) -> (Result<Import, String>, usize) {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let (result, taken) = allocated(|| io::import(&path));
    (result.map_err(|error| error.to_string()), taken)
}

/// Reads a file of this content, within its budget.
fn read(name: &str, bytes: &[u8]) -> Result<Import, String> {
    let (result, taken) = measured(name, bytes);
    let most = SLACK * budget(bytes.len());
    assert!(taken < most, "{name} of {} bytes: {taken} bytes were allocated, {most} at most", bytes.len());
    result
}

/// Reads a file that is too large when it is decoded: the refusal names the file and the way out.
fn refused(name: &str, bytes: &[u8]) {
    let message = read(name, bytes).unwrap_err();
    for part in [name, "when they are decoded", "--max-decoded"] {
        assert!(message.contains(part), "{name}: {message}");
    }
}

/// The zeros of a block of a bomb.
const BLOCK: usize = 8 << 20;

fn zlib(size: usize) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&vec![0; size]).unwrap();
    encoder.finish().unwrap()
}

fn lzma(size: usize) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(0);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(&vec![0; size]).unwrap();
    encoder.finish().unwrap()
}

/// A grid with a number of points and its appended data; `arrays` are more arrays at the points.
fn vtu(attributes: &str, points: usize, arrays: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!(
        r#"<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64" {attributes}>
        <UnstructuredGrid><Piece NumberOfPoints="{points}" NumberOfCells="1"><PointData>{arrays}</PointData>
        <Points><DataArray type="Float64" NumberOfComponents="3" format="appended" offset="0"/></Points>
        <Cells><DataArray type="Int8" Name="connectivity" format="ascii">0 1 2 3</DataArray>
        <DataArray type="Int8" Name="offsets" format="ascii">4</DataArray>
        <DataArray type="Int8" Name="types" format="ascii">10</DataArray></Cells></Piece></UnstructuredGrid>
        <AppendedData encoding="raw">_"#
    )
    .into_bytes();
    out.extend(data);
    out.extend(b"</AppendedData></VTKFile>");
    out
}

/// Appended data of the same packed block so many times.
fn packed(count: usize, size: usize, block: &[u8]) -> Vec<u8> {
    let words = [count as u64, size as u64, 0].into_iter().chain(vec![block.len() as u64; count]);
    words.flat_map(u64::to_le_bytes).chain(block.repeat(count)).collect()
}

#[test]
fn packed_blocks_stay_within_the_budget() {
    let _turn = turn();
    for (compressor, block) in [
        ("vtkZLibDataCompressor", zlib(BLOCK)),
        ("vtkLZ4DataCompressor", lz4_flex::block::compress(&vec![0; BLOCK])),
        ("vtkLZMADataCompressor", lzma(BLOCK)),
    ] {
        let count = 96;
        let attributes = format!("compressor=\"{compressor}\"");
        let bytes = vtu(&attributes, count * BLOCK / 24, "", &packed(count, BLOCK, &block));
        assert!(bytes.len() < BLOCK, "{} bytes", bytes.len());
        refused("bomb.vtu", &bytes);
    }
}

#[test]
fn blocks_that_unpack_to_more_than_they_say_are_not_unpacked() {
    let _turn = turn();
    for (compressor, block) in [
        ("vtkZLibDataCompressor", zlib(8 * BLOCK)),
        ("vtkLZ4DataCompressor", lz4_flex::block::compress(&vec![0; 2 * BLOCK])),
        ("vtkLZMADataCompressor", lzma(8 * BLOCK)),
    ] {
        let bytes = vtu(&format!("compressor=\"{compressor}\""), 4, "", &packed(1, 96, &block));
        let (result, taken) = measured("liar.vtu", &bytes);
        let message = result.unwrap_err();
        assert!(message.contains("block 0"), "{compressor}: {message}");
        // The file and the decoder take some, but none of the block is unpacked.
        assert!(taken < BLOCK, "{compressor}: {taken} bytes were allocated");
    }
}

/// 400 arrays that all begin at the same place.
#[test]
fn arrays_at_the_same_place_are_paid_for_each() {
    let _turn = turn();
    let points = 90_000;
    let mut data = (24 * points as u64).to_le_bytes().to_vec();
    data.resize(8 + 24 * points, 0);
    let array = |i: usize| {
        format!(
            r#"<DataArray type="UInt8" Name="a{i}" NumberOfComponents="24" format="appended" offset="0"/>"#
        )
    };
    let arrays: String = (0..400).map(array).collect();
    refused("same.vtu", &vtu("", points, &arrays, &data));
    let packed = packed(1, 24 * points, &zlib(24 * points));
    let bytes = vtu("compressor=\"vtkZLibDataCompressor\"", points, &arrays, &packed);
    assert!(bytes.len() < 60_000, "{} bytes", bytes.len());
    refused("same.vtu", &bytes);
}

#[test]
fn sections_with_values_for_few_nodes_are_paid_for_each() {
    let _turn = turn();
    let nodes: String = (1..=5000).map(|i| format!("{i} 0 0 {i}\n")).collect();
    let mut text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5000\n{nodes}$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n"
    );
    for i in 0..6000 {
        text += &format!("$NodeData\n1\n\"{i}\"\n0\n3\n0\n9\n0\n$EndNodeData\n");
    }
    assert!(text.len() < 450_000, "{} bytes", text.len());
    refused("sections.msh", text.as_bytes());
}

/// A polygon of many corners with many numbers, each of which belongs to all of its triangles.
#[test]
fn numbers_of_a_polygon_are_paid_for_at_each_triangle() {
    let _turn = turn();
    let corners = 20_000;
    let mut ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\nelement face 1\n\
                   property list int int vertex_indices\n"
        .to_owned();
    (0..2000).for_each(|i| ply += &format!("property char p{i}\n"));
    ply += &format!(
        "end_header\n0 0 0\n1 0 0\n0 1 0\n{corners} {}{}\n",
        "0 1 ".repeat(corners / 2),
        "1 ".repeat(2000)
    );
    refused("polygon.ply", ply.as_bytes());
    let legacy = format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nPOLYGONS 1 {}\n\
         {corners} {}\nCELL_DATA 1\nFIELD f 1\na 2000 1 float\n{}\n",
        corners + 1,
        "0 1 ".repeat(corners / 2),
        "1 ".repeat(2000)
    );
    refused("polygon.vtk", legacy.as_bytes());
}

#[test]
fn rows_without_properties_take_no_time() {
    let _turn = turn();
    for (format, rest) in [("ascii", "\n\n"), ("binary_little_endian", "")] {
        let head = format!("ply\nformat {format} 1.0\nelement nothing 1000000000000\n");
        let text = format!(
            "{head}element vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n{rest}"
        );
        let message = read("rows.ply", text.as_bytes()).unwrap_err();
        assert!(message.contains("do not fit"), "{format}: {message}");
        let text = format!("ply\nformat {format} 1.0\nelement vertex 1000000000000\nend_header\n");
        assert!(read("rows.ply", text.as_bytes()).is_err());
        let text = format!("{head}end_header\n");
        assert!(read("rows.ply", text.as_bytes()).is_err());
    }
}

/// The parser of XML compares every attribute with those before it, and copies namespaces to every element within.
#[test]
fn tags_of_many_attributes_and_nested_namespaces_are_refused() {
    let _turn = turn();
    let attributes: String = (0..200_000).map(|i| format!(" a{i}=\"\"")).collect();
    let message = read("tag.vtu", format!("<VTKFile{attributes}></VTKFile>").as_bytes()).unwrap_err();
    assert!(message.contains("an XML tag of more than"), "{message}");
    let spaces: String = (0..300)
        .map(|i| (0..150).map(|j| format!(" xmlns:n{i}x{j}=\"\"")).collect::<String>())
        .fold(String::new(), |text, spaces| text + "<a" + &spaces + ">");
    let inner = "<b xmlns:c=\"d\"/>".repeat(50_000);
    let text = format!("<VTKFile>{spaces}{inner}{}</VTKFile>", "</a>".repeat(300));
    let message = read("spaces.vtu", text.as_bytes()).unwrap_err();
    assert!(message.contains("namespaces"), "{message}");
    assert!(read("deep.vtu", format!("<VTKFile>{}", "<a>".repeat(300_000)).as_bytes()).is_err());
}

/// Reads a file of many names and one of as many that are all the same. What looks each name up among all others takes a
/// hundred times as long for the first, and what does not some times as long at most. Others may use the machine as well, so
/// that one of three tries is enough.
fn names_take_no_longer(file: &str, text: impl Fn(bool) -> String) {
    let texts = [false, true].map(text);
    let seconds = |text: &String| {
        let start = Instant::now();
        let _ = read(file, text.as_bytes());
        start.elapsed().as_secs_f64()
    };
    let ratio = || {
        let [same, many] = [&texts[0], &texts[1]].map(seconds);
        println!("{file}: {same:.3} s with one name, {many:.3} s with many");
        many / same
    };
    assert!((0..3).any(|_| ratio() < 10.0), "{file}: many names take far longer than one");
}

/// Many arrays in two pieces, many names of groups, and many properties that look like parts of one array.
#[test]
fn many_names_are_looked_up_at_once() {
    let _turn = turn();
    names_take_no_longer("names.vtu", |are_many| {
        let name = |i: usize| if are_many { 100_000 + i } else { 100_000 };
        let arrays: String =
            (0..60_000).map(|i| format!("<DataArray type=\"Int8\" Name=\"{}\"/>", name(i))).collect();
        let piece = format!(
            "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"><PointData>{arrays}</PointData></Piece>"
        );
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>{piece}{piece}</UnstructuredGrid></VTKFile>"
        )
    });
    names_take_no_longer("names.obj", |are_many| {
        let name = |i: usize| if are_many { 100_000 + i } else { 100_000 };
        let groups: String = (0..100_000).map(|i| format!("g {}\n", name(i))).collect();
        format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n{groups}f 1 2 3\n")
    });
    names_take_no_longer("names.ply", |are_many| {
        let name = if are_many { "nx" } else { "mx" };
        let properties = format!("property char {name}\n").repeat(40_000);
        format!(
            "ply\nformat ascii 1.0\nelement vertex 0\nproperty char x\nproperty char y\nproperty char z\n{properties}\
             end_header\n"
        )
    });
    let mesh =
        read("names.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng a\ng b\ng a\ng c\nf 1 2 3\n").unwrap().mesh;
    assert_eq!(mesh.cell_data[0].values, [0.0, 2.0]);
}

/// Corners of a polygon whose sides cross each other, so that there is hardly an ear.
fn tangle(corners: usize) -> Vec<[f64; 2]> {
    let place = |i: usize| {
        let (angle, radius) =
            (i as f64 / corners as f64 * std::f64::consts::TAU, 1.0 + ((i * 7919) % 101) as f64);
        [radius * angle.cos(), radius * angle.sin()]
    };
    (0..corners).map(place).collect()
}

#[test]
fn polygons_of_many_corners_become_fans_that_are_told() {
    let _turn = turn();
    let corners = 2000;
    let points = tangle(corners);
    let rows: String = points.iter().map(|[x, y]| format!("{x} {y} 0\n")).collect();
    let face: String = (0..corners).map(|i| format!(" {i}")).collect();
    let off = format!("OFF\n{corners} 200 0\n{rows}{}", format!("{corners}{face}\n").repeat(200));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex {corners}\nproperty double x\nproperty double y\nproperty double z\n\
         element face 200\nproperty list int int vertex_indices\nend_header\n{rows}{}",
        format!("{corners}{face}\n").repeat(200)
    );
    let rows: String = points.iter().map(|[x, y]| format!("v {x} {y} 0\n")).collect();
    let face: String = (1..=corners).map(|i| format!(" {i}")).collect();
    let obj = format!("{rows}{}", format!("f{face}\n").repeat(200));
    for (name, text) in [("p.off", off), ("p.ply", ply), ("p.obj", obj)] {
        let Import { mesh, notes } = read(name, text.as_bytes()).unwrap();
        assert_eq!(mesh.triangles.len(), 200 * (corners - 2), "{name}");
        assert!(notes.iter().any(|note| note.contains("fans")), "{name}: {notes:?}");
    }
}

/// `pliant info` says how many triangles of a heap it has not compared.
#[test]
fn a_heap_of_triangles_is_described_with_what_was_not_counted() {
    let _turn = turn();
    let mut random = elements::math::random::signed(3);
    let points: Vec<[f64; 3]> = (0..3 * 9400).map(|_| std::array::from_fn(|_| random())).collect();
    let triangles: Vec<[u32; 3]> = (0..9400).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = pliant::mesh::Mesh { points, triangles, ..Default::default() };
    let info = pliant::mesh::info::describe(&mesh);
    assert!(info.uncompared_triangles > 1000 && info.self_intersections > Some(1000), "{info}");
    assert!(info.to_string().contains("triangles were not compared with all others"), "{info}");
}

#[test]
fn a_config_of_many_megabytes_is_refused() {
    let _turn = turn();
    let place = Place::new();
    let text = format!("[[body]]\npin = [ {} ]\n", "{ids=[1,2,3]},".repeat(1_700_000));
    assert!(text.len() > 23_000_000);
    let path = place.write("large.toml", &text);
    let (result, taken) = allocated(|| pliant::config::load(&path, &Default::default()));
    let message = result.unwrap_err().to_string();
    assert!(message.contains("large.toml") && message.contains("MB at most"), "{message}");
    assert!(taken < 100 << 20, "{taken} bytes were allocated");
}

/// Thousands of bodies and pins are refused before they are compared with each other, and of many faults some are shown.
#[test]
fn configs_of_many_tables_and_many_faults_end_soon() {
    let _turn = turn();
    for text in [
        "[[body]]\n".repeat(200_000),
        format!("[[body]]\n{}", "[[body.pin]]\n".repeat(140_000)),
        format!("[[body]]\npin = [{}]\n", "{},".repeat(600_000)),
    ] {
        let message = pliant::config::parse(&text).unwrap_err().to_string();
        assert!(message.contains("tables, and a config may have"), "{message}");
    }
    let text = "[[body]]\nname = \"\"\n".repeat(15_000);
    let (result, taken) = allocated(|| pliant::config::parse(&text));
    let message = result.unwrap_err().to_string();
    assert!(message.contains("more faults are not shown"), "{}", &message[..1000]);
    assert!(taken < 1 << 30, "{taken} bytes were allocated");
    for deep in [".a".repeat(500_000), "[".repeat(900_000), "{b=".repeat(400_000)] {
        assert!(pliant::config::parse(&format!("a = {deep}")).is_err());
        assert!(pliant::config::parse(&format!("a{deep} = 1")).is_err());
    }
}

#[test]
fn heads_of_point_caches_take_no_memory() {
    let _turn = turn();
    let dir = tempfile::tempdir().unwrap();
    let most = i32::MAX;
    let numbers = [1i32.to_le_bytes(), most.to_le_bytes(), [0; 4], 1f32.to_le_bytes(), most.to_le_bytes()];
    let pc2 = [b"POINTCACHE2\0", numbers.as_flattened(), &[0; 24]].concat();
    let mdd = [[most, most].map(i32::to_be_bytes).as_flattened(), &[0; 24]].concat();
    for (name, bytes) in [("a.pc2", pc2), ("a.mdd", mdd)] {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let (result, taken) = allocated(|| io::point_cache::read(&path));
        let message = result.unwrap_err().to_string();
        assert!(message.contains("2147483647 frames of 2147483647 vertices take"), "{message}");
        assert!(taken < 100_000, "{taken} bytes were allocated");
    }
}

#[test]
fn a_flag_allows_more() {
    let _turn = turn();
    let place = Place::new();
    let points = 4 * BLOCK / 24;
    let arrays: String = (0..3)
        .map(|i| {
            format!("<DataArray type=\"Float64\" Name=\"a{i}\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>")
        })
        .collect();
    let size = 24 * points;
    let data = packed(1, size, &zlib(size));
    std::fs::write(place.path("a.vtu"), vtu("compressor=\"vtkZLibDataCompressor\"", points, &arrays, &data))
        .unwrap();
    let message = place.fail(2, &["convert", "a.vtu", "b.ply"]);
    assert!(message.contains("--max-decoded"), "{message}");
    place.succeed(&["convert", "a.vtu", "b.ply", "--max-decoded", "2GB"]);
    assert!(place.fail(2, &["info", "a.vtu", "--max-decoded", "much"]).contains("wants a number of bytes"));
}
