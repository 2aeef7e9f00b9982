//! PC2, the point cache that Blender's Mesh Cache modifier and others play on a static mesh.
//!
//! ```text
//! "POINTCACHE2\0"  i32 1  i32 vertices  f32 start  f32 frames per sample  i32 samples      then f32 x y z …, little-endian
//! ```

use std::io::Write;

use super::Making;
use super::animation::Animation;
use crate::error::Result;
use crate::fs::write_atomically;

/// How the format is made.
pub const MAKING: Making = Making::Animation {
    files: &["blender/.{surface}.frames", "blender/{surface}.obj", "blender/{surface}.pc2"],
    write,
};

/// Writes `<surface>.obj`, the mesh, and `<surface>.pc2`, its positions in every frame.
pub fn write(animation: &Animation) -> Result<()> {
    for surface in animation.surfaces {
        surface.write_obj(animation.dir)?;
        write_atomically(&animation.dir.join(format!("{}.pc2", surface.name)), |out| {
            out.write_all(b"POINTCACHE2\0")?;
            out.write_all(&1_i32.to_le_bytes())?;
            out.write_all(&(surface.vertices.len() as i32).to_le_bytes())?;
            out.write_all(&(animation.start_frame as f32).to_le_bytes())?;
            out.write_all(&1_f32.to_le_bytes())?;
            out.write_all(&(animation.frames.len() as i32).to_le_bytes())?;
            for index in 0..animation.frames.len() {
                let points = surface.record(index)?.points;
                out.write_all(&points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
