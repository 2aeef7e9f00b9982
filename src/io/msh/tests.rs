use super::*;

/// A tet and a triangle of four nodes with odd numbers.
const V2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n7 0 0 0\n3 1 0 0\n5 0 1 0\n9 0 0 1\n$EndNodes\n\
    $Elements\n2\n1 2 2 4 6 7 3 5\n2 4 2 8 10 7 3 5 9\n$EndElements\n$ElementData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n1\n\
    2 2.5\n$EndElementData\n$NodeData\n1\nmany words\n0\n3\n0\n2\n1\n5 1 2\n$EndNodeData\n";

const V1: &str = "$NOD\n4\n7 0 0 0\n3 1 0 0\n5 0 1 0\n9 0 0 1\n$ENDNOD\n$ELM\n2\n1 2 4 6 3 7 3 5\n2 4 8 10 4 7 3 5 9\n$ENDELM\n";

const V41: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 1 1\n1 0 0 0 0\n6 0 0 0 1 1 1 1 4 0\n\
    10 0 0 0 1 1 1 1 8 1 -6\n$EndEntities\n$Nodes\n2 4 3 9\n2 6 1 2\n7\n3\n0 0 0 0.5 0.5\n1 0 0 0.5 0.5\n3 10 0 2\n5\n9\n\
    0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 6 2 1\n1 7 3 5\n3 10 4 1\n2 7 3 5 9\n$EndElements\n";

const V40: &str = "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n0 0 1 1\n6 0 0 0 1 1 1 1 4 0\n\
    10 0 0 0 1 1 1 1 8 1 -6\n$EndEntities\n$Nodes\n1 4\n10 3 0 4\n7 0 0 0\n3 1 0 0\n5 0 1 0\n9 0 0 1\n$EndNodes\n\
    $Elements\n2 2\n6 2 2 1\n1 7 3 5\n10 3 4 1\n2 7 3 5 9\n$EndElements\n";

#[test]
fn all_versions_give_the_same_mesh() {
    for text in [V1, V2, V41, V40] {
        let mesh = parse(text.as_bytes()).unwrap().mesh;
        assert_eq!(mesh.points, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!((&mesh.tets[..], &mesh.triangles[..]), (&[[0, 1, 2, 3]][..], &[[0, 1, 2]][..]));
        let array = |name: &str| mesh.cell_data.iter().find(|a| a.name == name).unwrap().values.clone();
        assert_eq!((array("gmsh:physical"), array("gmsh:geometrical")), (vec![8.0], vec![10.0]));
    }
    let mesh = parse(V2.as_bytes()).unwrap().mesh;
    assert_eq!((mesh.cell_data[0].name.as_str(), mesh.cell_data[0].values[0]), ("heat", 2.5));
    let many = &mesh.point_data[0];
    assert_eq!(
        (many.name.as_str(), many.components, many.values[4], many.values[5]),
        ("many words", 2, 1.0, 2.0)
    );
    assert!(many.values[0].is_nan());
}

/// `V2` in binary, without its data.
fn binary_v2(big: bool) -> Vec<u8> {
    let int = |v: i32| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let double = |v: f64| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let mut out = b"$MeshFormat\n2.2 1 8\n".to_vec();
    out.extend(int(1));
    out.extend(b"\n$EndMeshFormat\n$Nodes\n4\n");
    for (tag, point) in [(7, [0.0; 3]), (3, [1.0, 0.0, 0.0]), (5, [0.0, 1.0, 0.0]), (9, [0.0, 0.0, 1.0])] {
        out.extend(int(tag));
        out.extend(point.map(double).as_flattened());
    }
    out.extend(b"\n$EndNodes\n$Elements\n2\n");
    for number in [2, 1, 2, 1, 4, 6, 7, 3, 5, 4, 1, 2, 2, 8, 10, 7, 3, 5, 9] {
        out.extend(int(number));
    }
    out.extend(b"\n$EndElements\n");
    out
}

#[test]
fn binary_in_both_orders() {
    let text = parse(V1.as_bytes()).unwrap().mesh;
    for big in [false, true] {
        assert_eq!(parse(&binary_v2(big)).unwrap().mesh, text);
    }
}

#[test]
fn faults_have_a_place_and_a_reason() {
    for (text, reason) in [
        (V2.replace("7 3 5 9", "7 3 5 4"), "uses node 4"),
        (V2.replace("$Nodes\n4", "$Nodes\n400000000"), "do not fit"),
        (V2.replace("1 2 2 4", "1 77 2 4"), "type 77"),
        (V2.replace("2.2 0 8", "9 0 8"), "version 9"),
        (V2.replace("$Nodes\n4", "$Nodes\n3"), "$EndNodes"),
        (V2.replace("7 0 0 0", "7 0 zero 0"), "'zero' where a coordinate"),
        (V41.replace("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", ""), "before $MeshFormat"),
    ] {
        let fault = parse(text.as_bytes()).unwrap_err();
        assert!(fault.reason.contains(reason) && !fault.place.is_empty(), "{fault:?}");
    }
}
