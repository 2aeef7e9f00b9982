//! The model: everything about a scene that does not change while it runs.
//!
//! Two numberings of vertices meet here. The *input* numbering is the files' own, bodies one after the other, then
//! obstacles; output is written in it. The *internal* numbering has the unknowns first, in the order of elimination of the
//! system matrix, which also keeps neighbours close in memory; prescribed and orphan vertices follow.

pub mod body;
pub mod build;
mod carried;
pub mod cells;
mod choose;
mod custom;
pub mod deform;
mod element;
pub mod embedded;
pub mod forces;
pub mod held;
pub mod locking;
pub mod motion;
pub mod notes;
pub mod numbering;
pub mod obstacle;
pub mod passing;
mod plausible;
pub mod probe;
pub mod rotation;
pub mod select;
pub mod sequence;
mod terms;
pub mod transform;
mod vertices;

use std::ops::Range;

use crate::mesh::surface::{SurfaceMap, area_vector};
use crate::step::Objective;
use crate::step::Term;
use elements::energy::{CHUNK, ElementState, chunks};
use elements::math::lanes::Vec4;
use elements::par;
use embedded::Embedded;
use motion::Course;
use numbering::Numbering;
use obstacle::ObstacleModel;
use passing::PassingPin;
use probe::ProbeModel;

fn area(points: [[f64; 3]; 3]) -> f64 {
    let [x, y, z] = area_vector(&points, [0, 1, 2]);
    (x * x + y * y + z * z).sqrt()
}

/// Positions and velocities of all vertices, internal numbering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Positions in m.
    pub x: Vec<Vec4>,
    /// Velocities in m/s.
    pub v: Vec<Vec4>,
}

/// One body's place in the model.
#[derive(Clone, Debug)]
pub struct BodyModel {
    /// The name of the body in the scene.
    pub name: String,
    /// Its vertices, input numbering.
    pub vertices: Range<usize>,
    /// Its tets among the model's.
    pub tets: Range<usize>,
    /// The nodes in the middles of its tets' edges, by vertex numbers within the body; empty if the tets are linear.
    pub middles: Vec<[u32; 6]>,
    /// Its triangles among the model's, if it is a sheet.
    pub triangles: Range<usize>,
    /// Its edges among the model's, if it is a line.
    pub edges: Range<usize>,
    /// The radius of its cross-section in m, if it is a line.
    pub radius: Option<f64>,
    /// Its boundary, by vertex numbers within the body.
    pub surface: SurfaceMap,
    /// Surfaces that are shown in place of it.
    pub embedded: Vec<Embedded>,
    /// The vertices of each of its loads, by numbers within the body.
    pub loads: Vec<Vec<u32>>,
    /// What is measured of it.
    pub probes: Vec<ProbeModel>,
}

/// A prescribed vertex.
#[derive(Clone, Debug)]
pub struct HardPin {
    /// Internal number.
    pub vertex: u32,
    /// Where it starts.
    pub origin: [f64; 3],
    /// Which of the model's motions it follows; `None`: it stays.
    pub motion: Option<usize>,
}

/// A scene, ready to simulate.
pub struct Model {
    /// The bodies, in the order of the scene.
    pub bodies: Vec<BodyModel>,
    /// The obstacles, in the order of the scene. Their vertices come after those of all bodies.
    pub obstacles: Vec<ObstacleModel>,
    /// Rest positions, input numbering.
    pub rest: Vec<[f64; 3]>,
    /// All tets, input numbering, body after body.
    pub tets: Vec<[u32; 4]>,
    /// All triangles of sheets, likewise.
    pub triangles: Vec<[u32; 3]>,
    /// All edges of lines, likewise. Cells are the tets, then the triangles, then these.
    pub edges: Vec<[u32; 2]>,
    /// The number of each cell's material: equal ones share a number, and what has none shares one too.
    pub material_ids: Vec<u32>,
    /// 0: free, 1: hard pin, 2: soft pin, 3: pinned for a time only; input numbering.
    pub pinned: Vec<u8>,
    /// From one numbering to the other.
    pub numbering: Numbering,
    /// The state at time 0.
    pub initial: State,
    /// Prescribed vertices.
    pub hard_pins: Vec<HardPin>,
    /// The pins that hold for a time only.
    pub passing: Vec<PassingPin>,
    /// The motions that pins and obstacles follow.
    pub motions: Vec<Course>,
    /// For each term of the objective, the cell of each of its elements; none where elements are not cells.
    pub cells: Vec<Vec<u32>>,
    /// Length of the diagonal of the bodies' rest bounding box in m.
    pub size: f64,
}

impl Model {
    /// Where a prescribed vertex is at `time` (s).
    pub fn pin_position(&self, pin: &HardPin, time: f64) -> [f64; 3] {
        let input = self.numbering.order[pin.vertex as usize] as usize;
        pin.motion.map_or(pin.origin, |m| self.motions[m].at(input, pin.origin, time))
    }

    /// How many vertices the bodies have: the first ones in the input numbering.
    pub fn body_vertices(&self) -> usize {
        self.bodies.last().map_or(0, |body| body.vertices.end)
    }

    /// The values of the bodies' vertices, from internal to input numbering.
    pub fn to_input(&self, values: &[Vec4]) -> Vec<[f64; 3]> {
        self.numbering.position[..self.body_vertices()].iter().map(|i| values[*i as usize].xyz()).collect()
    }

    /// The values of all vertices, those of obstacles too, from internal to input numbering.
    pub fn all_to_input(&self, values: &[Vec4]) -> Vec<[f64; 3]> {
        self.numbering.position.iter().map(|i| values[*i as usize].xyz()).collect()
    }

    /// The body of a name.
    pub fn body(&self, name: &str) -> Option<&BodyModel> {
        self.bodies.iter().find(|body| body.name == name)
    }

    /// Moves a body without prescribed or held vertices at `x` so that its centre of mass is that of the inertial positions.
    pub fn carry(&self, body: &BodyModel, objective: &Objective, x: &mut [Vec4]) {
        let positions = &self.numbering.position[body.vertices.clone()];
        let held = objective.held();
        let is_held = |v: &u32| held.binary_search(v).is_ok();
        let is_fixed = self.pinned[body.vertices.clone()].contains(&1);
        if is_fixed || (!held.is_empty() && positions.iter().any(is_held)) {
            return;
        }
        let unknowns = || positions.iter().map(|i| *i as usize).filter(|i| *i < objective.free);
        let (mut total, mut sum) = (0.0, [0.0; 3]);
        for i in unknowns() {
            total += objective.mass[i];
            for k in 0..3 {
                sum[k] += objective.mass[i] * (objective.inertial[i].0[k] - x[i].0[k]);
            }
        }
        for i in unknowns() {
            for k in 0..3 {
                x[i].0[k] += sum[k] / total;
            }
        }
    }

    /// The state of every cell at `x`: the tets, then the triangles of sheets, then the edges of lines.
    pub fn element_states(&self, terms: &[Term], x: &[Vec4]) -> Vec<ElementState> {
        let mut out = vec![ElementState::default(); self.tets.len()];
        out.extend(self.triangles.iter().map(|t| {
            // A sheet of springs has no energy per triangle, but it has an area.
            let now = t.map(|v| x[self.numbering.position[v as usize] as usize].xyz());
            let ratio = area(now) / area(t.map(|v| self.rest[v as usize]));
            ElementState { det_f: ratio, ..Default::default() }
        }));
        out.resize(out.len() + self.edges.len(), ElementState::default());
        for (term, cells) in terms.iter().zip(&self.cells).filter(|(_, cells)| !cells.is_empty()) {
            let mut states = vec![ElementState::default(); term.len()];
            let mut has_states = vec![false; chunks(term.as_ref())];
            par::chunks_mut_with(&mut states, CHUNK, &mut has_states, |chunk, states| {
                term.inspect(chunk, x, states)
            });
            for (cell, state) in cells.iter().zip(states) {
                out[*cell as usize] = state;
            }
        }
        out
    }
}
