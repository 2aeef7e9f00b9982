//! Two blocks of elements in two registers: their chains of operations do not wait for each other.

use std::ops::Neg;

use super::{Lane, Number, operator};

/// The first block and the last.
#[derive(Clone, Copy, Debug)]
pub struct Pair<L>(pub L, pub L);

operator!(Add, add, Pair<L>, |a, b| Pair(a.0 + b.0, a.1 + b.1), L);
operator!(Sub, sub, Pair<L>, |a, b| Pair(a.0 - b.0, a.1 - b.1), L);
operator!(Mul, mul, Pair<L>, |a, b| Pair(a.0 * b.0, a.1 * b.1), L);
operator!(Div, div, Pair<L>, |a, b| Pair(a.0 / b.0, a.1 / b.1), L);

impl<L: Lane> Neg for Pair<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Pair(-self.0, -self.1)
    }
}

impl<L: Lane> Number for Pair<L> {
    type Mask = (L::Mask, L::Mask);
    type Block = L;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn of_blocks(first: L, last: L) -> Self {
        Pair(first, last)
    }
    #[inline(always)]
    fn block(self, index: usize) -> L {
        if index == 0 { self.0 } else { self.1 }
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Pair(L::splat(value), L::splat(value))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Pair(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Pair(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Pair(self.0.max(o.0), self.1.max(o.1))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Pair(self.0.min(o.0), self.1.min(o.1))
    }
    #[inline(always)]
    fn lt(self, o: Self) -> Self::Mask {
        (self.0.lt(o.0), self.1.lt(o.1))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Pair(L::select(mask.0, yes.0, no.0), L::select(mask.1, yes.1, no.1))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        L::any(mask.0) | L::any(mask.1)
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (first, last) = (self.0.split_exponent(), self.1.split_exponent());
        (Pair(first.0, last.0), Pair(first.1, last.1))
    }
}
