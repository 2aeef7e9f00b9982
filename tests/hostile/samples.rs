//! Small sound files of every format, to be damaged.

use std::path::Path;

use pliant::io::grid::with_grid;
use pliant::io::vtu_write::{Compression, write_compressed};
use pliant::mesh::generate::generate;
use pliant::mesh::{DataArray, Mesh};
use pliant::scene::Shape;

const OFF: &str =
    "OFF\n5 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 0.5 0\n5 0 1 4 2 3 255 0 0\n3 0 1 3\n4 0 1 2 3\n";

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty double y\nproperty float z\n\
    property uchar red\nelement face 2\nproperty list uchar int vertex_indices\nproperty short part\n\
    element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty float w\nend_header\n\
    0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n2 2 0 5\n5 0 1 4 2 3 7\n3 0 1 2 8\n0 1 0.5\n";

const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n\
    endfacet\nendsolid a\nsolid b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\nendloop\n\
    endfacet\nendsolid b\n";

const OBJ: &str = "mtllib m\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 2 2 0\nvt 0 1\nvt 1 1\nvn 0 0 1\ng x\n\
    f 1/1/1 2/2/1 5/1/1 3/1/1\nusemtl b\nf -1 -2 \\\n -3\nl 1 2 3\n";

const MSH: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n10 0 0 0 1 1 1 1 8 0\n$EndEntities\n$Nodes\n\
    1 4 1 4\n3 10 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 10 4 1\n1 1 2 3 4\n\
    $EndElements\n$NodeData\n1\n\"a\"\n0\n3\n0\n1\n1\n2 0.5\n$EndNodeData\n$ElementData\n1\n\"b\"\n1\n0.5\n3\n0\n9\n1\n1 1 2 3 4 5 6 7 8 9\n$EndElementData\n";

const LEGACY: &str = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1 2 2 0\n\
    VERTICES 1 2\n1 0\nLINES 1 4\n3 0 1 2\nPOLYGONS 2 9\n4 0 1 4 2\n3 0 1 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\nCELL_DATA 5\n\
    SCALARS part int\nLOOKUP_TABLE default\n5 6 7 8 9\nPOINT_DATA 5\nFIELD f 1\na 2 5 float\n0 1 2 3 nan 5 6 7 8 9\n";

const INP: &str = "*Heading\n x\n*Node, nset=ALL\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 0., 1., 0.\n4, 0., 0., 1.\n5, 1., 1., 1.\n\
    *Element, type=C3D4, elset=E\n1, 1, 2, 3, 4\n2, 2, 3, 4,\n 5\n*Nset, nset=some, generate\n1, 5, 2\n*Elset, elset=one\nE\n";

/// Two triangles below a moved node, with weights and a buffer in the JSON.
const GLTF: &str = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"name":"a","translation":[1,2,3],"children":[1]},
    {"mesh":0,"scale":[2,2,-2],"rotation":[0,0,0.6,0.8]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0,"_W":1},"indices":2,"material":0},
    {"attributes":{"POSITION":0},"mode":5}]}],"materials":[{"name":"m"}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
    {"bufferView":0,"byteOffset":4,"componentType":5121,"normalized":true,"count":4,"type":"SCALAR"},
    {"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":48},
    {"buffer":0,"byteOffset":48,"byteLength":6}],"buffers":[{"byteLength":54,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAECAAED"}]}"#;

/// The same mesh as one binary file.
fn glb() -> Vec<u8> {
    let json = GLTF.split(",\"uri\"").next().unwrap().to_owned() + "}]}";
    let json = json.replace("\n    ", "").into_bytes();
    let points = [[0.0f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut buffer: Vec<u8> = points.into_iter().flatten().flat_map(f32::to_le_bytes).collect();
    buffer.extend([0, 1, 2, 0, 1, 3]);
    let mut out = b"glTF".to_vec();
    let whole = 28 + json.len() + buffer.len();
    out.extend([2, whole as u32, json.len() as u32].into_iter().flat_map(u32::to_le_bytes));
    out.extend(b"JSON");
    out.extend(json);
    out.extend((buffer.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(buffer);
    out
}

/// A mesh with an array at its points and one at its cells.
fn mesh(shape: &Shape) -> Mesh {
    let mut mesh = generate(shape);
    let array = |name: &str, components: usize, tuples: usize| {
        let values = (0..components * tuples).map(|i| (i as f64).sin()).collect();
        DataArray { name: name.into(), components, values }
    };
    let (points, cells) = (mesh.points.len(), mesh.cells());
    mesh.point_data.push(array("v", 3, points));
    mesh.cell_data.push(array("c", 1, cells));
    mesh
}

/// The name of a file and its content.
pub type File = (String, Vec<u8>);

/// Files of every format that can be read. Each file of a pair has the other one with it.
pub fn meshes() -> Vec<(File, Option<File>)> {
    let dir = tempfile::tempdir().unwrap();
    let shapes = [
        Shape::Sphere { radius: 1.0, cells: 1 },
        Shape::Cloth { size: [1.0, 2.0], cells: [2, 2] },
        Shape::Rope { length: 1.0, segments: 3 },
    ];
    let mut out = vec![];
    let content = |path: &Path| std::fs::read(path).unwrap();
    for (i, mesh) in shapes.iter().map(mesh).enumerate() {
        for ending in ["vtu", "vtk", "ply", "obj", "stl", "msh", "mesh", "node"] {
            let path = dir.path().join(format!("m{i}.{ending}"));
            if pliant::io::write(&mesh, &path).is_err() {
                continue;
            }
            let name = format!("m{i}.{ending}");
            let other = format!("m{i}.ele");
            if ending == "node" {
                let ele = content(&dir.path().join(&other));
                out.push(((other.clone(), ele.clone()), Some((name.clone(), content(&path)))));
                out.push(((name, content(&path)), Some((other, ele))));
            } else {
                out.push(((name, content(&path)), None));
            }
        }
        for (name, compression) in [("zlib", Compression::Zlib), ("lz4", Compression::Lz4)] {
            let mut bytes = vec![];
            with_grid(&mesh, |grid| write_compressed(grid, compression, &mut bytes)).unwrap();
            out.push(((format!("{name}{i}.vtu"), bytes), None));
        }
    }
    let texts = [
        ("t.off", OFF),
        ("t.ply", PLY),
        ("t.stl", STL),
        ("t.obj", OBJ),
        ("t.msh", MSH),
        ("t.vtk", LEGACY),
        ("t.inp", INP),
        ("t.gltf", GLTF),
    ];
    for (name, text) in texts {
        out.push(((name.into(), text.into()), None));
    }
    out.push((("t.glb".into(), glb()), None));
    out
}

/// The configs that come with the program.
pub fn configs() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut out: Vec<File> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    out.sort();
    out
}
