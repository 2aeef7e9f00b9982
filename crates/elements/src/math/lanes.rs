//! Several numbers at a time: the lanes that all kernels are written in, and their run-time dispatch.
//!
//! | trait | numbers | written in it |
//! |---|---|---|
//! | [`Number`] | those of one block of elements, or of two | laws of materials, 3×3 matrices, the loops over elements that take most of the time |
//! | [`Lane`] | four: a block of elements, or a point | loops over points, blocks of elements |
//!
//! A kernel is a [`Kernel`] whose `run` is generic over [`Lane`] and marked `#[inline(always)]`, as is
//! everything it calls; [`dispatch`] enters it once compiled for AVX2 with FMA and once portably. A [`WideKernel`] is generic over
//! [`Number`]; [`dispatch_wide`] has two blocks in a register of AVX-512 or, for some kernels, in two of AVX2. No fused
//! multiply-add is used but where a kernel asks for it (see `octets`), every operation is the IEEE one, and `min`/`max` follow
//! x86: all paths give the same bits, and so do all x86-64 machines.
//!
//! Closures inside kernels are avoided: they cannot be marked and would compile without AVX.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod pair;
mod portable;

use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::atomic::{AtomicU8, Ordering};

use super::octets::{Octet, Quad};
pub use pair::Pair;
pub use portable::Portable;

/// Lanes per block: elements are stored and computed in groups of this many.
pub const WIDTH: usize = 4;

/// Blocks of elements come in multiples of this many, so that every [`Number`] goes through them without a rest.
pub const MOST_BLOCKS: usize = 2;

/// A point or vector, padded to one 256-bit register. The fourth component stays 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Vec4(pub [f64; 4]);

impl Vec4 {
    /// The origin of the coordinates.
    pub const ZERO: Vec4 = Vec4([0.0; 4]);

    /// From three coordinates.
    #[inline]
    pub fn new(p: [f64; 3]) -> Self {
        Vec4([p[0], p[1], p[2], 0.0])
    }

    /// The three coordinates.
    #[inline]
    pub fn xyz(self) -> [f64; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }
}

/// The f64 numbers of one block of elements, or of two consecutive ones, with elementwise arithmetic.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The result of a comparison, elementwise.
    type Mask: Copy;
    /// The numbers of one block.
    type Block: Lane;
    /// How many blocks: a divisor of [`MOST_BLOCKS`].
    const BLOCKS: usize;

    /// From the first block and the last, which is the first where there is but one.
    fn of_blocks(first: Self::Block, last: Self::Block) -> Self;
    /// The numbers of a block, counted from 0.
    fn block(self, index: usize) -> Self::Block;
    /// The same number in all lanes.
    fn splat(value: f64) -> Self;
    /// The square root of each number.
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

    /// A long computation: compiled into every kernel that needs it, so that registers hold what they share. Numbers that are
    /// no SIMD registers have it out of line, once: else it would be most of a portable kernel, of which there are some
    /// hundred.
    #[inline(always)]
    fn long<F: Long<Self>>(computation: F) -> F::Output {
        computation.compute()
    }

    /// From memory, of the first block and the last.
    #[inline(always)]
    fn load_blocks(first: &[f64; WIDTH], last: &[f64; WIDTH]) -> Self {
        Self::of_blocks(Self::Block::load(first), Self::Block::load(last))
    }
    /// The coordinates of the points of the first block and the last: `[x of all, y of all, z of all]`.
    #[inline(always)]
    fn gather_blocks(points: &[Vec4], first: &[u32; WIDTH], last: &[u32; WIDTH]) -> [Self; 3] {
        let (a, b) = (Self::Block::gather(points, first), Self::Block::gather(points, last));
        [Self::of_blocks(a[0], b[0]), Self::of_blocks(a[1], b[1]), Self::of_blocks(a[2], b[2])]
    }
    /// Writes `[x of all, y of all, z of all]` as points, `stride` apart.
    #[inline(always)]
    fn scatter_blocks(v: [Self; 3], points: &mut [Vec4], stride: usize) {
        for index in 0..Self::BLOCKS {
            let of_block = [v[0].block(index), v[1].block(index), v[2].block(index)];
            Self::Block::scatter(of_block, &mut points[index * WIDTH * stride..], stride);
        }
    }
    /// `sum` and the numbers of the blocks, one after the other.
    #[inline(always)]
    fn added_to(self, mut sum: Self::Block) -> Self::Block {
        for index in 0..Self::BLOCKS {
            sum = sum + self.block(index);
        }
        sum
    }
    /// `f` of the numbers, block by block: for what is seldom needed or cannot be computed in lanes.
    #[inline(always)]
    fn apart<const N: usize, const M: usize>(
        numbers: &[Self; N],
        f: impl Fn(&[[f64; WIDTH]; N]) -> [[f64; WIDTH]; M],
    ) -> [Self; M] {
        let mut results = [[[0.0; WIDTH]; M]; MOST_BLOCKS];
        for index in 0..Self::BLOCKS {
            let mut rows = [[0.0; WIDTH]; N];
            for i in 0..N {
                rows[i] = numbers[i].block(index).to_array();
            }
            results[index] = f(&rows);
        }
        let mut out = [Self::splat(0.0); M];
        for i in 0..M {
            out[i] = Self::load_blocks(&results[0][i], &results[Self::BLOCKS - 1][i]);
        }
        out
    }
    /// `f` of every number, which gives three: for what cannot be computed in lanes.
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> [f64; 3]) -> [Self; 3] {
        Self::apart(&[self], |[numbers]| {
            let rows = numbers.map(&f);
            std::array::from_fn(|k| rows.map(|row| row[k]))
        })
    }
}

/// Four f64 numbers: one block.
pub trait Lane: Number<Block = Self> {
    /// Eight f32 numbers on the same machine.
    type Octet: Octet<Point = Quad>;

    /// Four numbers from memory.
    fn load(values: &[f64; WIDTH]) -> Self;
    /// The four numbers as an array.
    fn to_array(self) -> [f64; WIDTH];
    /// The coordinates of four points: `[x of all, y of all, z of all]`.
    fn gather(points: &[Vec4], indices: &[u32; WIDTH]) -> [Self; 3];
    /// The numbers of a quad.
    fn widen(quad: &Quad) -> Self;
    /// Rounded to single precision.
    fn narrow(self) -> Quad;
    /// Writes `[x of all, y of all, z of all]` as four points, `stride` apart.
    fn scatter(v: [Self; 3], points: &mut [Vec4], stride: usize);
}

/// An operator of a lane type, from what it gives of `a` and `b`.
macro_rules! operator {
    ($trait:ident, $method:ident, $type:ty, |$a:ident, $b:ident| $result:expr $(, $lane:ident)?) => {
        impl$(<$lane: $crate::math::lanes::Lane>)? std::ops::$trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $result
            }
        }
    };
}
pub(in crate::math) use operator;

/// What makes a lane type the numbers of one block.
macro_rules! one_block {
    () => {
        type Block = Self;
        const BLOCKS: usize = 1;

        #[inline(always)]
        fn of_blocks(first: Self, _: Self) -> Self {
            first
        }
        #[inline(always)]
        fn block(self, _: usize) -> Self {
            self
        }
    };
}
pub(in crate::math) use one_block;

/// [`Number::long`] out of line.
macro_rules! long_once {
    () => {
        #[inline(never)]
        fn long<F: $crate::math::lanes::Long<Self>>(computation: F) -> F::Output {
            computation.compute()
        }
    };
}
pub(in crate::math) use long_once;

/// A long computation with numbers of one type, for [`Number::long`].
pub trait Long<L> {
    /// The result of the computation.
    type Output;
    /// The computation; implementations are `#[inline(always)]`.
    fn compute(self) -> Self::Output;
}

/// A computation written once for any lane type.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation; implementations are `#[inline(always)]`.
    fn run<L: Lane>(self) -> Self::Output;
}

/// A computation over blocks of elements, written once for any number of blocks at a time.
pub trait WideKernel {
    /// What it returns.
    type Output;
    /// True where two blocks at a time pay even in two registers: in chains of divisions and roots, which leave a
    /// processor waiting.
    const INTERLEAVED: bool = false;
    /// The computation; implementations are `#[inline(always)]`.
    fn run<L: Number>(self) -> Self::Output;
}

/// What lanes are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// What all machines have.
    Portable,
    /// AVX2 together with FMA.
    Avx2,
    /// AVX-512 besides AVX2 and FMA.
    Avx512,
}

static MOST: AtomicU8 = AtomicU8::new(Instructions::Avx512 as u8);

/// Lets kernels use these instructions at the most, in the whole process, where the machine has them: for comparisons. Results
/// do not depend on it.
pub fn limit(most: Instructions) {
    MOST.store(most as u8, Ordering::Relaxed);
}

/// True where these instructions are not above the limit.
#[cfg(target_arch = "x86_64")]
#[inline]
fn may_use(instructions: Instructions) -> bool {
    instructions as u8 <= MOST.load(Ordering::Relaxed)
}

/// Runs a kernel with the fastest lanes that this machine has.
#[inline]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
pub fn dispatch<K: Kernel>(mut kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if may_use(Instructions::Avx2) {
        kernel = match avx2::run(kernel) {
            Ok(output) => return output,
            Err(kernel) => kernel,
        };
    }
    kernel.run::<Portable>()
}

/// Runs a kernel with the widest lanes that this machine has.
#[inline]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
pub fn dispatch_wide<K: WideKernel>(mut kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if may_use(Instructions::Avx512) {
            kernel = match avx512::run(kernel) {
                Ok(output) => return output,
                Err(kernel) => kernel,
            };
        }
        if may_use(Instructions::Avx2) {
            let result = if K::INTERLEAVED { avx2::run_pairs(kernel) } else { avx2::run_wide(kernel) };
            kernel = match result {
                Ok(output) => return output,
                Err(kernel) => kernel,
            };
        }
    }
    kernel.run::<Portable>()
}

/// The ways in which [`dispatch_wide`] may run a kernel.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Path {
    Portable,
    Avx2,
    Pairs,
    Avx512,
}

#[cfg(test)]
impl Path {
    pub(crate) const ALL: [Path; 4] = [Path::Portable, Path::Avx2, Path::Pairs, Path::Avx512];

    /// The portable path serves where the machine does not have this one.
    pub(crate) fn run<K: WideKernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        let kernel = match self {
            Path::Portable => Err(kernel),
            Path::Avx2 => avx2::run_wide(kernel),
            Path::Pairs => avx2::run_pairs(kernel),
            Path::Avx512 => avx512::run(kernel),
        };
        #[cfg(target_arch = "x86_64")]
        let kernel = match kernel {
            Ok(output) => return output,
            Err(kernel) => kernel,
        };
        kernel.run::<Portable>()
    }
}

/// The natural logarithm of positive normal numbers, to 1 ulp or so.
#[inline(always)]
pub fn ln<L: Number>(x: L) -> L {
    struct Logarithm<L>(L);
    impl<L: Number> Long<L> for Logarithm<L> {
        type Output = L;
        #[inline(always)]
        fn compute(self) -> L {
            ln_in_place(self.0)
        }
    }
    L::long(Logarithm(x))
}

/// [`ln`], compiled into its caller:
///
/// `x = 2^e·m`, `m ∈ [√½, √2)`, `s = (m−1)/(m+1)`, `ln m = 2 Σ s^(2k+1)/(2k+1)`; the series ends at k = 10,
/// where its remainder is below 1e-18.
#[inline(always)]
fn ln_in_place<L: Number>(x: L) -> L {
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

const MANTISSA_BITS: u64 = 0x000f_ffff_ffff_ffff;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
/// The bits of 2⁵²: a small integer in the low bits added to it is 2⁵² plus that integer.
const TWO_52_BITS: u64 = 0x4330_0000_0000_0000;
const TWO_52_PLUS_BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// All that numbers can do.
    #[inline(always)]
    fn everything<L: Number>([x, y, z]: [L; 3]) -> Vec<L> {
        let apart = L::apart(&[x, y], |[x, y]| [std::array::from_fn(|i| x[i] - 2.0 * y[i])]);
        let [square, sum, same] = z.each(|z| [z * z, z + 1.0, z]);
        vec![
            x + y,
            x - y,
            x * z,
            x / z,
            -x,
            z.abs().sqrt(),
            x.abs(),
            x.max(y),
            x.min(z),
            L::select(x.lt(y), x, y),
            L::select(x.lt(L::splat(f64::NAN)), x, y),
            L::splat(f64::from(u8::from(L::any(x.lt(L::splat(-1e9)))))),
            ln(x.abs()),
            L::splat(2.5),
            apart[0],
            square,
            sum,
            same,
        ]
    }

    fn points(count: usize) -> Vec<Vec4> {
        (0..count).map(|i| Vec4::new([1.7 - i as f64, 0.3 * i as f64 - 0.4, 1e-3 + i as f64])).collect()
    }

    struct OfFour<'a>(&'a [Vec4], &'a mut [Vec4]);
    impl Kernel for OfFour<'_> {
        type Output = Vec<[u64; 4]>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let [x, y, z] = L::gather(self.0, &[3, 1, 0, 2]);
            L::scatter([x, y, z], self.1, 2);
            let mut results = everything([x, y, z]);
            results.push(L::widen(&(x / z).narrow()));
            results.iter().map(|r| r.to_array().map(f64::to_bits)).collect()
        }
    }

    #[test]
    fn avx2_and_portable_lanes_give_the_same_bits() {
        let points = points(4);
        let mut a = vec![Vec4::ZERO; 8];
        let mut b = vec![Vec4::ZERO; 8];
        assert_eq!(dispatch(OfFour(&points, &mut a)), OfFour(&points, &mut b).run::<Portable>());
        assert_eq!(a, b);
        assert_eq!(a[2], points[1]);
    }

    /// Two blocks, with points gathered and scattered.
    struct OfBlocks<'a>(&'a [Vec4], &'a mut [Vec4]);
    impl WideKernel for OfBlocks<'_> {
        type Output = Vec<[u64; 4]>;
        #[inline(always)]
        fn run<L: Number>(self) -> Self::Output {
            let indices: [[u32; WIDTH]; MOST_BLOCKS] = [[3, 1, 0, 2], [7, 5, 6, 1]];
            let (mut out, mut sum) = (vec![], L::Block::splat(0.1));
            for first in (0..MOST_BLOCKS).step_by(L::BLOCKS) {
                let (a, b) = (first, first + L::BLOCKS - 1);
                let [x, y, z] = L::gather_blocks(self.0, &indices[a], &indices[b]);
                L::scatter_blocks([x, y, z], &mut self.1[first * WIDTH * 3..], 3);
                let mut results = everything([x, y, z]);
                results.push(L::load_blocks(&self.0[a].0, &self.0[b].0));
                sum = z.added_to(sum);
                for block in 0..L::BLOCKS {
                    out.extend(results.iter().map(|r| r.block(block).to_array().map(f64::to_bits)));
                }
            }
            out.push(sum.to_array().map(f64::to_bits));
            out
        }
    }

    #[test]
    fn all_widths_give_the_same_bits() {
        let points = points(8);
        let results: Vec<_> = Path::ALL
            .into_iter()
            .map(|path| {
                let mut scattered = vec![Vec4::ZERO; 24];
                (path.run(OfBlocks(&points, &mut scattered)), scattered)
            })
            .collect();
        assert!(results.windows(2).all(|two| two[0] == two[1]));
        let scattered = &results[0].1;
        assert_eq!([scattered[3], scattered[12], scattered[21]], [points[1], points[7], points[1]]);
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
