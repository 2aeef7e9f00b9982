//! Blocks of three by three numbers, one a vertex, that bound A and the squares of active terms together.
//!
//! ```text
//! B_v = a_v I + Σ (Σ_c |v_c|)/|v_v| v_v v_vᵀ
//! ```
//!
//! The sum goes over the squares that have vertex v, c over the corners of each. By Cauchy's inequality, v vᵀ is at most the
//! sum of its blocks on the diagonal with these factors, so directions −B⁻¹∇g descend and are not too long along active
//! terms. They serve inner solvers that go vertex by vertex, and where active terms are so stiff that single precision does
//! not carry their system.

use crate::step::active::Square;
use elements::math::dense::solve;
use elements::math::lanes::Vec4;
use elements::math::vec3::norm;
use elements::math::vectors;

/// A block of a vertex.
pub type Block = [[f64; 3]; 3];

/// The blocks of all unknowns, where `diagonal` has the numbers a.
pub fn blocks(diagonal: &[f64], squares: &[Square]) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        diagonal.iter().map(|a| [[*a, 0.0, 0.0], [0.0, *a, 0.0], [0.0, 0.0, *a]]).collect();
    for square in squares {
        let lengths = square.vectors.map(norm);
        let moves = |k: usize| (square.corners[k] as usize) < diagonal.len();
        let total: f64 = (0..4).filter(|k| moves(*k)).map(|k| lengths[k]).sum();
        for k in (0..4).filter(|k| moves(*k) && lengths[*k] > 0.0) {
            let (vector, factor) = (square.vectors[k], total / lengths[k]);
            for (row, a) in blocks[square.corners[k] as usize].iter_mut().zip(vector) {
                row.iter_mut().zip(vector).for_each(|(entry, b)| *entry += factor * a * b);
            }
        }
    }
    blocks
}

/// Computes `direction` = −B⁻¹ `gradient`; returns its slope.
pub fn solve_blocks(blocks: &[Block], gradient: &[Vec4], direction: &mut [Vec4]) -> f64 {
    for ((d, block), g) in direction.iter_mut().zip(blocks).zip(gradient) {
        *d = Vec4::new(solve(block, &g.xyz()).map(|c| -c));
    }
    vectors::dot(gradient, direction)
}
