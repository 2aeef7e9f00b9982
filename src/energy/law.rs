//! What a tet term needs of an isotropic material.
//!
//! Every model is written in the signed principal stretches, in the form of Valanis and Landel,
//!
//! ```text
//! Ψ(σ) = Σᵢ a(σᵢ) + Σ_{i<j} b(σᵢσⱼ) + c(σ₁σ₂σ₃),
//! ```
//!
//! which gives Newton its Hessian and the system matrix its stiffness. Beside it stands the cheapest exact
//! route from F to Ψ and P = ∂Ψ/∂F in lanes; tests hold the two against each other.

use std::fmt::Debug;

use super::constraint::Form;
use super::vertex::{self, Corner};
use crate::math::lanes::{Lane, WIDTH};
use crate::math::mat3::{self, Mat3};
use crate::math::quadrature::integrate;
use crate::math::svd;

/// Constants of a material that may differ from element to element; unused ones are 0.
pub const CONSTANTS: usize = 3;

/// Value, first and second derivative of a curve at a point.
pub type Curve = [f64; 3];

/// An isotropic material law.
pub trait Law: Clone + Debug + Send + Sync + 'static {
    /// Energy density Ψ (J/m³, infinite outside the domain) and first Piola-Kirchhoff stress P (Pa) at F.
    /// Implementations are `#[inline(always)]`.
    fn density_and_stress<L: Lane>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>);

    /// Ψ alone. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn energy_density<L: Lane>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> L {
        self.density_and_stress(f, constants).0
    }

    /// Ψ with its first and second derivative along F + d gᵀ, d = 0. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn corner<L: Lane>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        vertex::by_stretches(self, f, g, constants)
    }

    /// The curve a, of a stretch.
    fn a(&self, x: f64, constants: &[f64; CONSTANTS]) -> Curve;

    /// The curve b, of a product of two stretches.
    fn b(&self, _x: f64, _constants: &[f64; CONSTANTS]) -> Curve {
        [0.0; 3]
    }

    /// The curve c, of the volume ratio.
    fn c(&self, _x: f64, _constants: &[f64; CONSTANTS]) -> Curve {
        [0.0; 3]
    }

    /// How many constraints stand for Ψ; 0: it has no lower bound.
    fn constraints(&self, _form: Form, _constants: &[f64; CONSTANTS]) -> usize {
        1
    }

    /// The `index`-th constraint: C, ∂C/∂F and its stiffness s in Pa, with Ψ = Σ s C²/2 up to a number. `floor` is the
    /// rounding of Ψ. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn constraint<L: Lane>(
        &self,
        _form: Form,
        _index: usize,
        f: &Mat3<L>,
        constants: &[L; CONSTANTS],
        floor: L,
    ) -> (L, Mat3<L>, L) {
        let (psi, stress) = self.density_and_stress(f, constants);
        let (value, slope) = root(psi, &stress, floor);
        (value, slope, L::splat(1.0))
    }

    /// The law with its barrier continued by finite values, for methods that cannot keep away from it.
    fn without_barrier(&self) -> Self {
        self.clone()
    }

    /// True where Ψ = k/2 ‖F − p(F)‖² with k the stiffness of the system matrix.
    fn is_projective(&self, _constants: &[f64; CONSTANTS]) -> bool {
        false
    }

    /// True for projective laws that stand for a hard set: solvers that can, project onto it.
    fn is_hard(&self) -> bool {
        false
    }
}

/// The constraint that stands for any energy density that is 0 at rest and positive elsewhere,
///
/// ```text
/// C = √(2Ψ),      ∂C/∂F = P/C,
/// ```
///
/// the "combined" construction of \[Ledwon2024, 4.1.7\]. Zero, with a zero gradient, where Ψ is not above `floor` (its
/// rounding: the direction P/C would be noise) or not finite.
#[inline(always)]
pub fn root<L: Lane>(psi: L, stress: &Mat3<L>, floor: L) -> (L, Mat3<L>) {
    let zero = L::splat(0.0);
    let psi = L::select(floor.lt(psi), psi, zero);
    let psi = L::select(psi.lt(L::splat(f64::MAX)), psi, zero);
    let acts = zero.lt(psi);
    let value = (psi + psi).sqrt();
    let inverse = L::splat(1.0) / L::select(acts, value, L::splat(1.0));
    (value, mat3::select::<L>(acts, &mat3::scale(inverse, stress), &mat3::zero()))
}

/// Stiffness k of the system matrix: the least-squares fit of k(x−1) to the uniaxial stress
/// a′(x) + 2b′(x) + c′(x) over an interval of stretches.
///
/// \[Liu2017, Eq. 10-11\]; ours has E = k/2·|·|², theirs has no ½. Over [0.5, 1.5] it is 12∫f(x)(x−1)dx.
pub fn stiffness<W: Law>(law: &W, constants: &[f64; CONSTANTS], interval: [f64; 2]) -> f64 {
    let [low, high] = interval;
    let stress = |x: f64| law.a(x, constants)[1] + 2.0 * law.b(x, constants)[1] + law.c(x, constants)[1];
    integrate(low, high, |x| stress(x) * (x - 1.0)) / integrate(low, high, |x| (x - 1.0) * (x - 1.0))
}

/// Ψ at the stretches.
pub fn density<W: Law>(law: &W, s: &[f64; 3], constants: &[f64; CONSTANTS]) -> f64 {
    let mut sum = law.c(s[0] * s[1] * s[2], constants)[0];
    for i in 0..3 {
        sum += law.a(s[i], constants)[0] + law.b(s[i] * s[(i + 1) % 3], constants)[0];
    }
    sum
}

/// ∂Ψ/∂σᵢ.
pub fn gradient<W: Law>(law: &W, s: &[f64; 3], constants: &[f64; CONSTANTS]) -> [f64; 3] {
    let volume = law.c(s[0] * s[1] * s[2], constants)[1];
    let mut out = [0.0; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        out[i] = law.a(s[i], constants)[1]
            + law.b(s[i] * s[j], constants)[1] * s[j]
            + law.b(s[i] * s[k], constants)[1] * s[k]
            + volume * s[j] * s[k];
    }
    out
}

/// ∂²Ψ/∂σᵢ∂σⱼ.
pub fn curvature<W: Law>(law: &W, s: &[f64; 3], constants: &[f64; CONSTANTS]) -> [[f64; 3]; 3] {
    let [_, c1, c2] = law.c(s[0] * s[1] * s[2], constants);
    let mut out = [[0.0; 3]; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let [_, b1, b2] = law.b(s[i] * s[j], constants);
        out[i][i] = law.a(s[i], constants)[2]
            + b2 * s[j] * s[j]
            + law.b(s[i] * s[k], constants)[2] * s[k] * s[k]
            + c2 * (s[j] * s[k]) * (s[j] * s[k]);
        out[i][j] = b2 * s[i] * s[j] + b1 + c2 * (s[j] * s[k]) * (s[i] * s[k]) + c1 * s[k];
        out[j][i] = out[i][j];
    }
    out
}

/// The route over the SVD, with the curves evaluated one lane at a time: for laws without a closed form.
#[inline(always)]
pub fn by_stretches<W: Law, L: Lane>(law: &W, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
    let d = svd::svd(f);
    let sigma = [d.sigma[0].to_array(), d.sigma[1].to_array(), d.sigma[2].to_array()];
    let constants = [constants[0].to_array(), constants[1].to_array(), constants[2].to_array()];
    let mut psi = [0.0; WIDTH];
    let mut slopes = [[0.0; WIDTH]; 3];
    for lane in 0..WIDTH {
        let s = [sigma[0][lane], sigma[1][lane], sigma[2][lane]];
        let c = [constants[0][lane], constants[1][lane], constants[2][lane]];
        psi[lane] = density(law, &s, &c);
        let g = gradient(law, &s, &c);
        for i in 0..3 {
            slopes[i][lane] = g[i];
        }
    }
    let slopes = [L::load(&slopes[0]), L::load(&slopes[1]), L::load(&slopes[2])];
    (L::load(&psi), svd::compose(&d.u, &slopes, &d.v))
}
