//! Cuts of an elimination tree: branches that do not depend on each other, and the top that depends on all of them.
//!
//! A node belongs to the top where the work of its subtree is above an eighth of all. The subtrees that are left follow each
//! other in post-order, between nodes of the top; neighbours are taken together to branches of a sixteenth or more.
//! This depends on the factor alone, not on the threads that will solve with it.

use std::ops::Range;

use super::Supernode;

/// Supernodes of the branches and of the top, in their order.
pub(super) struct Plan {
    /// Neighbouring subtrees.
    pub(super) branches: Vec<Range<usize>>,
    /// What is in none.
    pub(super) top: Vec<usize>,
}

/// Subtrees with more than this share of the work are cut.
const CUT: f64 = 1.0 / 8.0;
/// Branches have at least this share where neighbours are enough.
const LEAST: f64 = 1.0 / 16.0;
/// Factors with fewer entries than this are not cut.
const WORTHWHILE: f64 = 20_000.0;

/// The cut of supernodes in post-order.
pub(super) fn plan(nodes: &[Supernode]) -> Plan {
    let entries =
        |node: &Supernode| node.columns as f64 * (0.5 * node.columns as f64 + node.pattern.len() as f64);
    let total: f64 = nodes.iter().map(entries).sum();
    if total < WORTHWHILE {
        return Plan { branches: vec![], top: (0..nodes.len()).collect() };
    }
    let parents = parents(nodes);
    let mut subtree: Vec<f64> = nodes.iter().map(entries).collect();
    for s in 0..nodes.len() {
        if let Some(parent) = parents[s] {
            subtree[parent] += subtree[s];
        }
    }
    let is_top = |s: usize| subtree[s] > CUT * total;
    let mut plan = Plan { branches: vec![], top: vec![] };
    let (mut first, mut work) = (0, 0.0);
    for s in 0..nodes.len() {
        let ends = !is_top(s) && parents[s].is_none_or(is_top);
        if ends {
            work += subtree[s];
        }
        let last_of_run = s + 1 == nodes.len() || is_top(s + 1);
        if ends && (work >= LEAST * total || last_of_run) {
            plan.branches.push(first..s + 1);
            (first, work) = (s + 1, 0.0);
        }
        if is_top(s) {
            plan.top.push(s);
            first = s + 1;
        }
    }
    plan
}

/// The supernode with the first row below each, if there is one.
fn parents(nodes: &[Supernode]) -> Vec<Option<usize>> {
    let of = |row: usize| nodes.partition_point(|node| node.start <= row) - 1;
    nodes.iter().map(|node| node.pattern.iter().min().map(|row| of(*row))).collect()
}
