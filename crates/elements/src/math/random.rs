//! Random numbers that a seed determines: the same on every machine.
//!
//! SplitMix64 \[Steele2014\] adds a constant to its state and scrambles the sum, so the n-th number of a sequence can
//! be had without those before it. That makes it a hash of seed and n too, which [`noise`] uses.

const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Sebastiano Vigna's public-domain SplitMix64.
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The sequence of a seed without its first `count` numbers.
    pub fn skipped(seed: u64, count: u64) -> Self {
        SplitMix64(seed.wrapping_add(count.wrapping_mul(INCREMENT)))
    }

    /// The next 64 random bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniform random number in [0, 1) with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A function that returns the numbers of a seed, uniform in [−1, 1).
pub fn signed(seed: u64) -> impl FnMut() -> f64 {
    let mut numbers = SplitMix64::new(seed);
    move || 2.0 * numbers.uniform() - 1.0
}

/// Value noise: a random number in [−1, 1) at every whole `x`, and a cubic smooth step between neighbours.
///
/// Its slope is continuous. It is 0 if `x` is not finite. Only sums and products of IEEE numbers are used, so the bits
/// are the same everywhere.
pub fn noise(seed: u64, x: f64) -> f64 {
    if !x.is_finite() {
        return 0.0;
    }
    let floor = x.floor();
    let part = x - floor;
    // Negative numbers wrap around and name the numbers before the first of the sequence.
    let lattice = |n: f64| 2.0 * SplitMix64::skipped(seed, n as i64 as u64).uniform() - 1.0;
    let (a, b) = (lattice(floor), lattice(floor + 1.0));
    a + (b - a) * (part * part * (3.0 - 2.0 * part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        let mut random = SplitMix64::new(1234567);
        let first: Vec<u64> = (0..3).map(|_| random.next_bits()).collect();
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
        assert_eq!(SplitMix64::skipped(1234567, 2).next_bits(), first[2]);
    }

    #[test]
    fn noise_is_smooth_bounded_and_without_a_mean() {
        let at = |x: f64| noise(7, x);
        let samples: Vec<f64> = (-40_000..40_000).map(|i| at(f64::from(i) * 0.25)).collect();
        assert!(samples.iter().all(|n| n.abs() <= 1.0));
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        assert!(mean.abs() < 0.02, "{mean}");
        for x in [-3.0, 0.0, 5.0] {
            let slope = |from: f64| (at(from + 1e-6) - at(from)) / 1e-6;
            assert!(slope(x).abs() < 1e-4 && slope(x - 1e-6).abs() < 1e-4, "a kink at {x}");
            assert!((at(x + 0.5) - 0.5 * (at(x) + at(x + 1.0))).abs() < 1e-12);
        }
        assert_ne!(noise(8, 0.3), at(0.3));
        assert_eq!((at(f64::NAN), at(f64::INFINITY)), (0.0, 0.0));
        assert!(at(1e300).abs() <= 1.0);
    }
}
