//! The library as others use it: scenes in code, meshes in memory, energies from outside, and what is refused.

use pliant::config::parse;
use pliant::mesh::generate::generate;
use pliant::prelude::*;
use pliant::scene::MeshSource;

const BAR: Shape = Shape::Block { size: [1.0, 0.3, 0.3], cells: [4, 2, 2], split: 5 };

fn bar(mesh: impl Into<MeshSource>) -> Result<Body> {
    let end = Selection::Box { min: [-1.0; 3], max: [0.001, 1.0, 1.0] };
    Ok(Body::new("bar", mesh).material(Material::elastic("neo-hookean", 1e5, 0.4)?).pin(end))
}

fn after_five_steps(scene: &Scene) -> Result<Vec<[f64; 3]>> {
    let mut simulation = Simulation::start(scene)?;
    for _ in 0..5 {
        simulation.advance()?;
    }
    simulation.positions("bar")
}

#[test]
fn a_scene_in_code_is_the_one_of_its_config_to_the_bit() {
    let config = r#"
        [solver]
        iterations = 10
        [[body]]
        name = "bar"
        element = "linear"
        generate = { shape = "beam", size = [1, 0.3, 0.3], cells = [4, 2, 2] }
        material = { model = "neo-hookean", young = 1e5, poisson = 0.4 }
        [[body.pin]]
        select = { box = { min = [-1, -1, -1], max = [0.001, 1, 1] } }
    "#;
    let of_config = after_five_steps(&parse(config).unwrap().scene).unwrap();
    let mesh = generate(&BAR);
    let rest = mesh.points.clone();
    for source in [MeshSource::from(BAR), mesh.into()] {
        let of_code = after_five_steps(&Scene::new("bar").body(bar(source).unwrap())).unwrap();
        assert_eq!(of_code, of_config);
    }
    // The order is the mesh's own: what is pinned has not moved, and all of the rest hangs.
    for (now, before) in of_config.iter().zip(&rest) {
        assert!(if before[0] < 0.001 { now == before } else { now[1] < before[1] });
    }
}

/// A force of 1 N along y on one vertex, as the energy −y.
struct Pull {
    body: &'static str,
    vertex: u32,
}

impl ElementEnergy for Pull {
    fn name(&self) -> String {
        "pull".into()
    }

    fn body(&self) -> &str {
        self.body
    }

    fn corners(&self) -> usize {
        1
    }

    fn elements(&self) -> Vec<u32> {
        vec![self.vertex]
    }

    fn evaluate(&self, _: usize, x: &[[f64; 3]], gradient: &mut [[f64; 3]]) -> f64 {
        gradient[0] = [0.0, -1.0, 0.0];
        -x[0][1]
    }

    fn hessian(&self, _: usize, _: &[[f64; 3]], out: &mut [f64]) {
        out.fill(0.0);
    }
}

#[test]
fn an_energy_from_outside_acts_on_the_vertex_that_it_names() {
    // A free body: its centre of mass goes by F h²/m in the first step, and only the named vertex leads.
    let body = Body::new("bar", BAR).material(Material::elastic("corotated", 1e5, 0.3).unwrap());
    let scene = Scene::new("pulled").gravity([0.0; 3]).body(body).iterations(50);
    let energies: Vec<Box<dyn ElementEnergy>> = vec![Box::new(Pull { body: "bar", vertex: 7 })];
    let (mut simulation, _) = Simulation::with_energies(&scene, energies, &Cache::disabled()).unwrap();
    let rest = simulation.positions("bar").unwrap();
    simulation.advance().unwrap();
    let now = simulation.positions("bar").unwrap();
    let rise: Vec<f64> = now.iter().zip(&rest).map(|(a, b)| a[1] - b[1]).collect();
    let highest = (0..rise.len()).max_by(|a, b| rise[*a].total_cmp(&rise[*b])).unwrap();
    assert_eq!(highest, 7);
    let mass = 1000.0 * 0.09;
    let momentum = simulation.advance().unwrap().linear[1];
    let wanted = 2.0 / 30.0;
    assert!((momentum - wanted).abs() < 1e-6 * wanted, "{momentum} instead of {wanted} of {mass} kg");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let refusal = |scene: &Scene| Simulation::start(scene).err().unwrap().to_string();
    let body = || bar(BAR).unwrap();
    for (scene, reason) in [
        (Scene::new("none"), "has no body"),
        (Scene::new("a/b").body(body()), "the name 'a/b': '/' cannot be part of a file name"),
        (Scene::new("two").body(body()).body(body()), "two bodies have the name 'bar'"),
        (Scene::new("step").body(body()).time_step(0.0), "the time step must be above 0 s"),
        (Scene::new("light").body(body().density(-1.0)), "density must be above 0"),
        (Scene::new("idle").body(body()).iterations(0), "iterations: must be at least 1"),
        (Scene::new("pd").body(body()).solver(Pd::default()), "it needs a projective energy"),
    ] {
        let found = refusal(&scene);
        assert!(found.contains(reason), "{found}");
    }
    let scene = Scene::new("bar").body(body());
    for (pull, reason) in [
        (Pull { body: "rod", vertex: 0 }, "energy 'pull': there is no body 'rod'"),
        (Pull { body: "bar", vertex: 1000 }, "energy 'pull': body 'bar' has no vertex 1000"),
    ] {
        let found = Simulation::with_energies(&scene, vec![Box::new(pull)], &Cache::disabled());
        assert_eq!(found.err().unwrap().to_string(), reason);
    }
    let found = Simulation::start(&scene).unwrap().positions("bra").unwrap_err().to_string();
    assert!(found.contains("there is no body 'bra'") && found.contains("did you mean 'bar'?"), "{found}");
}
