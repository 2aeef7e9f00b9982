//! Disjoint sets over `0..n`, for components and fans.
//!
//! The root of a set is its smallest member, so that the answer does not depend on the order of the unions.

/// The sets, as a forest of parents.
pub(crate) struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// `n` sets of one member each.
    pub(crate) fn new(n: usize) -> Self {
        UnionFind { parent: (0..n as u32).collect() }
    }

    /// The smallest member of `i`'s set. Halves the path on the way.
    pub(crate) fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let grandparent = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = grandparent;
            i = grandparent;
        }
        i
    }

    /// Merges the sets of `a` and `b`.
    pub(crate) fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
