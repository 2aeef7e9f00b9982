//! Meshes of other projects, where `../shared/meshes` holds them: each loads with the counts of its
//! manifest, or is refused for a reason that a user can act on.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::meshes::shared;
use pliant::io;
use pliant::mesh::info::describe;
use pliant::mesh::prepare::prepare;

/// One line of the manifest, by column.
type Row = BTreeMap<String, String>;

/// All rows of the manifest.
fn manifest(dir: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(dir.join("MANIFEST.tsv")).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split('\t').collect();
    lines
        .map(|line| columns.iter().map(|c| c.to_string()).zip(line.split('\t').map(String::from)).collect())
        .collect()
}

/// The rows of meshes.
fn readable_rows(dir: &Path) -> Vec<Row> {
    let folders = ["tet/", "papers/", "formats/", "surface/", "dirty/"];
    let mut rows = manifest(dir);
    rows.retain(|row| folders.iter().any(|f| row["path"].starts_with(f)));
    assert!(rows.len() > 150, "{} rows", rows.len());
    rows
}

fn number(row: &Row, column: &str) -> usize {
    row[column].parse().unwrap_or(0)
}

/// The manifest does not tell lines from cells that cannot be used; this file has 15 of them and nothing else.
fn is_lines(row: &Row) -> bool {
    row["path"].ends_with("vtkdata_hello.vtk")
}

/// The tets that the cells of a file are cut into, by the manifest's counts of cells.
fn cut(row: &Row) -> usize {
    let cells =
        row["remarks"].split("cells=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let tets = |cell: &str| {
        let (kind, count) = cell.split_once(':')?;
        let each = match kind {
            "hexahedron" | "12" => 6,
            "wedge" | "13" => 3,
            "pyramid" | "14" => 2,
            _ => 0,
        };
        Some(each * count.parse::<usize>().ok()?)
    };
    cells.split(',').filter_map(tets).sum()
}

/// What the reason must contain where a file is to be refused.
fn expected_refusal(row: &Row) -> Option<&'static str> {
    let path = row["path"].as_str();
    if path.contains("rectilinear") {
        Some("RECTILINEAR_GRID")
    } else if path.ends_with("assimp_number_formats.obj") {
        Some("'3.1+e2' where a coordinate")
    } else if path.ends_with("assimp_malformed.obj") {
        Some("uses vertex")
    } else if row["kind"].starts_with("points ") {
        Some("no tetrahedra and no triangles")
    } else if is_lines(row) || cut(row) > 0 || path.ends_with("asc.v40.msh") {
        None
    } else if row["kind"].starts_with("mesh ") || row["kind"].starts_with("empty ") {
        Some("no tetrahedra and no triangles")
    } else {
        None
    }
}

#[test]
fn every_file_loads_with_its_counts_or_is_refused() {
    let Some(dir) = shared() else { return };
    let (mut loaded, mut refused, mut wrong) = (0, 0, vec![]);
    for row in readable_rows(&dir) {
        let path = dir.join(&row["path"]);
        match (io::read(&path), expected_refusal(&row)) {
            (Err(error), Some(reason)) => {
                if !error.to_string().contains(reason) {
                    wrong.push(format!("{error}: not '{reason}'"));
                }
                refused += 1;
            }
            (Ok(mesh), None) => {
                let name = &row["path"];
                // The manifest leaves a quadratic tet beside linear ones out.
                let extra = usize::from(name.ends_with("unstructured_grid_complex.vtk"));
                let tets = if name.ends_with(".node") {
                    mesh.tets.len()
                } else {
                    number(&row, "tets") + extra + cut(&row)
                };
                let triangles =
                    if mesh.tets.is_empty() { number(&row, "faces") } else { mesh.triangles.len() };
                let mut wanted =
                    [number(&row, "vertices"), tets, triangles, if is_lines(&row) { 15 } else { 0 }];
                if name.ends_with("asc.v40.msh") {
                    // The manifest does not know version 4.0: these are the sums of the file's own blocks.
                    wanted = [77, 0, 124, 0];
                }
                let found = [mesh.points.len(), mesh.tets.len(), mesh.triangles.len(), mesh.edges.len()];
                if found != wanted {
                    wrong.push(format!("{name}: {found:?} instead of {wanted:?}"));
                }
                loaded += 1;
            }
            (Ok(_), Some(reason)) => wrong.push(format!("{} should be refused: {reason}", row["path"])),
            (Err(error), None) => wrong.push(error.to_string()),
        }
    }
    println!("{loaded} files loaded, {refused} refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn descriptions_agree_with_the_manifest() {
    let Some(dir) = shared() else { return };
    for row in readable_rows(&dir) {
        let name = row["path"].as_str();
        if !row["kind"].starts_with("tet ")
            || expected_refusal(&row).is_some()
            || name.contains("grid_complex")
            // What other cells are cut into is in no count.
            || cut(&row) > 0
            // Some rows have counts only.
            || row["watertight"].is_empty()
        {
            continue;
        }
        let info = describe(&io::read(&dir.join(name)).unwrap());
        let boundary = row["remarks"].split("boundary ").nth(1).and_then(|r| r.split(' ').next());
        assert_eq!(boundary.and_then(|b| b.parse().ok()), Some(info.triangles), "{name}");
        let answer = |yes: Option<bool>| if yes == Some(true) { "yes" } else { "no" };
        assert_eq!(
            (answer(info.closed), answer(info.manifold)),
            (&*row["watertight"], &*row["manifold"]),
            "{name}"
        );
        let angle: f64 = row["min_dihedral_deg"].parse().unwrap();
        let ours = info.min_dihedral_deg.unwrap();
        assert!((ours - angle).abs() <= 1e-3 * angle, "{name}: {ours} against {angle}");
        let negative =
            row["remarks"].split("; ").find_map(|r| r.strip_suffix(" tets of negative volume (file order)"));
        assert_eq!(negative.map_or(0, |n| n.parse().unwrap()), info.inverted, "{name}");
    }
}

#[test]
fn the_papers_meshes_can_be_simulated_as_they_are() {
    let Some(dir) = shared() else { return };
    for row in readable_rows(&dir).iter().filter(|row| row["path"].starts_with("papers/")) {
        let mesh = io::read(&dir.join(&row["path"])).unwrap();
        let tets = mesh.tets.len();
        let prepared = prepare(mesh, &row["path"], false).unwrap();
        assert_eq!(prepared.mesh.tets.len(), tets);
        let orphans = row["remarks"].split("; ").find_map(|r| r.strip_suffix(" vertices used by no tet"));
        if !row["path"].ends_with(".node") {
            let listed = prepared.orphans.iter().filter(|&&o| o).count();
            assert_eq!(orphans.map_or(0, |n| n.parse().unwrap()), listed, "{}", row["path"]);
        }
    }
}

#[test]
fn converted_files_say_the_same() {
    let Some(dir) = shared() else { return };
    let out = tempfile::tempdir().unwrap();
    for name in [
        "tet/mmg_cube.vtk",
        "tet/mmg_cube.mesh",
        "tet/softy_box_twisted.vtk",
        "formats/vtk/vtkio_pygmsh_binary.vtk",
    ] {
        let mesh = io::read(&dir.join(name)).unwrap();
        let path = out.path().join("x.vtu");
        io::write(&mesh, &path).unwrap();
        let again = io::read(&path).unwrap();
        assert_eq!((&again.points, &again.tets), (&mesh.points, &mesh.tets), "{name}");
        assert_eq!((&again.point_data, &again.cell_data), (&mesh.point_data, &mesh.cell_data), "{name}");
    }
}
