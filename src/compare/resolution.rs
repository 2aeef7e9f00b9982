//! The same scene on finer and finer meshes, and the error of the first by Richardson's rule.
//!
//! ```text
//! x_k ≈ x + C (1/2)^(p k),      x_k − x ≈ (x_k − x_{k+1}) 2^p / (2^p − 1),      2^p = |x_0 − x_1| / |x_1 − x_2|
//! ```
//!
//! k counts how often all edges of all bodies are cut in half, and differences are taken at the vertices that all meshes have,
//! those of the first. With two resolutions p is what theory says of bodies that bend: 2, and 3 for quadratic tets.

use std::time::Instant;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::mesh::refine::{children, refine};
use crate::mesh::{DataArray, Kind, Mesh};
use crate::model::body;
use crate::scene::{Body, Element, MeshSource, PinKind, Scene, Selection};
use crate::simulate::Simulation;
use elements::math::vec3::{norm, sub};

/// An order below this says that differences do not shrink as they would on the way to a limit.
const LEAST_ORDER: f64 = 0.5;

/// The scene on one resolution.
#[derive(Clone, Debug)]
pub struct Level {
    /// The number of vertices of all bodies.
    pub vertices: usize,
    /// The number of their cells.
    pub cells: usize,
    /// How long the steps took, in s.
    pub seconds: f64,
    /// Where the vertices of the first mesh are at the end of each frame, in m.
    pub frames: Vec<Vec<[f64; 3]>>,
}

/// How far a resolution is from the limit of ever finer ones, by estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Off {
    /// The root mean square over the vertices of the first mesh, in m.
    pub mean: f64,
    /// The largest, in m.
    pub most: f64,
}

/// The scene on all resolutions.
#[derive(Clone, Debug)]
pub struct Resolutions {
    /// Coarse to fine.
    pub levels: Vec<Level>,
    /// The vertices of the first mesh at rest, in m.
    pub rest: Vec<[f64; 3]>,
    /// How far the vertices of the finest mesh have moved from where they started at the end, root mean square in m.
    pub motion: f64,
    /// The order p, and whether it was measured.
    pub order: (f64, bool),
}

/// The scene with meshes in memory, and what it takes to refine it.
struct Ladder {
    scene: Scene,
    meshes: Vec<Mesh>,
    /// For every body, how many vertices its first mesh has.
    first: Vec<usize>,
}

/// Selections of vertices by number or array become numbers, so that new vertices between selected ones can join them, and the
/// stiffnesses of painted pins an array of the mesh, since surfaces are left out.
fn by_number(body: &mut Body, mesh: &mut Mesh, cache: &Cache) -> Result<()> {
    let data = body::load(body, cache)?;
    let count = mesh.points.len();
    let numbers =
        |found: &[u32]| Selection::Ids(found.iter().copied().filter(|v| (*v as usize) < count).collect());
    let is_listed = |select: &Selection| {
        matches!(select, Selection::Ids(_) | Selection::Group(_) | Selection::Array { .. })
    };
    for (number, (pin, found)) in body.pins.iter_mut().zip(&data.pins).enumerate() {
        let painted = found.stiffness.as_ref().filter(|_| matches!(pin.kind, PinKind::Painted { .. }));
        if let Some(stiffness) = painted {
            let mut values = vec![0.0; count];
            for (v, k) in found.vertices.iter().zip(stiffness).filter(|(v, _)| (**v as usize) < count) {
                values[*v as usize] = *k;
            }
            let name = format!("stiffness of pin {number}");
            pin.kind = PinKind::Painted { array: name.clone(), scale: 1.0 };
            mesh.point_data.push(DataArray { name, components: 1, values });
        }
        if painted.is_some() || is_listed(&pin.select) {
            pin.select = numbers(&found.vertices);
        }
    }
    for (load, found) in body.loads.iter_mut().zip(&data.loads).filter(|(load, _)| is_listed(&load.select)) {
        load.select = numbers(found);
    }
    Ok(())
}

impl Ladder {
    fn new(scene: &Scene, cache: &Cache) -> Result<Ladder> {
        let mut scene = scene.clone();
        let mut meshes = vec![];
        for body in &mut scene.bodies {
            let mut mesh = body::mesh(body, cache)?;
            by_number(body, &mut mesh, cache)?;
            if mesh.kind() == Some(Kind::Solid) {
                let given = if mesh.middles.is_empty() { Element::Linear } else { Element::Quadratic };
                body.element = Some(body.element.unwrap_or(given));
            }
            body.surfaces.clear();
            body.mesh = mesh.clone().into();
            meshes.push(mesh);
        }
        let first = meshes.iter().map(|mesh| mesh.points.len()).collect();
        Ok(Ladder { scene, meshes, first })
    }

    /// Cuts all edges of all meshes in half.
    fn refine(&mut self) {
        for (body, mesh) in self.scene.bodies.iter_mut().zip(&mut self.meshes) {
            let (given, many) = (mesh.points.len(), mesh.kind().map_or(1, children) as u32);
            let refined = refine(mesh);
            let join = |select: &mut Selection| {
                if let Selection::Ids(ids) = select {
                    ids.sort_unstable();
                    let is_in = |v: &u32| ids.binary_search(v).is_ok();
                    let new = (given as u32..).zip(&refined.ends).filter(|(_, ends)| ends.iter().all(is_in));
                    let new: Vec<u32> = new.map(|(v, _)| v).collect();
                    ids.extend(new);
                }
            };
            body.pins.iter_mut().for_each(|pin| join(&mut pin.select));
            body.loads.iter_mut().for_each(|load| join(&mut load.select));
            for part in &mut body.materials {
                if let Selection::Ids(cells) = &mut part.select {
                    *cells = cells.iter().flat_map(|cell| many * cell..many * (cell + 1)).collect();
                }
            }
            *mesh = refined.mesh;
            body.mesh = MeshSource::from(mesh.clone());
        }
    }

    fn run(&self, cache: &Cache, progress: &mut dyn FnMut(u64)) -> Result<Level> {
        let (mut simulation, _) = Simulation::new(&self.scene, cache)?;
        let started = Instant::now();
        let mut frames = vec![];
        for frame in 1..=self.scene.time.frames {
            for _ in 0..self.scene.time.substeps {
                simulation.advance()?;
            }
            let x = simulation.model.to_input(&simulation.state.x);
            frames.push(self.common(&simulation, &x));
            progress(frame);
        }
        Ok(Level {
            vertices: simulation.model.body_vertices(),
            cells: self.meshes.iter().map(Mesh::cells).sum(),
            seconds: started.elapsed().as_secs_f64(),
            frames,
        })
    }

    /// The values of the vertices of the first meshes.
    fn common(&self, simulation: &Simulation, values: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let own = simulation.model.bodies.iter().zip(&self.first);
        own.flat_map(|(body, first)| values[body.vertices.start..][..*first].iter().copied()).collect()
    }
}

/// Simulates a scene on its own meshes and on `levels` − 1 finer ones. `progress` hears of each resolution and frame.
pub fn converge(
    scene: &Scene,
    levels: usize,
    cache: &Cache,
    progress: &mut dyn FnMut(usize, u64),
) -> Result<Resolutions> {
    let mut ladder = Ladder::new(scene, cache)?;
    let (start, _) = Simulation::new(&ladder.scene, cache)?;
    let rest = ladder.common(&start, &start.model.rest);
    let begin = ladder.common(&start, &start.model.to_input(&start.state.x));
    drop(start);
    let mut found = vec![];
    for level in 0..levels {
        if level > 0 {
            ladder.refine();
        }
        found.push(ladder.run(cache, &mut |frame| progress(level, frame))?);
    }
    let is_quadratic = |body: &Body| body.element == Some(Element::Quadratic);
    let expected = if ladder.scene.bodies.iter().all(is_quadratic) { 3.0 } else { 2.0 };
    let last = |level: &Level| level.frames.last().cloned().unwrap_or_else(|| begin.clone());
    let ends: Vec<Vec<[f64; 3]>> = found.iter().map(last).collect();
    let motion = off(&begin, &ends[levels - 1]).mean;
    let apart: Vec<f64> = ends.windows(2).map(|pair| off(&pair[0], &pair[1]).mean).collect();
    let order = match &apart[..] {
        [.., coarse, fine] if *fine > 0.0 => ((coarse / fine).log2(), true),
        _ => (expected, false),
    };
    if order.0 < LEAST_ORDER {
        return Err(Error::Mesh {
            subject: scene.name.clone(),
            reason: format!(
                "the resolutions do not come nearer to each other: they differ by {apart:?} m at the end, root mean square"
            ),
            hint: "look at an earlier time with --frames: contact, buckling and long motions are never the same twice".into(),
        });
    }
    Ok(Resolutions { levels: found, rest, motion, order })
}

/// The distances of two sets of places.
fn off(a: &[[f64; 3]], b: &[[f64; 3]]) -> Off {
    let distances = || a.iter().zip(b).map(|(a, b)| norm(sub(*a, *b)));
    let mean = (distances().map(|d| d * d).sum::<f64>() / a.len().max(1) as f64).sqrt();
    Off { mean, most: distances().fold(0.0, f64::max) }
}

impl Resolutions {
    /// How far each resolution is from the limit at the end of a frame, counted from 0, at all vertices or at one.
    pub fn errors(&self, frame: usize, vertex: Option<usize>) -> Vec<Off> {
        let at = |level: &Level| match vertex {
            Some(v) => vec![level.frames[frame][v]],
            None => level.frames[frame].clone(),
        };
        let places: Vec<Vec<[f64; 3]>> = self.levels.iter().map(at).collect();
        let factor = 2f64.powf(self.order.0);
        let scaled = |off: Off, by: f64| Off { mean: by * off.mean, most: by * off.most };
        let pairs = places.windows(2).map(|pair| scaled(off(&pair[0], &pair[1]), factor / (factor - 1.0)));
        let mut out: Vec<Off> = pairs.collect();
        let finest = out.last().map(|last| scaled(*last, 1.0 / factor));
        out.extend(finest);
        out
    }

    /// The vertex of the first meshes that is nearest to a place at rest.
    pub fn nearest(&self, place: [f64; 3]) -> usize {
        let distance = |v: &usize| norm(sub(self.rest[*v], place));
        (0..self.rest.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }
}
