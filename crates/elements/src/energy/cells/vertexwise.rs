//! Cells around a vertex (see `energy::vertex`). With the edges e_c from the vertex to the other
//! corners, F = Σ e_c g_cᵀ.

use super::kernels::{deformation, load_geometry};
use super::{CellTerm, MOST, Shape};
use crate::energy::constraint::Corners;
use crate::energy::law::{CONSTANTS, Law};
use crate::energy::proximal::Row;
use crate::energy::vertex::{Expanding, Expansion, Memory, Points, Star, Vertexwise, take};
use crate::math::lanes::{Kernel, Lane, Vec4, WIDTH, dispatch};
use crate::math::mat3::{self, Mat3};

/// How many numbers a row of a star has: the gradients of the other corners, the constants, the volume.
const fn row_length(others: usize) -> usize {
    3 * others + CONSTANTS + 1
}

/// The constants and the volume, which follow the gradients in a row.
#[inline(always)]
fn material<L: Lane>(numbers: &[Row], others: usize) -> ([L; CONSTANTS], L) {
    let own = &numbers[3 * others..];
    ([L::load(&own[0]), L::load(&own[1]), L::load(&own[2])], L::load(&own[3]))
}

/// The gradient g of the vertex itself. The gradients of all corners sum up to zero, so it follows from the others.
#[inline(always)]
fn own_gradient<L: Lane>(numbers: &[Row], others: usize) -> [L; 3] {
    let mut g = [L::splat(0.0); 3];
    for n in 0..3 * others {
        g[n % 3] = g[n % 3] - L::load(&numbers[n]);
    }
    g
}

/// The kernel of [`Vertexwise::vertex_block`].
struct Expand<'a, S: Shape, W> {
    term: &'a CellTerm<S, W>,
    star: &'a Star<'a>,
    x: &'a [Vec4],
    at: &'a Points,
    memory: &'a mut Memory,
    out: &'a mut Expansion,
}

impl<S: Shape, W: Law> Expand<'_, S, W> {
    /// F of the elements of a row.
    #[inline(always)]
    fn deformation<L: Lane>(&self, numbers: &[Row], ends: &[[u32; WIDTH]], at: &[L; 3]) -> Mat3<L> {
        let mut f = mat3::zero();
        for c in 0..S::CORNERS - 1 {
            let end = L::gather(self.x, &ends[c]);
            for i in 0..3 {
                let edge = end[i] - at[i];
                for j in 0..3 {
                    f[i][j] = f[i][j] + edge * L::load(&numbers[3 * c + j]);
                }
            }
        }
        S::complete(f)
    }
}

impl<S: Shape, W: Law> Kernel for Expand<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (zero, others) = (L::splat(0.0), S::CORNERS - 1);
        let at = [L::load(&self.at[0]), L::load(&self.at[1]), L::load(&self.at[2])];
        let (mut energy, mut gradient, mut hessian) = (zero, [zero; 3], [zero; 6]);
        let rows = self.star.numbers.chunks_exact(row_length(others));
        for (n, (numbers, ends)) in rows.zip(self.star.others.chunks_exact(others)).enumerate() {
            let f = self.deformation(numbers, ends, &at);
            for i in 0..3 {
                self.memory.extend([f[i][0].to_array(), f[i][1].to_array(), f[i][2].to_array()]);
            }
            let (constants, volume) = material::<L>(numbers, others);
            let corner = S::corner(&self.term.law, &f, &own_gradient(numbers, others), &constants);
            let real = self.star.real::<L>(n);
            energy = energy + L::select(real, volume * corner.density, zero);
            for i in 0..3 {
                gradient[i] = gradient[i] + L::select(real, volume * corner.force[i], zero);
            }
            for i in 0..6 {
                hessian[i] = hessian[i] + L::select(real, volume * corner.block[i], zero);
            }
        }
        let out = self.out;
        out.energy = (L::load(&out.energy) + energy).to_array();
        for i in 0..3 {
            out.gradient[i] = (L::load(&out.gradient[i]) + gradient[i]).to_array();
        }
        for i in 0..6 {
            out.hessian[i] = (L::load(&out.hessian[i]) + hessian[i]).to_array();
        }
    }
}

/// The kernel of [`Vertexwise::vertex_energy`].
struct Measure<'a, S: Shape, W> {
    term: &'a CellTerm<S, W>,
    star: &'a Star<'a>,
    shift: &'a Points,
    memory: &'a [Row],
    out: &'a mut Row,
}

impl<S: Shape, W: Law> Kernel for Measure<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let others = S::CORNERS - 1;
        let shift = [L::load(&self.shift[0]), L::load(&self.shift[1]), L::load(&self.shift[2])];
        let mut energy = L::load(self.out);
        let rows = self.star.numbers.chunks_exact(row_length(others));
        for (n, (numbers, kept)) in rows.zip(self.memory.chunks_exact(9)).enumerate() {
            let g = own_gradient::<L>(numbers, others);
            let mut f = mat3::zero();
            for i in 0..3 {
                for j in 0..3 {
                    f[i][j] = L::load(&kept[3 * i + j]) + shift[i] * g[j];
                }
            }
            let (constants, volume) = material::<L>(numbers, others);
            let density = self.term.law.energy_density(&S::complete(f), &constants);
            energy = energy + L::select(self.star.real::<L>(n), volume * density, L::splat(0.0));
        }
        *self.out = energy.to_array();
    }
}

impl<S: Shape, W: Law> Vertexwise for CellTerm<S, W> {
    fn numbers(&self, rows: &[[u32; WIDTH]]) -> Vec<Row> {
        let corners = S::CORNERS;
        let length = row_length(corners - 1);
        let mut out = vec![[0.0; WIDTH]; length * rows.len()];
        for (row, out) in rows.iter().zip(out.chunks_exact_mut(length)) {
            for lane in 0..WIDTH {
                let (element, corner) = (row[lane] as usize / corners, row[lane] as usize % corners);
                let gradients = self.elements.gradients(element);
                let others = (1..corners).flat_map(|turn| gradients[(corner + turn) % corners]);
                let all =
                    others.chain(self.properties.constants[element]).chain([self.elements.volume[element]]);
                out.iter_mut().zip(all).for_each(|(out, number)| out[lane] = number);
            }
        }
        out
    }

    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        dispatch(Expand { term: self, star, x, at, memory, out });
    }

    fn vertex_energy(&self, star: &Star, shift: &Points, memory: &mut &[Row], out: &mut Row) {
        let memory = take(memory, 9 * star.rows.len());
        dispatch(Measure { term: self, star, shift, memory, out });
    }
}

/// What the kernels of [`Expanding`] share: four cells, and where their corners are.
struct Four<'a, S: Shape, W> {
    term: &'a CellTerm<S, W>,
    elements: &'a [u32; WIDTH],
    x: &'a Corners,
}

impl<S: Shape, W: Law> Four<'_, S, W> {
    /// F, Dm⁻¹, the constants and the volume.
    #[inline(always)]
    fn load<L: Lane>(&self) -> (Mat3<L>, Mat3<L>, [L; CONSTANTS], L) {
        let (inverse, volume) = load_geometry::<L>(&self.term.elements, self.elements);
        let mut places = [[L::splat(0.0); 3]; MOST];
        for c in 0..S::CORNERS {
            for i in 0..3 {
                places[c][i] = L::load(&self.x[c][i]);
            }
        }
        let (constants, _) = self.term.properties.lanes::<W, L>(&self.term.law, self.elements);
        (deformation::<S, L>(&places, &inverse), inverse, constants, volume)
    }
}

/// The kernel of [`Expanding::expand`].
struct ExpandFour<'a, S: Shape, W> {
    four: Four<'a, S, W>,
    shares: &'a [Row; 4],
    out: &'a mut Expansion,
}

impl<S: Shape, W: Law> Kernel for ExpandFour<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (f, inverse, constants, volume) = self.four.load::<L>();
        // g = Σ shares[c] g_c, where g of the first corner is minus the sum of the others.
        let mut g = [L::splat(0.0); 3];
        for c in 1..S::CORNERS {
            let share = L::load(&self.shares[c]) - L::load(&self.shares[0]);
            for j in 0..3 {
                g[j] = g[j] + share * inverse[c - 1][j];
            }
        }
        let corner = S::corner(&self.four.term.law, &f, &g, &constants);
        let out = self.out;
        out.energy = (L::load(&out.energy) + volume * corner.density).to_array();
        for i in 0..3 {
            out.gradient[i] = (L::load(&out.gradient[i]) + volume * corner.force[i]).to_array();
        }
        for i in 0..6 {
            out.hessian[i] = (L::load(&out.hessian[i]) + volume * corner.block[i]).to_array();
        }
    }
}

impl<S: Shape, W: Law> Kernel for Four<'_, S, W> {
    type Output = Row;

    #[inline(always)]
    fn run<L: Lane>(self) -> Row {
        let (f, _, constants, volume) = self.load::<L>();
        (volume * self.term.law.energy_density(&f, &constants)).to_array()
    }
}

impl<S: Shape, W: Law> Expanding for CellTerm<S, W> {
    fn expand(&self, elements: &[u32; WIDTH], x: &Corners, shares: &[Row; 4], out: &mut Expansion) {
        dispatch(ExpandFour { four: Four { term: self, elements, x }, shares, out });
    }

    fn energies(&self, elements: &[u32; WIDTH], x: &Corners) -> Row {
        dispatch(Four { term: self, elements, x })
    }
}
