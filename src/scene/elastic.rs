//! What a body is made of: materials, and what else stores or takes its energy.

use super::Selection;
use elements::energy::material::Material;

/// A number that may differ from cell to cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// The same everywhere.
    Constant(f64),
    /// A scalar cell array of the mesh file, or a point array averaged over the corners of a cell.
    Array(String),
    /// By the centres of cells; later ones win.
    Selections(Vec<(Selection, f64)>),
}

/// The material of a part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialPart {
    /// Which cells, by their centres.
    pub select: Selection,
    /// The material; what varies has a sample value in it.
    pub material: Material,
    /// Parameters that vary, by key.
    pub varying: Vec<(&'static str, Quantity)>,
}

/// Springs of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Springs {
    /// N/m, > 0, of each spring: the mean of its triangles.
    pub stiffness: Quantity,
    /// Also between the far corners of triangles that share an edge.
    pub cross: bool,
}

/// What the edges of a line do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Which changes of length cost energy.
    pub kind: LineKind,
    /// Young's modulus in Pa, > 0.
    pub young: f64,
}

/// Which changes of length an edge resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Lengthening only.
    Rope,
    /// Lengthening and shortening alike.
    Rod,
    /// Any; the stiffness is meant, not a stand-in for a fixed length.
    Spring,
}

impl LineKind {
    /// Its config name.
    pub fn name(self) -> &'static str {
        match self {
            LineKind::Rope => "rope",
            LineKind::Rod => "rod",
            LineKind::Spring => "spring",
        }
    }
}

/// Resistance of a sheet to bending.
#[derive(Clone, Debug, PartialEq)]
pub struct Bending {
    /// Flexural rigidity in N·m, > 0.
    pub stiffness: Quantity,
    /// How folds become an energy.
    pub kind: BendingKind,
    /// A plane is free of bending energy, whatever the shape of the mesh.
    pub flat: bool,
}

/// How folds become an energy; see `energy::bending`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BendingKind {
    /// The curvature of each triangle.
    #[default]
    Plate,
    /// Every fold by itself.
    Hinge,
}

/// Bounds `[least, most]` on stretches, with 0 ≤ least ≤ 1 ≤ most.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Of the principal stretches.
    pub stretch: Option<[f64; 2]>,
    /// Of the stretch along `direction` in a sheet.
    pub warp: Option<[f64; 2]>,
    /// Of the stretch across it.
    pub weft: Option<[f64; 2]>,
    /// Direction of the warp; `None`: see `model::cells`.
    pub direction: Option<Directions>,
    /// Stiffness of the bounds in Pa, > 0.
    pub stiffness: Quantity,
}

/// Rayleigh damping, see `energy::viscosity`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Coefficient α of the masses, in 1/s, ≥ 0.
    pub mass: f64,
    /// Coefficient β of the stiffness, in s, ≥ 0.
    pub stiffness: f64,
}

/// A family of fibres: an energy density of κ/2 (|F d| − 1)².
#[derive(Clone, Debug, PartialEq)]
pub struct Fiber {
    /// d in the rest state.
    pub direction: Directions,
    /// Stiffness κ of the fibres in Pa, > 0.
    pub stiffness: Quantity,
}

/// A direction in every cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Directions {
    /// The same unit vector in every cell.
    Constant([f64; 3]),
    /// A cell array of the mesh file with three components, turned with the mesh.
    Array(String),
    /// Away from a point or, with an axis, away from that axis through the point.
    Radial {
        /// The point, in the rest state.
        center: [f64; 3],
        /// The unit vector of the axis; `None`: directions point away from the centre.
        axis: Option<[f64; 3]>,
    },
}
