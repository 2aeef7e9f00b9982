//! Four numbers at a time: the lane type that all kernels are written in, and its run-time dispatch.
//!
//! A kernel is a [`Kernel`] whose `run` is generic over [`Lane`] and marked `#[inline(always)]`, as is
//! everything it calls; [`dispatch`] enters it once compiled for AVX2 with FMA and once portably. No fused
//! multiply-add is used but where a kernel asks for it (see `octets`), every operation is the IEEE one, and `min`/`max` follow
//! x86: both paths give the same bits, and so do all x86-64 machines.
//!
//! Closures inside kernels are avoided: they cannot be marked and would compile without AVX.
#![allow(unsafe_code)] // core::arch intrinsics

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::octets::{Octet, PortableOctet, Quad};

/// Lanes per block: elements are stored and computed in groups of this many.
pub const WIDTH: usize = 4;

/// A point or vector, padded to one 256-bit register. The fourth component stays 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Vec4(pub [f64; 4]);

impl Vec4 {
    /// The origin.
    pub const ZERO: Vec4 = Vec4([0.0; 4]);

    /// From three coordinates.
    pub fn new(p: [f64; 3]) -> Self {
        Vec4([p[0], p[1], p[2], 0.0])
    }

    /// The three coordinates.
    pub fn xyz(self) -> [f64; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }
}

/// Four f64 numbers with elementwise arithmetic.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The result of a comparison, elementwise.
    type Mask: Copy;
    /// Eight f32 numbers on the same machine.
    type Octet: Octet<Point = Quad>;

    /// The same number in all lanes.
    fn splat(value: f64) -> Self;
    /// From memory.
    fn load(values: &[f64; WIDTH]) -> Self;
    /// As an array.
    fn to_array(self) -> [f64; WIDTH];
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// `if self > other { self } else { other }`.
    fn max(self, other: Self) -> Self;
    /// `if self < other { self } else { other }`.
    fn min(self, other: Self) -> Self;
    /// `self < other`, false for NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// Elementwise choice.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// True in one lane at least.
    fn any(mask: Self::Mask) -> bool;
    /// Splits a positive normal number into a mantissa in [1, 2) and its binary exponent.
    fn split_exponent(self) -> (Self, Self);
    /// `f` of every number, three at a time: for what cannot be computed in lanes.
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> [f64; 3]) -> [Self; 3] {
        let rows = self.to_array().map(f);
        let column = |k: usize| Self::load(&[rows[0][k], rows[1][k], rows[2][k], rows[3][k]]);
        [column(0), column(1), column(2)]
    }
    /// The coordinates of four points: `[x of all, y of all, z of all]`.
    fn gather(points: &[Vec4], indices: &[u32; WIDTH]) -> [Self; 3];
    /// The numbers of a quad.
    fn widen(quad: &Quad) -> Self;
    /// Rounded to single precision.
    fn narrow(self) -> Quad;
    /// Writes `[x of all, y of all, z of all]` as four points, `stride` apart.
    fn scatter(v: [Self; 3], points: &mut [Vec4], stride: usize);
}

/// A computation written once for any lane type.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation; implementations are `#[inline(always)]`.
    fn run<L: Lane>(self) -> Self::Output;
}

/// Runs a kernel with the widest lanes that this machine has.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx,avx2,fma")]
        fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run::<avx2::Avx2>()
        }
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on this machine just now.
            return unsafe { with_avx2(kernel) };
        }
    }
    kernel.run::<Portable>()
}

/// The natural logarithm of positive normal numbers, to 1 ulp or so.
///
/// `x = 2^e·m`, `m ∈ [√½, √2)`, `s = (m−1)/(m+1)`, `ln m = 2 Σ s^(2k+1)/(2k+1)`; the series ends at k = 10,
/// where its remainder is below 1e-18.
#[inline(always)]
pub fn ln<L: Lane>(x: L) -> L {
    let (mantissa, exponent) = x.split_exponent();
    let big = L::splat(std::f64::consts::SQRT_2).lt(mantissa);
    let m = L::select(big, mantissa * L::splat(0.5), mantissa);
    let e = L::select(big, exponent + L::splat(1.0), exponent);
    let one = L::splat(1.0);
    let s = (m - one) / (m + one);
    let q = s * s;
    let mut sum = L::splat(1.0 / 21.0);
    let mut k = 19.0;
    while k > 2.0 {
        sum = sum * q + L::splat(1.0 / k);
        k -= 2.0;
    }
    let tail = s * q * sum;
    // ln 2 in two parts, the first with trailing zeros so that e·high is exact.
    let high = L::splat(0.693_147_180_369_123_8);
    let low = L::splat(1.908_214_929_270_587_7e-10);
    e * high + ((s + s) + ((tail + tail) + e * low))
}

/// The portable lanes: an array of four.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f64; WIDTH]);

macro_rules! portable_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Portable {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Portable([self.0[0] $op o.0[0], self.0[1] $op o.0[1], self.0[2] $op o.0[2], self.0[3] $op o.0[3]])
            }
        }
    };
}
portable_operator!(Add, add, +);
portable_operator!(Sub, sub, -);
portable_operator!(Mul, mul, *);
portable_operator!(Div, div, /);

impl Neg for Portable {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Portable(self.0.map(|a| -a))
    }
}

impl Lane for Portable {
    type Mask = [bool; WIDTH];
    type Octet = PortableOctet;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Portable([value; WIDTH])
    }
    #[inline(always)]
    fn load(values: &[f64; WIDTH]) -> Self {
        Portable(*values)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        self.0
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Portable(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Portable(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Portable(std::array::from_fn(|i| if self.0[i] > o.0[i] { self.0[i] } else { o.0[i] }))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Portable(std::array::from_fn(|i| if self.0[i] < o.0[i] { self.0[i] } else { o.0[i] }))
    }
    #[inline(always)]
    fn lt(self, o: Self) -> [bool; WIDTH] {
        std::array::from_fn(|i| self.0[i] < o.0[i])
    }
    #[inline(always)]
    fn select(mask: [bool; WIDTH], yes: Self, no: Self) -> Self {
        Portable(std::array::from_fn(|i| if mask[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn any(mask: [bool; WIDTH]) -> bool {
        mask[0] | mask[1] | mask[2] | mask[3]
    }
    #[inline(always)]
    fn widen(quad: &Quad) -> Self {
        Portable(quad.0.map(f64::from))
    }
    #[inline(always)]
    fn narrow(self) -> Quad {
        Quad(self.0.map(|a| a as f32))
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let mantissa = self.0.map(|a| f64::from_bits((a.to_bits() & MANTISSA_BITS) | ONE_BITS));
        let exponent = self.0.map(|a| f64::from_bits((a.to_bits() >> 52) | TWO_52_BITS) - TWO_52_PLUS_BIAS);
        (Portable(mantissa), Portable(exponent))
    }
    #[inline(always)]
    fn gather(points: &[Vec4], indices: &[u32; WIDTH]) -> [Self; 3] {
        let p = indices.map(|i| points[i as usize].0);
        std::array::from_fn(|k| Portable([p[0][k], p[1][k], p[2][k], p[3][k]]))
    }
    #[inline(always)]
    fn scatter(v: [Self; 3], points: &mut [Vec4], stride: usize) {
        for i in 0..WIDTH {
            points[i * stride] = Vec4([v[0].0[i], v[1].0[i], v[2].0[i], 0.0]);
        }
    }
}

const MANTISSA_BITS: u64 = 0x000f_ffff_ffff_ffff;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
/// The bits of 2⁵²: a small integer in the low bits added to it is 2⁵² plus that integer.
const TWO_52_BITS: u64 = 0x4330_0000_0000_0000;
const TWO_52_PLUS_BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::super::octets::avx2::Avx2Octet;
    use super::*;
    use std::arch::x86_64::*;

    /// One AVX register. Values exist only inside [`dispatch`]'s AVX2 branch.
    #[derive(Clone, Copy)]
    pub struct Avx2(__m256d);

    macro_rules! avx2_operator {
        ($trait:ident, $method:ident, $intrinsic:ident) => {
            impl $trait for Avx2 {
                type Output = Self;
                #[inline(always)]
                fn $method(self, o: Self) -> Self {
                    // SAFETY: only reached through `dispatch`, which detected AVX2.
                    Avx2(unsafe { $intrinsic(self.0, o.0) })
                }
            }
        };
    }
    avx2_operator!(Add, add, _mm256_add_pd);
    avx2_operator!(Sub, sub, _mm256_sub_pd);
    avx2_operator!(Mul, mul, _mm256_mul_pd);
    avx2_operator!(Div, div, _mm256_div_pd);

    impl Neg for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: only reached through `dispatch`, which detected AVX2.
            Avx2(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
        }
    }

    // SAFETY of every block below: only reached through `dispatch`, which detected AVX2; pointers come
    // from references of the right size.
    impl Lane for Avx2 {
        type Mask = __m256d;
        type Octet = Avx2Octet;

        #[inline(always)]
        fn splat(value: f64) -> Self {
            Avx2(unsafe { _mm256_set1_pd(value) })
        }
        #[inline(always)]
        fn load(values: &[f64; WIDTH]) -> Self {
            Avx2(unsafe { _mm256_loadu_pd(values.as_ptr()) })
        }
        #[inline(always)]
        fn to_array(self) -> [f64; WIDTH] {
            let mut out = [0.0; WIDTH];
            unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.0) };
            out
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Avx2(unsafe { _mm256_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Avx2(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
        }
        #[inline(always)]
        fn max(self, o: Self) -> Self {
            Avx2(unsafe { _mm256_max_pd(self.0, o.0) })
        }
        #[inline(always)]
        fn min(self, o: Self) -> Self {
            Avx2(unsafe { _mm256_min_pd(self.0, o.0) })
        }
        #[inline(always)]
        fn lt(self, o: Self) -> __m256d {
            unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0) }
        }
        #[inline(always)]
        fn select(mask: __m256d, yes: Self, no: Self) -> Self {
            Avx2(unsafe { _mm256_blendv_pd(no.0, yes.0, mask) })
        }
        #[inline(always)]
        fn any(mask: __m256d) -> bool {
            unsafe { _mm256_movemask_pd(mask) != 0 }
        }
        #[inline(always)]
        fn widen(quad: &Quad) -> Self {
            Avx2(unsafe { _mm256_cvtps_pd(_mm_load_ps(quad.0.as_ptr())) })
        }
        #[inline(always)]
        fn narrow(self) -> Quad {
            let mut out = Quad::ZERO;
            unsafe { _mm_store_ps(out.0.as_mut_ptr(), _mm256_cvtpd_ps(self.0)) };
            out
        }
        #[inline(always)]
        fn split_exponent(self) -> (Self, Self) {
            unsafe {
                let bits = _mm256_castpd_si256(self.0);
                let mantissa = _mm256_or_si256(
                    _mm256_and_si256(bits, _mm256_set1_epi64x(MANTISSA_BITS as i64)),
                    _mm256_set1_epi64x(ONE_BITS as i64),
                );
                let exponent =
                    _mm256_or_si256(_mm256_srli_epi64::<52>(bits), _mm256_set1_epi64x(TWO_52_BITS as i64));
                let exponent = _mm256_sub_pd(_mm256_castsi256_pd(exponent), _mm256_set1_pd(TWO_52_PLUS_BIAS));
                (Avx2(_mm256_castsi256_pd(mantissa)), Avx2(exponent))
            }
        }
        #[inline(always)]
        fn gather(points: &[Vec4], indices: &[u32; WIDTH]) -> [Self; 3] {
            let [a, b, c, d] = [
                &points[indices[0] as usize],
                &points[indices[1] as usize],
                &points[indices[2] as usize],
                &points[indices[3] as usize],
            ];
            unsafe {
                let a = _mm256_load_pd(a.0.as_ptr());
                let b = _mm256_load_pd(b.0.as_ptr());
                let c = _mm256_load_pd(c.0.as_ptr());
                let d = _mm256_load_pd(d.0.as_ptr());
                let xz_ab = _mm256_unpacklo_pd(a, b); // ax bx az bz
                let yw_ab = _mm256_unpackhi_pd(a, b);
                let xz_cd = _mm256_unpacklo_pd(c, d);
                let yw_cd = _mm256_unpackhi_pd(c, d);
                [
                    Avx2(_mm256_permute2f128_pd::<0x20>(xz_ab, xz_cd)),
                    Avx2(_mm256_permute2f128_pd::<0x20>(yw_ab, yw_cd)),
                    Avx2(_mm256_permute2f128_pd::<0x31>(xz_ab, xz_cd)),
                ]
            }
        }
        #[inline(always)]
        fn scatter(v: [Self; 3], points: &mut [Vec4], stride: usize) {
            let [x, y, z] = [v[0].0, v[1].0, v[2].0];
            assert!(points.len() > 3 * stride);
            unsafe {
                let zero = _mm256_setzero_pd();
                let xy_02 = _mm256_unpacklo_pd(x, y); // x0 y0 x2 y2
                let xy_13 = _mm256_unpackhi_pd(x, y);
                let zw_02 = _mm256_unpacklo_pd(z, zero);
                let zw_13 = _mm256_unpackhi_pd(z, zero);
                let p = points.as_mut_ptr();
                _mm256_store_pd((*p).0.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(xy_02, zw_02));
                _mm256_store_pd(
                    (*p.add(stride)).0.as_mut_ptr(),
                    _mm256_permute2f128_pd::<0x20>(xy_13, zw_13),
                );
                _mm256_store_pd(
                    (*p.add(2 * stride)).0.as_mut_ptr(),
                    _mm256_permute2f128_pd::<0x31>(xy_02, zw_02),
                );
                _mm256_store_pd(
                    (*p.add(3 * stride)).0.as_mut_ptr(),
                    _mm256_permute2f128_pd::<0x31>(xy_13, zw_13),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything<'a>(&'a [Vec4], &'a mut [Vec4]);
    impl Kernel for Everything<'_> {
        type Output = Vec<[u64; 4]>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let [x, y, z] = L::gather(self.0, &[3, 1, 0, 2]);
            L::scatter([x, y, z], self.1, 2);
            let masked = L::select(x.lt(y), x, y);
            let results = [
                x + y,
                x - y,
                x * z,
                x / z,
                -x,
                z.abs().sqrt(),
                x.abs(),
                x.max(y),
                x.min(z),
                masked,
                ln(x.abs()),
                L::splat(2.5),
                L::widen(&(x / z).narrow()),
            ];
            results.iter().map(|r| r.to_array().map(f64::to_bits)).collect()
        }
    }

    #[test]
    fn avx2_and_portable_lanes_give_the_same_bits() {
        let points: Vec<Vec4> =
            (0..4).map(|i| Vec4::new([1.7 - i as f64, 0.3 * i as f64 - 0.4, 1e-3 + i as f64])).collect();
        let mut a = vec![Vec4::ZERO; 8];
        let mut b = vec![Vec4::ZERO; 8];
        assert_eq!(dispatch(Everything(&points, &mut a)), Everything(&points, &mut b).run::<Portable>());
        assert_eq!(a, b);
        assert_eq!(a[2], points[1]);
    }

    #[test]
    fn logarithm_is_exact_to_two_ulp() {
        for i in 0..20_000 {
            let x = f64::exp((i as f64 - 10_000.0) * 0.01 + 0.001);
            let got = ln(Portable::splat(x)).to_array()[0];
            let want = x.ln();
            assert!((got - want).abs() <= 2.0 * f64::EPSILON * want.abs().max(1e-3), "ln {x}: {got} {want}");
        }
        assert_eq!(ln(Portable::splat(1.0)).to_array()[0], 0.0);
    }
}
