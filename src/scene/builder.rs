//! Scenes in code: the same data that a config becomes, with the same defaults, except that a step has ten iterations.

use std::path::PathBuf;
use std::sync::Arc;

use super::names;
use super::{
    Body, Contact, FrameFormat, MeshSource, Obstacle, Output, PinKind, Quantity, Scene, Shape, Time,
};
use crate::error::{Error, Result};
use crate::io::vtu_write::Compression;
use crate::mesh::Mesh;
use crate::solver::{SolverSettings, quasi_newton};
use elements::math::track::Track;

impl Scene {
    /// A scene without bodies: 120 frames of 1/30 s, gravity of 9.81 m/s² along −y, solver `quasi-newton` with ten
    /// iterations a step, and no files.
    pub fn new(name: &str) -> Scene {
        let time = Time { step: 1.0 / 30.0, frames: 120, substeps: 1, integrator: Default::default() };
        Scene {
            name: name.into(),
            time,
            solver: SolverSettings::from(quasi_newton::Options::default()),
            fepr: false,
            gravity: Track::constant([0.0, -9.81, 0.0]),
            wind: None,
            bodies: vec![],
            obstacles: vec![],
            contact: None,
            output: Output {
                dir: PathBuf::from("outputs").join(name),
                formats: vec![],
                bodies: vec![],
                every: 1,
                float32: false,
                compression: Compression::None,
                normals: false,
                fps: 1.0 / time.step,
                start_frame: 1,
            },
            comparisons: vec![],
        }
    }

    /// Adds a body, which is written to the frames like all others.
    pub fn body(mut self, body: Body) -> Scene {
        self.output.bodies.push(self.bodies.len());
        self.bodies.push(body);
        self
    }

    /// Adds an obstacle. With the first one, contact is on.
    pub fn obstacle(mut self, obstacle: Obstacle) -> Scene {
        self.contact.get_or_insert_default();
        self.obstacles.push(obstacle);
        self
    }

    /// Sets what touches what.
    pub fn contact(mut self, contact: Contact) -> Scene {
        self.contact = Some(contact);
        self
    }

    /// Sets the time step in s.
    pub fn time_step(mut self, seconds: f64) -> Scene {
        self.time.step = seconds;
        self.output.fps = 1.0 / (seconds * self.time.substeps as f64);
        self
    }

    /// Sets gravity in m/s².
    pub fn gravity(mut self, gravity: [f64; 3]) -> Scene {
        self.gravity = Track::constant(gravity);
        self
    }

    /// Sets the solver: options of a kind, or settings with iterations and tolerance too.
    pub fn solver(mut self, solver: impl Into<SolverSettings>) -> Scene {
        self.solver = solver.into();
        self
    }

    /// Sets the iterations per step, at least 1.
    pub fn iterations(mut self, iterations: u64) -> Scene {
        self.solver.iterations = iterations;
        self
    }

    /// Writes frames in some formats into a directory.
    pub fn output(mut self, dir: impl Into<PathBuf>, formats: &[FrameFormat]) -> Scene {
        self.output.dir = dir.into();
        self.output.formats = formats.to_vec();
        self
    }

    /// Refuses what a config could not say either: no bodies, two of one name, times and numbers out of range.
    pub fn check(&self) -> Result<()> {
        let refuse = |what: String| refuse(what, "");
        let Time { step, substeps, .. } = self.time;
        if !(step > 0.0 && step.is_finite()) || substeps == 0 {
            return refuse(format!("scene '{}': the time step must be above 0 s, not {step}", self.name));
        }
        if self.bodies.is_empty() {
            return refuse(format!("scene '{}' has no body", self.name));
        }
        let bodies = self.bodies.iter().map(|body| body.name.as_str());
        let obstacles = self.obstacles.iter().map(|obstacle| obstacle.name.as_str());
        for name in bodies.clone().chain(obstacles).chain([self.name.as_str()]) {
            if let Some(reason) = names::fault(name) {
                return refuse(format!("the name '{name}': {reason}"));
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            if names::twin(bodies.clone().take(i), &body.name).is_some() {
                return refuse(format!("two bodies have the name '{}'", body.name));
            }
            if let Quantity::Constant(density) = body.density
                && !(density > 0.0 && density.is_finite())
            {
                return refuse(format!("body '{}': its density must be above 0 kg/m³", body.name));
            }
            for (i, pin) in body.pins.iter().enumerate() {
                if let Some((key, reason)) = pin.active.and_then(|active| active.refusal()) {
                    return refuse(format!("body '{}': pin {i}: active.{key} {reason}", body.name));
                }
                if let PinKind::Soft(stiffness) | PinKind::Painted { scale: stiffness, .. } = &pin.kind
                    && !(*stiffness > 0.0 && stiffness.is_finite())
                {
                    return refuse(format!(
                        "body '{}': pin {i}: its stiffness must be above 0 N/m",
                        body.name
                    ));
                }
            }
        }
        self.check_contact()?;
        let SolverSettings { method, iterations, tolerance } = self.solver.clone();
        SolverSettings::new(method, iterations, tolerance)?;
        Ok(())
    }

    /// Refuses obstacles and contact that a config could not say either.
    fn check_contact(&self) -> Result<()> {
        let bodies: Vec<&str> = self.bodies.iter().map(|body| body.name.as_str()).collect();
        let obstacles: Vec<&str> = self.obstacles.iter().map(|obstacle| obstacle.name.as_str()).collect();
        for (i, name) in obstacles.iter().enumerate() {
            let earlier = bodies.iter().chain(&obstacles[..i]);
            if names::twin(earlier.copied(), name).is_some() {
                return refuse(format!("obstacle '{name}': a body or another obstacle has this name"), "");
            }
        }
        let no = |key: &str, reason: &str| refuse(format!("{key}: {reason}"), "");
        for body in &self.bodies {
            if let Some((key, reason)) = body.contact.refusals().first() {
                return no(&format!("body '{}': contact.{key}", body.name), reason);
            }
        }
        for obstacle in &self.obstacles {
            if let Some((key, reason)) = obstacle.refusals().first() {
                return no(&format!("obstacle '{}': {key}", obstacle.name), reason);
            }
        }
        let Some(contact) = &self.contact else {
            let what = "a scene with obstacles has contact too";
            return if obstacles.is_empty() { Ok(()) } else { refuse(what.into(), "set Scene::contact") };
        };
        if let Some((key, reason)) = contact.refusals().first() {
            return no(&format!("contact.{key}"), reason);
        }
        for (i, pair) in contact.pairs.iter().enumerate() {
            if let Some((key, reason, hint)) = contact.pair_refusal(i, &bodies, &obstacles) {
                return refuse(format!("contact.pairs.{i}.{key}: {reason}"), &hint);
            }
            if let Some((key, reason)) = pair.refusals().first() {
                return no(&format!("contact.pairs.{i}.{key}"), reason);
            }
        }
        Ok(())
    }
}

fn refuse(what: String, hint: &str) -> Result<()> {
    Err(Error::Usage { what, hint: hint.into() })
}

impl From<Mesh> for MeshSource {
    fn from(mesh: Mesh) -> MeshSource {
        MeshSource::Memory(Arc::new(mesh))
    }
}

impl From<Shape> for MeshSource {
    fn from(shape: Shape) -> MeshSource {
        MeshSource::Generate(shape)
    }
}

impl From<PathBuf> for MeshSource {
    fn from(path: PathBuf) -> MeshSource {
        MeshSource::File(path)
    }
}
