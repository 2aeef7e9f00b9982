//! Cuts of an elimination tree: parts that do not depend on each other, and parts that depend on those.
//!
//! A node is cut off from its parent where the work of its subtree is at most an eighth of all, and below it nothing is cut.
//! Such subtrees follow each other in post-order, between the nodes above; neighbours are taken together to parts of a
//! sixteenth or more. What is above are chains of nodes that part where the tree does: a part each. This depends on the
//! factor alone, not on the threads that will solve with it.

use super::Supernode;

/// Supernodes that are solved with one after the other.
pub(super) struct Branch {
    /// Their numbers, ascending.
    pub(super) nodes: Vec<usize>,
    /// The first of the parts that it depends on, which end with the one before it; its own number if there are none.
    pub(super) first: usize,
}

/// Subtrees with more than this share of the work are cut.
const CUT: f64 = 1.0 / 8.0;
/// Parts have at least this share where neighbours are enough.
const LEAST: f64 = 1.0 / 16.0;
/// Factors with fewer entries than this are not cut.
const WORTHWHILE: f64 = 20_000.0;

/// The parts of supernodes in post-order, each after those it depends on; the last one depends on all.
pub(super) fn plan(nodes: &[Supernode]) -> Vec<Branch> {
    let entries =
        |node: &Supernode| node.columns as f64 * (0.5 * node.columns as f64 + node.pattern.len() as f64);
    let total: f64 = nodes.iter().map(entries).sum();
    if total < WORTHWHILE {
        return vec![Branch { nodes: (0..nodes.len()).collect(), first: 0 }];
    }
    let tree = Tree::new(nodes, entries);
    let is_top = |s: usize| tree.work[s] > CUT * total;
    let mut top_children = vec![0; nodes.len()];
    for parent in (0..nodes.len()).filter(|s| is_top(*s)).filter_map(|s| tree.parents[s]) {
        top_children[parent] += 1;
    }
    let mut parts: Vec<Branch> = vec![];
    // Parts that none depends on yet, and the chains of nodes that end with each of the top.
    let (mut roots, mut chains) = (vec![], vec![vec![]; nodes.len()]);
    let (mut first, mut work) = (0, 0.0);
    for s in 0..nodes.len() {
        if is_top(s) {
            first = s + 1;
            let mut chain: Vec<usize> = std::mem::take(&mut chains[s]);
            chain.push(s);
            if let Some(parent) = tree.parents[s].filter(|parent| top_children[*parent] == 1) {
                chains[parent] = chain;
                continue;
            }
            // Whatever ends within the subtree.
            let mut start = parts.len();
            let is_below =
                |root: &usize| parts[*root].nodes.last().is_some_and(|last| *last >= tree.lowest[s]);
            while let Some(root) = roots.pop_if(|root| is_below(root)) {
                start = parts[root].first;
            }
            roots.push(parts.len());
            parts.push(Branch { nodes: chain, first: start });
            continue;
        }
        let ends = tree.parents[s].is_none_or(is_top);
        work += if ends { tree.work[s] } else { 0.0 };
        let last_of_run = s + 1 == nodes.len() || is_top(s + 1);
        if ends && (work >= LEAST * total || last_of_run) {
            roots.push(parts.len());
            parts.push(Branch { nodes: (first..s + 1).collect(), first: parts.len() });
            (first, work) = (s + 1, 0.0);
        }
    }
    if roots.len() > 1 {
        parts.push(Branch { nodes: vec![], first: 0 });
    }
    parts
}

/// What is known of each node's subtree.
struct Tree {
    parents: Vec<Option<usize>>,
    /// Its work.
    work: Vec<f64>,
    /// Its first node in post-order.
    lowest: Vec<usize>,
}

impl Tree {
    fn new(nodes: &[Supernode], entries: impl Fn(&Supernode) -> f64) -> Tree {
        let of = |row: usize| nodes.partition_point(|node| node.start <= row) - 1;
        // The supernode with the first row below each, if there is one.
        let parents: Vec<_> =
            nodes.iter().map(|node| node.pattern.iter().min().map(|row| of(*row))).collect();
        let mut work: Vec<f64> = nodes.iter().map(entries).collect();
        let mut lowest: Vec<usize> = (0..nodes.len()).collect();
        for s in 0..nodes.len() {
            if let Some(parent) = parents[s] {
                work[parent] += work[s];
                lowest[parent] = lowest[parent].min(lowest[s]);
            }
        }
        Tree { parents, work, lowest }
    }
}
