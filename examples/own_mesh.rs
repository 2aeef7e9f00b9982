//! Simulates a mesh that the program makes itself, and reads the positions in the order of that mesh.
//!
//!     cargo run --release --example own_mesh

use pliant::prelude::*;

fn main() -> Result<()> {
    // A tower of boxes, each of five tets, around a vertical axis.
    let floors = 8;
    let corner = |k: usize, y: usize| {
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][k].map(|c| c * 0.2 + 0.01 * y as f64)
    };
    let mut mesh = Mesh::default();
    for y in 0..=floors {
        mesh.points.extend((0..4).map(|k| [corner(k, y)[0], 0.2 * y as f64, corner(k, y)[1]]));
    }
    for y in 0..floors as u32 {
        let v = |k: u32| 4 * y + k;
        // Boxes are split alternately, so that their faces meet.
        let five = [[0, 1, 3, 4], [1, 2, 3, 6], [1, 4, 5, 6], [3, 4, 6, 7], [1, 3, 4, 6]];
        let turned = five.map(|tet| tet.map(|k| (k & 4) + (k + 1) % 4));
        mesh.tets.extend((if y % 2 == 0 { five } else { turned }).map(|tet| tet.map(v)));
    }
    let body = Body::new("tower", mesh)
        .material(Material::elastic("neo-hookean", 2e5, 0.4)?)
        .pin(Selection::Ids((0..4).collect()));
    let mut simulation = Simulation::start(&Scene::new("leaning").body(body).time_step(1.0 / 60.0))?;
    for _ in 0..60 {
        simulation.advance()?;
    }
    let top = simulation.positions("tower")?[4 * floors];
    println!("after {:.1} s a corner of the top is at {top:.3?}", simulation.now());
    Ok(())
}
