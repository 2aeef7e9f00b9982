//! The solve: forward through all parts, children before parents, and then backward.
//!
//! Eight rows of a panel stand side by side in a register. Forward, a column of two panels is multiplied by x, y and z
//! of its unknown: six sums run along the even columns, and six along the odd ones. Backward, the rows' x, y and z are
//! loaded once for all columns. Each column has three sums of eight numbers, which are folded when the last panel has
//! been added. The backward pass reads the values from the last to the first, again in one line of memory, which is
//! fetched ahead as well as on the way forward. Nodes of one column, which are many and short, go row by row.

use super::{MAX_COLUMNS, PANEL, Panels, Part, diagonal_values};
use elements::math::lanes::{Kernel, Lane, Pair, Vec4, dispatch};
use elements::math::octets::{OCTET, Octet, Quad};
use elements::par;

/// A factor with fewer entries is solved before another thread would have woken up.
pub(super) const SIDE_BY_SIDE: usize = 200_000;

/// Scratch space: the numbers of each part's unknowns and border, and one more for padding.
#[derive(Clone, Debug)]
pub struct Work<P> {
    parts: Vec<Vec<P>>,
}

impl<P> Default for Work<P> {
    fn default() -> Self {
        Work { parts: vec![] }
    }
}

/// The operations on the points in which a part is solved.
trait Point: Copy + Default + Send + Sync + 'static {
    /// A point with `s` times the first three numbers.
    fn scaled<L: Lane>(point: &Vec4, s: L) -> Self;
    /// The numbers of the point, multiplied by `s`.
    fn back<L: Lane>(&self, s: L) -> [f64; 4];
    /// Adds another point to this one.
    fn add(&mut self, other: &Self);
}

impl Point for Quad {
    #[inline(always)]
    fn scaled<L: Lane>(point: &Vec4, s: L) -> Self {
        (s * L::load(&point.0)).narrow()
    }
    #[inline(always)]
    fn back<L: Lane>(&self, s: L) -> [f64; 4] {
        (s * L::widen(self)).to_array()
    }
    fn add(&mut self, other: &Self) {
        self.0 = std::array::from_fn(|k| self.0[k] + other.0[k]);
    }
}

impl Point for Vec4 {
    #[inline(always)]
    fn scaled<L: Lane>(point: &Vec4, s: L) -> Self {
        Vec4((s * L::load(&point.0)).to_array())
    }
    #[inline(always)]
    fn back<L: Lane>(&self, s: L) -> [f64; 4] {
        (s * L::load(&self.0)).to_array()
    }
    fn add(&mut self, other: &Self) {
        self.0 = std::array::from_fn(|k| self.0[k] + other.0[k]);
    }
}

/// A function that runs the kernel of a sweep on the best path.
type Enter<P> = fn(Sweep<P>);

/// One pass over the nodes of a part.
struct Sweep<'a, P> {
    part: Part<'a>,
    x: &'a mut [P],
    backward: bool,
}

impl Panels {
    /// Solves `L Lᵀ x = b` in single precision: `b` in `right`, the answer in `x`; `work` is scratch.
    ///
    /// `right` and `x` must have at least [`Panels::size`] entries; further ones are not touched. The fourth
    /// numbers of the answer are 0.
    pub fn solve(&self, right: &[Vec4], x: &mut [Vec4], work: &mut Work<Quad>) {
        self.solve_by(|sweep| dispatch(sweep), right, x, work);
    }

    /// Like [`Panels::solve`], in double precision. The error from rounding the factor to f32 remains, but the answer
    /// is linear in `right` to 1e-15.
    pub fn solve_wide(&self, right: &[Vec4], x: &mut [Vec4], work: &mut Work<Vec4>) {
        self.solve_by(|sweep| dispatch(sweep), right, x, work);
    }

    fn solve_by<P: Point>(&self, enter: Enter<P>, right: &[Vec4], x: &mut [Vec4], work: &mut Work<P>) {
        let (up, down) = scales(dispatch(Largest(&right[..self.size])));
        work.parts.resize(self.count(), vec![]);
        let root = self.count() - 1;
        let pass = Pass { panels: self, enter, is_shared: self.len() >= SIDE_BY_SIDE };
        pass.forward(root, right, up, &mut work.parts);
        pass.backward(root, &mut work.parts);
        for (index, from) in work.parts.iter().enumerate() {
            dispatch(Empty { own: self.part(index).own, from, scale: down, x });
        }
    }
}

/// A pass through all parts.
struct Pass<'a, P> {
    panels: &'a Panels,
    enter: Enter<P>,
    /// True if children are solved side by side.
    is_shared: bool,
}

impl<P: Point> Pass<'_, P> {
    /// Goes forward through a part and all parts that it depends on. Their numbers are in `work`, the part's own last.
    fn forward(&self, index: usize, right: &[Vec4], scale: f64, work: &mut [Vec<P>]) {
        let part = self.panels.part(index);
        let (first, (x, below)) = (part.first, work.split_last_mut().expect("a part's own numbers"));
        self.each(first, below, &|child, work| self.forward(child, right, scale, work));
        dispatch(Fill { part: &part, right, scale, x });
        for child in self.panels.children(index) {
            let child_part = self.panels.part(child);
            for (place, change) in child_part.border.iter().zip(&below[child - first][child_part.own.len()..])
            {
                x[*place as usize].add(change);
            }
        }
        (self.enter)(Sweep { part, x, backward: false });
    }

    /// Goes backward through a part and all parts that it depends on. The border's numbers already hold the answer.
    fn backward(&self, index: usize, work: &mut [Vec<P>]) {
        let part = self.panels.part(index);
        let (first, (x, below)) = (part.first, work.split_last_mut().expect("a part's own numbers"));
        (self.enter)(Sweep { part, x, backward: true });
        self.each(first, below, &|child, work| {
            let part = self.panels.part(child);
            let border = work.last_mut().into_iter().flat_map(|own| &mut own[part.own.len()..]);
            for (place, out) in part.border.iter().zip(border) {
                *out = x[*place as usize];
            }
            self.backward(child, work);
        });
    }

    /// Runs `f` for the children among the parts from `first` on, each with the numbers of its own subtree in `work`.
    fn each(&self, first: usize, work: &mut [Vec<P>], f: &(impl Fn(usize, &mut [Vec<P>]) + Sync)) {
        let Some(last) = work.len().checked_sub(1) else { return };
        let child = first + last;
        let (others, own) = work.split_at_mut(self.panels.part(child).first - first);
        if self.is_shared {
            par::both(|| self.each(first, others, f), || f(child, own));
        } else {
            self.each(first, others, f);
            f(child, own);
        }
    }
}

/// The kernel of the largest absolute coordinate of all points.
struct Largest<'a>(&'a [Vec4]);

impl Kernel for Largest<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let mut largest = [L::splat(0.0); 2];
        for (i, point) in self.0.iter().enumerate() {
            largest[i % 2] = L::load(&point.0).abs().max(largest[i % 2]);
        }
        let m = largest[0].max(largest[1]).to_array();
        m[0].max(m[1]).max(m[2])
    }
}

/// The power of two that brings numbers up to `largest` near 1, and its inverse.
fn scales(largest: f64) -> (f64, f64) {
    let exponent = ((largest.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000);
    let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    (power(-exponent), power(exponent))
}

/// The kernel that loads the right-hand side of a part, with zeros in its border.
struct Fill<'a, P> {
    part: &'a Part<'a>,
    right: &'a [Vec4],
    scale: f64,
    x: &'a mut Vec<P>,
}

impl<P: Point> Kernel for Fill<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Part { own, border, .. } = self.part;
        let scale = L::load(&[self.scale, self.scale, self.scale, 0.0]);
        self.x.resize(own.len() + border.len() + 1, P::default());
        for (x, unknown) in self.x.iter_mut().zip(*own) {
            *x = P::scaled(&self.right[*unknown as usize], scale);
        }
        self.x[own.len()..].fill(P::default());
    }
}

/// The kernel that stores the answer of a part.
struct Empty<'a, P> {
    own: &'a [u32],
    from: &'a [P],
    scale: f64,
    x: &'a mut [Vec4],
}

impl<P: Point> Kernel for Empty<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let scale = L::splat(self.scale);
        for (unknown, from) in self.own.iter().zip(self.from) {
            self.x[*unknown as usize].0 = from.back(scale);
        }
    }
}

impl Kernel for Sweep<'_, Quad> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        sweep::<L::Octet>(self);
    }
}

impl Kernel for Sweep<'_, Vec4> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        sweep::<Pair<L>>(self);
    }
}

#[inline(always)]
fn sweep<O: Octet>(Sweep { part, x, backward: is_backward }: Sweep<O::Point>) {
    let Part { nodes, rows, values, .. } = part;
    if is_backward {
        let (mut row, mut value) = (rows.len(), values.len());
        let mut sums = [[O::zero(); 3]; MAX_COLUMNS];
        let mut block = [O::Point::default(); MAX_COLUMNS];
        for node in nodes.iter().rev() {
            let [start, width, padded] = node.map(|n| n as usize);
            let end = (row, value);
            row -= padded;
            value -= diagonal_values(width) + padded * width;
            let (inverse, below) = values[value..end.1].split_at(diagonal_values(width));
            let scratch = (&mut sums[..width], &mut block);
            backward::<O>(start, inverse, below, &rows[row..end.0], x, scratch);
        }
    } else {
        let (mut row, mut value) = (0, 0);
        let mut block = [O::Point::default(); MAX_COLUMNS];
        for node in nodes {
            let [start, width, padded] = node.map(|n| n as usize);
            let first = (row, value);
            row += padded;
            value += diagonal_values(width) + padded * width;
            let (inverse, below) = values[first.1..value].split_at(diagonal_values(width));
            forward::<O>(start, inverse, below, &rows[first.0..row], x, &mut block[..width]);
        }
    }
}

/// Computes x₁ ← L₁₁⁻¹ x₁, x₂ ← x₂ − L₂₁ x₁.
#[inline(always)]
fn forward<O: Octet>(
    start: usize,
    mut inverse: &[f32],
    below: &[f32],
    rows: &[u32],
    x: &mut [O::Point],
    block: &mut [O::Point],
) {
    let width = block.len();
    if width == 1 {
        x[start] = O::times(inverse[0], &x[start]);
        let own = x[start];
        for (values, rows) in below.as_chunks::<OCTET>().0.iter().zip(rows.as_chunks::<OCTET>().0) {
            for r in 0..OCTET {
                let slot = &mut x[rows[r] as usize];
                *slot = O::minus(slot, &O::times(values[r], &own));
            }
        }
        return;
    }
    block.copy_from_slice(&x[start..start + width]);
    for (panel, out) in x[start..start + width].chunks_mut(PANEL).enumerate() {
        let columns = width.min((panel + 1) * PANEL);
        let (now, rest) = inverse.split_at(columns * PANEL);
        inverse = rest;
        let product = O::rows(product::<O>(now, &block[..columns]));
        out.copy_from_slice(&product[..out.len()]);
    }
    block.copy_from_slice(&x[start..start + width]);
    let pairs = below.chunks_exact(2 * PANEL * width);
    let last = pairs.remainder();
    for (values, rows) in pairs.zip(rows.chunks_exact(2 * PANEL)) {
        let [a, b] = products::<O>(values, block);
        subtract::<O>(&O::rows(a), &rows[..PANEL], x);
        subtract::<O>(&O::rows(b), &rows[PANEL..], x);
    }
    if !last.is_empty() {
        subtract::<O>(&O::rows(product::<O>(last, block)), &rows[rows.len() - PANEL..], x);
    }
}

#[inline(always)]
fn subtract<O: Octet>(product: &[O::Point; OCTET], rows: &[u32], x: &mut [O::Point]) {
    for (row, product) in rows.iter().zip(product) {
        let slot = &mut x[*row as usize];
        *slot = O::minus(slot, product);
    }
}

/// The sums `Σ_c values[8c + r]·x[c]` for the rows r of a panel: over even columns, then over odd ones.
#[inline(always)]
fn product<O: Octet>(values: &[f32], x: &[O::Point]) -> [O; 3] {
    let zero = O::zero();
    let (mut even, mut odd) = ([zero; 3], [zero; 3]);
    let (values, last) = values.as_chunks::<{ 2 * OCTET }>();
    let (x, last_x) = x.as_chunks::<2>();
    for (values, x) in values.iter().zip(x) {
        let (columns, _) = values.as_chunks::<OCTET>();
        let (a, b) = (O::load(&columns[0]), O::load(&columns[1]));
        for k in 0..3 {
            even[k] = even[k].plus(a, O::spread(&x[0], k));
            odd[k] = odd[k].plus(b, O::spread(&x[1], k));
        }
    }
    if let ([last], [x]) = (last.as_chunks::<OCTET>().0, last_x) {
        let a = O::load(last);
        for k in 0..3 {
            even[k] = even[k].plus(a, O::spread(x, k));
        }
    }
    [even[0] + odd[0], even[1] + odd[1], even[2] + odd[2]]
}

/// The same sums for two panels.
#[inline(always)]
fn products<O: Octet>(values: &[f32], x: &[O::Point]) -> [[O; 3]; 2] {
    let mut sums = [[[O::zero(); 3]; 2]; 2];
    let (columns, last) = values.as_chunks::<{ 4 * OCTET }>();
    let (x, last_x) = x.as_chunks::<2>();
    for (pair, x) in columns.iter().zip(x) {
        let (pair, _) = pair.as_chunks::<{ 2 * OCTET }>();
        add_column(&mut sums[0], &pair[0], &x[0]);
        add_column(&mut sums[1], &pair[1], &x[1]);
    }
    if let ([last], [x]) = (last.as_chunks::<{ 2 * OCTET }>().0, last_x) {
        add_column(&mut sums[0], last, x);
    }
    let [mut even, odd] = sums;
    for panel in 0..2 {
        for k in 0..3 {
            even[panel][k] = even[panel][k] + odd[panel][k];
        }
    }
    even
}

/// Adds a column of two panels times x, y and z of its unknown.
#[inline(always)]
fn add_column<O: Octet>(sums: &mut [[O; 3]; 2], column: &[f32; 2 * OCTET], x: &O::Point) {
    let [a, b] = halves::<O>(column);
    for k in 0..3 {
        let x = O::spread(x, k);
        sums[0][k] = sums[0][k].plus(a, x);
        sums[1][k] = sums[1][k].plus(b, x);
    }
}

/// The two halves of a column of two panels.
#[inline(always)]
fn halves<O: Octet>(column: &[f32; 2 * OCTET]) -> [O; 2] {
    let (halves, _) = column.as_chunks::<OCTET>();
    [O::load(&halves[0]), O::load(&halves[1])]
}

/// Computes x₁ ← L₁₁⁻ᵀ (x₁ − L₂₁ᵀ x₂).
#[inline(always)]
fn backward<O: Octet>(
    start: usize,
    mut inverse: &[f32],
    below: &[f32],
    rows: &[u32],
    x: &mut [O::Point],
    (sums, block): (&mut [[O; 3]], &mut [O::Point; MAX_COLUMNS]),
) {
    let width = sums.len();
    if width == 1 {
        let mut own = x[start];
        for (values, rows) in below.as_chunks::<OCTET>().0.iter().zip(rows.as_chunks::<OCTET>().0) {
            for r in 0..OCTET {
                own = O::minus(&own, &O::times(values[r], &x[rows[r] as usize]));
            }
        }
        x[start] = O::times(inverse[0], &own);
        return;
    }
    sums.fill([O::zero(); 3]);
    let rows = rows.as_chunks::<OCTET>().0;
    let pairs = below.chunks_exact(2 * PANEL * width);
    let last = pairs.remainder();
    if let (Some(rows), false) = (rows.last(), last.is_empty()) {
        add_transposed(last, &O::gather(x, rows), sums);
    }
    for (values, rows) in pairs.zip(rows.chunks_exact(2)).rev() {
        let (a, b) = (O::gather(x, &rows[0]), O::gather(x, &rows[1]));
        for (sums, column) in sums.iter_mut().zip(values.as_chunks::<{ 2 * OCTET }>().0).rev() {
            let [top, bottom] = halves::<O>(column);
            for k in 0..3 {
                sums[k] = sums[k].plus(top, a[k]).plus(bottom, b[k]);
            }
        }
    }
    // The last panel of the diagonal block may have more rows than the block: these are zeros.
    block[width..width.next_multiple_of(PANEL)].fill(O::Point::default());
    for ((block, x), sums) in block.iter_mut().zip(&x[start..start + width]).zip(&*sums) {
        *block = O::minus(x, &O::sums(*sums));
    }
    sums.fill([O::zero(); 3]);
    let panels = block.as_chunks::<OCTET>().0.iter().take(width.div_ceil(PANEL));
    for (panel, block) in panels.enumerate().rev() {
        let columns = width.min((panel + 1) * PANEL);
        let (rest, now) = inverse.split_at(inverse.len() - columns * PANEL);
        inverse = rest;
        add_transposed(now, &O::gather(block, &[0, 1, 2, 3, 4, 5, 6, 7]), &mut sums[..columns]);
    }
    for (x, sums) in x[start..start + width].iter_mut().zip(&*sums) {
        *x = O::sums(*sums);
    }
}

/// Adds the columns of a panel times the rows' x, y and z to the sums.
#[inline(always)]
fn add_transposed<O: Octet>(values: &[f32], x: &[O; 3], sums: &mut [[O; 3]]) {
    for (column, sums) in values.as_chunks::<OCTET>().0.iter().zip(sums).rev() {
        let column = O::load(column);
        for k in 0..3 {
            sums[k] = sums[k].plus(column, x[k]);
        }
    }
}

#[cfg(test)]
pub(super) fn portable(panels: &Panels, right: &[Vec4]) -> [Vec<Vec4>; 2] {
    use elements::math::lanes::Portable;
    let (mut x, mut wide) = (vec![Vec4::ZERO; right.len()], vec![Vec4::ZERO; right.len()]);
    panels.solve_by::<Quad>(|sweep| sweep.run::<Portable>(), right, &mut x, &mut Work::default());
    panels.solve_by::<Vec4>(|sweep| sweep.run::<Portable>(), right, &mut wide, &mut Work::default());
    [x, wide]
}
