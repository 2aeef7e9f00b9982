//! Meshes as files hold them, before anything is simulated.
//!
//! A [`Mesh`] keeps the file's vertex and cell order: output is written in that order, so that a user's
//! arrays, UVs and selections stay valid.
//!
//! - [`generate`](mod@generate): procedural meshes;
//! - [`prepare`](mod@prepare): what stands between a mesh that was read and one that can be simulated;
//! - [`embedding`]: points that follow tets;
//! - [`polygon`]: polygons to triangles;
//! - [`surface`]: the boundary of the tets, and whether it is closed and manifold;
//! - [`loops`](mod@loops), [`nesting`], [`weld`], [`intersect`]: its borders, parts that are inside out, vertices at the
//!   same place, triangles that intersect;
//! - [`quality`]: volumes and dihedral angles;
//! - [`tree`]: boxes over triangles, for what is near and what may touch;
//! - [`tetrahedralize`](mod@tetrahedralize), [`tetgen`]: surfaces to tets;
//! - [`winding`]: how often a surface goes round a point: the test of inside for any surface;
//! - [`info`]: all of that about one mesh, for `pliant info`;
//! - [`repair`](mod@repair): surfaces that are nearly closed and manifold become so.

pub mod embedding;
pub mod generate;
pub mod info;
pub mod intersect;
pub mod loops;
pub mod nesting;
pub mod polygon;
pub mod prepare;
pub mod quality;
pub mod repair;
pub mod surface;
pub mod tree;
pub(crate) mod union_find;
pub mod weld;
pub mod winding;

/// What a mesh consists of: its cells of the highest dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tetrahedra: a solid.
    Solid,
    /// Triangles: a sheet, or the surface of a solid.
    Sheet,
    /// Edges: ropes, rods and springs.
    Line,
}

impl Kind {
    /// What one of its cells is called in messages.
    pub fn cell(self) -> &'static str {
        match self {
            Kind::Solid => "tet",
            Kind::Sheet => "triangle",
            Kind::Line => "edge",
        }
    }
}

/// Points, cells and data arrays of one file or generator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions in the file's order and unit.
    pub points: Vec<[f64; 3]>,
    /// Tetrahedra; positive orientation is `(b−a)·((c−a)×(d−a)) > 0`.
    pub tets: Vec<[u32; 4]>,
    /// Triangles: the surface where the file has one, or a cloth.
    pub triangles: Vec<[u32; 3]>,
    /// Line segments; readers keep those of a file without tets and triangles only.
    pub edges: Vec<[u32; 2]>,
    /// Per-point arrays.
    pub point_data: Vec<DataArray>,
    /// Per-tet arrays (per triangle where the mesh has no tets, per edge where it has no triangles either).
    pub cell_data: Vec<DataArray>,
}

/// A named array with `components` values per point or cell.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// The array's name in the file.
    pub name: String,
    /// Values per tuple, at least 1.
    pub components: usize,
    /// `tuples × components` values.
    pub values: Vec<f64>,
}

impl Mesh {
    /// The smallest axis-parallel box around all points, as `[min, max]`; `None` without points.
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let first = *self.points.first()?;
        Some(self.points.iter().fold([first, first], |[lo, hi], p| {
            [std::array::from_fn(|i| lo[i].min(p[i])), std::array::from_fn(|i| hi[i].max(p[i]))]
        }))
    }

    /// What its cells are: the tets, else the triangles, else the edges; `None` without any.
    pub fn kind(&self) -> Option<Kind> {
        if !self.tets.is_empty() {
            Some(Kind::Solid)
        } else if !self.triangles.is_empty() {
            Some(Kind::Sheet)
        } else {
            (!self.edges.is_empty()).then_some(Kind::Line)
        }
    }

    /// Number of cells of its kind.
    pub fn cells(&self) -> usize {
        match self.kind() {
            Some(Kind::Solid) => self.tets.len(),
            Some(Kind::Sheet) => self.triangles.len(),
            Some(Kind::Line) => self.edges.len(),
            None => 0,
        }
    }

    /// For every vertex: is it a corner of no cell of the mesh's kind? Corners out of range are passed over.
    pub fn orphans(&self) -> Vec<bool> {
        let corners = match self.kind() {
            Some(Kind::Solid) => self.tets.as_flattened(),
            Some(Kind::Sheet) => self.triangles.as_flattened(),
            _ => self.edges.as_flattened(),
        };
        let mut orphan = vec![true; self.points.len()];
        for &v in corners {
            if let Some(o) = orphan.get_mut(v as usize) {
                *o = false;
            }
        }
        orphan
    }
}
