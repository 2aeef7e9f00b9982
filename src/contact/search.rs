//! The lists of a scene: one for each scope, made anew on demand, with the margins that they get.

use std::sync::{Arc, Mutex, PoisonError};

use super::hierarchy::{Hierarchy, Scope};
use super::list::{List, Moved};
use super::surfaces::Surfaces;
use elements::math::lanes::Vec4;

/// The largest margin of a list as a part of the length of edges.
const EDGE: f64 = 0.25;
/// The least margin of a list as a part of d̂.
const LEAST: f64 = 0.1;
/// Motions of more than so many of the largest margins make lists with the least one.
const BEYOND: f64 = 2.0;

/// The pairs of a scope, by a list that is made anew on demand.
pub struct Search {
    /// The pairs of parts that it is about.
    pub scope: Scope,
    list: Mutex<Arc<List>>,
    /// The least and the largest margin of a list in m: lists with many more pairs than touch cost more than making
    /// them anew.
    margins: [f64; 2],
}

impl Search {
    /// Those that surfaces need, with vertices at `x`.
    pub fn all(surfaces: &Surfaces, hierarchy: &Hierarchy, x: &[Vec4]) -> Vec<Search> {
        let scopes = [Scope::Own, Scope::Bodies, Scope::Obstacles];
        let scopes = scopes.into_iter().filter(|scope| !hierarchy.is_empty(surfaces, *scope));
        scopes.map(|scope| Search::new(scope, surfaces, x)).collect()
    }

    /// Without a list yet. Pieces of a body are near each other along all of its surface, so margins within bodies follow
    /// their finest edges.
    fn new(scope: Scope, surfaces: &Surfaces, x: &[Vec4]) -> Search {
        let range = surfaces.range;
        let widest = if scope == Scope::Own {
            EDGE * surfaces.fine_edge(x)
        } else {
            range.max(EDGE * surfaces.mean_edge(x))
        };
        Search { scope, list: Mutex::default(), margins: [widest.min(LEAST * range), widest] }
    }

    /// Drops its list.
    pub fn forget(&mut self) {
        self.list = Mutex::default();
    }

    /// The list that was made last.
    pub fn last(&self) -> Arc<List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A list that tells what touches at `x`, and how vertices have moved since it was made.
    pub fn at(&self, surfaces: &Surfaces, hierarchy: &Hierarchy, x: &[Vec4]) -> (Arc<List>, Moved) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = list.moved(surfaces, x).unwrap_or_else(|closer| {
            *list = Arc::new(List::new(surfaces, hierarchy, self.scope, x, self.margin(closer)));
            Moved::between(surfaces, x, x)
        });
        (list.clone(), moved)
    }

    /// The margin in m of a list where pairs came closer by so much since the last one. Motions that are far beyond the
    /// largest margin are not followed: their list serves one state.
    fn margin(&self, closer: f64) -> f64 {
        let [least, widest] = self.margins;
        if closer > BEYOND * widest { least } else { closer.clamp(least, widest) }
    }
}
