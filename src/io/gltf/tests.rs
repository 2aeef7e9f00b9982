use std::f64::consts::FRAC_1_SQRT_2;

use super::*;
use crate::io::Format;
use crate::io::tests::damaged::check_reader;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Bytes of a buffer: four points, four weights, and six indices.
fn buffer() -> Vec<u8> {
    let points = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let weights = [0.0f32, 0.25, 0.5, 1.0];
    let indices = [0u16, 1, 2, 0, 1, 3];
    let numbers = points.into_iter().flatten().chain(weights).flat_map(f32::to_le_bytes);
    numbers.chain(indices.into_iter().flat_map(u16::to_le_bytes)).collect()
}

/// A scene of a node below a moved one, and the same mesh mirrored.
fn scene() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "above", "translation": [10, 0, 0], "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2], "children": [1] },
            { "name": "leaf", "mesh": 0, "scale": [2, 2, 2] },
            { "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1] }
        ],
        "meshes": [{ "name": "two", "primitives": [
            { "attributes": { "POSITION": 0, "_GOAL": 1 }, "indices": 2, "material": 0 },
            { "attributes": { "POSITION": 0 }, "mode": 5, "material": 1 }
        ] }],
        "materials": [{ "name": "red" }, {}],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5126, "count": 4, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 16 },
            { "buffer": 0, "byteOffset": 64, "byteLength": 12 }
        ],
        "buffers": [{ "byteLength": 76 }]
    })
}

/// The scene with its buffer in the JSON.
fn text(mut scene: Value) -> Vec<u8> {
    scene["buffers"][0]["uri"] =
        json!(format!("data:application/octet-stream;base64,{}", STANDARD.encode(buffer())));
    scene.to_string().into_bytes()
}

/// The scene as one binary file.
fn binary(scene: &Value) -> Vec<u8> {
    let mut json = scene.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let buffer = buffer();
    let mut out = MAGIC.to_vec();
    let words = [2, (28 + json.len() + buffer.len()) as u32, json.len() as u32, JSON];
    out.extend(words.into_iter().flat_map(u32::to_le_bytes));
    out.extend(json);
    out.extend([buffer.len() as u32, BINARY].into_iter().flat_map(u32::to_le_bytes));
    out.extend(buffer);
    out
}

#[test]
fn nodes_are_placed_and_names_become_groups() {
    let mesh = parse(&binary(&scene()), None).unwrap().mesh;
    assert_eq!(mesh.points.len(), 16);
    // Twice as large, a quarter turn about z, and moved.
    let near = |p: [f64; 3], q: [f64; 3]| p.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near(mesh.points[1], [10.0, 2.0, 0.0]) && near(mesh.points[2], [6.0, 0.0, 0.0]));
    assert!(near(mesh.points[3], [10.0, 0.0, 6.0]) && near(mesh.points[9], [-1.0, 0.0, 5.0]));
    assert_eq!(mesh.triangles[..2], [[0, 1, 2], [0, 1, 3]]);
    assert_eq!(mesh.triangles[2..4], [[4, 5, 6], [5, 7, 6]], "a strip");
    assert_eq!(mesh.triangles[4..6], [[8, 10, 9], [8, 11, 9]], "a mirrored node is turned round");
    assert_eq!(mesh.point_data[0].name, "GOAL");
    assert_eq!(mesh.point_data[0].values[..8], [0.0, 0.25, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(mesh.cell_data[0].values, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    let group = |name: &str| {
        let found = mesh.groups.iter().find(|group| group.names == [name]);
        found.map(|group| group.points.clone()).unwrap_or_default()
    };
    assert_eq!(group("leaf"), (0..8).collect::<Vec<_>>());
    assert_eq!(group("red"), [0, 1, 2, 3, 8, 9, 10, 11]);
    assert_eq!((group("two").len(), group("above").len(), mesh.groups.len()), (16, 8, 4));
    assert_eq!(parse(&text(scene()), None).unwrap().mesh, mesh);
}

#[test]
fn damaged_files_are_refused() {
    check_reader(Format::Gltf, &binary(&scene()), |bytes| parse(bytes, None).map(|import| import.mesh));
    check_reader(Format::Gltf, &text(scene()), |bytes| parse(bytes, None).map(|import| import.mesh));
}

#[test]
fn faults_name_the_place_and_the_way_out() {
    let with = |pointer: &str, value: Value| {
        let mut scene = scene();
        *scene.pointer_mut(pointer).unwrap() = value;
        let fault = parse(&text(scene), None).unwrap_err();
        format!("{}: {} ({})", fault.place, fault.reason, fault.hint)
    };
    for (pointer, value, expected) in [
        (
            "/asset/version",
            json!("1.0"),
            "asset.version: version '1.0' of glTF cannot be read (save it as glTF 2.0)",
        ),
        ("/nodes/1/children", json!([0]), "nodes[0]: the node is below two others"),
        ("/nodes/1/mesh", json!(3), "nodes[1]: there is no mesh 3"),
        (
            "/accessors/2/count",
            json!(7),
            "meshes[0].primitives[0].indices: accessor 2: its 7 entries reach beyond",
        ),
        ("/accessors/0/count", json!(3), "indices: index 3, but there are only 3 vertices"),
        ("/accessors/1/count", json!(3), "_GOAL: 3 values for 4 vertices"),
        ("/accessors/0/type", json!("VEC2"), "POSITION: accessor 0: the type is 'VEC2', not VEC3"),
        ("/accessors/2/componentType", json!(5122), "indices of componentType 5122"),
        ("/accessors/1/bufferView", json!(9), "there is no bufferView 9"),
        ("/bufferViews/0/byteLength", json!(1e18), "it is no glTF"),
        ("/bufferViews/0/byteLength", json!(1_000_000), "reach beyond the buffer"),
        ("/buffers/0/byteLength", json!(77), "buffers[0]: 76 bytes of 77 (the file is truncated)"),
        ("/meshes/0/primitives/0/mode", json!(9), "there is no mode 9"),
    ] {
        // What was not there is added by its parent.
        if scene().pointer(pointer).is_none() {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let mut scene = scene();
            scene.pointer_mut(parent).unwrap()[key] = value;
            let fault = parse(&text(scene), None).unwrap_err();
            let told = format!("{}: {} ({})", fault.place, fault.reason, fault.hint);
            assert!(told.contains(expected), "{pointer}: {told}");
        } else {
            let told = with(pointer, value);
            assert!(told.contains(expected), "{pointer}: {told}");
        }
    }
    let mut compressed = scene();
    compressed["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    let fault = parse(&text(compressed), None).unwrap_err();
    assert!(fault.reason.contains("KHR_draco") && fault.hint.contains("without compression"), "{fault:?}");
    let mut elsewhere = scene();
    elsewhere["buffers"][0]["uri"] = json!("http://example.org/a.bin");
    let fault = parse(elsewhere.to_string().as_bytes(), Some(Path::new("."))).unwrap_err();
    assert!(fault.reason.contains("does not stand beside") && fault.hint.contains(".glb"), "{fault:?}");
}
