//! The interface of an isotropic material: what the terms of tets and triangles call.
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
#[cfg(doc)]
use crate::math::lanes::WideKernel;
use crate::math::lanes::{Long, Number};
use crate::math::mat3::{self, Mat3};
use crate::math::quadrature::integrate;
use crate::math::single::Single;
use crate::math::svd;
use crate::math::symmetric::{PLACES, Symmetric};

/// Constants of a material that may differ from element to element; unused ones are 0.
pub const CONSTANTS: usize = 3;

/// Value, first and second derivative of a curve at a point.
pub type Curve<L> = [L; 3];

/// An isotropic material law.
pub trait Law: Clone + Debug + Send + Sync + 'static {
    /// True if the stress is a chain of divisions and roots: see [`WideKernel::INTERLEAVED`].
    const INTERLEAVED: bool = false;
    /// The same for the proximal operator. Its default is true, because the general operator goes over the stretches.
    const INTERLEAVED_PROX: bool = true;

    /// Energy density Ψ (J/m³, infinite outside the domain) and first Piola-Kirchhoff stress P (Pa) at F.
    /// Implementations are `#[inline(always)]`.
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>);

    /// Ψ alone. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn energy_density<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> L {
        self.density_and_stress(f, constants).0
    }

    /// Ψ with its first and second derivative in d along F + d gᵀ, at d = 0. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        vertex::by_stretches(self, f, g, constants)
    }

    /// The curve a of one stretch. Implementations are `#[inline(always)]`.
    fn a<L: Number>(&self, x: L, constants: &[L; CONSTANTS]) -> Curve<L>;

    /// The curve b of the product of two stretches. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn b<L: Number>(&self, _x: L, _constants: &[L; CONSTANTS]) -> Curve<L> {
        [L::splat(0.0); 3]
    }

    /// The curve c of the volume ratio. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn c<L: Number>(&self, _x: L, _constants: &[L; CONSTANTS]) -> Curve<L> {
        [L::splat(0.0); 3]
    }

    /// How many constraints stand for Ψ; 0 if Ψ has no lower bound.
    fn constraints(&self, _form: Form, _constants: &[f64; CONSTANTS]) -> usize {
        1
    }

    /// The `index`-th constraint: C, ∂C/∂F and its stiffness s in Pa, with Ψ = Σ s C²/2 up to an additive constant.
    /// `floor` is the rounding error of Ψ. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn constraint<L: Number>(
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

    /// argmin Ψ(F) + ρ/2 ‖F − F̃‖² by a way that is shorter than the stretches, if the law has one. The second
    /// number is 1 in the lanes where the result holds and 0 elsewhere. `weight` is ρ in Pa. Implementations
    /// are `#[inline(always)]`.
    #[inline(always)]
    fn prox<L: Number>(
        &self,
        _target: &Mat3<L>,
        _weight: L,
        _constants: &[L; CONSTANTS],
    ) -> Option<(Mat3<L>, L)> {
        None
    }

    /// The law as two: one for all points of an element, and one for what is evaluated at its centre alone. Together, with
    /// the constants of [`Law::split`], they are the law.
    fn parts(&self) -> [Self; 2] {
        [self.clone(), self.clone()]
    }

    /// The constants of the two [`Law::parts`]. A resistance to changes of volume that would lock elements, which is more than
    /// [`kept`] leaves at their points, belongs to the second. Without one the second constants give no stiffness.
    fn split(&self, constants: &[f64; CONSTANTS]) -> [[f64; CONSTANTS]; 2] {
        [*constants, [0.0; CONSTANTS]]
    }

    /// True if Ψ is infinite for J ≤ 0.
    fn has_barrier(&self) -> bool {
        false
    }

    /// The law with its barrier continued by finite values, for solvers whose iterates may cross J = 0.
    fn without_barrier(&self) -> Self {
        self.clone()
    }

    /// True if Ψ = k/2 ‖F − p(F)‖², where p is a projection and k the stiffness of the system matrix.
    fn is_projective(&self) -> bool {
        false
    }

    /// True for projective laws that stand for a hard set. Solvers that can do so project onto the set.
    fn is_hard(&self) -> bool {
        false
    }
}

/// The part of Lamé's λ that stays at all points of quadratic elements; the rest acts on the volume at their centre. As much
/// as μ is Poisson's ratio 1/4, far from where elements lock, and keeps the law of the points stable by itself.
pub fn kept(mu: f64, lambda: f64) -> f64 {
    lambda.min(mu)
}

/// [`Law::density_and_stress`], as the numbers have long computations.
#[inline(always)]
pub(super) fn stress<W: Law, L: Number>(law: &W, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
    struct Stress<'a, W, L>(&'a W, &'a Mat3<L>, &'a [L; CONSTANTS]);
    impl<W: Law, L: Number> Long<L> for Stress<'_, W, L> {
        type Output = (L, Mat3<L>);
        #[inline(always)]
        fn compute(self) -> Self::Output {
            self.0.density_and_stress(self.1, self.2)
        }
    }
    L::long(Stress(law, f, constants))
}

/// [`Law::corner`], likewise.
#[inline(always)]
pub(super) fn corner<W: Law, L: Number>(
    law: &W,
    f: &Mat3<L>,
    g: &[L; 3],
    constants: &[L; CONSTANTS],
) -> Corner<L> {
    struct Around<'a, W, L>(&'a W, &'a Mat3<L>, &'a [L; 3], &'a [L; CONSTANTS]);
    impl<W: Law, L: Number> Long<L> for Around<'_, W, L> {
        type Output = Corner<L>;
        #[inline(always)]
        fn compute(self) -> Self::Output {
            self.0.corner(self.1, self.2, self.3)
        }
    }
    L::long(Around(law, f, g, constants))
}

/// The constraint that stands for any energy density that is 0 at rest and positive elsewhere,
///
/// ```text
/// C = √(2Ψ),      ∂C/∂F = P/C,
/// ```
///
/// the "combined" construction of \[Ledwon2024, 4.1.7\]. Both are zero where Ψ is not finite, and where it is not above
/// its rounding error `floor`: there the direction P/C would be noise.
#[inline(always)]
pub fn root<L: Number>(psi: L, stress: &Mat3<L>, floor: L) -> (L, Mat3<L>) {
    let zero = L::splat(0.0);
    let psi = L::select(floor.lt(psi), psi, zero);
    let psi = L::select(psi.lt(L::splat(f64::MAX)), psi, zero);
    let acts = zero.lt(psi);
    let value = (psi + psi).sqrt();
    let inverse = L::splat(1.0) / L::select(acts, value, L::splat(1.0));
    (value, mat3::select::<L>(acts, &mat3::scale(inverse, stress), &mat3::zero()))
}

/// Ψ with its first and second derivatives in the stretches.
pub struct Stretched<L> {
    /// The energy density Ψ in J/m³.
    pub density: L,
    /// The first derivatives ∂Ψ/∂σᵢ in Pa.
    pub slope: [L; 3],
    /// The second derivatives ∂²Ψ/∂σᵢ∂σⱼ in Pa.
    pub bend: Symmetric<L>,
}

/// Evaluates Ψ and its derivatives up to second order at the stretches `s`.
#[inline(always)]
pub fn expand<W: Law, L: Number>(law: &W, s: &[L; 3], constants: &[L; CONSTANTS]) -> Stretched<L> {
    // The product of the two stretches other than σᵢ.
    let pair = [s[1] * s[2], s[2] * s[0], s[0] * s[1]];
    let [c0, c1, c2] = law.c(s[0] * pair[0], constants);
    let (mut density, mut slope, mut bend) = (c0, [c0; 3], [c0; 6]);
    for i in 0..3 {
        let [a0, a1, a2] = law.a(s[i], constants);
        density = density + a0;
        slope[i] = a1 + c1 * pair[i];
        bend[i] = a2 + c2 * pair[i] * pair[i];
    }
    for n in 3..6 {
        let (i, j) = PLACES[n];
        let k = 3 - i - j;
        let [b0, b1, b2] = law.b(pair[k], constants);
        density = density + b0;
        slope[i] = slope[i] + b1 * s[j];
        slope[j] = slope[j] + b1 * s[i];
        bend[i] = bend[i] + b2 * s[j] * s[j];
        bend[j] = bend[j] + b2 * s[i] * s[i];
        bend[n] = b1 + b2 * pair[k] + c1 * s[k] + c2 * pair[i] * pair[j];
    }
    Stretched { density, slope, bend }
}

/// Ψ, ∂Ψ/∂σᵢ and ∂²Ψ/∂σᵢ∂σⱼ of one element.
pub fn expand_one<W: Law>(
    law: &W,
    s: &[f64; 3],
    constants: &[f64; CONSTANTS],
) -> (f64, [f64; 3], [[f64; 3]; 3]) {
    let at = expand(law, &s.map(Single), &constants.map(Single));
    let mut bend = [[0.0; 3]; 3];
    for (value, (i, j)) in at.bend.iter().zip(PLACES) {
        (bend[i][j], bend[j][i]) = (value.0, value.0);
    }
    (at.density.0, at.slope.map(|s| s.0), bend)
}

/// Stiffness k of the system matrix: the least-squares fit of k(x−1) to the uniaxial stress
/// a′(x) + 2b′(x) + c′(x) over an interval of stretches.
///
/// \[Liu2017, Eq. 10-11\]; ours has E = k/2·|·|², theirs has no ½. Over [0.5, 1.5] it is 12∫f(x)(x−1)dx.
pub fn stiffness<W: Law>(law: &W, constants: &[f64; CONSTANTS], interval: [f64; 2]) -> f64 {
    let [low, high] = interval;
    let stress = |x: f64| uniaxial(law, x, constants);
    integrate(low, high, |x| stress(x) * (x - 1.0)) / integrate(low, high, |x| (x - 1.0) * (x - 1.0))
}

/// a′(x) + 2b′(x) + c′(x): the stress of a stretch x along one axis, and of the rest state at x = 1.
pub fn uniaxial<W: Law>(law: &W, x: f64, constants: &[f64; CONSTANTS]) -> f64 {
    let (x, constants) = (Single(x), &constants.map(Single));
    law.a(x, constants)[1].0 + 2.0 * law.b(x, constants)[1].0 + law.c(x, constants)[1].0
}

/// The density and the stress by way of the SVD, for laws without a closed form.
#[inline(always)]
pub fn by_stretches<W: Law, L: Number>(law: &W, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
    let d = svd::svd(f);
    let at = expand(law, &d.sigma, constants);
    (at.density, svd::compose(&d.u, &at.slope, &d.v))
}
