//! One hash of everything that a run simulates: the canonical config plus the bytes of every file that it names.
//!
//! The hash is taken of the config as a whole, not of fields picked by hand, so that no key can be forgotten.
//! Settings that do not change the bytes of a frame are left out: the number of frames, the run directory,
//! comparisons, and the paths of files (their content counts instead). The resulting meshes are hashed too, as a
//! generator may change with the program.

use std::path::Path;

use crate::config::{Loaded, raw};
use crate::error::{Action, Error, Result};
use crate::scene::{Motion, Scene};
use crate::simulate::Simulation;

/// The hash of a loaded config and the simulation that was made of it.
pub fn of(loaded: &Loaded, simulation: &Simulation) -> Result<[u8; 32]> {
    let mut config = loaded.raw.clone();
    config.time.frames = None;
    config.output.dir = None;
    config.comparison.clear();
    for body in &mut config.body {
        let meshes = body.mesh.iter_mut();
        let surfaces = body.surface.iter_mut().flat_map(raw::Paths::as_mut_slice);
        let deformed = body.deform.as_mut_slice().iter_mut().filter_map(|deform| deform.file.as_mut());
        for path in meshes.chain(surfaces).chain(deformed) {
            *path = content(Path::new(path.as_str()))?;
        }
    }
    hash_sequences(&mut config, &loaded.scene)?;
    for obstacle in &mut config.obstacle {
        if let Some(raw::ObstacleShape::Mesh(path)) = &mut obstacle.shape {
            *path = content(Path::new(path.as_str()))?;
        }
    }
    let mut hasher = blake3::Hasher::new();
    // The raw types are strings, numbers, arrays and structs, all of which TOML can hold.
    hasher.update(toml::to_string(&config).expect("raw configs are TOML").as_bytes());
    let model = &simulation.model;
    hasher.update(bytemuck::cast_slice(model.rest.as_flattened()));
    hasher.update(bytemuck::cast_slice(model.tets.as_flattened()));
    model.bodies.iter().for_each(|body| {
        hasher.update(bytemuck::cast_slice(body.middles.as_flattened()));
    });
    hasher.update(bytemuck::cast_slice(model.triangles.as_flattened()));
    hasher.update(bytemuck::cast_slice(model.edges.as_flattened()));
    for obstacle in &model.obstacles {
        hasher.update(bytemuck::cast_slice(obstacle.triangles.as_flattened()));
    }
    hasher.update(bytemuck::cast_slice(&simulation.objective.mass));
    for point in model.initial.x.iter().chain(&model.initial.v) {
        hasher.update(bytemuck::cast_slice(&point.0));
    }
    Ok(*hasher.finalize().as_bytes())
}

/// Replaces the names of sequences by what all of their files hold.
fn hash_sequences(config: &mut raw::Config, scene: &Scene) -> Result<()> {
    let all = |motion: &Option<Motion>| -> Result<Option<String>> {
        let Some(sequence) = motion.as_ref().and_then(Motion::sequence) else { return Ok(None) };
        let hashes: Result<Vec<String>> = sequence.files.iter().map(|path| content(path)).collect();
        Ok(Some(hashes?.join(" ")))
    };
    for (body, placed) in config.body.iter_mut().zip(&scene.bodies) {
        for (pin, placed) in body.pin.iter_mut().zip(&placed.pins) {
            if let (Some(motion), Some(hashes)) = (&mut pin.motion, all(&placed.motion)?) {
                motion.file = Some(hashes);
            }
        }
    }
    for (obstacle, placed) in config.obstacle.iter_mut().zip(&scene.obstacles) {
        if let (Some(sequence), Some(hashes)) = (&mut obstacle.sequence, all(&placed.motion)?) {
            sequence.files = hashes;
        }
    }
    Ok(())
}

/// The hash of a file's bytes, as text.
fn content(path: &Path) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    std::fs::File::open(path)
        .and_then(|file| hasher.update_reader(file).map(|_| ()))
        .map_err(|error| Error::io(Action::Read, path, error))?;
    Ok(hasher.finalize().to_hex().to_string())
}
