//! The part of a model that is written: the chosen bodies and all obstacles, numbered as if there were no others.

use std::sync::Arc;

use super::obstacles::Shown;
use super::{Frame, FrameSink, Touched};
use crate::error::Result;
use crate::model::{BodyModel, Model};
use elements::energy::ElementState;

/// The bodies to be written, and the obstacles as bodies of triangles, with the numbering of their vertices and cells in the files.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The chosen bodies, then the obstacles, with the ranges that they have in the files.
    pub bodies: Vec<BodyModel>,
    /// The numbers of these bodies in the config; −1 − k for the obstacle of number k.
    pub numbers: Vec<i32>,
    /// The numbers of those obstacles that are planes: views need not show all of them.
    pub planes: Vec<i32>,
    /// The rest positions of all vertices in m.
    pub rest: Vec<[f64; 3]>,
    /// Tets by vertex.
    pub tets: Vec<[u32; 4]>,
    /// The further nodes of tets that are quadratic; empty if no body has such.
    pub middles: Vec<Option<[u32; 6]>>,
    /// Triangles of sheets and obstacles by vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of lines by vertex.
    pub edges: Vec<[u32; 2]>,
    /// The material of each cell: tets, then triangles, then edges; −1 for obstacles.
    pub material_ids: Vec<i32>,
    /// For every vertex, 1 if it is in a pin, else 0.
    pub pinned: Vec<u8>,
}

/// The parts of the model that are written, by its own numbers.
#[derive(Clone, Debug, Default)]
struct Parts {
    /// The vertices of bodies; those of obstacles follow.
    vertices: Vec<usize>,
    /// The cells; `None` for those of obstacles.
    cells: Vec<Option<usize>>,
    obstacles: Vec<Shown>,
}

impl Cast {
    /// The cast of the bodies with the given numbers, ascending, and of all obstacles.
    pub fn new(model: &Model, numbers: &[usize]) -> Cast {
        Cast::with_parts(model, numbers).0
    }

    fn with_parts(model: &Model, numbers: &[usize]) -> (Cast, Parts) {
        let bodies: Vec<&BodyModel> = numbers.iter().map(|n| &model.bodies[*n]).collect();
        let mut parts = Parts { obstacles: Shown::all(model), ..Parts::default() };
        let mut scene = Cast {
            bodies: vec![],
            numbers: numbers.iter().map(|n| *n as i32).collect(),
            planes: vec![],
            rest: vec![],
            tets: vec![],
            middles: vec![],
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
            let further = body.middles.iter().map(|m| Some(m.map(|v| v + first as u32)));
            scene.middles.resize(tets, None);
            scene.middles.extend(further);
            scene.triangles.extend(model.triangles[body.triangles.clone()].iter().map(|c| c.map(shift)));
            scene.edges.extend(model.edges[body.edges.clone()].iter().map(|c| c.map(shift)));
            let mut own = (*body).clone();
            own.vertices = first..scene.rest.len();
            own.tets = tets..scene.tets.len();
            own.triangles = triangles..scene.triangles.len();
            own.edges = edges..scene.edges.len();
            scene.bodies.push(own);
        }
        if scene.middles.iter().all(Option::is_none) {
            scene.middles.clear();
        }
        let own_triangles = scene.triangles.len();
        for (k, shown) in parts.obstacles.iter().enumerate() {
            scene.add_obstacle(k, shown, &model.rest);
        }
        let behind = [0, model.tets.len(), model.tets.len() + model.triangles.len()];
        let kinds: [fn(&BodyModel) -> std::ops::Range<usize>; 3] =
            [|b| b.tets.clone(), |b| b.triangles.clone(), |b| b.edges.clone()];
        for (kind, (cells, behind)) in kinds.iter().zip(behind).enumerate() {
            for body in &bodies {
                parts.cells.extend(cells(body).map(|cell| Some(behind + cell)));
            }
            if kind == 1 {
                parts.cells.extend(vec![None; scene.triangles.len() - own_triangles]);
            }
        }
        let material = |cell: &Option<usize>| cell.map_or(-1, |cell| model.material_ids[cell] as i32);
        scene.material_ids = parts.cells.iter().map(material).collect();
        (scene, parts)
    }

    /// Adds the obstacle of number `k`; `rest` are the points of the model where they start.
    fn add_obstacle(&mut self, k: usize, shown: &Shown, rest: &[[f64; 3]]) {
        let first = self.rest.len();
        let body = shown.as_body(first, self.triangles.len());
        self.rest.extend(shown.points(rest));
        self.pinned.resize(self.rest.len(), 0);
        self.triangles.extend(body.surface.triangles.iter().map(|t| t.map(|v| v + first as u32)));
        self.bodies.push(body);
        self.numbers.push(-1 - k as i32);
        if shown.is_plane() {
            self.planes.push(-1 - k as i32);
        }
    }
}

impl Parts {
    /// The part of a frame that is written.
    fn of(&self, frame: &Frame) -> Frame {
        let of_bodies =
            |values: &[[f64; 3]]| -> Vec<[f64; 3]> { self.vertices.iter().map(|v| values[*v]).collect() };
        let (mut x, mut v) = (of_bodies(&frame.x), of_bodies(&frame.v));
        for shown in &self.obstacles {
            x.extend(shown.points(&frame.x));
            v.extend(shown.velocities(&frame.x, &frame.v));
        }
        let count = x.len();
        let still = ElementState { det_f: 1.0, ..ElementState::default() };
        let contact = frame.contact.as_ref().map(|touched| {
            let mut part = Touched {
                forces: of_bodies(&touched.forces),
                friction: of_bodies(&touched.friction),
                gaps: self.vertices.iter().map(|v| touched.gaps[*v]).collect(),
                range: touched.range,
            };
            // Forces on bodies are told, not those on obstacles: their sum over a frame is that on all bodies.
            part.forces.resize(count, [0.0; 3]);
            part.friction.resize(count, [0.0; 3]);
            part.gaps.resize(count, touched.range);
            part
        });
        let state = |cell: &Option<usize>| cell.map_or(still, |cell| frame.elements[cell]);
        let elements = self.cells.iter().map(state).collect();
        Frame { number: frame.number, time: frame.time, x, v, elements, contact }
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
        let part = self.parts.of(frame);
        self.sinks.iter_mut().try_for_each(|sink| sink.write(&part))
    }

    fn finish(&mut self) -> Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| sink.finish())
    }
}
