//! The paths that steps with contact take: they hang together, and files of them for `tests/clients/check_paths.py`, which
//! looks for crossings along them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use elements::math::lanes::Vec4;
use pliant::cache::Cache;
use pliant::config::{Overrides, load};
use pliant::error::{Error, Result};
use pliant::model::Model;
use pliant::model::obstacle::ObstacleKind;
use pliant::prelude::Material;
use pliant::scene::{Body, Contact, Damping, Quantity, Scene};
use pliant::simulate::Simulation;
use pliant::simulate::watch::Passed;
use pliant::solver::specification::parse;
use pliant::solver::{KINDS, Kind};
use serde_json::{Value, json};

/// A scene of `configs/`, with the frames whose paths are taken.
pub const SCENES: [(&str, [u64; 2]); 10] = [
    ("falling-ball", [28, 31]),
    ("falling-boxes", [8, 11]),
    ("cloth-on-ball", [9, 11]),
    ("sliding-block", [0, 2]),
    ("stack-of-boxes", [0, 2]),
    ("jelly-on-stairs", [20, 22]),
    ("rope-over-cylinder", [20, 22]),
    ("ball-through-ring", [13, 16]),
    ("twisting-mat", [93, 96]),
    ("linked-rings", [20, 23]),
];
/// Variants of every scene that are simulated from its start: a solver, its iterations a step, and the integrator.
const VARIANTS: [(&str, u64, &str); 3] =
    [("quasi-newton", 40, "implicit-euler"), ("quasi-newton", 3, "implicit-euler"), ("newton", 2, "bdf2")];
/// With so many iterations a step, every solver goes on where the first variant has come to.
const ITERATIONS: [u64; 3] = [1, 3, 10];

/// Places that steps went through, and the numbers of those at which a path begins.
#[derive(Default)]
struct Paths {
    places: Vec<Vec<Vec4>>,
    begins: Vec<usize>,
}

impl Paths {
    /// The paths of the frames up to `to`, and how that ended.
    fn of(simulation: &mut Simulation, to: u64) -> (Paths, Result<()>) {
        let paths = Arc::new(Mutex::new(Paths::default()));
        let taken = paths.clone();
        simulation.watch(Box::new(move |passed, x| {
            let mut paths = taken.lock().unwrap();
            if passed == Passed::Begin {
                let number = paths.places.len();
                paths.begins.push(number);
            }
            paths.places.push(x.to_vec());
        }));
        let result = advance(simulation, to);
        simulation.watch(Box::new(|_, _| {}));
        (Arc::into_inner(paths).unwrap().into_inner().unwrap(), result)
    }

    /// Asserts that every path begins where the last step ended, and that the last one ends at `end`. Steps end where a
    /// path ends, so a place that two paths begin at lies within a step that was begun anew.
    fn assert_whole(&self, start: &[Vec4], end: &[Vec4]) {
        assert_eq!(self.begins.first(), Some(&0));
        assert_eq!(self.places[0], start);
        for (earlier, begin) in self.begins.iter().zip(&self.begins[1..]) {
            let place = &self.places[*begin];
            assert!(*place == self.places[begin - 1] || *place == self.places[*earlier], "place {begin}");
        }
        assert_eq!(self.places.last().map(Vec::as_slice), Some(end));
    }

    /// Writes the paths of a scene to a directory.
    fn write(&self, directory: &Path, scene: &Scene, model: &Model) {
        std::fs::create_dir_all(directory).unwrap();
        let mut used = BTreeMap::new();
        let parts = parts(scene, model, &mut used);
        let names: Vec<&str> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
        let touch = |i: usize| (0..names.len()).map(|j| may_touch(scene, &names, i, j)).collect::<Vec<_>>();
        let about = json!({
            "parts": parts,
            "touch": (0..names.len()).map(touch).collect::<Vec<_>>(),
            "vertices": used.keys().collect::<Vec<_>>(),
            "begins": self.begins,
            "places": self.places.len(),
        });
        std::fs::write(directory.join("paths.json"), about.to_string()).unwrap();
        let numbers = self.places.iter().flat_map(|x| used.keys().flat_map(|v| x[*v as usize].xyz()));
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        std::fs::write(directory.join("places.f64"), bytes).unwrap();
    }
}

/// Simulates up to a frame.
fn advance(simulation: &mut Simulation, frame: u64) -> Result<()> {
    while simulation.frame() < frame {
        simulation.advance()?;
    }
    Ok(())
}

/// What can touch, by internal numbers, which are noted in `used`.
fn parts(scene: &Scene, model: &Model, used: &mut BTreeMap<u32, ()>) -> Vec<Value> {
    let mut number = |vertex: usize| {
        let number = model.numbering.position[vertex];
        used.insert(number, ());
        number
    };
    let mut parts = vec![];
    for (body, placed) in scene.bodies.iter().zip(&model.bodies) {
        let surface = &placed.surface;
        let mut own = |v: u32| number(placed.vertices.start + surface.vertices[v as usize] as usize);
        parts.push(json!({
            "name": body.name,
            "kind": "body",
            "radius": radius(body, placed.radius, !placed.triangles.is_empty()),
            "triangles": surface.triangles.iter().map(|t| t.map(&mut own)).collect::<Vec<_>>(),
            "edges": surface.edges.iter().map(|e| e.map(&mut own)).collect::<Vec<_>>(),
        }));
    }
    for obstacle in &model.obstacles {
        let mut own = |v: u32| number(obstacle.vertices.start + v as usize);
        let (kind, core) = match obstacle.kind {
            ObstacleKind::Plane => ("plane", vec![0, 1, 2]),
            ObstacleKind::Point => ("sphere", vec![0]),
            ObstacleKind::Segment => ("capsule", vec![0, 1]),
            ObstacleKind::Triangles => ("mesh", vec![]),
        };
        parts.push(json!({
            "name": obstacle.name,
            "kind": kind,
            "radius": obstacle.radius,
            "triangles": obstacle.triangles.iter().map(|t| t.map(&mut own)).collect::<Vec<_>>(),
            "edges": Vec::<[u32; 2]>::new(),
            "core": core.into_iter().map(own).collect::<Vec<_>>(),
        }));
    }
    parts
}

/// Half of a body's thickness in m.
fn radius(body: &Body, line: Option<f64>, is_sheet: bool) -> f64 {
    let thickness = match &body.thickness {
        Quantity::Constant(thickness) if is_sheet => *thickness,
        _ => 2.0 * line.unwrap_or(0.0),
    };
    0.5 * body.contact.thickness.unwrap_or(thickness)
}

/// Whether two parts may touch, or one part itself.
fn may_touch(scene: &Scene, names: &[&str], i: usize, j: usize) -> bool {
    let (settings, bodies) = (scene.contact.clone().unwrap_or_default(), scene.bodies.len());
    let Contact { own, bodies: each_other, pairs, .. } = settings;
    let is_it = |pair: &[String; 2]| {
        [[names[i], names[j]], [names[j], names[i]]].contains(&[pair[0].as_str(), pair[1].as_str()])
    };
    if i.min(j) >= bodies {
        return false;
    }
    match pairs.iter().find(|pair| is_it(&pair.between)) {
        Some(pair) => pair.contact,
        None if i == j => scene.bodies[i].contact.own.unwrap_or(own),
        None => i.max(j) >= bodies || each_other,
    }
}

fn settings(iterations: u64, integrator: &str) -> [String; 2] {
    [format!("solver.iterations={iterations}"), format!("time.integrator=\"{integrator}\"")]
}

/// A scene of `configs/` with other values.
pub fn scene(name: &str, solver: &str, set: &[String]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("configs/{name}.toml"));
    let overrides = Overrides { set: set.to_vec(), solver: Some(solver.into()), ..Overrides::default() };
    load(&path, &overrides).unwrap().scene
}

#[test]
fn the_path_of_a_step_leads_from_its_start_to_its_end() {
    for (name, integrator) in
        [("falling-boxes", "implicit-euler"), ("stack-of-boxes", "bdf2"), ("twisting-mat", "implicit-euler")]
    {
        let mut simulation =
            Simulation::start(&scene(name, "quasi-newton", &settings(6, integrator))).unwrap();
        let start = simulation.state.x.clone();
        let (paths, result) = Paths::of(&mut simulation, 8);
        result.unwrap();
        paths.assert_whole(&start, &simulation.state.x);
        assert!(paths.places.len() > 3 * 8, "{name}: {} places", paths.places.len());
    }
}

/// All solvers, as the command line names them.
pub fn solvers() -> Vec<String> {
    let of = |kind: &Kind| match kind.name {
        "chebyshev" => {
            ["direct", "jacobi", "gauss-seidel"].map(|inner| format!("chebyshev:inner={inner}")).to_vec()
        }
        name => vec![name.to_string()],
    };
    KINDS.iter().flat_map(of).collect()
}

/// The scene with all materials replaced by `arap`, which every solver can simulate, and without damping.
fn simple(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for body in &mut scene.bodies {
        body.damping = Damping::default();
        for part in &mut body.materials {
            let young = part.material.parameters.young.expect("a material of configs/ has it");
            part.material = Material::elastic("arap", young, 0.3).unwrap();
        }
    }
    scene
}

/// A scene with another solver and so many iterations a step, prepared, or why the solver refuses it. What it refuses for its
/// materials is made simple, and so is what would turn elements over where a solver does not minimize.
pub fn with_solver(scene: &Scene, solver: &str, iterations: u64) -> Result<(Scene, Simulation)> {
    let mut scene = scene.clone();
    scene.solver = parse(solver, &scene.solver).unwrap().settings;
    scene.solver.iterations = iterations;
    let new =
        |scene: Scene| Simulation::new(&scene, &Cache::disabled()).map(|(simulation, _)| (scene, simulation));
    match new(scene.clone()) {
        Ok(ready) if ready.1.solver().minimizes() => Ok(ready),
        Ok(_) | Err(Error::Unsupported { .. }) => new(simple(&scene)),
        Err(error) => Err(error),
    }
}

/// The paths that every solver takes from where a simulation is, in the frames up to `to`; returns how many refused.
fn write_all(from: &Simulation, name: &str, scene: &Scene, to: u64, directory: &Path) -> usize {
    let mut refused = 0;
    for solver in solvers() {
        for iterations in ITERATIONS {
            let (scene, mut simulation) = match with_solver(scene, &solver, iterations) {
                Ok(ready) => ready,
                Err(Error::Unsupported { reason, .. }) => {
                    println!("{name}: {solver} refuses it: {reason}");
                    refused += 1;
                    break;
                }
                Err(error) => panic!("{name}, {solver}: {error}"),
            };
            assert_eq!(simulation.model.numbering.position, from.model.numbering.position);
            (simulation.state, simulation.step) = (from.state.clone(), from.step);
            assert!(simulation.restore(&from.save()).unwrap());
            let what = format!("{name}-{}-{iterations}", solver.replace(":inner=", "-"));
            let (paths, result) = Paths::of(&mut simulation, to);
            // What one iteration leaves unsolved may have no room, which is told and not passed over.
            if let Err(error) = result {
                println!("{what}: {error}");
                assert!(
                    error.to_string().contains("crushed") && !simulation.solver().minimizes(),
                    "{what}: {error}"
                );
            }
            paths.write(&directory.join(what), &scene, &simulation.model);
        }
    }
    refused
}

#[test]
#[ignore = "writes files for tests/clients/check_paths.py to the directory that PLIANT_PATHS names"]
fn paths_are_written_for_others_to_check() {
    let Some(directory) = std::env::var_os("PLIANT_PATHS") else { return };
    let directory = Path::new(&directory);
    for (name, [from, to]) in SCENES {
        for (number, (solver, iterations, integrator)) in VARIANTS.into_iter().enumerate() {
            let scene = scene(name, solver, &settings(iterations, integrator));
            let (mut simulation, _) = Simulation::new(&scene, &Cache::disabled()).unwrap();
            advance(&mut simulation, from).unwrap();
            if number == 0 {
                let refused = write_all(&simulation, name, &scene, to, directory);
                assert!(refused < 3, "{name}: {refused} solvers refuse it");
            }
            let (paths, result) = Paths::of(&mut simulation, to);
            result.unwrap();
            let what = format!("{name}-{solver}-{iterations}-{integrator}");
            paths.write(&directory.join(what), &scene, &simulation.model);
        }
    }
}
