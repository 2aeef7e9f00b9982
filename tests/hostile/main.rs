//! Files that are made to do harm: small ones that would become large, and loaded things that lie.
//!
//! In a program of its own: it counts the bytes that all of its threads allocate.

#[path = "../common/mod.rs"]
mod common;

mod bombs;
mod campaign;
mod entry;
mod limits;
mod loaded;
mod samples;

use std::alloc::System;
use std::sync::{Mutex, PoisonError};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// All tests take turns, because the bytes of one would be counted by another.
static TURN: Mutex<()> = Mutex::new(());

/// The bytes that a file may become: 64 times its own and 64 MB.
fn budget(file: usize) -> usize {
    64 * file + (64 << 20)
}

/// Runs `f` and returns its result and the bytes that were allocated for it, also those that were given back at once.
fn allocated<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let region = Region::new(ALLOCATOR);
    let result = f();
    (result, region.change().bytes_allocated)
}

/// Waits for the turn of a test; every test begins with it.
fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
