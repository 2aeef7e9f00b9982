//! Meshes that several tests have in common: surfaces of generated solids, and files of other projects.
//!
//! Those files are used where the folder `../shared/meshes` holds them.

use std::path::{Path, PathBuf};

use pliant::mesh::generate::generate;
use pliant::mesh::{Mesh, surface};
use pliant::scene::Shape;

/// The boundary of a generated solid.
pub fn boundary(shape: &Shape) -> Mesh {
    let solid = generate(shape);
    let map = surface::extract(&solid.tets);
    let points = map.vertices.iter().map(|&v| solid.points[v as usize]).collect();
    Mesh { points, triangles: map.triangles, ..Mesh::default() }
}

/// The folder of files of other projects, or `None` with a line that says why the test is skipped.
pub fn shared() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/meshes");
    existing(dir.join("MANIFEST.tsv")).map(|_| dir)
}

/// The folder of the papers' meshes, likewise.
pub fn papers() -> Option<PathBuf> {
    existing(shared()?.join("papers"))
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

/// The files of one of its folders in the order of their names; none where the folder is not there.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let Some(dir) = shared().and_then(|shared| existing(shared.join(folder))) else { return vec![] };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
