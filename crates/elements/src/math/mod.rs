//! Small dense mathematics: 3×3 kernels in SIMD lanes, symmetric systems, splines, quadrature.

pub mod dense;
pub mod eigen;
pub mod lanes;
pub mod mat3;
pub mod octets;
pub mod polar;
pub mod prefetch;
pub mod quadrature;
pub mod random;
pub mod single;
pub mod spline;
pub mod svd;
pub mod symmetric;
pub mod track;
pub mod vec3;
pub mod vectors;
