//! Eight numbers at a time, read in single precision, for the panels of a factor.
//!
//! The rules are those of `lanes`: sums in a fixed order, and the same bits on every path. There are two kinds of
//! arithmetic. One is f32, with points that are [`Quad`]s, of which three numbers count. Its products are not rounded
//! before they are added: this doubles the speed, and every path has the instruction or an exact equivalent. The other
//! is that of two [`Lane`]s side by side, with points that are [`Vec4`]s.
#![allow(unsafe_code)] // core::arch intrinsics

use std::ops::{Add, Mul};

use super::lanes::{Lane, Number, Pair, Vec4};

/// How many numbers an octet has.
pub const OCTET: usize = 8;

/// A point in single precision. The fourth component stays 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Quad(pub [f32; 4]);

impl Quad {
    /// The origin of coordinates.
    pub const ZERO: Quad = Quad([0.0; 4]);
}

/// Eight numbers with elementwise arithmetic.
pub trait Octet: Copy + Add<Output = Self> + Mul<Output = Self> {
    /// A point whose coordinates have the precision of the arithmetic.
    type Point: Copy + Default + Send;

    /// An octet of eight zeros.
    fn zero() -> Self;
    /// Eight copies of one of the first three numbers of a point.
    fn spread(point: &Self::Point, coordinate: usize) -> Self;
    /// `self + a b`; in single precision, rounded once.
    fn plus(self, a: Self, b: Self) -> Self;
    /// Loads eight numbers from memory.
    fn load(values: &[f32; OCTET]) -> Self;
    /// The coordinates of eight points: `[x of all, y of all, z of all]`.
    fn gather(points: &[Self::Point], indices: &[u32; OCTET]) -> [Self; 3];
    /// Eight consecutive points with these coordinates, the opposite of [`Octet::gather`].
    fn rows(v: [Self; 3]) -> [Self::Point; OCTET];
    /// The point whose coordinates are the sums `((0+2) + (1+3)) + ((4+6) + (5+7))` of the numbers of each octet.
    fn sums(v: [Self; 3]) -> Self::Point;
    /// `a − b` of two points.
    fn minus(a: &Self::Point, b: &Self::Point) -> Self::Point;
    /// The product `s a` of a number and a point.
    fn times(s: f32, a: &Self::Point) -> Self::Point;
}

impl<L: Lane> Octet for Pair<L> {
    type Point = Vec4;

    #[inline(always)]
    fn zero() -> Self {
        <Self as Number>::splat(0.0)
    }
    #[inline(always)]
    fn spread(point: &Vec4, coordinate: usize) -> Self {
        <Self as Number>::splat(point.0[coordinate])
    }
    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        self + a * b
    }
    #[inline(always)]
    fn load(values: &[f32; OCTET]) -> Self {
        let [a, b, c, d, e, f, g, h] = *values;
        Pair(L::widen(&Quad([a, b, c, d])), L::widen(&Quad([e, f, g, h])))
    }
    #[inline(always)]
    fn gather(points: &[Vec4], i: &[u32; OCTET]) -> [Self; 3] {
        Self::gather_blocks(points, &[i[0], i[1], i[2], i[3]], &[i[4], i[5], i[6], i[7]])
    }
    #[inline(always)]
    fn rows(v: [Self; 3]) -> [Vec4; OCTET] {
        let mut out = [Vec4::ZERO; OCTET];
        Self::scatter_blocks(v, &mut out, 1);
        out
    }
    #[inline(always)]
    fn sums(v: [Self; 3]) -> Vec4 {
        let mut out = Vec4::ZERO;
        for k in 0..3 {
            let [low, high] = [v[k].0.to_array(), v[k].1.to_array()];
            out.0[k] = ((low[0] + low[2]) + (low[1] + low[3])) + ((high[0] + high[2]) + (high[1] + high[3]));
        }
        out
    }
    #[inline(always)]
    fn minus(a: &Vec4, b: &Vec4) -> Vec4 {
        Vec4((L::load(&a.0) - L::load(&b.0)).to_array())
    }
    #[inline(always)]
    fn times(s: f32, a: &Vec4) -> Vec4 {
        Vec4((L::splat(f64::from(s)) * L::load(&a.0)).to_array())
    }
}

/// `a b + c`, rounded once.
///
/// Targets without an instruction for this take the exact product in f64 and a sum that is rounded to odd, which rounds
/// to f32 just as the exact sum does.
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", not(target_arch = "x86_64"))) {
        return a.mul_add(b, c);
    }
    fused_by_double(a, b, c)
}

#[inline(always)]
fn fused_by_double(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let rest = sum - product;
    let error = (product - (sum - rest)) + (c - rest);
    // Choose the odd neighbour on the side of the error. Adding 1 to the bits moves a number away from zero.
    let step = i64::from((error > 0.0) == (sum > 0.0)) * 2 - 1;
    let is_between = (error < 0.0) | (error > 0.0);
    let is_even = sum.to_bits() & 1 == 0;
    let bits = sum.to_bits().wrapping_add_signed(step * i64::from(is_between & is_even));
    f64::from_bits(bits) as f32
}

/// The portable octet: an array of eight.
#[derive(Clone, Copy, Debug)]
pub struct PortableOctet([f32; OCTET]);

impl Add for PortableOctet {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        PortableOctet(std::array::from_fn(|i| self.0[i] + o.0[i]))
    }
}

impl Mul for PortableOctet {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        PortableOctet(std::array::from_fn(|i| self.0[i] * o.0[i]))
    }
}

impl Octet for PortableOctet {
    type Point = Quad;

    #[inline(always)]
    fn zero() -> Self {
        PortableOctet([0.0; OCTET])
    }
    #[inline(always)]
    fn spread(point: &Quad, coordinate: usize) -> Self {
        PortableOctet([point.0[coordinate]; OCTET])
    }
    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        PortableOctet(std::array::from_fn(|i| fused(a.0[i], b.0[i], self.0[i])))
    }
    #[inline(always)]
    fn load(values: &[f32; OCTET]) -> Self {
        PortableOctet(*values)
    }
    #[inline(always)]
    fn gather(points: &[Quad], indices: &[u32; OCTET]) -> [Self; 3] {
        std::array::from_fn(|k| PortableOctet(indices.map(|i| points[i as usize].0[k])))
    }
    #[inline(always)]
    fn rows(v: [Self; 3]) -> [Quad; OCTET] {
        std::array::from_fn(|i| Quad([v[0].0[i], v[1].0[i], v[2].0[i], 0.0]))
    }
    #[inline(always)]
    fn sums(v: [Self; 3]) -> Quad {
        let of = |n: [f32; OCTET]| ((n[0] + n[2]) + (n[1] + n[3])) + ((n[4] + n[6]) + (n[5] + n[7]));
        Quad([of(v[0].0), of(v[1].0), of(v[2].0), 0.0])
    }
    #[inline(always)]
    fn minus(a: &Quad, b: &Quad) -> Quad {
        Quad(std::array::from_fn(|k| a.0[k] - b.0[k]))
    }
    #[inline(always)]
    fn times(s: f32, a: &Quad) -> Quad {
        Quad(a.0.map(|c| s * c))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    //! SAFETY of this module: its type is only made inside `lanes::dispatch`, after AVX2 and FMA were detected. Loads
    //! and stores go through references to whole arrays; quads are aligned to 16 bytes.
    use super::{OCTET, Octet, Quad};
    use std::arch::x86_64::*;
    use std::ops::{Add, Mul};

    /// One 256-bit register.
    #[derive(Clone, Copy)]
    pub struct Avx2Octet(__m256);

    impl Add for Avx2Octet {
        type Output = Self;
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            Avx2Octet(unsafe { _mm256_add_ps(self.0, o.0) })
        }
    }

    impl Mul for Avx2Octet {
        type Output = Self;
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            Avx2Octet(unsafe { _mm256_mul_ps(self.0, o.0) })
        }
    }

    #[inline(always)]
    fn pair(low: &Quad, high: &Quad) -> __m256 {
        unsafe {
            let low = _mm256_castps128_ps256(_mm_load_ps(low.0.as_ptr()));
            _mm256_insertf128_ps::<1>(low, _mm_load_ps(high.0.as_ptr()))
        }
    }

    impl Octet for Avx2Octet {
        type Point = Quad;

        #[inline(always)]
        fn zero() -> Self {
            Avx2Octet(unsafe { _mm256_setzero_ps() })
        }
        #[inline(always)]
        fn spread(point: &Quad, coordinate: usize) -> Self {
            Avx2Octet(unsafe { _mm256_set1_ps(point.0[coordinate]) })
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            Avx2Octet(unsafe { _mm256_fmadd_ps(a.0, b.0, self.0) })
        }
        #[inline(always)]
        fn load(values: &[f32; OCTET]) -> Self {
            Avx2Octet(unsafe { _mm256_loadu_ps(values.as_ptr()) })
        }
        #[inline(always)]
        fn gather(points: &[Quad], i: &[u32; OCTET]) -> [Self; 3] {
            // Points i and i + 4 side by side.
            let pairs = [
                pair(&points[i[0] as usize], &points[i[4] as usize]),
                pair(&points[i[1] as usize], &points[i[5] as usize]),
                pair(&points[i[2] as usize], &points[i[6] as usize]),
                pair(&points[i[3] as usize], &points[i[7] as usize]),
            ];
            unsafe {
                let xy_01 = _mm256_unpacklo_ps(pairs[0], pairs[1]); // x0 x1 y0 y1
                let zw_01 = _mm256_unpackhi_ps(pairs[0], pairs[1]);
                let xy_23 = _mm256_unpacklo_ps(pairs[2], pairs[3]);
                let zw_23 = _mm256_unpackhi_ps(pairs[2], pairs[3]);
                [
                    Avx2Octet(_mm256_shuffle_ps::<0x44>(xy_01, xy_23)),
                    Avx2Octet(_mm256_shuffle_ps::<0xee>(xy_01, xy_23)),
                    Avx2Octet(_mm256_shuffle_ps::<0x44>(zw_01, zw_23)),
                ]
            }
        }
        #[inline(always)]
        fn rows(v: [Self; 3]) -> [Quad; OCTET] {
            let mut out = [Quad::ZERO; OCTET];
            unsafe {
                let zero = _mm256_setzero_ps();
                let xy_01 = _mm256_unpacklo_ps(v[0].0, v[1].0); // x0 y0 x1 y1
                let xy_23 = _mm256_unpackhi_ps(v[0].0, v[1].0);
                let zw_01 = _mm256_unpacklo_ps(v[2].0, zero);
                let zw_23 = _mm256_unpackhi_ps(v[2].0, zero);
                let pairs = [
                    _mm256_shuffle_ps::<0x44>(xy_01, zw_01),
                    _mm256_shuffle_ps::<0xee>(xy_01, zw_01),
                    _mm256_shuffle_ps::<0x44>(xy_23, zw_23),
                    _mm256_shuffle_ps::<0xee>(xy_23, zw_23),
                ];
                for i in 0..4 {
                    _mm_store_ps(out[i].0.as_mut_ptr(), _mm256_castps256_ps128(pairs[i]));
                    _mm_store_ps(out[i + 4].0.as_mut_ptr(), _mm256_extractf128_ps::<1>(pairs[i]));
                }
            }
            out
        }
        #[inline(always)]
        fn sums(v: [Self; 3]) -> Quad {
            let mut out = Quad::ZERO;
            unsafe {
                let zero = _mm256_setzero_ps();
                // x0+x2 y0+y2 x1+x3 y1+y3, and so on in the upper half.
                let xy =
                    _mm256_add_ps(_mm256_unpacklo_ps(v[0].0, v[1].0), _mm256_unpackhi_ps(v[0].0, v[1].0));
                let zw = _mm256_add_ps(_mm256_unpacklo_ps(v[2].0, zero), _mm256_unpackhi_ps(v[2].0, zero));
                let halves =
                    _mm256_add_ps(_mm256_shuffle_ps::<0x44>(xy, zw), _mm256_shuffle_ps::<0xee>(xy, zw));
                let sum = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
                _mm_store_ps(out.0.as_mut_ptr(), sum);
            }
            out
        }
        #[inline(always)]
        fn minus(a: &Quad, b: &Quad) -> Quad {
            let mut out = Quad::ZERO;
            unsafe {
                let difference = _mm_sub_ps(_mm_load_ps(a.0.as_ptr()), _mm_load_ps(b.0.as_ptr()));
                _mm_store_ps(out.0.as_mut_ptr(), difference);
            }
            out
        }
        #[inline(always)]
        fn times(s: f32, a: &Quad) -> Quad {
            let mut out = Quad::ZERO;
            unsafe {
                let product = _mm_mul_ps(_mm_set1_ps(s), _mm_load_ps(a.0.as_ptr()));
                _mm_store_ps(out.0.as_mut_ptr(), product);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::random;
    use crate::math::lanes::{Kernel, Portable, dispatch};

    struct Everything<'a>(&'a [Quad]);

    impl Everything<'_> {
        #[inline(always)]
        fn points<O: Octet>(points: &[O::Point]) -> Vec<O::Point> {
            let [x, y, z] = O::gather(points, &[0, 1, 2, 3, 4, 5, 6, 7]);
            let other = O::gather(points, &[3, 1, 0, 2, 7, 6, 4, 5]);
            let scale = O::load(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) + O::spread(&points[1], 2);
            let mixed = [other[0].plus(x, scale), other[1].plus(y, scale), z * scale + other[2]];
            let (mut out, sums) = (O::rows(mixed).to_vec(), O::sums(mixed));
            out.extend([sums, O::minus(&sums, &points[2]), O::times(0.1, &sums)]);
            out
        }
    }

    impl Kernel for Everything<'_> {
        type Output = (Vec<[u32; 4]>, Vec<[f64; 4]>);

        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let wide: Vec<Vec4> = self.0.iter().map(|q| Vec4(q.0.map(f64::from))).collect();
            let narrow = Self::points::<L::Octet>(self.0);
            let wide = Self::points::<Pair<L>>(&wide);
            (narrow.iter().map(|q| q.0.map(f32::to_bits)).collect(), wide.iter().map(|q| q.0).collect())
        }
    }

    #[test]
    fn products_are_rounded_once_without_the_instruction_too() {
        let mut random = random(12);
        let check = |a: f32, b: f32, c: f32| {
            let (got, want) = (fused_by_double(a, b, c), a.mul_add(b, c));
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{a:e} {b:e} {c:e}");
        };
        let special = [0.0, -0.0, 1.0, 1.0 + f32::EPSILON, 3e38, 1e-38, 1e-45, f32::INFINITY, f32::NAN];
        for a in special {
            for b in special {
                for c in special {
                    check(a, b, c);
                    check(a, -b, c);
                }
            }
        }
        for _ in 0..200_000 {
            let (a, b) = (random() as f32, random() as f32);
            let c = (random() * 2f64.powi((60.0 * random()) as i32)) as f32;
            check(a, b, c);
            // The product lies in the middle between two f32, and the other number is too small for
            // f64 to hold beside it.
            let odd = 2.0 * (random().abs() * 900.0).floor() + 1.0;
            let root = (1.0 + odd * 2f64.powi(-12)) as f32;
            check(root, root, 2f32.powi(-70) * random() as f32);
        }
    }

    #[test]
    fn all_octets_agree_and_those_of_equal_width_to_the_last_bit() {
        let points: Vec<Quad> =
            (0..8).map(|i| Quad([0.3 * i as f32, 1.7 - i as f32, 0.01 + (i * i) as f32, 0.0])).collect();
        let (narrow, wide) = dispatch(Everything(&points));
        assert_eq!((narrow.clone(), wide.clone()), Everything(&points).run::<Portable>());
        assert_eq!(narrow.len(), 11);
        for (a, b) in narrow.iter().flatten().zip(wide.iter().flatten()) {
            let (a, b) = (f64::from(f32::from_bits(*a)), *b);
            assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{a} {b}");
        }
        let total: f64 = wide[..8].iter().map(|q| q[1]).sum();
        assert!((wide[8][1] - total).abs() < 1e-12);
    }
}
