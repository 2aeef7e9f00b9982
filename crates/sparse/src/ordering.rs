//! Fill-reducing orderings: METIS nested dissection, then a post-order of the elimination tree.
//!
//! Compared with minimum degree, nested dissection halves the factor of a 100k-vertex body. The post-order changes no
//! fill, but makes the columns of one supernode adjacent (three times fewer supernodes). If METIS gives up, minimum
//! degree (faer's AMD) takes its place.
#![allow(unsafe_code)] // METIS is C

use std::sync::{Mutex, PoisonError};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// An undirected graph without loops: neighbours of vertex v are `neighbours[starts[v]..starts[v+1]]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Where the neighbours of each vertex start; one entry more than there are vertices.
    pub starts: Vec<u32>,
    /// The neighbours of all vertices, ascending for each vertex.
    pub neighbours: Vec<u32>,
}

impl Graph {
    /// The graph in which the vertices of each element are all connected. Vertices that `number` maps
    /// to `None` are left out.
    pub fn from_cliques<'a>(
        vertices: usize,
        cliques: impl Iterator<Item = &'a [u32]> + Clone,
        number: impl Fn(u32) -> Option<u32>,
    ) -> Graph {
        let mut counts = vec![0usize; vertices + 1];
        let pairs = |mut f: Box<dyn FnMut(u32, u32) + '_>| {
            for clique in cliques.clone() {
                for &a in clique {
                    let Some(a) = number(a) else { continue };
                    for &b in clique {
                        if let Some(b) = number(b).filter(|b| *b != a) {
                            f(a, b);
                        }
                    }
                }
            }
        };
        pairs(Box::new(|a, _| counts[a as usize + 1] += 1));
        for v in 0..vertices {
            counts[v + 1] += counts[v];
        }
        let mut next = counts.clone();
        let mut all = vec![0u32; counts[vertices]];
        pairs(Box::new(|a, b| {
            all[next[a as usize]] = b;
            next[a as usize] += 1;
        }));
        let mut graph = Graph { starts: vec![0], neighbours: Vec::with_capacity(all.len() / 4) };
        for v in 0..vertices {
            let list = &mut all[counts[v]..counts[v + 1]];
            list.sort_unstable();
            for (i, n) in list.iter().enumerate() {
                if i == 0 || list[i - 1] != *n {
                    graph.neighbours.push(*n);
                }
            }
            graph.starts.push(graph.neighbours.len() as u32);
        }
        graph
    }

    fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, v: usize) -> &[u32] {
        &self.neighbours[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}

/// A fill-reducing, post-ordered permutation: entry k is the vertex that comes k-th.
pub fn order(graph: &Graph) -> Vec<u32> {
    let dissection = nested_dissection(graph).unwrap_or_else(|| minimum_degree(graph));
    let post = post_order(&elimination_tree(graph, &dissection));
    post.into_iter().map(|k| dissection[k as usize]).collect()
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn nested_dissection(graph: &Graph) -> Option<Vec<u32>> {
    let n = graph.vertices();
    if graph.neighbours.is_empty() {
        return Some((0..n as u32).collect());
    }
    let mut count = i32::try_from(n).ok()?;
    let mut starts: Vec<i32> =
        graph.starts.iter().map(|s| i32::try_from(*s)).collect::<Result<_, _>>().ok()?;
    let mut neighbours: Vec<i32> = graph.neighbours.iter().map(|v| *v as i32).collect();
    let (mut forward, mut inverse) = (vec![0i32; n], vec![0i32; n]);
    // METIS seeds a random generator that the whole process shares: two calls at once would disturb each other.
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the arrays have the lengths that METIS_NodeND documents (n + 1, 2·edges, n, n), indices were
    // converted without loss, and null weights and options ask for its defaults.
    let status = unsafe {
        metis_sys::METIS_NodeND(
            &mut count,
            starts.as_mut_ptr(),
            neighbours.as_mut_ptr(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            forward.as_mut_ptr(),
            inverse.as_mut_ptr(),
        )
    };
    let permutation: Vec<u32> = forward.into_iter().map(|v| v as u32).collect();
    (status == metis_sys::rstatus_et_METIS_OK && is_permutation(&permutation)).then_some(permutation)
}

/// True if `p` names each of 0 … n−1 once.
pub fn is_permutation(p: &[u32]) -> bool {
    let mut seen = vec![false; p.len()];
    p.iter().all(|v| seen.get_mut(*v as usize).is_some_and(|s| !std::mem::replace(s, true)))
}

fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let n = graph.vertices();
    let starts: Vec<usize> = graph.starts.iter().map(|s| *s as usize).collect();
    let rows: Vec<usize> = graph.neighbours.iter().map(|v| *v as usize).collect();
    let (mut forward, mut inverse) = (vec![0usize; n], vec![0usize; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let control = amd::Control::default();
    match amd::order(&mut forward, &mut inverse, pattern, control, MemStack::new(&mut memory)) {
        Ok(_) => forward.into_iter().map(|v| v as u32).collect(),
        Err(_) => (0..n as u32).collect(),
    }
}

/// The parent of each column in the elimination tree of the permuted graph. A root is its own parent.
fn elimination_tree(graph: &Graph, permutation: &[u32]) -> Vec<u32> {
    let n = graph.vertices();
    let mut position = vec![0u32; n];
    for (k, v) in permutation.iter().enumerate() {
        position[*v as usize] = k as u32;
    }
    let mut parent: Vec<u32> = (0..n as u32).collect();
    let mut ancestor = parent.clone();
    for k in 0..n as u32 {
        for neighbour in graph.of(permutation[k as usize] as usize) {
            let mut i = position[*neighbour as usize];
            if i >= k {
                continue;
            }
            while ancestor[i as usize] != i && ancestor[i as usize] != k {
                i = std::mem::replace(&mut ancestor[i as usize], k);
            }
            if ancestor[i as usize] == i {
                ancestor[i as usize] = k;
                parent[i as usize] = k;
            }
        }
    }
    parent
}

/// An order in which children come before parents, and siblings in ascending order.
fn post_order(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    const NONE: u32 = u32::MAX;
    let (mut first, mut sibling) = (vec![NONE; n], vec![NONE; n]);
    for i in (0..n).rev() {
        let p = parent[i] as usize;
        if p != i {
            sibling[i] = first[p];
            first[p] = i as u32;
        }
    }
    let mut out = Vec::with_capacity(n);
    let mut stack = Vec::new();
    for root in (0..n).filter(|i| parent[*i] as usize == *i) {
        stack.push(root as u32);
        while let Some(&top) = stack.last() {
            let child = std::mem::replace(&mut first[top as usize], NONE);
            if child == NONE {
                stack.pop();
                out.push(top);
            } else {
                // The next sibling becomes the first child of the parent, and so is visited next.
                first[top as usize] = sibling[child as usize];
                stack.push(child);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: u32) -> Graph {
        let cells: Vec<[u32; 4]> = (0..n - 1)
            .flat_map(|i| {
                (0..n - 1).map(move |j| [i * n + j, i * n + j + 1, (i + 1) * n + j, (i + 1) * n + j + 1])
            })
            .collect();
        Graph::from_cliques((n * n) as usize, cells.iter().map(|c| c.as_slice()), Some)
    }

    /// The number of entries of the factor, by brute-force elimination.
    fn fill(graph: &Graph, order: &[u32]) -> usize {
        let n = order.len();
        let mut position = vec![0; n];
        order.iter().enumerate().for_each(|(k, v)| position[*v as usize] = k);
        let mut rows: Vec<std::collections::BTreeSet<usize>> = (0..n)
            .map(|k| {
                graph.of(order[k] as usize).iter().map(|v| position[*v as usize]).filter(|p| *p > k).collect()
            })
            .collect();
        let mut total = 0;
        for k in 0..n {
            let row: Vec<usize> = rows[k].iter().copied().collect();
            total += row.len() + 1;
            if let Some(first) = row.first() {
                let rest: Vec<usize> = row[1..].to_vec();
                rows[*first].extend(rest);
            }
        }
        total
    }

    #[test]
    fn orders_reduce_fill_and_are_permutations() {
        let graph = grid(30);
        let natural: Vec<u32> = (0..900).collect();
        for ordering in [order(&graph), minimum_degree(&graph)] {
            assert!(is_permutation(&ordering));
            assert!(fill(&graph, &ordering) * 10 < fill(&graph, &natural) * 7);
        }
    }

    #[test]
    fn post_order_keeps_fill_and_puts_children_first() {
        let graph = grid(20);
        let dissection = nested_dissection(&graph).unwrap();
        let ordered = order(&graph);
        assert_eq!(fill(&graph, &dissection), fill(&graph, &ordered));
        let parent = elimination_tree(&graph, &ordered);
        assert!(parent.iter().enumerate().all(|(i, p)| *p as usize >= i));
        assert_eq!(post_order(&parent), (0..400).collect::<Vec<u32>>());
    }

    #[test]
    fn orders_at_the_same_time_are_the_same() {
        let graph = grid(60);
        let alone = order(&graph);
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| order(&graph))).collect();
            for one in all {
                assert_eq!(one.join().unwrap(), alone);
            }
        });
    }

    #[test]
    fn graphs_without_edges_are_ordered_too() {
        let graph = Graph::from_cliques(3, std::iter::empty(), Some);
        assert!(is_permutation(&order(&graph)));
    }
}
