//! A bar held at one end, simulated into frames that ParaView and Blender open.
//!
//!     cargo run --release --example hanging_bar

use pliant::prelude::*;

fn main() -> Result<()> {
    let shape = Shape::Block { size: [4.0, 1.0, 1.0], cells: [16, 4, 4], split: 5 };
    let end = Selection::Box { min: [-1.0; 3], max: [0.001, 2.0, 2.0] };
    let body = Body::new("bar", shape).material(Material::elastic("corotated", 5e5, 0.3)?).pin(end);
    let dir = std::env::temp_dir().join(format!("pliant-hanging-bar-{}", std::process::id()));
    let scene = Scene::new("hanging-bar").body(body).output(&dir, &[FrameFormat::Vtu, FrameFormat::Ply]);
    let mut simulation = Simulation::start(&scene)?;
    let mut frames = FrameWriter::create(&scene, &simulation)?;
    frames.write(&simulation)?;
    for _ in 0..30 {
        let step = simulation.advance()?;
        assert!(step.gradient_norm.is_finite());
        frames.write(&simulation)?;
    }
    frames.finish()?;
    let lowest = simulation.positions("bar")?.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    println!("31 frames in {}; the free end hangs at {lowest:.3} m", dir.display());
    Ok(())
}
