//! Elastic bodies: meshes in, simulated frames out.
//!
//! Everything is one minimization per time step, and every solver is a way to do it:
//!
//! ```text
//! g(x) = 1/(2h²) Σ_v m_v |x_v − y_v|²  +  Σ_t E_t(x),      y = x_n + h v_n + h² M⁻¹ f_ext
//! x_{n+1} = argmin g,   v_{n+1} = (x_{n+1} − x_n)/h
//! ```
//!
//! # The way of the data
//!
//! ```text
//! config → model → objective + solver (cache hit or factor) → frames → files
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`config`] | TOML to a validated scene; every fault with file, line, column and key |
//! | [`mesh`], [`io`] | meshes as files hold them, generators, one file per format |
//! | [`model`] | bodies, masses, pins, the internal numbering of vertices |
//! | [`energy`] | terms of the objective; one file per material |
//! | [`force`] | gravity, wind, loads, pressure; one file per force |
//! | [`objective`] | g and ∇g, the one function that all solvers share |
//! | [`solver`] | one file per solver |
//! | [`conserve`] | momenta and energy of bodies, and the constraints that keep them |
//! | [`sparse`], [`cache`] | the system matrix, its factor, and the disk cache of factors |
//! | [`simulate`] | the time loop, metrics, checkpoints |
//! | [`output`] | run directories, frame writers |
//! | [`replay`] | the frames of a finished run, read back |
//! | [`preview`] | a run as a page for browsers, as pictures and as a moving picture |
//! | [`plot`] | charts of runs and materials as SVG and PNG |
//! | [`math`], [`par`] | lanes, 3×3 kernels; the only place that knows threads |
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
//! - \[Barequet1995\] Filling Gaps in the Boundary of a Polyhedron
//! - \[Barill2018\] Fast Winding Numbers for Soups and Clouds
//! - \[Chen2024\] Vertex Block Descent
//! - \[Dinev2018\] FEPR: Fast Energy Projection for Real-Time Simulation of Deformable Objects
//! - \[Fritsch1980\] Monotone Piecewise Cubic Interpolation
//! - \[Gast2015\] Optimization Integrator for Large Time Steps
//! - \[Hager2005\] A New Conjugate Gradient Method with Guaranteed Descent and an Efficient Line Search
//! - \[Hestenes1952\] Methods of Conjugate Gradients for Solving Linear Systems
//! - \[Irving2004\] Invertible Finite Elements for Robust Simulation of Large Deformation
//! - \[Jacobson2013\] Robust Inside-Outside Segmentation Using Generalized Winding Numbers
//! - \[Kee2021\] Constrained Projective Dynamics
//! - \[Labelle2007\] Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles
//! - \[Ledwon2024\] XPBD, projective dynamics, quasi-Newton and ADMM compared
//! - \[Liu2017\] Quasi-Newton Methods for Real-Time Simulation of Hyperelastic Materials
//! - \[Lewis2013\] Nonsmooth Optimization via Quasi-Newton Methods
//! - \[Manteuffel1980\] An Incomplete Factorization Technique for Positive Definite Linear Systems
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

pub mod cache;
pub mod cli;
pub mod compare;
pub mod config;
pub mod error;
pub mod fs;
pub mod io;
pub mod mesh;
pub mod meshing;
pub mod model;
pub mod run;
pub mod scene;
pub mod simulate;
pub mod solver;
pub mod sparse;
pub mod step;
pub mod view;

pub use error::{Error, Result};
