//! The part of a model that is written: the chosen bodies, numbered as if there were no others.

use std::sync::Arc;

use super::{Frame, FrameSink};
use crate::error::Result;
use crate::model::{BodyModel, Model};

/// The bodies to be written, with the numbering of their vertices and cells in the files.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The chosen bodies, with the ranges that they have in the files.
    pub bodies: Vec<BodyModel>,
    /// The numbers of these bodies in the config.
    pub numbers: Vec<usize>,
    /// The rest positions of all vertices in m.
    pub rest: Vec<[f64; 3]>,
    /// Tets by vertex.
    pub tets: Vec<[u32; 4]>,
    /// Triangles of sheets by vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of lines by vertex.
    pub edges: Vec<[u32; 2]>,
    /// The material of each cell: tets, then triangles, then edges.
    pub material_ids: Vec<i32>,
    /// For every vertex, 1 if it is in a pin, else 0.
    pub pinned: Vec<u8>,
}

/// The parts of the model that are written, by its own numbers.
#[derive(Clone, Debug, Default)]
struct Parts {
    vertices: Vec<usize>,
    cells: Vec<usize>,
}

impl Cast {
    /// The cast of the bodies with the given numbers, ascending.
    pub fn new(model: &Model, numbers: &[usize]) -> Cast {
        Cast::with_parts(model, numbers).0
    }

    fn with_parts(model: &Model, numbers: &[usize]) -> (Cast, Parts) {
        let bodies: Vec<&BodyModel> = numbers.iter().map(|n| &model.bodies[*n]).collect();
        let mut parts = Parts::default();
        let mut scene = Cast {
            bodies: vec![],
            numbers: numbers.to_vec(),
            rest: vec![],
            tets: vec![],
            triangles: vec![],
            edges: vec![],
            material_ids: vec![],
            pinned: vec![],
        };
        for body in &bodies {
            let first = scene.rest.len();
            let shift = |v: u32| v - body.vertices.start as u32 + first as u32;
            scene.rest.extend(&model.rest[body.vertices.clone()]);
            scene.pinned.extend(model.pinned[body.vertices.clone()].iter().map(|p| u8::from(*p != 0)));
            parts.vertices.extend(body.vertices.clone());
            let (tets, triangles, edges) = (scene.tets.len(), scene.triangles.len(), scene.edges.len());
            scene.tets.extend(model.tets[body.tets.clone()].iter().map(|c| c.map(shift)));
            scene.triangles.extend(model.triangles[body.triangles.clone()].iter().map(|c| c.map(shift)));
            scene.edges.extend(model.edges[body.edges.clone()].iter().map(|c| c.map(shift)));
            let mut own = (*body).clone();
            own.vertices = first..scene.rest.len();
            own.tets = tets..scene.tets.len();
            own.triangles = triangles..scene.triangles.len();
            own.edges = edges..scene.edges.len();
            scene.bodies.push(own);
        }
        let behind = [0, model.tets.len(), model.tets.len() + model.triangles.len()];
        let kinds: [fn(&BodyModel) -> std::ops::Range<usize>; 3] =
            [|b| b.tets.clone(), |b| b.triangles.clone(), |b| b.edges.clone()];
        for (cells, behind) in kinds.iter().zip(behind) {
            for body in &bodies {
                parts.cells.extend(cells(body).map(|cell| behind + cell));
            }
        }
        scene.material_ids = parts.cells.iter().map(|cell| model.material_ids[*cell] as i32).collect();
        (scene, parts)
    }
}

/// A sink that passes on the chosen part of each frame.
pub struct Selected {
    parts: Parts,
    sinks: Vec<Box<dyn FrameSink>>,
}

impl Selected {
    /// Makes the sink; `build` makes the sinks of the part that is written.
    pub fn new(
        model: &Model,
        numbers: &[usize],
        build: impl FnOnce(Arc<Cast>) -> Result<Vec<Box<dyn FrameSink>>>,
    ) -> Result<Selected> {
        let (scene, parts) = Cast::with_parts(model, numbers);
        Ok(Selected { parts, sinks: build(Arc::new(scene))? })
    }
}

impl FrameSink for Selected {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        let of_vertices = |values: &[[f64; 3]]| self.parts.vertices.iter().map(|v| values[*v]).collect();
        let part = Frame {
            number: frame.number,
            time: frame.time,
            x: of_vertices(&frame.x),
            v: of_vertices(&frame.v),
            elements: self.parts.cells.iter().map(|cell| frame.elements[*cell]).collect(),
        };
        self.sinks.iter_mut().try_for_each(|sink| sink.write(&part))
    }

    fn finish(&mut self) -> Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| sink.finish())
    }
}
