//! Two blocks of elements in one register of AVX-512.
#![allow(unsafe_code)] // core::arch intrinsics

use std::arch::x86_64::*;
use std::ops::Neg;

use super::avx2::Avx2;
use super::{
    MANTISSA_BITS, Number, ONE_BITS, TWO_52_BITS, TWO_52_PLUS_BIAS, Vec4, WIDTH, WideKernel, operator,
};

/// True where this machine has these lanes.
#[inline]
fn is_there() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
}

/// Runs a kernel, or gives it back where the machine does not have these lanes.
#[inline]
pub(super) fn run<K: WideKernel>(kernel: K) -> Result<K::Output, K> {
    #[target_feature(enable = "avx,avx2,fma,avx512f,avx512dq,avx512vl")]
    fn compiled<K: WideKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512>()
    }
    if !is_there() {
        return Err(kernel);
    }
    // SAFETY: the features are there.
    Ok(unsafe { compiled(kernel) })
}

/// One register; the first block is its lower half. Values exist only inside [`run`].
#[derive(Clone, Copy)]
pub struct Avx512(__m512d);

// SAFETY of these: only reached through `run`, where AVX-512 was detected.
operator!(Add, add, Avx512, |a, b| Avx512(unsafe { _mm512_add_pd(a.0, b.0) }));
operator!(Sub, sub, Avx512, |a, b| Avx512(unsafe { _mm512_sub_pd(a.0, b.0) }));
operator!(Mul, mul, Avx512, |a, b| Avx512(unsafe { _mm512_mul_pd(a.0, b.0) }));
operator!(Div, div, Avx512, |a, b| Avx512(unsafe { _mm512_div_pd(a.0, b.0) }));

impl Neg for Avx512 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: only reached through `run`, where AVX-512 was detected.
        Avx512(unsafe { _mm512_xor_pd(self.0, _mm512_set1_pd(-0.0)) })
    }
}

// SAFETY of every block below: only reached through `run`, where AVX-512 was detected; pointers come from references of the
// right size.
impl Number for Avx512 {
    type Mask = __mmask8;
    type Block = Avx2;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn of_blocks(first: Avx2, last: Avx2) -> Self {
        Avx512(unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(first.0), last.0) })
    }
    #[inline(always)]
    fn block(self, index: usize) -> Avx2 {
        Avx2(unsafe {
            match index {
                0 => _mm512_castpd512_pd256(self.0),
                _ => _mm512_extractf64x4_pd::<1>(self.0),
            }
        })
    }
    #[inline(always)]
    fn gather_blocks(points: &[Vec4], first: &[u32; WIDTH], last: &[u32; WIDTH]) -> [Self; 3] {
        unsafe {
            let [mut a, mut b, mut c, mut d] = [_mm512_setzero_pd(); 4];
            for (k, register) in [&mut a, &mut b, &mut c, &mut d].into_iter().enumerate() {
                let low = _mm256_load_pd(points[first[k] as usize].0.as_ptr());
                let high = _mm256_load_pd(points[last[k] as usize].0.as_ptr());
                *register = _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high);
            }
            let xz_ab = _mm512_unpacklo_pd(a, b); // ax bx az bz, of both blocks
            let yw_ab = _mm512_unpackhi_pd(a, b);
            let xz_cd = _mm512_unpacklo_pd(c, d);
            let yw_cd = _mm512_unpackhi_pd(c, d);
            [Avx512(lower(xz_ab, xz_cd)), Avx512(lower(yw_ab, yw_cd)), Avx512(upper(xz_ab, xz_cd))]
        }
    }
    #[inline(always)]
    fn scatter_blocks(v: [Self; 3], points: &mut [Vec4], stride: usize) {
        let [x, y, z] = [v[0].0, v[1].0, v[2].0];
        assert!(points.len() > 7 * stride);
        unsafe {
            let zero = _mm512_setzero_pd();
            let xy_02 = _mm512_unpacklo_pd(x, y); // x0 y0 x2 y2, of both blocks
            let xy_13 = _mm512_unpackhi_pd(x, y);
            let zw_02 = _mm512_unpacklo_pd(z, zero);
            let zw_13 = _mm512_unpackhi_pd(z, zero);
            let of_both =
                [lower(xy_02, zw_02), lower(xy_13, zw_13), upper(xy_02, zw_02), upper(xy_13, zw_13)];
            let p = points.as_mut_ptr();
            for k in 0..WIDTH {
                let both = of_both[k];
                _mm256_store_pd((*p.add(k * stride)).0.as_mut_ptr(), _mm512_castpd512_pd256(both));
                let last = (*p.add((k + WIDTH) * stride)).0.as_mut_ptr();
                _mm256_store_pd(last, _mm512_extractf64x4_pd::<1>(both));
            }
        }
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Avx512(unsafe { _mm512_set1_pd(value) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Avx512(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Avx512(unsafe { _mm512_abs_pd(self.0) })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_max_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_min_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn lt(self, o: Self) -> __mmask8 {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, o.0) }
    }
    #[inline(always)]
    fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
        Avx512(unsafe { _mm512_mask_blend_pd(mask, no.0, yes.0) })
    }
    #[inline(always)]
    fn any(mask: __mmask8) -> bool {
        mask != 0
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        unsafe {
            let bits = _mm512_castpd_si512(self.0);
            let mantissa = _mm512_or_si512(
                _mm512_and_si512(bits, _mm512_set1_epi64(MANTISSA_BITS as i64)),
                _mm512_set1_epi64(ONE_BITS as i64),
            );
            let exponent =
                _mm512_or_si512(_mm512_srli_epi64::<52>(bits), _mm512_set1_epi64(TWO_52_BITS as i64));
            let exponent = _mm512_sub_pd(_mm512_castsi512_pd(exponent), _mm512_set1_pd(TWO_52_PLUS_BIAS));
            (Avx512(_mm512_castsi512_pd(mantissa)), Avx512(exponent))
        }
    }
}

/// Of each half of two registers, the lower 128 bits side by side.
#[inline(always)]
fn lower(a: __m512d, b: __m512d) -> __m512d {
    unsafe { _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b) }
}

/// Likewise the upper 128 bits.
#[inline(always)]
fn upper(a: __m512d, b: __m512d) -> __m512d {
    unsafe { _mm512_permutex2var_pd(a, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b) }
}
