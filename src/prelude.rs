//! The names that most programs need.
//!
//! | to | take |
//! |---|---|
//! | describe a scene | [`Scene`], [`Body`], [`Material`], [`Selection`], [`Shape`], [`Mesh`] |
//! | let bodies touch | [`Contact`], [`Obstacle`] |
//! | choose a solver | [`QuasiNewton`], [`Newton`], [`Pd`], [`SolverSettings`]; more in [`solvers`](crate::solvers) |
//! | read files | [`load`], [`read_mesh`] |
//! | simulate | [`Simulation`], [`Cache`] |
//! | write frames | [`FrameWriter`], [`FrameFormat`] |
//! | add an energy | [`ElementEnergy`] |

/// The cache keeps orderings, factors and tets of surfaces on disk, so that the next start is quick.
///
/// ```
/// use pliant::prelude::*;
///
/// let cube = Shape::Block { size: [1.0; 3], cells: [2; 3], split: 5 };
/// let scene = Scene::new("cached").body(Body::new("cube", cube).material(Material::elastic("stvk", 1e5, 0.3)?));
/// let (simulation, report) = Simulation::new(&scene, &Cache::disabled())?;
/// assert!(!report.is_hit() && simulation.now() == 0.0);
/// # Ok::<(), pliant::Error>(())
/// ```
pub use crate::cache::Cache;

/// Errors are data; as text they say what is wrong, where, and the way out.
///
/// ```
/// use pliant::prelude::*;
///
/// let error = Simulation::start(&Scene::new("empty")).err().unwrap();
/// assert!(matches!(error, Error::Usage { .. }));
/// assert_eq!(error.to_string(), "scene 'empty' has no body");
/// ```
pub use crate::error::Error;

/// What functions of the library return.
///
/// ```
/// fn half_a_second() -> pliant::prelude::Result<f64> {
///     Ok(0.5)
/// }
/// assert_eq!(half_a_second().unwrap(), 0.5);
/// ```
pub use crate::error::Result;

/// Reads a mesh file of any known format.
///
/// ```
/// use pliant::prelude::*;
///
/// let bar = read_mesh("meshes/bar.vtu".as_ref())?;
/// assert!(!bar.tets.is_empty());
/// # Ok::<(), pliant::Error>(())
/// ```
pub use crate::io::read as read_mesh;

/// A mesh in memory: tets make a solid, triangles a sheet, edges a line.
///
/// ```
/// use pliant::prelude::*;
///
/// let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
/// let sheet = Mesh { points, triangles: vec![[0, 2, 1]], ..Mesh::default() };
/// assert_eq!(sheet.bounds(), Some([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]));
/// ```
pub use crate::mesh::Mesh;

pub use crate::run::FrameWriter;

/// A body has a mesh, materials, pins and an initial state; what a config says of a body, its fields have.
///
/// ```
/// use pliant::prelude::*;
///
/// let ball = Shape::Sphere { radius: 0.5, cells: 3 };
/// let body = Body::new("ball", ball)
///     .material(Material::elastic("stable-neo-hookean", 1e5, 0.45)?)
///     .density(900.0)
///     .velocity([1.0, 0.0, 0.0]);
/// assert_eq!(body.materials.len(), 1);
/// # Ok::<(), pliant::Error>(())
/// ```
pub use crate::scene::Body;

/// What touches what; with obstacles in a scene, it is on.
///
/// ```
/// use pliant::prelude::*;
///
/// let scene = Scene::new("rough").contact(Contact { friction: 0.5, own: false, ..Contact::default() });
/// assert!(scene.contact.unwrap().bodies);
/// ```
pub use crate::scene::Contact;

/// A format in which frames are written.
///
/// ```
/// use pliant::prelude::*;
///
/// let scene = Scene::new("bar").output("outputs/bar", &[FrameFormat::Vtu, FrameFormat::Usd]);
/// assert_eq!(scene.output.formats[1].name(), "usd");
/// ```
pub use crate::scene::FrameFormat;

/// A shape that bodies touch and do not move.
///
/// ```
/// use pliant::prelude::*;
///
/// let floor = Obstacle::plane("floor", [0.0; 3], [0.0, 1.0, 0.0]).friction(0.3);
/// let ball = Obstacle::sphere("ball", [0.0, 1.0, 0.0], 0.2);
/// let scene = Scene::new("table").obstacle(floor).obstacle(ball);
/// assert!(scene.contact.is_some() && scene.obstacles[1].shape.name() == "sphere");
/// ```
pub use crate::scene::Obstacle;

/// A scene has bodies, a solver and the world around them.
///
/// ```
/// use pliant::prelude::*;
///
/// let scene = Scene::new("still").gravity([0.0; 3]).time_step(0.01).iterations(20);
/// assert_eq!((scene.time.step, scene.solver.iterations), (0.01, 20));
/// ```
pub use crate::scene::Scene;

/// Vertices of a body, by where they are at rest or by number.
///
/// ```
/// use pliant::prelude::*;
///
/// let rope = Shape::Rope { length: 1.0, segments: 10 };
/// let body = Body::new("rope", rope).pin(Selection::Nearest { point: [0.0; 3], count: 1 });
/// assert_eq!(body.pins.len(), 1);
/// ```
pub use crate::scene::Selection;

/// A mesh made by the program.
///
/// ```
/// use pliant::prelude::*;
///
/// let cloth = Shape::Cloth { size: [1.0, 2.0], cells: [10, 20] };
/// assert!(matches!(Body::new("cloth", cloth).mesh, pliant::scene::MeshSource::Generate(_)));
/// ```
pub use crate::scene::Shape;

/// A running simulation: step it, read its positions.
///
/// ```
/// use pliant::prelude::*;
///
/// let cube = Shape::Block { size: [1.0; 3], cells: [1; 3], split: 6 };
/// let body = Body::new("cube", cube).material(Material::elastic("arap", 1e5, 0.0)?);
/// let mut simulation = Simulation::start(&Scene::new("falling").body(body))?;
/// let step = simulation.advance()?;
/// assert!(step.gradient_norm.is_finite() && simulation.velocities("cube")?[0][1] < 0.0);
/// # Ok::<(), pliant::Error>(())
/// ```
pub use crate::simulate::Simulation;

/// Newton's method: few, dear iterations, to see what the others should give.
///
/// ```
/// use pliant::prelude::*;
///
/// let scene = Scene::new("truth").solver(SolverSettings::new(Newton::default(), 50, 1e-8)?);
/// assert_eq!(scene.solver.kind().name, "newton");
/// # Ok::<(), pliant::Error>(())
/// ```
pub use crate::solvers::Newton;

/// Projective dynamics: for the material `arap`, springs and other projective energies.
///
/// ```
/// use pliant::prelude::*;
///
/// assert_eq!(Scene::new("cheap").solver(Pd::default()).solver.kind().name, "pd");
/// ```
pub use crate::solvers::Pd;

/// The default solver, L-BFGS around the matrix of projective dynamics, with its options.
///
/// ```
/// use pliant::prelude::*;
///
/// let options = QuasiNewton { history: Some(8), ..QuasiNewton::default() };
/// let scene = Scene::new("longer memory").solver(options);
/// assert_eq!(scene.solver.iterations, 10);
/// ```
pub use crate::solvers::QuasiNewton;

/// A solver with its iterations and its tolerance.
///
/// ```
/// use pliant::prelude::*;
///
/// assert!(SolverSettings::new(QuasiNewton::default(), 20, 1e-3).is_ok());
/// let fault = SolverSettings::new(QuasiNewton::default(), 0, 0.0).unwrap_err();
/// assert_eq!((fault.key.as_str(), fault.reason.as_str()), ("iterations", "must be at least 1"));
/// ```
pub use crate::solvers::SolverSettings;

pub use elements::energy::custom::ElementEnergy;

/// A material of a model's name, with its constants.
///
/// ```
/// use pliant::prelude::*;
///
/// let rubber = Material::elastic("neo-hookean", 1e6, 0.45)?;
/// assert_eq!(rubber.model.name, "neo-hookean");
/// # Ok::<(), pliant::Error>(())
/// ```
pub use elements::energy::material::Material;

use crate::config::{self, Overrides};
use std::path::Path;

/// Loads the scene of a config file.
///
/// All faults of the config are in the error, each with its line and column.
///
/// ```
/// use pliant::prelude::*;
///
/// let scene = load("configs/stretched-cube.toml".as_ref())?;
/// let mut simulation = Simulation::start(&scene)?;
/// simulation.advance()?;
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn load(path: &Path) -> Result<Scene> {
    Ok(config::load(path, &Overrides::default())?.scene)
}
