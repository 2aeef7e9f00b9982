//! Vector arithmetic on arrays of points, in chunks: the same bits for any number of threads.

use super::lanes::{Kernel, Lane, Vec4, dispatch};
use crate::par;

/// Points per chunk: large enough that a thread is worth waking.
const CHUNK: usize = 4096;

/// The kernel of `Σ a·b` for one chunk.
pub struct Dot<'a>(pub &'a [Vec4], pub &'a [Vec4]);

impl Kernel for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let mut sums = [L::splat(0.0); 4];
        let (a, b) = (self.0.chunks_exact(4), self.1.chunks_exact(4));
        for (i, (a, b)) in a.remainder().iter().zip(b.remainder()).enumerate() {
            sums[i] = L::load(&a.0) * L::load(&b.0);
        }
        for (a, b) in a.zip(b) {
            for i in 0..4 {
                sums[i] = sums[i] + L::load(&a[i].0) * L::load(&b[i].0);
            }
        }
        let s = ((sums[0] + sums[1]) + (sums[2] + sums[3])).to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

/// The inner product `Σ a·b` of two arrays of points.
pub fn dot(a: &[Vec4], b: &[Vec4]) -> f64 {
    assert_eq!(a.len(), b.len());
    let part = |i: usize| i * CHUNK..a.len().min((i + 1) * CHUNK);
    par::fold(a.len().div_ceil(CHUNK), |i| dispatch(Dot(&a[part(i)], &b[part(i)])), |a, b| a + b)
}

/// The Euclidean norm `√Σ a·a` of an array of points.
pub fn norm(a: &[Vec4]) -> f64 {
    dot(a, a).sqrt()
}

/// The kernel of `y ← y + s x` for one chunk.
pub struct Add<'a>(pub f64, pub &'a [Vec4], pub &'a mut [Vec4]);

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let s = L::splat(self.0);
        for (x, y) in self.1.iter().zip(self.2) {
            y.0 = (L::load(&y.0) + s * L::load(&x.0)).to_array();
        }
    }
}

/// Computes `y ← y + s x` in parallel.
pub fn add_scaled(s: f64, x: &[Vec4], y: &mut [Vec4]) {
    assert_eq!(x.len(), y.len());
    par::chunks_mut(y, CHUNK, |i, y| dispatch(Add(s, &x[i * CHUNK..i * CHUNK + y.len()], y)));
}

struct Combine<'a>(f64, &'a [Vec4], &'a [Vec4], &'a mut [Vec4]);

impl Kernel for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let s = L::splat(self.0);
        for ((x, y), out) in self.1.iter().zip(self.2).zip(self.3) {
            out.0 = (L::load(&y.0) + s * L::load(&x.0)).to_array();
        }
    }
}

/// Computes `out ← y + s x` in parallel.
pub fn combine(s: f64, x: &[Vec4], y: &[Vec4], out: &mut [Vec4]) {
    assert!(x.len() == y.len() && y.len() == out.len());
    par::chunks_mut(out, CHUNK, |i, out| {
        let range = i * CHUNK..i * CHUNK + out.len();
        dispatch(Combine(s, &x[range.clone()], &y[range], out));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_and_independent_of_threads() {
        let a: Vec<Vec4> = (0..10_007).map(|i| Vec4::new([f64::from(i), 1.0, 0.1])).collect();
        let b: Vec<Vec4> = (0..10_007).map(|i| Vec4::new([1.0, f64::from(i), 3.0])).collect();
        let n = 10_007.0;
        let want = n * (n - 1.0) + 0.3 * n;
        assert!((dot(&a, &b) - want).abs() < 1e-13 * want);
        let bits: Vec<u64> = [1, 2, 3, 8].map(|t| par::with_threads(t, || dot(&a, &b).to_bits())).to_vec();
        assert!(bits.iter().all(|x| *x == bits[0]));
        let mut c = a.clone();
        add_scaled(2.0, &b, &mut c);
        let mut d = b.clone();
        combine(2.0, &b, &a, &mut d);
        assert_eq!(c, d);
        assert_eq!(c[5], Vec4::new([7.0, 11.0, 6.1]));
    }
}
