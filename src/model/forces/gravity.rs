//! Weight: f = m g(t).

use super::{Context, Force, Stage};
use crate::error::Result;
use elements::math::lanes::Vec4;
use elements::math::track::Track;

/// The weight of all vertices.
pub struct Gravity {
    /// The gravitational acceleration g over time, in m/s².
    acceleration: Track<3>,
}

/// The weight in a scene. Every scene has it; it may be zero.
pub fn build(context: &Context<'_>) -> Result<Vec<Box<dyn Force>>> {
    Ok(vec![Box::new(Gravity { acceleration: context.scene.gravity.clone() })])
}

impl Force for Gravity {
    fn add(&self, stage: &Stage<'_>, out: &mut [Vec4]) {
        let g = self.acceleration.at(stage.time);
        for (f, m) in out.iter_mut().zip(stage.mass) {
            for k in 0..3 {
                f.0[k] += m * g[k];
            }
        }
    }
}
