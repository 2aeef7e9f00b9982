//! Lanes without intrinsics: an array of four.

use std::ops::Neg;

use super::super::octets::{PortableOctet, Quad};
use super::{
    Lane, MANTISSA_BITS, Number, ONE_BITS, TWO_52_BITS, TWO_52_PLUS_BIAS, Vec4, WIDTH, long_once, one_block,
    operator,
};

/// The portable lanes.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f64; WIDTH]);

/// `a op b`, number by number.
macro_rules! portable_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        operator!($trait, $method, Portable, |a, b| Portable([
            a.0[0] $op b.0[0], a.0[1] $op b.0[1], a.0[2] $op b.0[2], a.0[3] $op b.0[3]
        ]));
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

impl Number for Portable {
    one_block!();
    long_once!();
    type Mask = [bool; WIDTH];

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Portable([value; WIDTH])
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
    fn split_exponent(self) -> (Self, Self) {
        let mantissa = self.0.map(|a| f64::from_bits((a.to_bits() & MANTISSA_BITS) | ONE_BITS));
        let exponent = self.0.map(|a| f64::from_bits((a.to_bits() >> 52) | TWO_52_BITS) - TWO_52_PLUS_BIAS);
        (Portable(mantissa), Portable(exponent))
    }
}

impl Lane for Portable {
    type Octet = PortableOctet;

    #[inline(always)]
    fn load(values: &[f64; WIDTH]) -> Self {
        Portable(*values)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        self.0
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
