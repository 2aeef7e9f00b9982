//! Energies: terms of the objective and the materials they are made of.

pub mod material;
