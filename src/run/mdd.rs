//! MDD, the point cache that Maya, Houdini, LightWave and Blender play on a static mesh.
//!
//! ```text
//! i32 frames  i32 vertices  f32 time in s …      then f32 x y z …, big-endian
//! ```

use std::io::Write;

use super::Making;
use super::animation::Animation;
use crate::error::Result;
use crate::fs::write_atomically;

/// How the format is made.
pub const MAKING: Making = Making::Animation {
    files: &["blender/.{surface}.frames", "blender/{surface}.obj", "blender/{surface}.mdd"],
    write,
};

/// Writes `<surface>.obj`, the mesh, and `<surface>.mdd`, its positions in every frame.
pub fn write(animation: &Animation) -> Result<()> {
    for surface in animation.surfaces {
        surface.write_obj(animation.dir)?;
        write_atomically(&animation.dir.join(format!("{}.mdd", surface.name)), |out| {
            out.write_all(&(animation.frames.len() as i32).to_be_bytes())?;
            out.write_all(&(surface.vertices.len() as i32).to_be_bytes())?;
            for index in 0..animation.frames.len() {
                out.write_all(&((index as f64 / animation.fps) as f32).to_be_bytes())?;
            }
            for index in 0..animation.frames.len() {
                let points = surface.record(index)?.points;
                out.write_all(&points.iter().flatten().flat_map(|x| x.to_be_bytes()).collect::<Vec<u8>>())?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
