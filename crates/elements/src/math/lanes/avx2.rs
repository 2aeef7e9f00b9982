//! Lanes in one AVX register.
#![allow(unsafe_code)] // core::arch intrinsics

use std::arch::x86_64::*;
use std::ops::Neg;

use super::super::octets::Quad;
use super::super::octets::avx2::Avx2Octet;
use super::{
    Kernel, Lane, MANTISSA_BITS, Number, ONE_BITS, Pair, TWO_52_BITS, TWO_52_PLUS_BIAS, Vec4, WIDTH,
    WideKernel, one_block, operator,
};

/// True where this machine has these lanes.
#[inline]
fn is_there() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// Runs a kernel, or gives it back where the machine does not have these lanes.
#[inline]
pub(super) fn run<K: Kernel>(kernel: K) -> Result<K::Output, K> {
    #[target_feature(enable = "avx,avx2,fma")]
    fn compiled<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }
    if !is_there() {
        return Err(kernel);
    }
    // SAFETY: the features are there.
    Ok(unsafe { compiled(kernel) })
}

/// Likewise, block by block.
#[inline]
pub(super) fn run_wide<K: WideKernel>(kernel: K) -> Result<K::Output, K> {
    enter::<K, Avx2>(kernel)
}

/// Likewise, two blocks at a time.
#[inline]
pub(super) fn run_pairs<K: WideKernel>(kernel: K) -> Result<K::Output, K> {
    enter::<K, Pair<Avx2>>(kernel)
}

/// `L` is made of these lanes.
#[inline]
fn enter<K: WideKernel, L: Number<Block = Avx2>>(kernel: K) -> Result<K::Output, K> {
    #[target_feature(enable = "avx,avx2,fma")]
    fn compiled<K: WideKernel, L: Number>(kernel: K) -> K::Output {
        kernel.run::<L>()
    }
    if !is_there() {
        return Err(kernel);
    }
    // SAFETY: the features are there.
    Ok(unsafe { compiled::<K, L>(kernel) })
}

/// One AVX register. Values exist only inside [`run`] and [`enter`].
#[derive(Clone, Copy)]
pub struct Avx2(pub(super) __m256d);

// SAFETY of these: only reached through `run` and `enter`, where AVX2 was detected.
operator!(Add, add, Avx2, |a, b| Avx2(unsafe { _mm256_add_pd(a.0, b.0) }));
operator!(Sub, sub, Avx2, |a, b| Avx2(unsafe { _mm256_sub_pd(a.0, b.0) }));
operator!(Mul, mul, Avx2, |a, b| Avx2(unsafe { _mm256_mul_pd(a.0, b.0) }));
operator!(Div, div, Avx2, |a, b| Avx2(unsafe { _mm256_div_pd(a.0, b.0) }));

impl Neg for Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: only reached through `run` and `enter`, where AVX2 was detected.
        Avx2(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }
}

// SAFETY of every block below: only reached through `run` and `enter`, where AVX2 was detected; pointers come
// from references of the right size.
impl Number for Avx2 {
    one_block!();
    type Mask = __m256d;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Avx2(unsafe { _mm256_set1_pd(value) })
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
}

impl Lane for Avx2 {
    type Octet = Avx2Octet;

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
            _mm256_store_pd((*p.add(stride)).0.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(xy_13, zw_13));
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
