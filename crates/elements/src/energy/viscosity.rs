//! Viscosity of solids and sheets: the part βK of Rayleigh damping, lagged so that a step stays a minimization.
//!
//! ```text
//! D(x) = V β/(2ĥ) (2μ ‖ε‖² + λ tr² ε),      ε = sym(F_mᵀ (F − F̂)),      ∂D/∂x_c = (V β/ĥ) F_m (2μ ε + λ tr ε I) g_c
//! ```
//!
//! F is the deformation at x, F̂ the one at the base x̂ of the stage, and ĥ the stage's step (see
//! `simulate::integrator`). F_m is the deformation that is expected if bodies move with (x − x̂)/ĥ, so that ε/ĥ is the
//! rate of Green's strain there. F_m is lagged: it is fixed at the start of a stage, which makes D convex and quadratic
//! in x. With the exact F_m, ε would vanish in all rigid motions; with the lagged one a turn by θ in a step costs as
//! little as a strain of the order of θ⁴. μ and λ are the law's moduli at rest: near rest, D is β/(2ĥ) (x − x̂)ᵀ K
//! (x − x̂), which is Rayleigh's damping with the stiffness matrix K. With the tangent stiffness at x_n in place of K,
//! bodies under load would be damped as they turn.
//!
//! In stretched elements F_m is divided by about their largest stretch: the rate of Green's strain grows with the
//! square of it, and D would outgrow the system matrix, on which all solvers but Newton's rely.
//!
//! Triangles have gradients g_c in their plane, with a third component of 0; one kernel serves both.

mod proximal;

use std::ops::Range;

use super::constraint::Corners;
use super::proximal::Proximal;
use super::scaling::Scaling;
use super::vertex::{Expanding, Expansion, Memory, Points, Star, Vertexwise, take};
use super::{CHUNK, Energy, Role, packing};
use crate::math::lanes::{Kernel, Lane, Vec4, WIDTH, dispatch};
use crate::math::mat3::{self, Mat3};
use crate::math::symmetric::PLACES;
use crate::math::vec3::{add, dot, scale};

/// One viscous element: a tet or a triangle.
#[derive(Clone, Debug, PartialEq)]
pub struct Viscous {
    /// The vertices; a triangle repeats its first vertex.
    pub vertices: [u32; 4],
    /// The gradients g_c of the corners in 1/m; zero for the repeated vertex.
    pub gradients: [[f64; 3]; 4],
    /// The products V β/ĥ · (μ, λ), in J.
    pub moduli: [f64; 2],
}

/// Four elements side by side, as the kernels read them.
#[derive(Clone)]
#[repr(C, align(32))]
struct Block {
    gradients: [[[f64; WIDTH]; 3]; 4],
    moduli: [[f64; WIDTH]; 2],
    vertices: [[u32; WIDTH]; 4],
}

/// The matrices F_m and F̂ of four elements, fixed at the start of a stage.
#[derive(Clone)]
#[repr(C, align(32))]
struct Lagged {
    middle: [[[f64; WIDTH]; 3]; 3],
    base: [[[f64; WIDTH]; 3]; 3],
}

/// The viscosity of all elements of one kind.
pub struct ViscosityTerm {
    name: String,
    corners: usize,
    elements: Vec<Viscous>,
    blocks: Vec<Block>,
    lagged: Vec<Lagged>,
    scaling: Scaling,
}

impl ViscosityTerm {
    /// Makes the term of `elements`, which use only their first `corners` corners. [`Energy::set_base`] has to be
    /// called before it is evaluated.
    pub fn new(name: String, corners: usize, elements: Vec<Viscous>) -> ViscosityTerm {
        let blank =
            Block { gradients: [[[0.0; WIDTH]; 3]; 4], moduli: [[0.0; WIDTH]; 2], vertices: [[0; WIDTH]; 4] };
        let blocks = packing::blocks(elements.len(), &blank, |block, lane, e, is_real| {
            let e = &elements[e];
            for c in 0..4 {
                block.vertices[c][lane] = e.vertices[c];
                for k in 0..3 {
                    block.gradients[c][k][lane] = e.gradients[c][k];
                }
            }
            for k in 0..2 {
                block.moduli[k][lane] = if is_real { e.moduli[k] } else { 0.0 };
            }
        });
        let zero = [[[0.0; WIDTH]; 3]; 3];
        let lagged = vec![Lagged { middle: zero, base: zero }; blocks.len()];
        ViscosityTerm { name, corners, elements, blocks, lagged, scaling: Scaling::default() }
    }

    /// The blocks of a chunk.
    fn blocks_of(&self, chunk: usize) -> Range<usize> {
        let blocks = CHUNK / WIDTH;
        chunk * blocks..self.blocks.len().min((chunk + 1) * blocks)
    }

    /// 2μ ε + λ tr ε I for the change `d` of F, with the element's moduli.
    fn stress(&self, element: usize, middle: &[[f64; 3]; 3], d: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let [mu, lambda] = self.elements[element].moduli;
        let product = |i: usize, j: usize| (0..3).map(|k| middle[k][i] * d[k][j]).sum::<f64>();
        let strain = |i: usize, j: usize| 0.5 * (product(i, j) + product(j, i));
        let trace = strain(0, 0) + strain(1, 1) + strain(2, 2);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| 2.0 * mu * strain(i, j) + if i == j { lambda * trace } else { 0.0 })
        })
    }
}

impl ViscosityTerm {
    /// The matrices F_m and F̂ of an element.
    fn lagged_of(&self, element: usize) -> [[[f64; 3]; 3]; 2] {
        let (lagged, lane) = (&self.lagged[element / WIDTH], element % WIDTH);
        [&lagged.middle, &lagged.base].map(|m| m.map(|row| row.map(|lanes| lanes[lane])))
    }

    /// F − F̂ of an element with one corner moved to `at`.
    fn change(&self, element: usize, corner: usize, x: &[Vec4], at: [f64; 3]) -> [[f64; 3]; 3] {
        let e = &self.elements[element];
        let [_, base] = self.lagged_of(element);
        let mut change = base.map(|row| row.map(|b| -b));
        for c in 0..self.corners {
            let x = if c == corner { at } else { x[e.vertices[c] as usize].xyz() };
            for i in 0..3 {
                change[i] = add(change[i], scale(x[i], e.gradients[c]));
            }
        }
        change
    }

    /// Energy and ∂D/∂F of an element, from F − F̂.
    fn at(&self, element: usize, change: [[f64; 3]; 3]) -> (f64, [[f64; 3]; 3]) {
        let [middle, _] = self.lagged_of(element);
        let stress = self.stress(element, &middle, &change);
        let force: [[f64; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..3).map(|k| middle[i][k] * stress[k][j]).sum())
        });
        // D is quadratic in the change.
        (0.5 * (0..3).map(|i| dot(force[i], change[i])).sum::<f64>(), force)
    }
}

impl Vertexwise for ViscosityTerm {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        star.each(self.corners, |lane, e, corner| {
            let change = self.change(e, corner, x, at.map(|a| a[lane]));
            memory.extend(change.map(|[x, y, z]| [x, y, z, 0.0]));
            self.expand_by(e, change, self.elements[e].gradients[corner], lane, out);
        });
    }

    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    ) {
        let mut kept = take(memory, 3 * star.total()).chunks_exact(3);
        star.each(self.corners, |lane, e, corner| {
            let Some(change) = kept.next() else { return };
            let g = self.elements[e].gradients[corner];
            let moved = |i: usize| add([change[i][0], change[i][1], change[i][2]], scale(shift[i][lane], g));
            out[lane] += self.at(e, [moved(0), moved(1), moved(2)]).0;
        });
    }
}

impl ViscosityTerm {
    /// Adds the energy at a change of F, expanded in a displacement d that changes F by d gᵀ. Its block is
    /// K = μ |g|² F_m F_mᵀ + (μ + λ) y yᵀ, y = F_m g.
    fn expand_by(&self, e: usize, change: [[f64; 3]; 3], g: [f64; 3], lane: usize, out: &mut Expansion) {
        let (energy, force) = self.at(e, change);
        let ([middle, _], [mu, lambda]) = (self.lagged_of(e), self.elements[e].moduli);
        let (y, weight) = (middle.map(|row| dot(row, g)), mu * dot(g, g));
        let block = |(i, k): (usize, usize)| weight * dot(middle[i], middle[k]) + (mu + lambda) * y[i] * y[k];
        out.add(lane, energy, force.map(|row| dot(row, g)), PLACES.map(block));
    }

    /// F − F̂ of an element with the corners of a lane at `x`.
    fn change_of_lane(&self, element: usize, x: &Corners, lane: usize) -> [[f64; 3]; 3] {
        let [_, base] = self.lagged_of(element);
        std::array::from_fn(|i| {
            let parts = self.elements[element].gradients.iter().zip(x).map(|(g, x)| scale(x[i][lane], *g));
            parts.fold(scale(-1.0, base[i]), add)
        })
    }
}

impl Expanding for ViscosityTerm {
    fn expand(&self, elements: &[u32; WIDTH], x: &Corners, shares: &[[f64; WIDTH]; 4], out: &mut Expansion) {
        for (lane, e) in elements.iter().map(|e| *e as usize).enumerate() {
            let parts =
                self.elements[e].gradients.iter().zip(shares).map(|(g, share)| scale(share[lane], *g));
            let g = parts.fold([0.0; 3], add);
            self.expand_by(e, self.change_of_lane(e, x, lane), g, lane, out);
        }
    }

    fn energies(&self, elements: &[u32; WIDTH], x: &Corners) -> [f64; WIDTH] {
        let energy = |lane: usize, e: usize| self.at(e, self.change_of_lane(e, x, lane)).0;
        std::array::from_fn(|lane| energy(lane, elements[lane] as usize))
    }
}

/// F = Σ_c x_c g_cᵀ of the four elements of a block.
#[inline(always)]
fn deformation<L: Lane>(corners: usize, block: &Block, x: &[Vec4]) -> Mat3<L> {
    let mut f = mat3::zero();
    for c in 0..corners {
        let x = L::gather(x, &block.vertices[c]);
        let g = [
            L::load(&block.gradients[c][0]),
            L::load(&block.gradients[c][1]),
            L::load(&block.gradients[c][2]),
        ];
        for i in 0..3 {
            for j in 0..3 {
                f[i][j] = f[i][j] + x[i] * g[j];
            }
        }
    }
    f
}

struct Lag<'a> {
    corners: usize,
    blocks: &'a [Block],
    middle: &'a [Vec4],
    base: &'a [Vec4],
    lagged: &'a mut [Lagged],
}

impl Kernel for Lag<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (block, lagged) in self.blocks.iter().zip(self.lagged) {
            let middle = deformation::<L>(self.corners, block, self.middle);
            let base = deformation::<L>(self.corners, block, self.base);
            // The square of the largest stretch, if the others are about 1.
            let square = mat3::dot(&middle, &middle) - L::splat(self.corners as f64 - 2.0);
            let scale = L::splat(1.0) / square.max(L::splat(1.0)).sqrt();
            let middle = mat3::scale(scale, &middle);
            for i in 0..3 {
                for j in 0..3 {
                    lagged.middle[i][j] = middle[i][j].to_array();
                    lagged.base[i][j] = base[i][j].to_array();
                }
            }
        }
    }
}

struct Evaluate<'a> {
    corners: usize,
    blocks: &'a [Block],
    lagged: &'a [Lagged],
    x: &'a [Vec4],
    slots: &'a mut [Vec4],
}

impl Kernel for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let n = self.corners;
        let (half, two) = (L::splat(0.5), L::splat(2.0));
        let mut sum = L::splat(0.0);
        let slots = self.slots.chunks_exact_mut(n * WIDTH);
        for ((block, lagged), slots) in self.blocks.iter().zip(self.lagged).zip(slots) {
            let mut d = deformation::<L>(n, block, self.x);
            let mut middle = mat3::zero();
            for i in 0..3 {
                for j in 0..3 {
                    d[i][j] = d[i][j] - L::load(&lagged.base[i][j]);
                    middle[i][j] = L::load(&lagged.middle[i][j]);
                }
            }
            let product = mat3::transpose_mul(&middle, &d);
            let (mu, lambda) = (L::load(&block.moduli[0]), L::load(&block.moduli[1]));
            let trace = product[0][0] + product[1][1] + product[2][2];
            let mut stress = mat3::zero();
            for i in 0..3 {
                for j in 0..3 {
                    let strain = half * (product[i][j] + product[j][i]);
                    sum = sum + mu * strain * strain;
                    stress[i][j] = two * mu * strain;
                }
                stress[i][i] = stress[i][i] + lambda * trace;
            }
            sum = sum + half * lambda * trace * trace;
            let p = mat3::mul(&middle, &stress);
            for c in 0..n {
                let g = [
                    L::load(&block.gradients[c][0]),
                    L::load(&block.gradients[c][1]),
                    L::load(&block.gradients[c][2]),
                ];
                let force = [
                    p[0][0] * g[0] + p[0][1] * g[1] + p[0][2] * g[2],
                    p[1][0] * g[0] + p[1][1] * g[1] + p[1][2] * g[2],
                    p[2][0] * g[0] + p[2][1] * g[1] + p[2][2] * g[2],
                ];
                L::scatter(force, &mut slots[c..], n);
            }
        }
        let s = sum.to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

impl Energy for ViscosityTerm {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn corners(&self) -> usize {
        self.corners
    }

    fn slots(&self) -> usize {
        self.blocks.len() * WIDTH * self.corners
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.elements[index].vertices[..self.corners]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let range = self.blocks_of(chunk);
        let (blocks, lagged) = (&self.blocks[range.clone()], &self.lagged[range]);
        dispatch(Evaluate { corners: self.corners, blocks, lagged, x, slots })
    }

    /// With F_m = I the Hessian is at most (2μ + 3λ) DᵀD. The weight 2μ + λ, its value under uniaxial rates, is
    /// closer to the typical case.
    fn element_system(&self, element: usize, out: &mut [f64]) {
        let e = &self.elements[element];
        let weight = 2.0 * e.moduli[0] + e.moduli[1];
        for (k, out) in out.iter_mut().enumerate() {
            *out = weight * dot(e.gradients[k / self.corners], e.gradients[k % self.corners]);
        }
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"viscosity");
        hasher.update(&(self.len() as u64).to_le_bytes());
        for e in &self.elements {
            hasher.update(bytemuck::cast_slice(&e.vertices));
            hasher.update(bytemuck::cast_slice(e.gradients.as_flattened()));
            hasher.update(bytemuck::cast_slice(&e.moduli));
        }
    }

    /// The term is quadratic but not a distance from a set. Projective dynamics converges on it all the same, because
    /// the system matrix bounds its Hessian where F_m is about a rotation.
    fn is_projective(&self) -> bool {
        true
    }

    fn proximal(&self) -> Option<&dyn Proximal> {
        Some(self)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        Some(self)
    }

    fn expanding(&self) -> Option<&dyn Expanding> {
        Some(self)
    }

    fn role(&self) -> Role {
        Role::Dissipation
    }

    fn rescale(&mut self, factor: f64) -> bool {
        let moduli = self.scaling.set(factor, || self.elements.iter().flat_map(|e| e.moduli).collect());
        for (n, value) in moduli.into_iter().flatten().enumerate() {
            let (e, modulus) = (n / 2, n % 2);
            self.elements[e].moduli[modulus] = value;
            self.blocks[e / WIDTH].moduli[modulus][e % WIDTH] = value;
        }
        true
    }

    fn set_base_of(&mut self, chunk: usize, middle: &[Vec4], base: &[Vec4]) {
        let range = self.blocks_of(chunk);
        let (blocks, lagged) = (&self.blocks[range.clone()], &mut self.lagged[range]);
        dispatch(Lag { corners: self.corners, blocks, middle, base, lagged });
    }

    fn hessian(&self, element: usize, _x: &[Vec4], _project: bool, out: &mut [f64]) {
        let e = &self.elements[element];
        let [middle, _] = self.lagged_of(element);
        let n = 3 * self.corners;
        for column in 0..n {
            let (c, k) = (column / 3, column % 3);
            let mut d = [[0.0; 3]; 3];
            d[k] = e.gradients[c];
            let stress = self.stress(element, &middle, &d);
            for row in 0..n {
                let (g, i) = (e.gradients[row / 3], row % 3);
                let p = |j: usize| (0..3).map(|l| middle[i][l] * stress[l][j]).sum::<f64>();
                out[n * row + column] = p(0) * g[0] + p(1) * g[1] + p(2) * g[2];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::{check_rescaling, check_term, evaluate, random};
    use crate::energy::proximal;
    use crate::energy::{tets, triangles};

    const REST: [[f64; 3]; 5] =
        [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.0, 0.2, 1.1], [0.9, 1.0, 0.8]];

    fn term() -> ViscosityTerm {
        let elements = tets::elements(vec![[0, 1, 2, 3], [1, 4, 2, 3]], &REST);
        let viscous = (0..2).map(|e| Viscous {
            vertices: elements.corners[e],
            gradients: elements.gradients(e),
            moduli: [0.7, 1.3],
        });
        ViscosityTerm::new("viscosity".into(), 4, viscous.collect())
    }

    fn deformed(seed: u64) -> Vec<Vec4> {
        let mut r = random(seed);
        REST.iter().map(|p| Vec4::new(p.map(|c| 1.2 * c + 0.2 * r()))).collect()
    }

    #[test]
    fn passes_the_generic_check() {
        let mut term = term();
        term.set_base(&deformed(1), &deformed(2));
        check_term(&term, &deformed(3), 1e-7);
        check_rescaling(&mut term, &deformed(3));
        proximal::checks::check_term(&term, &deformed(3));
    }

    #[test]
    fn triangles_pass_the_generic_checks() {
        let elements = triangles::elements(&[[0, 1, 2], [1, 4, 3]], &REST, &[0.1; 2]);
        let viscous = (0..2).map(|e| Viscous {
            vertices: elements.corners[e],
            gradients: elements.gradients(e),
            moduli: [0.7, 1.3],
        });
        let mut term = ViscosityTerm::new("viscosity".into(), 3, viscous.collect());
        term.set_base(&deformed(1), &deformed(2));
        check_term(&term, &deformed(3), 1e-7);
        proximal::checks::check_term(&term, &deformed(3));
    }

    #[test]
    fn rigid_motion_is_free_and_torques_balance() {
        let mut term = term();
        let base = deformed(1);
        let rotation = crate::energy::checks::rotation(&mut random(5));
        let turn = |p: &Vec4| -> [f64; 3] {
            std::array::from_fn(|i| 1.0 + (0..3).map(|j| rotation[i][j] * p.0[j]).sum::<f64>())
        };
        let turned: Vec<Vec4> = base.iter().map(|p| Vec4::new(turn(p))).collect();
        let middle: Vec<Vec4> = base
            .iter()
            .zip(&turned)
            .map(|(a, b)| Vec4(std::array::from_fn(|k| 0.5 * (a.0[k] + b.0[k]))))
            .collect();
        term.set_base(&middle, &base);
        let (energy, gradient) = evaluate(&term, &turned);
        assert!(energy < 1e-28 && gradient.iter().flatten().all(|g| g.abs() < 1e-14), "{energy}");
        let (_, gradient) = evaluate(&term, &deformed(4));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let torque: f64 = middle.iter().zip(&gradient).map(|(x, g)| x.0[i] * g[j] - x.0[j] * g[i]).sum();
            assert!(torque.abs() < 1e-13, "{torque}");
        }
    }
}
