//! Contact in a scene: which surfaces there are, what the scene says about them, and what is chosen where it is silent.
//!
//! | what | by default |
//! |---|---|
//! | d̂ | a thousandth of the diagonal of all bodies at rest |
//! | κ | the smaller of the two bodies' Young's moduli |
//! | thickness | that of a sheet, the diameter of a line, 0 for a solid |

use super::Simulation;
use super::contact_numbers::check_numbers;
use super::contact_start::check_start;
use super::touching::ContactFacts;
use crate::contact::Contact;
use crate::contact::friction::Friction;
use crate::contact::published::Published;
use crate::contact::surfaces::{Part, Surfaces};
use crate::error::{Error, Result};
use crate::model::obstacle::{ObstacleKind, ObstacleModel};
use crate::model::{BodyModel, Model};
use crate::scene::{Body, Contact as Settings, ContactPair, ContactResponse, Integrator, Quantity, Scene};
use crate::solver::system::assemble;
use crate::step::Objective;
use crate::step::active::{Active, PublishedWay};

/// The part of the bodies' diagonal that d̂ is by default.
const RANGE: f64 = 1e-3;

impl Simulation {
    /// Adds the contacts of a scene, if it has them, and refuses a start that has intersections; returns warnings.
    pub(super) fn add_contact(&mut self, scene: &Scene) -> Result<Vec<String>> {
        if scene.contact.is_none() {
            return Ok(vec![]);
        }
        let refuse = |reason: &str, hint: &str| {
            let (subject, reason, hint) = (scene.name.clone(), reason.to_string(), hint.to_string());
            Err(Error::Mesh { subject, reason, hint })
        };
        if scene.time.integrator == Integrator::Midpoint {
            return refuse(
                "the integrator 'midpoint' goes on beyond the state that was kept free of intersections, so contact is not \
                 possible with it",
                "set time.integrator = \"implicit-euler\" or \"bdf2\"",
            );
        }
        if scene.fepr {
            return refuse(
                "projections to energy and momenta (fepr) move bodies after a step, so contact is not possible with them",
                "leave out fepr",
            );
        }
        let (mut contact, mut warnings) = examined(scene, &self.model, &self.objective)?;
        let settings = scene.contact.clone().unwrap_or_default();
        if settings.response == ContactResponse::Published {
            self.contact = Some(ContactFacts { is_guaranteed: false, ..ContactFacts::of(&contact) });
            warnings.append(&mut self.add_published(contact)?);
            return Ok(warnings);
        }
        if self.solver.is_positional() {
            contact.become_positional();
        }
        self.contact = Some(ContactFacts::of(&contact));
        self.add_active(Box::new(contact))?;
        Ok(warnings)
    }
}

impl Simulation {
    /// Adds contact as the solver's paper has it; returns warnings.
    fn add_published(&mut self, contact: Contact) -> Result<Vec<String>> {
        let mut warnings = vec![];
        let way = self.solver.published();
        if contact.has_friction() && !matches!(way, PublishedWay::Projections { .. }) {
            warnings.push(format!(
                "solver '{}' has no friction with contact.response = \"published\": its paper tells none",
                self.solver.name()
            ));
        }
        if way == PublishedWay::Copies {
            let diagonal = assemble(&self.objective, 1.0).diagonal();
            self.objective.extra = vec![0.0; self.objective.free];
            for (vertex, _) in &contact.surfaces().vertices {
                if let Some(extra) = self.objective.extra.get_mut(*vertex as usize) {
                    *extra = diagonal[*vertex as usize];
                }
            }
        }
        self.objective.add_active(Box::new(Published::new(contact, way, &self.model.initial.x)));
        self.solver.prepare(&self.objective, &self.cache)?;
        self.solver.accept_active(&self.objective)?;
        Ok(warnings)
    }
}

/// The contacts of a scene where it starts, with warnings; a start that cannot be is refused.
pub(super) fn examined(
    scene: &Scene,
    model: &Model,
    objective: &Objective,
) -> Result<(Contact, Vec<String>)> {
    let mut contact = contacts(scene, model, objective);
    let x = &model.initial.x;
    let mut warnings = check_numbers(scene, &contact, x, moduli(scene))?;
    warnings.append(&mut check_start(scene, &mut contact, x)?);
    Ok((contact, warnings))
}

/// The contacts of a model.
fn contacts(scene: &Scene, model: &Model, objective: &Objective) -> Contact {
    let settings = scene.contact.clone().unwrap_or_default();
    let mut parts: Vec<Part> = vec![];
    for (body, placed) in scene.bodies.iter().zip(&model.bodies) {
        parts.push(of_body(body, placed, model, settings.stiffness));
    }
    parts.extend(model.obstacles.iter().map(|obstacle| of_obstacle(obstacle, model)));
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    let bodies = scene.bodies.len();
    let allowed = |i: usize, j: usize| {
        if let Some(pair) = pair_of(&settings, &names[i], &names[j]) {
            return pair.contact;
        }
        match (i == j, i.max(j) < bodies) {
            (true, true) => scene.bodies[i].contact.own.unwrap_or(settings.own),
            (false, true) => settings.bodies,
            _ => true,
        }
    };
    let frictions = frictions(scene, &names, &settings);
    let range = settings.distance.unwrap_or(RANGE * model.size);
    let surfaces = Surfaces::new(parts, allowed, objective.rest.clone(), objective.free, range);
    Contact::new(surfaces, Friction::new(frictions, names.len()), (0..bodies).collect(), &model.initial.x)
}

/// What the scene says of two parts in particular.
fn pair_of<'a>(settings: &'a Settings, a: &str, b: &str) -> Option<&'a ContactPair> {
    settings.pairs.iter().find(|pair| {
        let [first, second] = &pair.between;
        (first == a && second == b) || (first == b && second == a)
    })
}

/// The coefficients of friction of every two parts: that of the pair, or the smaller of their own.
fn frictions(scene: &Scene, names: &[String], settings: &Settings) -> Vec<f64> {
    let bodies = scene.bodies.iter().map(|body| body.contact.friction);
    let all = bodies.chain(scene.obstacles.iter().map(|obstacle| obstacle.friction));
    let own: Vec<f64> = all.map(|friction| friction.unwrap_or(settings.friction)).collect();
    let of = |k: usize| {
        let (i, j) = (k / names.len(), k % names.len());
        let pair = pair_of(settings, &names[i], &names[j]).and_then(|pair| pair.friction);
        pair.unwrap_or(own[i].min(own[j]))
    };
    (0..names.len() * names.len()).map(of).collect()
}

fn of_body(body: &Body, placed: &BodyModel, model: &Model, stiffness: Option<f64>) -> Part {
    let surface = &placed.surface;
    let vertex = |v: u32| {
        let own = placed.vertices.start + surface.vertices[v as usize] as usize;
        model.numbering.position[own]
    };
    let is_sheet = !placed.triangles.is_empty();
    let thickness = match (&body.contact.thickness, placed.radius, is_sheet) {
        (Some(thickness), ..) => *thickness,
        (None, Some(radius), _) => 2.0 * radius,
        (None, None, true) => constant(&body.thickness),
        (None, None, false) => 0.0,
    };
    Part {
        name: body.name.clone(),
        triangles: surface.triangles.iter().map(|t| t.map(vertex)).collect(),
        is_sheet,
        edges: surface.edges.iter().map(|e| e.map(vertex)).collect(),
        radius: 0.5 * thickness,
        stiffness: stiffness.unwrap_or_else(|| young(body)),
        ..Part::default()
    }
}

fn of_obstacle(obstacle: &ObstacleModel, model: &Model) -> Part {
    let first = obstacle.vertices.start;
    let vertex = |v: u32| model.numbering.position[first + v as usize];
    let is = |kind: ObstacleKind| obstacle.kind == kind;
    Part {
        name: obstacle.name.clone(),
        is_obstacle: true,
        triangles: obstacle.triangles.iter().map(|t| t.map(vertex)).collect(),
        edges: if is(ObstacleKind::Segment) { vec![[0, 1].map(vertex)] } else { vec![] },
        points: if is(ObstacleKind::Point) { vec![vertex(0)] } else { vec![] },
        plane: is(ObstacleKind::Plane).then(|| [0, 1, 2].map(vertex)),
        radius: obstacle.radius,
        stiffness: f64::INFINITY,
        is_sheet: false,
    }
}

/// The largest value of a constant quantity, or of its selections; 0 for arrays.
fn constant(quantity: &Quantity) -> f64 {
    match quantity {
        Quantity::Constant(value) => *value,
        Quantity::Selections(parts) => parts.iter().map(|(_, value)| *value).fold(0.0, f64::max),
        Quantity::Array(_) => 0.0,
    }
}

/// Young's moduli in Pa of what a body is made of.
fn youngs(body: &Body) -> impl Iterator<Item = f64> {
    let materials = body.materials.iter().map(|part| {
        let [mu, lambda] = part.material.solid.moduli();
        let own = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
        part.material.parameters.young.unwrap_or(own)
    });
    let line = body.line.iter().map(|line| line.young);
    let springs = body.springs.iter().map(|springs| constant(&springs.stiffness) / constant(&body.thickness));
    materials.chain(line).chain(springs).filter(|e| *e > 0.0 && e.is_finite())
}

/// The smallest Young's modulus in Pa of what a body is made of, 1e5 if nothing tells.
fn young(body: &Body) -> f64 {
    let least = youngs(body).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1e5 }
}

/// The least and the largest Young's modulus in Pa of all bodies.
fn moduli(scene: &Scene) -> [f64; 2] {
    let all = scene.bodies.iter().flat_map(|body| youngs(body).chain([young(body)]));
    all.fold([f64::INFINITY, 0.0], |[low, high], young| [low.min(young), high.max(young)])
}
