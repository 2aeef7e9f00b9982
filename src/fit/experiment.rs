//! The experiments in which rubber is measured, and the stress of a material in them.
//!
//! ```text
//! uniaxial      σ = (s, t, t)      a strip is pulled, both sides are free
//! equibiaxial   σ = (s, s, t)      a balloon is blown up
//! planar        σ = (s, 1, t)      a wide short sheet is pulled; also called pure shear
//! ```
//!
//! Free sides t bear no stress, ∂Ψ/∂t = 0, and the nominal stress is P = ∂Ψ/∂σ₁.

use elements::energy::material::{Material, Solid};

use super::data::Point;

/// How a specimen is held and pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Pulled or pressed along one axis.
    Uniaxial,
    /// Pulled alike along two axes.
    Equibiaxial,
    /// Pulled along one axis and held along another.
    Planar,
}

impl Experiment {
    /// All experiments.
    pub const ALL: [Experiment; 3] = [Experiment::Uniaxial, Experiment::Equibiaxial, Experiment::Planar];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Uniaxial => "uniaxial",
            Experiment::Equibiaxial => "equibiaxial",
            Experiment::Planar => "planar",
        }
    }

    /// The experiment with this name, or with another one that is in use.
    pub fn find(name: &str) -> Option<Experiment> {
        Some(match name.to_lowercase().replace(['-', '_', ' '], "").as_str() {
            "uniaxial" | "tension" | "compression" | "ut" => Experiment::Uniaxial,
            "equibiaxial" | "biaxial" | "et" | "bt" => Experiment::Equibiaxial,
            "planar" | "pureshear" | "planartension" | "ps" => Experiment::Planar,
            _ => return None,
        })
    }

    /// The three principal stretches.
    pub(super) fn stretches(self, stretch: f64, side: f64) -> [f64; 3] {
        match self {
            Experiment::Uniaxial => [stretch, side, side],
            Experiment::Equibiaxial => [stretch, stretch, side],
            Experiment::Planar => [stretch, 1.0, side],
        }
    }

    /// About how wide free sides are, as they would be at any stretch if Hencky's strains had this Poisson's ratio.
    pub fn about_side(self, stretch: f64, poisson: f64) -> f64 {
        stretch.powf(match self {
            Experiment::Uniaxial => -poisson,
            Experiment::Equibiaxial => -2.0 * poisson / (1.0 - poisson),
            Experiment::Planar => -poisson / (1.0 - poisson),
        })
    }

    /// The nominal stress in Pa at a stretch; NaN if no width of the sides is free of stress. Poisson's ratio says where
    /// to look for it.
    pub fn stress(self, material: &Material, stretch: f64, poisson: f64) -> f64 {
        let solid: &dyn Solid = material.solid.as_ref();
        let constants = solid.constants();
        let gradient = |side: f64| solid.gradient(&self.stretches(stretch, side), &constants);
        let side = free_side(self.about_side(stretch, poisson), |side| gradient(side)[2]);
        if side.is_nan() { side } else { gradient(side)[0] }
    }

    /// The least and the largest stretch of its points and of rest; `None` if it has no point.
    pub fn range(self, points: &[Point]) -> Option<[f64; 2]> {
        let own = points.iter().filter(|p| p.experiment == self).map(|p| p.stretch);
        own.fold(None, |range, s| {
            let [low, high] = range.unwrap_or([1.0f64; 2]);
            Some([low.min(s), high.max(s)])
        })
    }
}

/// The width of free sides: where `push`, the energy's derivative by the width, changes from negative to positive, nearest to
/// `guess`, as there may be several places. NaN if there is none.
pub fn free_side(guess: f64, push: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high, mut factor) = (guess, guess, 1.02);
    while !(push(low) < 0.0 && push(high) > 0.0) {
        if factor > 30.0 {
            return f64::NAN;
        }
        if push(low) >= 0.0 {
            low = guess / factor;
        }
        if push(high) <= 0.0 {
            high = guess * factor;
        }
        if !(push(low).is_finite() && push(high).is_finite()) {
            return f64::NAN;
        }
        factor *= 1.1;
    }
    bisect(low, high, push)
}

/// The root of `f`, which is negative at `low` and positive at `high`, to the last bits.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        match f(middle) {
            value if value < 0.0 => low = middle,
            value if value > 0.0 => high = middle,
            _ => return middle,
        }
    }
    0.5 * (low + high)
}
