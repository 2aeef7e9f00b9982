//! From a config to a model and its objective.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::body::{self, BodyData};
use super::custom::Placed;
use super::forces::{Context, Forces};
use super::notes::Notes;
use super::numbering::Numbering;
use super::obstacle::{self, ObstacleData};
use super::sequence;
use super::vertices::{Vertices, hard_pins, initial_state, passing_pins, ranges};
use super::{BodyModel, Model, passing, plausible, terms};
use crate::cache::{Cache, Outcome};
use crate::error::{Error, Result};
use crate::scene::{Body, Scene};
use crate::step::Objective;
use elements::energy::custom::ElementEnergy;
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// A det F, or a force relative to its scale, that is nothing.
const FLAT: f64 = 1e-12;

/// A model with the objective over it.
pub struct Built {
    /// The bodies with their vertices, cells and numbering.
    pub model: Model,
    /// The objective; its inertial positions are not set yet.
    pub objective: Objective,
    /// The external forces of the scene.
    pub forces: Forces,
    /// Whether the ordering came from the cache.
    pub ordering: Outcome,
    /// How long the ordering, or loading it, took.
    pub ordering_time: Duration,
    /// Notes for the user.
    pub notes: Notes,
}

/// Loads all meshes and builds the model.
pub fn build(scene: &Scene, cache: &Cache) -> Result<Built> {
    build_with(scene, vec![], cache)
}

/// Likewise with energies from outside.
pub fn build_with(scene: &Scene, energies: Vec<Box<dyn ElementEnergy>>, cache: &Cache) -> Result<Built> {
    scene.check()?;
    let bodies: Vec<BodyData> = scene.bodies.iter().map(|b| body::load(b, cache)).collect::<Result<_>>()?;
    let obstacles: Vec<ObstacleData> = scene.obstacles.iter().map(obstacle::load).collect::<Result<_>>()?;
    let mut notes = Notes::default();
    bodies.iter().for_each(|body| notes.append(body.notes.clone()));
    obstacles.iter().for_each(|obstacle| notes.append(obstacle.notes.clone()));
    notes.warnings.extend(plausible::warnings(scene, &bodies));
    let ranges = ranges(&bodies);
    let firsts: Vec<usize> = ranges.iter().map(|range| range.start).collect();
    let mut vertices = Vertices::of_bodies(scene, &bodies, &firsts, &mut notes.notes)?;
    let size = diagonal(&vertices.rest);
    let obstacles = obstacle::append(scene, obstacles, &mut vertices);
    let (tets, tet_ranges) = join(&bodies, &firsts, |b| &b.tets);
    let (triangles, triangle_ranges) = join(&bodies, &firsts, |b| &b.triangles);
    let (edges, edge_ranges) = join(&bodies, &firsts, |b| &b.edges);
    let start = Instant::now();
    let mut couplings = terms::couplings(scene, &tets, &triangles, &triangle_ranges, &edges);
    for (body, first) in bodies.iter().zip(&firsts) {
        couplings.extend(terms::quadratic_couplings(body, *first as u32));
    }
    let placed = |energy| Placed::new(energy, scene, &ranges);
    let energies: Vec<Placed> = energies.into_iter().map(placed).collect::<Result<_>>()?;
    couplings.extend(energies.iter().flat_map(Placed::couplings));
    let (numbering, ordering) = Numbering::new(&vertices.unknown, &couplings, cache)?;
    let ordering_time = start.elapsed();
    let initial = initial_state(&bodies, &vertices, &numbering);
    let mut model = Model {
        bodies: (0..bodies.len())
            .map(|i| {
                let cells = [&tet_ranges, &triangle_ranges, &edge_ranges].map(|ranges| ranges[i].clone());
                place(&scene.bodies[i], &bodies[i], ranges[i].clone(), cells)
            })
            .collect(),
        obstacles,
        size,
        rest: vertices.rest,
        tets,
        triangles,
        edges,
        material_ids: material_ids(scene, &bodies),
        pinned: vertices.pinned,
        initial,
        hard_pins: vec![],
        passing: passing_pins(&numbering, vertices.passing),
        motions: vertices.motions,
        cells: vec![],
        numbering,
    };
    model.hard_pins = hard_pins(&model, &vertices.holds);
    let mut terms = terms::build(scene, &bodies, &mut model, &vertices.holds)?;
    let mass = masses(&bodies, &model.numbering);
    let stage_step = scene.time.integrator.stage_step(scene.time.step);
    let rest: Vec<Vec4> = model.numbering.order.iter().map(|v| Vec4::new(model.rest[*v as usize])).collect();
    for energy in energies {
        terms.push(energy.term(&model, &rest)?);
        model.cells.push(vec![]);
    }
    let mut objective = Objective::new(model.numbering.free, stage_step, mass, rest, terms);
    check_initial(scene, &model, &mut objective, &mut notes.warnings)?;
    note_idle(scene, &model, &mut notes.notes);
    let forces = Forces::build(&Context { scene, model: &model, mass: &objective.mass })?;
    Ok(Built { model, objective, forces, ordering, ordering_time, notes })
}

/// A body with its vertices and its tets, triangles and edges among the model's.
fn place(
    body: &Body,
    data: &BodyData,
    vertices: Range<usize>,
    [tets, triangles, edges]: [Range<usize>; 3],
) -> BodyModel {
    BodyModel {
        name: body.name.clone(),
        vertices,
        tets,
        middles: data.middles.clone(),
        triangles,
        edges,
        radius: body.line.as_ref().map(|_| body.radius),
        surface: data.surface.clone(),
        embedded: data.embedded.clone(),
        loads: data.loads.clone(),
        probes: data.probes.clone(),
    }
}

/// Notes loads that act on prescribed vertices only, pins that never hold, and what there is to say of files.
fn note_idle(scene: &Scene, model: &Model, notes: &mut Vec<String>) {
    passing::note_idle(scene, &model.passing, notes);
    notes.extend(sequence::notes(scene, &model.motions));
    for body in &model.bodies {
        for (i, load) in body.loads.iter().enumerate() {
            if load.iter().all(|v| model.pinned[body.vertices.start + *v as usize] == 1) {
                notes.push(format!(
                    "body '{}': all vertices of load {i} are pinned hard: it does nothing",
                    body.name
                ));
            }
        }
    }
}

/// Refuses an initial state that a barrier forbids, before anything runs, and warns of one that no force leads out of.
fn check_initial(
    scene: &Scene,
    model: &Model,
    objective: &mut Objective,
    warnings: &mut Vec<String>,
) -> Result<()> {
    // Without inertia, the gradient is that of the energies.
    objective.inertial.copy_from_slice(&model.initial.x[..objective.free]);
    let mut at = objective.iterate_at(model.initial.x.clone());
    objective.evaluate(&mut at);
    let (lowest, inverted) = objective.volumes(&model.initial.x);
    if at.value.elastic.is_finite() {
        let force = vectors::norm(&at.gradient);
        if lowest.abs() < FLAT && force * model.size < FLAT * objective.scale() {
            warnings.push(format!(
                "{}: cells are collapsed in the initial state, and no force opens them: a state of rest, though no stable one \
                 with every material (give 'collapse' a jitter; 'arap' and 'corotated' come back from everywhere)",
                scene.name
            ));
        }
        return Ok(());
    }
    Err(Error::Mesh {
        subject: scene.name.clone(),
        reason: format!(
            "the energy of the initial state is infinite: {inverted} tets are inverted (lowest det F {lowest:.3e})"
        ),
        hint: "set inversion = \"extend\" in the material, or use 'stable-neo-hookean' or 'corotated'".into(),
    })
}

/// The number of each cell's material, the tets of all bodies first. Equal materials share the number of the first. For
/// lines, the properties of their edges are the material.
fn material_ids(scene: &Scene, bodies: &[BodyData]) -> Vec<u32> {
    let mut distinct = vec![];
    let (mut tets, mut triangles, mut edges) = (vec![], vec![], vec![]);
    for (body, data) in scene.bodies.iter().zip(bodies) {
        let mut number = |part: Option<usize>| {
            let made = part.map(|p| (&body.materials[p].material, &body.materials[p].varying));
            let made = (made, body.line);
            distinct.iter().position(|other| *other == made).unwrap_or_else(|| {
                distinct.push(made);
                distinct.len() - 1
            }) as u32
        };
        let mut ids = vec![0; data.tets.len() + data.triangles.len() + data.edges.len()];
        if data.cells.parts.is_empty() {
            ids.fill(number(None));
        }
        for part in &data.cells.parts {
            let id = number(Some(part.part));
            part.cells.iter().for_each(|cell| ids[*cell as usize] = id);
        }
        let all = match (data.tets.is_empty(), data.triangles.is_empty()) {
            (false, _) => &mut tets,
            (true, false) => &mut triangles,
            (true, true) => &mut edges,
        };
        all.append(&mut ids);
    }
    [tets, triangles, edges].concat()
}

/// The masses of all vertices in kg, internal numbering; obstacles have none.
fn masses(bodies: &[BodyData], numbering: &Numbering) -> Vec<f64> {
    let mut mass: Vec<f64> = bodies.iter().flat_map(|b| b.mass.iter().copied()).collect();
    mass.resize(numbering.order.len(), 0.0);
    numbering.order.iter().map(|v| mass[*v as usize]).collect()
}

fn diagonal(points: &[[f64; 3]]) -> f64 {
    let mut square = 0.0;
    for k in 0..3 {
        let low = points.iter().fold(f64::INFINITY, |m, p| m.min(p[k]));
        let high = points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[k]));
        square += (high - low) * (high - low);
    }
    square.sqrt()
}

/// The cells of all bodies, with the vertices of each body counted from `firsts`, and each body's
/// range among the cells.
fn join<const N: usize>(
    bodies: &[BodyData],
    firsts: &[usize],
    cells: fn(&BodyData) -> &[[u32; N]],
) -> (Vec<[u32; N]>, Vec<Range<usize>>) {
    let mut all = vec![];
    let mut ranges = vec![];
    for (body, first) in bodies.iter().zip(firsts) {
        let start = all.len();
        all.extend(cells(body).iter().map(|cell| cell.map(|v| v + *first as u32)));
        ranges.push(start..all.len());
    }
    (all, ranges)
}
