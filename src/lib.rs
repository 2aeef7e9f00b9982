//! Elastic bodies: meshes in, simulated frames out.
//!
//! Everything is one minimization per time step, and every solver is a way to do it:
//!
//! ```text
//! g(x) = 1/(2h²) Σ_v m_v |x_v − y_v|²  +  Σ_t E_t(x),      y = x_n + h v_n + h² M⁻¹ f_ext
//! x_{n+1} = argmin g,   v_{n+1} = (x_{n+1} − x_n)/h
//! ```
//!
//! # As a library
//!
//! [`prelude`] has the names that most programs need: build a [`scene`] in code or load one from a config, step it, read the
//! positions, write frames, add an energy of your own.
//!
//! ```
//! use pliant::prelude::*;
//!
//! // A tetrahedron that hangs by a corner.
//! let mesh = Mesh {
//!     points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
//!     tets: vec![[0, 1, 2, 3]],
//!     ..Mesh::default()
//! };
//! let body = Body::new("tet", mesh)
//!     .material(Material::elastic("neo-hookean", 1e5, 0.3)?)
//!     .pin(Selection::Ids(vec![0]));
//! let mut simulation = Simulation::start(&Scene::new("hanging").body(body).time_step(1.0 / 60.0))?;
//! for _ in 0..10 {
//!     simulation.advance()?;
//! }
//! let x = simulation.positions("tet")?;
//! assert!(x[0] == [0.0; 3] && x[1][1] < 0.0, "the pin holds, the rest falls");
//! # Ok::<(), pliant::Error>(())
//! ```
//!
//! # The way of the data
//!
//! ```text
//! config → scene → model → objective + solver (cache hit or factor) → frames → files
//! ```
//!
//! A module uses those above it in this table and none below it; a test holds the tree to that.
//!
//! | module | what it does |
//! |---|---|
//! | `elements` (a crate) | energies, their kernels in SIMD lanes, threads |
//! | `sparse` (a crate) | orderings, factors, conjugate gradients |
//! | `error`, `fs` | errors as data; files that appear whole or not at all |
//! | `cache` | the disk cache |
//! | `mesh`, `io`, `meshing` | meshes, one file per format, surfaces filled with tets |
//! | `step` | one time step as a minimization: objective, terms, backtracking |
//! | `contact` | what touches: pairs, their energy, the filter of motions |
//! | `solver` | one file per solver, with the options that it declares |
//! | `scene` | scenes as plain data; a builder |
//! | `config` | TOML to a scene; every fault with file, line, column and key |
//! | `model` | from a scene to bodies, masses, pins, terms, forces |
//! | `simulate` | integrators, starts of steps, momenta and energy that are kept |
//! | `run` | a whole run: directory, frames, metrics, checkpoints |
//! | `scaffold` | a first scene for a mesh |
//! | `fit` | materials fitted to measured stress over stretch |
//! | `view`, `compare` | charts, pages and pictures of runs; solvers side by side |
//! | `papers` | the tables and figures of the papers, measured again |
//! | `sweep` | one config with many values, a run for each |
//! | `summarize` | many runs as one table |
//! | `cli` | one file per command |
//!
//! # Words
//!
//! *Energy* in joule, *density* of energy in J/m³; *stretch* a principal value of the deformation gradient F;
//! *unknown* a vertex that is solved for; *hard pin* a prescribed vertex, *soft pin* a spring to a target;
//! *step* one minimization, *frame* what is written (one or more steps); *projection* the nearest point of a
//! zero-energy set; *solid*, *sheet* and *line* bodies of tets, of triangles and of edges. Units are SI throughout.
//!
//! # References
//!
//! Keys used in the modules:
//!
//! - \[Ball1977\] Convexity Conditions and Existence Theorems in Nonlinear Elasticity
//! - \[Barequet1995\] Filling Gaps in the Boundary of a Polyhedron
//! - \[Barill2018\] Fast Winding Numbers for Soups and Clouds
//! - \[Byrd1994\] Representations of Quasi-Newton Matrices and Their Use in Limited Memory Methods
//! - \[Chen2024\] Vertex Block Descent
//! - \[Dinev2018\] FEPR: Fast Energy Projection for Real-Time Simulation of Deformable Objects
//! - \[Fritsch1980\] Monotone Piecewise Cubic Interpolation
//! - \[Gast2015\] Optimization Integrator for Large Time Steps
//! - \[Hager2005\] A New Conjugate Gradient Method with Guaranteed Descent and an Efficient Line Search
//! - \[Hestenes1952\] Methods of Conjugate Gradients for Solving Linear Systems
//! - \[Hinton1976\] A Note on Mass Lumping and Related Processes in the Finite Element Method
//! - \[Irving2004\] Invertible Finite Elements for Robust Simulation of Large Deformation
//! - \[Jacobson2013\] Robust Inside-Outside Segmentation Using Generalized Winding Numbers
//! - \[Kee2021\] Constrained Projective Dynamics
//! - \[Labelle2007\] Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles
//! - \[Ledwon2024\] XPBD, projective dynamics, quasi-Newton and ADMM compared
//! - \[Liu2017\] Quasi-Newton Methods for Real-Time Simulation of Hyperelastic Materials
//! - \[Lewis2013\] Nonsmooth Optimization via Quasi-Newton Methods
//! - \[Li2020\] Incremental Potential Contact: Intersection- and Inversion-free, Large-Deformation Dynamics
//! - \[Manteuffel1980\] An Incomplete Factorization Technique for Positive Definite Linear Systems
//! - \[Muller2002\] Stable Real-Time Deformations
//! - \[Narain2016\] ADMM ⊇ Projective Dynamics
//! - \[Shewchuk1997\] Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates
//! - \[Si2015\] TetGen, a Delaunay-Based Quality Tetrahedral Mesh Generator
//! - \[Smith2018\] Stable Neo-Hookean Flesh Simulation
//! - \[Smith2019\] Analytic Eigensystems for Isotropic Distortion Energies
//! - \[Steele2014\] Fast Splittable Pseudorandom Number Generators
//! - \[Teran2005\] Robust Quasistatic Finite Elements and Flesh Simulation
//! - \[VanOosterom1983\] The Solid Angle of a Plane Triangle
//! - \[Wang2015\] A Chebyshev Semi-Iterative Approach for Accelerating Projective and Position-Based Dynamics
//! - \[Xu2015\] Nonlinear Material Design Using Principal Stretches

// The library is `prelude`, `scene`, `solvers` and `error`. What is hidden here is reached by the program, its tests and its
// benches, and promises nothing to others.
#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod contact;
pub mod error;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod fs;
#[doc(hidden)]
pub mod io;
#[doc(hidden)]
pub mod mesh;
#[doc(hidden)]
pub mod meshing;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod papers;
pub mod prelude;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod scaffold;
pub mod scene;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod solver;
pub mod solvers;
#[doc(hidden)]
pub mod step;
pub mod summarize;
pub mod sweep;
#[doc(hidden)]
pub mod view;

pub use error::{Error, Result};
