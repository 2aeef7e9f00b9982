//! Loads: a force that a set of vertices shares evenly, f_v = F(t)/n.
//!
//! The force is shared evenly by number, not by area: on a regular face the vertices at its edges and corners get more
//! than their area's part. The sum is F, and the effect on the stress fades within about the face's width. The parts on
//! prescribed vertices have no effect: the pins bear them.

use super::{Context, Force, Stage};
use crate::error::Result;
use elements::math::lanes::Vec4;
use elements::math::track::Track;

/// One `[[body.load]]`.
pub struct Load {
    /// The internal numbers of the loaded vertices.
    vertices: Vec<u32>,
    /// The total force F over time, in N.
    force: Track<3>,
}

/// The loads of all bodies.
pub fn build(context: &Context<'_>) -> Result<Vec<Box<dyn Force>>> {
    let mut out: Vec<Box<dyn Force>> = vec![];
    for (body, place) in context.scene.bodies.iter().zip(&context.model.bodies) {
        for (load, selected) in body.loads.iter().zip(&place.loads) {
            let internal = |v: &u32| context.model.numbering.position[place.vertices.start + *v as usize];
            let vertices = selected.iter().map(internal).collect();
            out.push(Box::new(Load { vertices, force: load.force.clone() }));
        }
    }
    Ok(out)
}

impl Force for Load {
    fn add(&self, stage: &Stage<'_>, out: &mut [Vec4]) {
        let share = self.force.at(stage.time).map(|f| f / self.vertices.len() as f64);
        for v in &self.vertices {
            for k in 0..3 {
                out[*v as usize].0[k] += share[k];
            }
        }
    }
}
