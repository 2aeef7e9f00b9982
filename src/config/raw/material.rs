//! The table of a material.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pin::Select;
use super::quantity::Quantity;

/// A material model with its parameters; which ones it takes depends on the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// The cells of this material: those whose centres lie in this selection. Default "all".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// A known material, which gives the model and its numbers, and to the body a density and what else sheets or lines have;
    /// keys that are given too win. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The material model. Required unless there is `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Young's modulus in Pa at small strain, above 0; for a sheet, in plane stress. Required unless there is `preset` or the
    /// raw moduli of the model are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<Quantity>,
    /// Poisson's ratio at small strain, between -1 and 0.5. Required where `young` is, except for `arap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<Quantity>,
    /// Modulus μ in Pa: with `lambda` instead of `young` and `poisson`; alone for `polynomial`, which needs it.
    /// Default: from `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu: Option<Quantity>,
    /// Modulus λ in Pa, beside `mu` or `c1` and `c2`. Default: from `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<Quantity>,
    /// `arap`: stiffness k in Pa, instead of `young`. Default: 2μ from `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<Quantity>,
    /// `mooney-rivlin`: modulus c₁ in Pa, with `c2` and `lambda` instead of `young` and `poisson`. Default: from
    /// `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c1: Option<Quantity>,
    /// `mooney-rivlin`: modulus c₂ in Pa. Default: c₁/4 from `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c2: Option<Quantity>,
    /// `spline`: control points [stretch, stress in Pa] of a′, the part of lengths. Required for `spline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Vec<[f64; 2]>>,
    /// `spline`: control points [area ratio, stress in Pa] of b′, the part of areas. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Vec<[f64; 2]>>,
    /// `spline`: control points [volume ratio, stress in Pa] of c′, the part of the volume. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Vec<[f64; 2]>>,
    /// `spline`: between control points that ascend (or descend) the curve does too, instead of overshooting; its
    /// second derivative then jumps. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monotone: Option<bool>,
    /// Models with a logarithmic barrier: what happens to inverted elements. Default "barrier".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inversion: Option<Inversion>,
    /// Least and most of the stretches over which the stiffness of the solvers' system matrix is fitted; affects
    /// convergence, not the solution. Default [0.5, 1.5].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit_interval: Option<[f64; 2]>,
}

/// What a material that is infinite at zero volume does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Inversion {
    /// The energy is infinite at zero volume: no element inverts, and a start with inverted ones is refused.
    Barrier,
    /// Volume terms are continued below det F = 0.2 by their Taylor polynomial of second order: inverted states have
    /// an energy and recover.
    Extend,
}
