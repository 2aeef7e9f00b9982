//! The real binary on scenes in temporary directories: what it prints, writes and refuses, and how it ends.
//!
//! One program of many modules: every program of tests links the whole library, which takes longer than most tests.

#[path = "../common/mod.rs"]
mod common;

mod caching;
mod cli;
mod compare_command;
mod contact;
mod contact_bytes;
mod embedding;
mod export;
mod farm;
mod fit;
mod frames;
mod house;
mod interruption;
mod keeping;
mod names;
mod painted;
mod paper_command;
mod pipeline;
mod plot;
mod preview;
mod reference;
mod second_opinion;
mod sequences;
mod soundness;
mod start;
mod stress;
mod sweep;
