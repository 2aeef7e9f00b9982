//! One number that stands for four equal ones: code that is written for lanes then runs for one
//! element at the cost of one.

use std::ops::Neg;

use super::lanes::{Lane, Number, Portable, Vec4, WIDTH, long_once, one_block, operator};
use super::octets::{PortableOctet, Quad};

/// Four equal numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single(pub f64);

operator!(Add, add, Single, |a, b| Single(a.0 + b.0));
operator!(Sub, sub, Single, |a, b| Single(a.0 - b.0));
operator!(Mul, mul, Single, |a, b| Single(a.0 * b.0));
operator!(Div, div, Single, |a, b| Single(a.0 / b.0));

impl Neg for Single {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Single(-self.0)
    }
}

impl Number for Single {
    one_block!();
    long_once!();
    type Mask = bool;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Single(value)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Single(self.0.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Single(self.0.abs())
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        if self.0 > o.0 { self } else { o }
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        if self.0 < o.0 { self } else { o }
    }
    #[inline(always)]
    fn lt(self, o: Self) -> bool {
        self.0 < o.0
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (mantissa, exponent) = Portable::splat(self.0).split_exponent();
        (Single(mantissa.to_array()[0]), Single(exponent.to_array()[0]))
    }
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> [f64; 3]) -> [Self; 3] {
        f(self.0).map(Single)
    }
}

impl Lane for Single {
    type Octet = PortableOctet;

    /// The first of the numbers, which must be equal.
    #[inline(always)]
    fn load(values: &[f64; WIDTH]) -> Self {
        Single(values[0])
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        [self.0; WIDTH]
    }
    #[inline(always)]
    fn widen(quad: &Quad) -> Self {
        Single(f64::from(quad.0[0]))
    }
    #[inline(always)]
    fn narrow(self) -> Quad {
        Quad([self.0 as f32; 4])
    }
    /// The first of the points, which must be equal.
    #[inline(always)]
    fn gather(points: &[Vec4], indices: &[u32; WIDTH]) -> [Self; 3] {
        points[indices[0] as usize].xyz().map(Single)
    }
    #[inline(always)]
    fn scatter(v: [Self; 3], points: &mut [Vec4], stride: usize) {
        for lane in 0..WIDTH {
            points[lane * stride] = Vec4::new([v[0].0, v[1].0, v[2].0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::ln;
    use crate::math::{mat3, svd};

    #[test]
    fn gives_the_bits_of_four_lanes() {
        let f = [[0.3, -1.2, 0.8], [0.9, 0.1, -0.4], [-0.2, 0.7, 1.6]];
        let one = svd::svd(&mat3::splat::<Single>(&f));
        let four = svd::svd(&mat3::splat::<Portable>(&f));
        for i in 0..3 {
            assert_eq!(one.sigma[i].to_array(), four.sigma[i].to_array());
            for j in 0..3 {
                assert_eq!(one.u[i][j].to_array(), four.u[i][j].to_array());
            }
        }
        for x in [1e-300, 0.2, 1.0, 17.3] {
            assert_eq!(ln(Single(x)).to_array(), ln(Portable::splat(x)).to_array());
        }
    }
}
