//! Weight: f = m g(t).

use super::{Force, Scene, Stage};
use crate::error::Result;
use crate::math::lanes::Vec4;
use crate::math::track::Track;

/// The weight of all vertices.
pub struct Gravity {
    /// g in m/s².
    acceleration: Track<3>,
}

/// Every scene has it; it may be zero.
pub fn build(scene: &Scene<'_>) -> Result<Vec<Box<dyn Force>>> {
    Ok(vec![Box::new(Gravity { acceleration: scene.config.gravity.clone() })])
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

    fn fingerprint(&self, hasher: &mut blake3::Hasher) {
        hasher.update(format!("gravity {:?}", self.acceleration).as_bytes());
    }
}
