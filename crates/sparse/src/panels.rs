//! A Cholesky factor packed for solving with three right-hand sides at the speed of memory.
//!
//! ```text
//! forward:   x₁ ← L₁₁⁻¹ x₁,   x₂ ← x₂ − L₂₁ x₁          backward:   x₁ ← L₁₁⁻ᵀ (x₁ − L₂₁ᵀ x₂)
//! ```
//!
//! Supernodes are split at 128 columns. The diagonal block of each is inverted beforehand, so that its triangular solve
//! is a product. Rows stand in panels of 8, two side by side, column after column, padded with zeros. Values are
//! therefore read once in a straight line, and a column is one line of the cache.
//!
//! Numbers are f32, half the bytes of f64, and so is the arithmetic: the answer is exact to about 1e-6. This is enough
//! for corrections A⁻¹r with r in f64, because each one removes the error of the one before. Where several answers have
//! to cancel, the same numbers can be used with the arithmetic of f64.
//!
//! The elimination tree is cut into parts (see `branches`), which form a tree again. A part sums up its changes to the
//! unknowns of other parts in numbers of its own, its border. These are then added to the numbers of its parent, one
//! child after the other. So children can be solved side by side, and the bits do not depend on the number of threads.

mod branches;
mod solve;

use branches::Branch;
use elements::math::octets::OCTET;
pub use solve::Work;

const PANEL: usize = OCTET;
const MAX_COLUMNS: usize = 128;

/// A supernode of a factor: columns with the same rows below them.
#[derive(Clone, Copy, Debug)]
pub struct Supernode<'a> {
    /// The first column.
    pub start: usize,
    /// The number of its columns.
    pub columns: usize,
    /// The rows below the columns that have entries.
    pub pattern: &'a [usize],
}

/// A factor of a symmetric positive definite matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// The number of unknowns.
    pub size: usize,
    /// Where each part starts in `nodes`, `own`, `border`, `rows` and `values`, and the first of the parts that it
    /// depends on. It depends on all parts from that one up to the one before itself. A last entry has the ends. The
    /// last part depends on all others.
    pub parts: Vec<[u64; 6]>,
    /// The unknowns of each part.
    pub own: Vec<u32>,
    /// The unknowns of other parts that each part touches, by their numbers in its parent, the part that depends on it.
    pub border: Vec<u32>,
    /// For each node: its first column, its columns, and its rows below, padded to panels. Numbers are those within the
    /// part: first its own unknowns, then its border.
    pub nodes: Vec<[u32; 3]>,
    /// The rows below the diagonal block of each node; padding points one past the last number.
    pub rows: Vec<u32>,
    /// The panels of the inverted diagonal block and then of the rows below, node after node.
    pub values: Vec<f32>,
    /// One past the last unknown of each connected part of the matrix. The unknowns of such a part are consecutive.
    pub ends: Vec<u32>,
}

/// The slices of the arrays that belong to one part.
struct Part<'a> {
    /// The first of the parts that it depends on.
    first: usize,
    own: &'a [u32],
    border: &'a [u32],
    nodes: &'a [[u32; 3]],
    rows: &'a [u32],
    values: &'a [f32],
}

impl Panels {
    /// Packs the entries of L, given by supernode, row (first the columns' own, then the pattern's) and column.
    /// Supernodes are in the order of their columns, children before parents.
    pub fn pack(size: usize, nodes: &[Supernode], entry: &dyn Fn(usize, usize, usize) -> f64) -> Panels {
        let mut panels = Panels { size, ..Default::default() };
        // The number of each unknown in the part that is being packed.
        let mut place = vec![0u32; size];
        // The borders of all parts, as unknowns, and then as numbers in the parent.
        let mut borders: Vec<Vec<usize>> = vec![];
        let mut numbered: Vec<Vec<u32>> = vec![];
        let plan = branches::plan(nodes);
        for (index, Branch { nodes: branch, first }) in plan.iter().enumerate() {
            let columns = |s: &usize| nodes[*s].start..nodes[*s].start + nodes[*s].columns;
            let own: Vec<usize> = branch.iter().flat_map(columns).collect();
            let children = children(index, *first, |child| plan[child].first);
            let mut border: Vec<usize> = branch.iter().flat_map(|s| nodes[*s].pattern).copied().collect();
            border.extend(children.clone().flat_map(|child| &borders[child]));
            border.sort_unstable();
            border.dedup();
            border.retain(|unknown| own.binary_search(unknown).is_err());
            for (unknown, number) in own.iter().chain(&border).zip(0..) {
                place[*unknown] = number;
            }
            for child in children {
                numbered[child] = borders[child].iter().map(|unknown| place[*unknown]).collect();
            }
            panels.start_part(*first);
            panels.own.extend(own.iter().map(|unknown| *unknown as u32));
            // The numbers are filled in when the parent is packed.
            panels.border.extend(border.iter().map(|_| 0));
            branch.iter().for_each(|s| panels.push_node(*s, nodes[*s], &place, entry));
            borders.push(border);
            numbered.push(vec![]);
        }
        panels.start_part(0);
        panels.border = numbered.concat();
        panels.ends = roots(nodes).map(|node| (node.start + node.columns) as u32).collect();
        panels
    }

    fn start_part(&mut self, first: usize) {
        let lengths =
            [self.nodes.len(), self.own.len(), self.border.len(), self.rows.len(), self.values.len(), first];
        self.parts.push(lengths.map(|n| n as u64));
    }

    /// Appends a supernode of the part that was started last; `place` has the number of each unknown in that part.
    fn push_node(
        &mut self,
        s: usize,
        Supernode { start, columns, pattern }: Supernode,
        place: &[u32],
        entry: &dyn Fn(usize, usize, usize) -> f64,
    ) {
        let part = self.parts[self.parts.len() - 1];
        let past = (self.own.len() as u64 - part[1] + self.border.len() as u64 - part[2]) as u32;
        let entry = |row: usize, column: usize| entry(s, row, column);
        let parts = columns.div_ceil(MAX_COLUMNS).max(1);
        for part in 0..parts {
            let (from, to) = (columns * part / parts, columns * (part + 1) / parts);
            let below = columns + pattern.len() - to;
            let padded = below.div_ceil(PANEL) * PANEL;
            self.nodes.push([place[start + from], (to - from) as u32, padded as u32]);
            self.push_inverse(from, to - from, &entry);
            for (first, count) in groups(padded) {
                for column in from..to {
                    for row in to + first..to + first + count {
                        self.values.push(if row < to + below { entry(row, column) as f32 } else { 0.0 });
                    }
                }
            }
            let rows = (start + to..start + columns).chain(pattern.iter().copied());
            self.rows.extend(rows.map(|row| place[row]));
            self.rows.extend(std::iter::repeat_n(past, padded - below));
        }
    }

    /// Appends the inverse of the diagonal block, in panels of 8 rows that end at the diagonal.
    fn push_inverse(&mut self, from: usize, width: usize, entry: &dyn Fn(usize, usize) -> f64) {
        let mut inverse = vec![0.0; width * width];
        for column in 0..width {
            for row in column..width {
                let mut sum = if row == column { 1.0 } else { 0.0 };
                for k in column..row {
                    sum -= entry(from + row, from + k) * inverse[k * width + column];
                }
                inverse[row * width + column] = sum / entry(from + row, from + row);
            }
        }
        for panel in 0..width.div_ceil(PANEL) {
            for column in 0..width.min((panel + 1) * PANEL) {
                for r in 0..PANEL {
                    let row = panel * PANEL + r;
                    self.values.push(if row < width { inverse[row * width + column] as f32 } else { 0.0 });
                }
            }
        }
    }

    /// The number of parts.
    fn count(&self) -> usize {
        self.parts.len() - 1
    }

    /// The parts that a part depends on directly, from the last to the first.
    fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        children(index, self.parts[index][5] as usize, |child| self.parts[child][5] as usize)
    }

    fn part(&self, index: usize) -> Part<'_> {
        let [a, b] = [self.parts[index], self.parts[index + 1]];
        let range = |k: usize| a[k] as usize..b[k] as usize;
        Part {
            first: a[5] as usize,
            nodes: &self.nodes[range(0)],
            own: &self.own[range(1)],
            border: &self.border[range(2)],
            rows: &self.rows[range(3)],
            values: &self.values[range(4)],
        }
    }

    /// True if all indices lie inside the arrays. A file from outside must pass this test before it is used.
    pub fn is_consistent(&self) -> bool {
        let lengths =
            [self.nodes.len(), self.own.len(), self.border.len(), self.rows.len(), self.values.len(), 0];
        let (Some(first), Some(last)) = (self.parts.first(), self.parts.last()) else { return false };
        let ordered = self.parts.windows(2).all(|w| (0..5).all(|k| w[0][k] <= w[1][k]));
        let count_fits = (2..=branches::MOST_PARTS + 1).contains(&self.parts.len());
        if !count_fits || *first != [0; 6] || *last != lengths.map(|n| n as u64) || !ordered {
            return false;
        }
        let ends_ascend =
            self.ends.is_sorted_by(|a, b| a < b) && self.ends.last().map_or(0, |e| *e as usize) == self.size;
        ends_ascend
            && crate::ordering::is_permutation(&self.own)
            && self.own.len() == self.size
            && self.is_a_tree()
            && (0..self.count()).all(|index| self.part(index).is_consistent())
    }

    /// True if parts nest in one another, the last one contains all others, and borders have numbers of their parents.
    fn is_a_tree(&self) -> bool {
        // The starts of subtrees whose parent has not come yet.
        let mut open: Vec<usize> = vec![];
        for index in 0..self.count() {
            let Part { first, own, border, .. } = self.part(index);
            let mut start = index;
            while start > first {
                let Some(child) = open.pop() else { return false };
                start = child;
            }
            let children = if start == first { self.children(index) } else { return false };
            let most = own.len() + border.len();
            let mut borders = children.map(|child| self.part(child).border);
            if borders.any(|border| border.iter().any(|number| *number as usize >= most)) {
                return false;
            }
            open.push(first);
        }
        open == [0] && self.part(self.count() - 1).border.is_empty()
    }

    /// The number of stored entries, padding included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Part<'_> {
    fn is_consistent(&self) -> bool {
        let past = self.own.len() + self.border.len();
        let (mut column, mut row, mut value) = (0, 0, 0);
        for [start, width, padded] in self.nodes.iter().map(|node| node.map(|n| n as usize)) {
            if start != column || !(1..=MAX_COLUMNS).contains(&width) || padded % PANEL != 0 {
                return false;
            }
            column += width;
            row += padded;
            value += diagonal_values(width) + padded * width;
        }
        let lengths = (self.own.len(), self.rows.len(), self.values.len());
        (column, row, value) == lengths && self.rows.iter().all(|r| *r as usize <= past)
    }
}

/// The first row and the number of rows of each group of panels that share a line of memory: two panels, and one at the
/// end if their number is odd.
fn groups(padded: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..padded).step_by(2 * PANEL).map(move |first| (first, (padded - first).min(2 * PANEL)))
}

fn diagonal_values(width: usize) -> usize {
    (0..width.div_ceil(PANEL)).map(|p| PANEL * width.min((p + 1) * PANEL)).sum()
}

/// The parts that a part depends on directly, from the last to the first. `first` is the first of all parts below it.
fn children(
    index: usize,
    first: usize,
    first_of: impl Fn(usize) -> usize + Clone,
) -> impl Iterator<Item = usize> + Clone {
    let last_before = move |end: usize| end.checked_sub(1).filter(|last| *last >= first);
    std::iter::successors(last_before(index), move |child| last_before(first_of(*child)))
}

/// The supernodes without rows below them: the last one of each connected part.
fn roots<'a>(nodes: &'a [Supernode]) -> impl Iterator<Item = &'a Supernode<'a>> {
    nodes.iter().filter(|node| node.pattern.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cholesky::Cholesky;
    use crate::matrix::SymmetricMatrix;
    use crate::ordering::{Graph, order};
    use elements::math::lanes::Vec4;
    use elements::math::random::signed;
    use elements::par;

    /// A grid Laplacian plus identity, big enough for several supernodes, one of them split.
    fn matrix(n: u32, dense: u32) -> SymmetricMatrix {
        let mut t = vec![];
        for i in 0..n {
            t.push((i, i, 5.0 + f64::from(dense) / 7.0));
            for j in [i + 1, i + 9] {
                if j < n {
                    t.push((i, j, -1.0));
                }
            }
        }
        for i in n - dense..n {
            for j in i + 1..n {
                t.push((i, j, -0.01 / f64::from(1 + j - i)));
            }
        }
        SymmetricMatrix::from_triplets(n as usize, &t)
    }

    /// Laplacians of cubes in a dissected order, whose trees have branches.
    fn dissected(side: u32, cubes: u32) -> SymmetricMatrix {
        let at = |i: u32, j: u32, k: u32| (i * side + j) * side + k;
        let mut edges = vec![];
        for i in 0..side {
            for j in 0..side {
                for k in 0..side {
                    let next = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                    let inside = next.iter().filter(|(a, b, c)| a.max(b).max(c) < &side);
                    edges.extend(inside.map(|(a, b, c)| [at(i, j, k), at(*a, *b, *c)]));
                }
            }
        }
        let size = (side * side * side) as usize;
        let graph = Graph::from_cliques(size, edges.iter().map(|e| e.as_slice()), Some);
        let mut position = vec![0u32; size];
        order(&graph).iter().enumerate().for_each(|(k, v)| position[*v as usize] = k as u32);
        let mut t: Vec<(u32, u32, f64)> = (0..size as u32 * cubes).map(|i| (i, i, 6.5)).collect();
        for [a, b] in edges {
            let (a, b) = (position[a as usize], position[b as usize]);
            t.extend(
                (0..cubes).map(|cube| cube * size as u32).map(|at| (at + a.min(b), at + a.max(b), -1.0)),
            );
        }
        SymmetricMatrix::from_triplets(size * cubes as usize, &t)
    }

    fn solved(panels: &Panels, right: &[Vec4]) -> Vec<Vec4> {
        let mut x = vec![Vec4::ZERO; right.len()];
        panels.solve(right, &mut x, &mut Work::default());
        x
    }

    #[test]
    fn solves_what_the_matrix_multiplies() {
        let small = [(1, 0), (7, 3), (40, 0), (400, 300)].map(|(n, dense)| matrix(n, dense));
        // Some of these cubes are cut into parts, others are parts themselves.
        for a in small.into_iter().chain([dissected(14, 1), dissected(14, 3), dissected(9, 20)]) {
            let n = a.size;
            let mut cholesky = Cholesky::analyse(&a).unwrap();
            assert!(cholesky.factorize(&a.values));
            let panels = cholesky.pack();
            assert!(panels.is_consistent());
            assert!(n < 14 * 14 * 14 || panels.count() >= 5, "{} parts", panels.count());
            let mut r = signed(9);
            let truth: Vec<Vec4> = (0..n).map(|_| Vec4::new([r(), r(), r()])).collect();
            let flat: Vec<f64> = truth.iter().flat_map(|v| v.0).collect();
            let mut product = vec![0.0; flat.len()];
            a.multiply_into(4, &flat, &mut product);
            let right: Vec<Vec4> = product.chunks_exact(4).map(|b| Vec4::new([b[0], b[1], b[2]])).collect();
            let x = solved(&panels, &right);
            for (x, t) in x.iter().zip(&truth) {
                for k in 0..4 {
                    assert!((x.0[k] - t.0[k]).abs() < 2e-6, "{n}: {x:?} {t:?}");
                }
            }
            let mut wide = vec![Vec4::ZERO; n];
            panels.solve_wide(&right, &mut wide, &mut Work::default());
            for (x, wide) in x.iter().zip(&wide) {
                assert!((0..4).all(|k| (x.0[k] - wide.0[k]).abs() < 2e-6), "{n}: {x:?} {wide:?}");
            }
            assert_eq!([x.clone(), wide], solve::portable(&panels, &right), "portable and wide lanes differ");
            // These numbers are far outside the range of f32.
            let tiny: Vec<Vec4> = right.iter().map(|v| Vec4(v.0.map(|c| c * 2f64.powi(-600)))).collect();
            let scaled: Vec<Vec4> = x.iter().map(|v| Vec4(v.0.map(|c| c * 2f64.powi(-600)))).collect();
            assert_eq!(solved(&panels, &tiny), scaled);

            let mut single: Vec<f64> = right.iter().map(|v| v.0[0]).collect();
            cholesky.solve(&mut single);
            assert!(single.iter().zip(&truth).all(|(s, t)| (s - t.0[0]).abs() < 1e-12));
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let a = dissected(26, 1);
        let mut cholesky = Cholesky::analyse(&a).unwrap();
        assert!(cholesky.factorize(&a.values));
        let panels = cholesky.pack();
        assert!(panels.len() >= solve::SIDE_BY_SIDE && panels.count() >= 5, "{} entries", panels.len());
        let right: Vec<Vec4> = (0..a.size).map(|i| Vec4::new([1.0, i as f64, (i as f64).sin()])).collect();
        let one = par::with_threads(1, || solved(&panels, &right));
        for threads in [2, 3, 8] {
            assert_eq!(one, par::with_threads(threads, || solved(&panels, &right)), "{threads} threads");
        }
    }

    #[test]
    fn damaged_layouts_are_told() {
        let a = dissected(10, 1);
        let mut cholesky = Cholesky::analyse(&a).unwrap();
        assert!(cholesky.factorize(&a.values));
        let good = cholesky.pack();
        assert!(good.is_consistent());
        let mut damaged: Vec<Panels> = vec![good.clone(); 8];
        damaged[0].rows[3] = u32::MAX;
        damaged[1].own.swap_remove(5);
        damaged[2].nodes[0][1] += 1;
        damaged[3].parts[1][4] += 1;
        damaged[4].border[0] = a.size as u32;
        damaged[5].ends.pop();
        let last = good.count() - 1;
        damaged[6].parts[last][5] = 1;
        damaged[7].parts[1][5] = u64::MAX;
        assert!(damaged.iter().all(|panels| !panels.is_consistent()));
        assert!(!Panels::default().is_consistent());
    }

    /// One unknown in each of so many parts, each of which contains those before it.
    fn nested(parts: u64) -> Panels {
        Panels {
            size: parts as usize,
            parts: (0..=parts).map(|i| [i, i, 0, 0, 8 * i, 0]).collect(),
            own: (0..parts as u32).collect(),
            nodes: vec![[0, 1, 0]; parts as usize],
            values: vec![1.0; 8 * parts as usize],
            ends: (1..=parts as u32).collect(),
            ..Panels::default()
        }
    }

    #[test]
    fn parts_nest_only_as_deep_as_a_solve_can_follow() {
        let deep = nested(branches::MOST_PARTS as u64);
        assert!(deep.is_consistent());
        let right = vec![Vec4::new([1.0, 2.0, 3.0]); deep.size];
        assert_eq!(solved(&deep, &right).len(), right.len());
        assert!(!nested(200_000).is_consistent());
    }

    #[test]
    fn nodes_and_connected_parts_without_unknowns_are_told() {
        let mut panels = nested(3);
        panels.nodes.insert(1, [1, 0, 0]);
        for part in &mut panels.parts[1..] {
            part[0] += 1;
        }
        assert!(!panels.is_consistent(), "a node of width 0");
        let mut panels = nested(3);
        panels.ends = vec![1, 1, 3];
        assert!(!panels.is_consistent(), "a connected part without unknowns");
    }

    #[test]
    fn an_indefinite_matrix_is_told() {
        let a = SymmetricMatrix::from_triplets(2, &[(0, 0, 1.0), (0, 1, 2.0), (1, 1, 1.0)]);
        assert!(!Cholesky::analyse(&a).unwrap().factorize(&a.values));
    }
}
