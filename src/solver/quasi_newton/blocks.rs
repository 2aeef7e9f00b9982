//! Directions vertex by vertex, for where active terms are so stiff that single precision does not carry their system.
//!
//! ```text
//! d_v = −(A_vv + k Σ v_v v_vᵀ)⁻¹ ∇g_v
//! ```
//!
//! with the sum over the squares that have vertex v, and k the number of their corners, since v vᵀ is at most k times its
//! blocks on the diagonal. Every such direction descends.

use crate::step::active::Square;
use elements::math::dense::solve;
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The number of corners of a square.
const CORNERS: f64 = 4.0;

/// Computes `direction`, where `diagonal` is that of A; returns its slope.
pub(super) fn find(diagonal: &[f64], squares: &[Square], gradient: &[Vec4], direction: &mut [Vec4]) -> f64 {
    let mut blocks: Vec<[[f64; 3]; 3]> =
        diagonal.iter().map(|a| [[*a, 0.0, 0.0], [0.0, *a, 0.0], [0.0, 0.0, *a]]).collect();
    for square in squares {
        for (v, vector) in square.corners.iter().zip(&square.vectors) {
            if let Some(block) = blocks.get_mut(*v as usize) {
                for (row, a) in block.iter_mut().zip(vector) {
                    row.iter_mut().zip(vector).for_each(|(entry, b)| *entry += CORNERS * a * b);
                }
            }
        }
    }
    for ((d, block), g) in direction.iter_mut().zip(&blocks).zip(gradient) {
        *d = Vec4::new(solve(block, &g.xyz()).map(|c| -c));
    }
    vectors::dot(gradient, direction)
}
