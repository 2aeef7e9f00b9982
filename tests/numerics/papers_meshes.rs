//! The meshes of the papers, of all qualities, with every material: they load, hang by a few vertices, jiggle and
//! stay finite.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::common::meshes::papers;
use crate::common::scenes::materials;
use pliant::cache::Cache;
use pliant::scene::{MeshSource, Scene, Selection};
use pliant::simulate::Simulation;

/// All meshes of the folder, a `.node` standing for its pair.
fn meshes(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "mesh" || e == "node"))
        .collect();
    paths.sort();
    paths
}

/// The mesh, a metre across, hung by the eight vertices nearest to the middle of its top, under gravity.
fn scene(mesh: &Path, material: &str) -> Scene {
    let read = pliant::io::read(mesh).unwrap();
    let [low, high] = read.bounds().unwrap();
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let top = [(low[0] + high[0]) / 2.0 / size, high[1] / size, (low[2] + high[2]) / 2.0 / size];
    let text = format!(
        r#"
        [time]
        step = "1/30"
        frames = 1
        [solver]
        kind = "quasi-newton"
        iterations = 10
        [[body]]
        element = "linear"
        generate = {{ shape = "box", size = [1, 1, 1], cells = [1, 1, 1] }}
        material = {material}
        transform = {{ scale = {} }}
        [[body.pin]]
        select = {{ nearest = {{ point = {top:?}, count = 8 }} }}
        "#,
        1.0 / size
    );
    let mut config = pliant::config::parse(&text).unwrap_or_else(|e| panic!("{e}")).scene;
    // A path with any character in it goes around TOML.
    config.bodies[0].mesh = MeshSource::File(mesh.to_owned());
    assert!(matches!(config.bodies[0].pins[0].select, Selection::Nearest { .. }));
    config
}

/// One line of the table, or why it failed.
fn jiggle(mesh: &Path, name: &str, material: &str, frames: usize) -> Result<String, String> {
    let started = Instant::now();
    let config = scene(mesh, material);
    let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).map_err(|e| e.to_string())?;
    let (mut tries, mut iterations, mut lowest, mut worst) = (0, 0, f64::INFINITY, 0.0f64);
    for frame in 0..frames {
        let metrics = simulation.advance().map_err(|e| format!("frame {frame}: {e}"))?;
        tries += metrics.cost.tries;
        iterations += metrics.iterations;
        lowest = lowest.min(metrics.volumes.0);
        worst = worst.max(metrics.relative_gradient);
        if let Some(x) = simulation.state.x.iter().find(|x| !x.xyz().iter().all(|c| c.abs() < 100.0)) {
            return Err(format!("frame {frame}: a vertex is at {:?}", x.xyz()));
        }
    }
    Ok(format!(
        "{:<26} {name:<20} {:>7} tets, min det F {lowest:>9.2e}, {:>5} inverted at the end, {:.2} tries/it, \
         worst relative gradient {worst:.1e}, {:.1} s",
        mesh.file_stem().unwrap().to_string_lossy(),
        simulation.model.tets.len(),
        simulation.objective.volumes(&simulation.state.x).1,
        tries as f64 / iterations as f64,
        started.elapsed().as_secs_f64()
    ))
}

fn run(wanted: impl Fn(&str) -> bool, frames: usize) {
    let Some(folder) = papers() else { return };
    let meshes: Vec<PathBuf> =
        meshes(&folder).into_iter().filter(|m| wanted(&m.file_stem().unwrap().to_string_lossy())).collect();
    assert!(meshes.len() >= 3, "too few meshes in {}", folder.display());
    let mut failures = vec![];
    for mesh in &meshes {
        for (name, material) in materials(3e5) {
            match jiggle(mesh, name, &material, frames) {
                Ok(line) => println!("{line}"),
                Err(reason) => {
                    println!("{} {name} FAILED: {reason}", mesh.display());
                    failures.push(format!("{} {name}: {reason}", mesh.display()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn three_meshes_hang_and_stay_finite_with_every_material() {
    run(|name| ["admm_horse759", "gpd_cube86", "gpd_cyl248"].contains(&name), 30);
}

#[test]
#[ignore = "minutes: 15 meshes, 8 materials, 300 frames"]
fn all_meshes_hang_and_stay_finite_with_every_material() {
    run(|_| true, 300);
}
