//! The library's numerics: solvers, energies, integrators and forces, against closed forms, each other and the papers.
//!
//! One program of many modules: every program of tests links the whole library, which takes longer than most tests.

#[path = "../common/mod.rs"]
mod common;

mod active_pins;
mod admm;
mod comparison;
mod conservation;
mod contact;
mod contact_agreement;
mod contact_guarantee;
mod contact_paths;
mod contact_physics;
mod contact_published;
mod contact_solvers;
mod contact_starts;
mod control;
mod damping;
mod forces;
mod integrators;
mod library;
mod momentum;
mod papers_experiments;
mod papers_meshes;
mod probes;
mod quadratic;
mod recovery;
mod resolution;
mod ropes;
mod sheets;
mod soft_pins;
mod solvers;
mod soundness;
mod statics;
mod variation;
mod vbd;
mod vibrations;
mod xpbd;
