//! Meshes: files of all formats, repair of surfaces, and fillings with tets.
//!
//! One program of many modules: every program of tests links the whole library, which takes longer than most tests.

#[path = "../common/mod.rs"]
mod common;

mod convert;
mod lattice;
mod mesh_files;
mod repair;
mod tetgen;
