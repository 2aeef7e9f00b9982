//! Cuts of an elimination tree into parts that are independent of each other, and parts above that depend on them.
//!
//! A node is cut off from its parent if the work of its subtree is at most an eighth of all; nothing is cut below it.
//! These subtrees follow each other in post-order, between the nodes above. Neighbouring ones are joined to parts of a
//! sixteenth or more. The nodes above form chains that end where the tree branches, and each chain is a part. All this
//! depends on the factor alone, not on the threads that will solve with it.

use super::Supernode;

/// A part: supernodes that are processed one after the other.
pub(super) struct Branch {
    /// The numbers of the supernodes, ascending.
    pub(super) nodes: Vec<usize>,
    /// The first of the parts that it depends on, which end with the one before it. It is its own
    /// number if there are none.
    pub(super) first: usize,
}

/// A subtree with more than this part of the work is divided further.
const CUT: f64 = 1.0 / 8.0;
/// Parts have at least this part of the work, if there are enough neighbours to join.
const LEAST: f64 = 1.0 / 16.0;
/// The largest number of parts. A solve calls itself for each part within another one and for each one beside it, and
/// the stack of a thread must hold that. Some hundred parts are usual for a million unknowns.
pub(super) const MOST_PARTS: usize = 2_000;
/// Factors with fewer entries than this are not cut.
const WORTHWHILE: f64 = 20_000.0;

/// The parts of the supernodes in post-order, each after those that it depends on. The last one depends on all.
pub(super) fn plan(nodes: &[Supernode]) -> Vec<Branch> {
    let entries =
        |node: &Supernode| node.columns as f64 * (0.5 * node.columns as f64 + node.pattern.len() as f64);
    let total: f64 = nodes.iter().map(entries).sum();
    let whole = || vec![Branch { nodes: (0..nodes.len()).collect(), first: 0 }];
    if total < WORTHWHILE {
        return whole();
    }
    let tree = Tree::new(nodes, entries);
    let is_top = |s: usize| tree.work[s] > CUT * total;
    let mut top_children = vec![0; nodes.len()];
    for parent in (0..nodes.len()).filter(|s| is_top(*s)).filter_map(|s| tree.parents[s]) {
        top_children[parent] += 1;
    }
    let mut parts: Vec<Branch> = vec![];
    // The parts without a parent so far, and the chain of nodes that ends with each node of the top.
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
            // The parts that lie within this subtree become its children.
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
    if parts.len() > MOST_PARTS { whole() } else { parts }
}

/// The elimination tree, with some facts about the subtree of each node.
struct Tree {
    parents: Vec<Option<usize>>,
    /// The work of the subtree, in entries of the factor.
    work: Vec<f64>,
    /// The first node of the subtree in post-order.
    lowest: Vec<usize>,
}

impl Tree {
    fn new(nodes: &[Supernode], entries: impl Fn(&Supernode) -> f64) -> Tree {
        let of = |row: usize| nodes.partition_point(|node| node.start <= row) - 1;
        // The parent is the supernode that has the first row below the columns, if there is one.
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
