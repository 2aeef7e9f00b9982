//! The constraints of one body in one implicit Euler step, as functions of its positions x.
//!
//! ```text
//! c_P = Σ w (x − x_n) − P⁺,      c_L = Σ (x_n − o) × w (x − x_n) − L⁺,      w = m/h
//! c_H = |x − x_n|²_M/(2h²) + E(x) − f·(x − x_n) − (1 − α)H − αK
//! ∇c_P = w,      ∇c_L = e × w (x_n − o),      ∇c_H = ∇g + q,      q = M v_n/h
//! ```
//!
//! with v = (x − x_n)/h; see `simulate::conserve` for P⁺, L⁺, o, H and K. Where H is prescribed, the work of forces
//! does not count, and q contains the forces too. The changes for soft pins are described in
//! `simulate::conserve::springs`. Bodies that touch have constraints in common, and E then contains what contact stores, less
//! the work of friction. The two momenta are linear in x, since (x − o_{n+1}) × v is (x_n − o) × v for every
//! motion x = x_n + h v.

use std::sync::Arc;

use super::Iterate;
use elements::math::lanes::{Kernel, Lane, Vec4, dispatch};
use elements::math::vec3::{dot, sub};
use elements::par;

/// The number of vertices in a chunk of a sum.
const CHUNK: usize = 4096;

/// Which quantities of a body are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// True if the linear momentum P is kept.
    pub linear: bool,
    /// True if the angular momentum L is kept.
    pub angular: bool,
    /// True if the energy H is kept.
    pub energy: bool,
}

impl Kept {
    /// True for each of the seven constraints that is enforced.
    pub fn mask(self) -> [bool; 7] {
        let Kept { linear: p, angular: l, energy } = self;
        [p, p, p, l, l, l, energy]
    }

    /// The largest of the enforced constraints, each relative to its scale; infinite if one is not a number.
    pub fn violation(self, c: &[f64; 7], scale: &[f64; 3]) -> f64 {
        let length = |v: &[f64]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let parts = [
            (self.linear, length(&c[..3]) / scale[0]),
            (self.angular, length(&c[3..6]) / scale[1]),
            (self.energy, c[6].abs() / scale[2]),
        ];
        let kept = parts.iter().filter(|(kept, _)| *kept);
        kept.fold(0.0, |worst: f64, (_, c)| if c.is_nan() { f64::INFINITY } else { worst.max(*c) })
    }
}

/// A soft pin as a spring at given positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The internal number of the vertex.
    pub vertex: u32,
    /// The stiffness κ in N/m.
    pub stiffness: f64,
    /// The position x of the vertex in m.
    pub place: [f64; 3],
    /// The gradient F of the spring's energy there, in N.
    pub slope: [f64; 3],
}

impl Spring {
    /// The energy E − h/2 F·v in J at the end `x` of a step, for a spring given at x_n.
    fn lagging(&self, x: [f64; 3]) -> f64 {
        0.5 * (dot(self.slope, self.slope) / self.stiffness + dot(self.slope, sub(x, self.place)))
    }
}

/// The seven constraints of one body in one step.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The internal numbers of the body's unknowns.
    pub vertices: Arc<[u32]>,
    /// The numbers of the terms that make up the body's energy, without followed springs.
    pub terms: Arc<[usize]>,
    /// The bodies that touch something, whose shares in active terms belong to the energy.
    pub touching: Vec<usize>,
    /// True if obstacles take P and L away.
    pub is_pushed: bool,
    /// Which of the quantities are kept.
    pub kept: Kept,
    /// For each vertex, w (x_n − o) and, in the fourth place, w in kg/s.
    pub lever: Vec<[f64; 4]>,
    /// For each vertex, m/(2h²) in kg/s².
    pub inertia: Vec<f64>,
    /// The start x_n of each vertex in m.
    pub base: Vec<Vec4>,
    /// For each vertex, the force in N whose work adds to H.
    pub force: Vec<Vec4>,
    /// For each vertex, q = ∇H − ∇g in N, without the part of springs.
    pub pull: Vec<Vec4>,
    /// The followed soft pins, at x_n.
    pub springs: Vec<Spring>,
    /// The constant part of c_P: P⁺ + Σ w x_n.
    pub linear: [f64; 3],
    /// The constant part of c_L: L⁺ + Σ (x_n − o) × w x_n.
    pub angular: [f64; 3],
    /// H before the work of forces, in J.
    pub energy: f64,
    /// The energy K in J.
    pub floor: f64,
    /// Typical sizes of c_P, c_L and c_H, to which violations are relative.
    pub scale: [f64; 3],
}

/// Sums over the vertices of a body, for one vector d per vertex.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// The sum of w d, with w in kg/s.
    pub linear: [f64; 3],
    /// The sum of w times the fourth components of d.
    pub fourth: f64,
    /// The sum Σ (x_n − o) × w d.
    pub angular: [f64; 3],
    /// The sums of w (x_n − o)_i d_j.
    pub moments: [[f64; 3]; 3],
    /// Two further sums; each kernel says which.
    pub dots: [f64; 2],
}

impl Sums {
    fn new(moments: [[f64; 4]; 4], dots: [f64; 2]) -> Sums {
        let m = moments;
        Sums {
            linear: std::array::from_fn(|j| m[3][j]),
            fourth: m[3][3],
            angular: [m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]],
            moments: std::array::from_fn(|i| std::array::from_fn(|j| m[i][j])),
            dots,
        }
    }
}

/// The kernel of the moments of `values`, and of two dot products: of `values` with `first` and with `second`.
struct Project<'a> {
    vertices: &'a [u32],
    lever: &'a [[f64; 4]],
    values: &'a [Vec4],
    first: &'a [Vec4],
    second: &'a [Vec4],
}

type Partial = ([[f64; 4]; 4], [f64; 2]);

impl Kernel for Project<'_> {
    type Output = Partial;

    #[inline(always)]
    fn run<L: Lane>(self) -> Partial {
        let mut moments = [L::splat(0.0); 4];
        let mut dots = [L::splat(0.0); 2];
        for (v, lever) in self.vertices.iter().zip(self.lever) {
            let value = L::load(&self.values[*v as usize].0);
            for i in 0..4 {
                moments[i] = moments[i] + L::splat(lever[i]) * value;
            }
            dots[0] = dots[0] + L::load(&self.first[*v as usize].0) * value;
            dots[1] = dots[1] + L::load(&self.second[*v as usize].0) * value;
        }
        (moments.map(L::to_array), dots.map(sum))
    }
}

/// The kernel of the moments of positions, and of T − f·(x − x_n).
struct Measure<'a> {
    vertices: &'a [u32],
    lever: &'a [[f64; 4]],
    inertia: &'a [f64],
    base: &'a [Vec4],
    force: &'a [Vec4],
    x: &'a [Vec4],
}

impl Kernel for Measure<'_> {
    type Output = Partial;

    #[inline(always)]
    fn run<L: Lane>(self) -> Partial {
        let mut moments = [L::splat(0.0); 4];
        let mut energy = L::splat(0.0);
        for (i, v) in self.vertices.iter().enumerate() {
            let x = L::load(&self.x[*v as usize].0);
            let lever = self.lever[i];
            for k in 0..4 {
                moments[k] = moments[k] + L::splat(lever[k]) * x;
            }
            let d = x - L::load(&self.base[i].0);
            energy = energy + (L::splat(self.inertia[i]) * d - L::load(&self.force[i].0)) * d;
        }
        (moments.map(L::to_array), [sum(energy), 0.0])
    }
}

#[inline(always)]
fn sum<L: Lane>(lanes: L) -> f64 {
    let s = lanes.to_array();
    (s[0] + s[1]) + s[2]
}

/// Adds up the parts in their order.
fn fold(count: usize, part: impl Fn(usize) -> Partial + Send + Sync) -> Sums {
    let (moments, dots) = par::fold(count, part, |mut total: Partial, (moments, dots)| {
        for (row, part) in total.0.iter_mut().zip(moments) {
            row.iter_mut().zip(part).for_each(|(a, b)| *a += b);
        }
        total.1.iter_mut().zip(dots).for_each(|(a, b)| *a += b);
        total
    });
    Sums::new(moments, dots)
}

impl Constraints {
    /// Constraints whose numbers are still to be filled in.
    pub fn empty(vertices: Arc<[u32]>, terms: Arc<[usize]>, kept: Kept) -> Constraints {
        let count = vertices.len();
        Constraints {
            vertices,
            terms,
            touching: vec![],
            is_pushed: false,
            kept,
            lever: Vec::with_capacity(count),
            inertia: Vec::with_capacity(count),
            base: Vec::with_capacity(count),
            force: Vec::with_capacity(count),
            pull: Vec::with_capacity(count),
            springs: vec![],
            linear: [0.0; 3],
            angular: [0.0; 3],
            energy: 0.0,
            floor: 0.0,
            scale: [0.0; 3],
        }
    }

    fn chunks(&self) -> usize {
        self.vertices.len().div_ceil(CHUNK)
    }

    fn range(&self, chunk: usize) -> std::ops::Range<usize> {
        chunk * CHUNK..self.vertices.len().min((chunk + 1) * CHUNK)
    }

    /// Follows these springs; the energies of the terms `anchors`, to which they belong, no longer count among `terms`.
    pub fn set_springs(&mut self, springs: Vec<Spring>, anchors: &Arc<[usize]>) {
        if !springs.is_empty() {
            self.terms = self.terms.iter().copied().filter(|t| !anchors.contains(t)).collect();
        }
        self.springs = springs;
    }

    /// Writes q at the positions `x` to the places of the body's unknowns in `out`.
    pub fn pull_at(&self, x: &[Vec4], out: &mut [Vec4]) {
        for (v, pull) in self.vertices.iter().zip(&self.pull) {
            out[*v as usize] = *pull;
        }
        for s in &self.springs {
            let v = s.vertex as usize;
            for k in 0..3 {
                out[v].0[k] -= 0.5 * s.slope[k] + s.stiffness * (x[v].0[k] - s.place[k]);
            }
        }
    }

    /// Sums over `values` of all unknowns. Their dots are with `gradient` and with `pull`, which is q.
    ///
    /// The derivatives of the constraints along `values` are `linear`, `angular` and the sum of the dots, if
    /// `gradient` is ∇g.
    pub fn project(&self, gradient: &[Vec4], pull: &[Vec4], values: &[Vec4]) -> Sums {
        fold(self.chunks(), |chunk| {
            let own = self.range(chunk);
            dispatch(Project {
                vertices: &self.vertices[own.clone()],
                lever: &self.lever[own],
                values,
                first: gradient,
                second: pull,
            })
        })
    }

    /// The seven gradients ∇c where ∇g is `gradient` and q is `pull`, added to `out` at the body's unknowns.
    pub fn add_gradients(&self, gradient: &[Vec4], pull: &[Vec4], out: &mut [Vec<Vec4>; 7]) {
        for (v, [a, b, c, w]) in self.vertices.iter().map(|v| *v as usize).zip(self.lever.iter().copied()) {
            for k in 0..3 {
                out[k][v].0[k] = w;
            }
            // The component k of lever × d is d·(eₖ × lever).
            out[3][v] = Vec4::new([0.0, -c, b]);
            out[4][v] = Vec4::new([c, 0.0, -a]);
            out[5][v] = Vec4::new([-b, a, 0.0]);
            out[6][v] = Vec4(std::array::from_fn(|k| gradient[v].0[k] + pull[v].0[k]));
        }
    }

    /// c_P, c_L and c_H with α = 0, at an evaluated iterate.
    pub fn values(&self, at: &Iterate) -> [f64; 7] {
        let sums = fold(self.chunks(), |chunk| {
            let own = self.range(chunk);
            dispatch(Measure {
                vertices: &self.vertices[own.clone()],
                lever: &self.lever[own.clone()],
                inertia: &self.inertia[own.clone()],
                base: &self.base[own.clone()],
                force: &self.force[own],
                x: &at.x,
            })
        });
        let stored: f64 = self.terms.iter().map(|t| at.parts[*t]).sum();
        let mut c = [0.0; 7];
        for k in 0..3 {
            c[k] = sums.linear[k] - self.linear[k];
            c[3 + k] = sums.angular[k] - self.angular[k];
        }
        let lagging: f64 = self.springs.iter().map(|s| s.lagging(at.x[s.vertex as usize].xyz())).sum();
        let shared: f64 = self.touching.iter().filter_map(|body| at.shares.get(*body)).sum();
        c[6] = sums.dots[0] + stored + lagging + shared - self.energy;
        c
    }
}
