//! Frames of a simulation that is stepped in code.

use super::claim::{Claim, Existing};
use super::{Frame, FrameSink, Schedule, Touched, sinks};
use crate::error::Result;
use crate::model::Model;
use crate::scene::Scene;
use crate::simulate::Simulation;
use crate::step::active::Touching;

/// Writes the states of a simulation as frames, in the formats of its scene.
///
/// ```
/// use pliant::prelude::*;
///
/// let dir = std::env::temp_dir().join(format!("pliant-frames-{}", std::process::id()));
/// let cube = Shape::Block { size: [1.0; 3], cells: [1; 3], split: 5 };
/// let body = Body::new("cube", cube).material(Material::elastic("arap", 1e5, 0.0)?);
/// let scene = Scene::new("falling").body(body).output(&dir, &[FrameFormat::Ply]);
/// let mut simulation = Simulation::start(&scene)?;
/// let mut frames = FrameWriter::create(&scene, &simulation)?;
/// for _ in 0..3 {
///     frames.write(&simulation)?;
///     simulation.advance()?;
/// }
/// frames.finish()?;
/// assert!(dir.join("ply/cube_0002.ply").exists());
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok::<(), pliant::Error>(())
/// ```
pub struct FrameWriter {
    sinks: Vec<Box<dyn FrameSink>>,
    schedule: Schedule,
    next: u64,
    // Keeps other processes out of the directory.
    _claim: Claim,
}

impl FrameWriter {
    /// For the simulation of a scene, into the scene's directory, which must not hold anything yet.
    pub fn create(scene: &Scene, simulation: &Simulation) -> Result<FrameWriter> {
        let claim = Claim::take(scene, Existing::Refuse)?;
        let (every, last) = (scene.output.every, scene.time.frames);
        let schedule = Schedule { first: 0, every, last, time: scene.time };
        let sinks = sinks(&scene.output, schedule, &claim.directory, &simulation.model)?;
        Ok(FrameWriter { sinks, schedule, next: 0, _claim: claim })
    }

    /// Writes the state now as the next frame.
    pub fn write(&mut self, simulation: &Simulation) -> Result<()> {
        let number = self.next;
        self.next += 1;
        if !self.schedule.includes(number) {
            return Ok(());
        }
        let frame = Frame::of(simulation, number, simulation.now())?;
        self.sinks.iter_mut().try_for_each(|sink| sink.write(&frame))
    }

    /// Writes what can only be written after the last frame: animations of all of them.
    pub fn finish(mut self) -> Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| sink.finish())
    }
}

impl Frame {
    /// The state of a simulation, in the numbering of its meshes; an error if something intersects in it.
    pub(super) fn of(simulation: &Simulation, number: u64, time: f64) -> Result<Frame> {
        simulation.check_clean(number)?;
        let (model, state) = (&simulation.model, &simulation.state);
        Ok(Frame {
            number,
            time,
            x: model.all_to_input(&state.x),
            v: model.all_to_input(&state.v),
            elements: model.element_states(&simulation.objective.terms, &state.x),
            contact: simulation.touching.as_ref().map(|touching| Touched::of(model, touching)),
        })
    }
}

impl Touched {
    /// What touches in a simulation, in the numbering of its meshes.
    fn of(model: &Model, touching: &Touching) -> Touched {
        let vectors =
            |values: &[[f64; 3]]| model.numbering.position.iter().map(|i| values[*i as usize]).collect();
        Touched {
            forces: vectors(&touching.forces),
            friction: vectors(&touching.friction),
            gaps: model.numbering.position.iter().map(|i| touching.gaps[*i as usize]).collect(),
            range: touching.range,
        }
    }
}
