//! Meshes as files hold them, before they are simulated.
//!
//! A [`Mesh`] keeps the file's vertex and cell order: output is written in that order, so that a user's
//! arrays, UVs and selections stay valid.
//!
//! - [`generate`](mod@generate): procedural meshes;
//! - [`prepare`](mod@prepare): from a mesh that was read to one that can be simulated;
//! - [`embedding`]: points that follow tets;
//! - [`polygon`]: polygons to triangles;
//! - [`quadratic`]: tets with ten nodes;
//! - [`surface`]: the boundary of the tets, and whether it is closed and manifold;
//! - [`loops`](mod@loops), [`nesting`], [`weld`], [`intersect`]: its borders, parts that are inside out, vertices at
//!   the same place, triangles that intersect;
//! - [`quality`]: volumes and dihedral angles;
//! - [`tree`]: boxes over triangles, to find what is near and what may touch;
//! - [`winding`]: how often a surface goes round a point, which tells inside from outside for any surface;
//! - [`info`]: all of that about one mesh, for `pliant info`;
//! - [`refine`](mod@refine): cells cut in halves;
//! - [`repair`](mod@repair): surfaces that are nearly closed and manifold become so.

pub mod curved;
pub mod embedding;
pub mod generate;
pub mod info;
pub mod intersect;
pub mod loops;
pub mod nesting;
pub mod polygon;
pub mod prepare;
pub mod quadratic;
pub mod quality;
pub mod refine;
pub mod repair;
pub mod surface;
pub mod tree;
pub(crate) mod union_find;
pub mod weld;
pub mod winding;

/// The kind of a mesh: its cells of the highest dimension.
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
    /// The name of one of its cells in messages.
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
    /// The nodes in the middles of each tet's edges, in the order of [`quadratic::EDGES`]; empty if tets have corners only.
    pub middles: Vec<[u32; 6]>,
    /// Triangles: the surface, if the file has one, or a cloth.
    pub triangles: Vec<[u32; 3]>,
    /// Line segments; readers keep them only if a file has neither tets nor triangles.
    pub edges: Vec<[u32; 2]>,
    /// Arrays with a tuple per point.
    pub point_data: Vec<DataArray>,
    /// Arrays with a tuple per tet (per triangle if the mesh has no tets, per edge if it has no triangles either).
    pub cell_data: Vec<DataArray>,
    /// Sets of points with names: the groups, objects and materials of an OBJ file.
    pub groups: Vec<Group>,
}

/// Points that have names in common. A name may be that of several groups, which together have its points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The names.
    pub names: Vec<String>,
    /// The numbers of the points, ascending.
    pub points: Vec<u32>,
}

/// A named array with `components` values per point or cell.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// The array's name in the file.
    pub name: String,
    /// The number of values per tuple, at least 1.
    pub components: usize,
    /// All values: `tuples × components` of them.
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

    /// The kind of its cells: tets, else triangles, else edges; `None` without any.
    pub fn kind(&self) -> Option<Kind> {
        if !self.tets.is_empty() {
            Some(Kind::Solid)
        } else if !self.triangles.is_empty() {
            Some(Kind::Sheet)
        } else {
            (!self.edges.is_empty()).then_some(Kind::Line)
        }
    }

    /// The number of cells of its kind.
    pub fn cells(&self) -> usize {
        match self.kind() {
            Some(Kind::Solid) => self.tets.len(),
            Some(Kind::Sheet) => self.triangles.len(),
            Some(Kind::Line) => self.edges.len(),
            None => 0,
        }
    }

    /// For every vertex, true if it is a corner of no cell of the mesh's kind. Corners out of range are ignored.
    pub fn orphans(&self) -> Vec<bool> {
        let corners = match self.kind() {
            Some(Kind::Solid) => self.tets.as_flattened(),
            Some(Kind::Sheet) => self.triangles.as_flattened(),
            _ => self.edges.as_flattened(),
        };
        let mut orphan = vec![true; self.points.len()];
        let middles = if self.kind() == Some(Kind::Solid) { self.middles.as_flattened() } else { &[] };
        for &v in corners.iter().chain(middles) {
            if let Some(o) = orphan.get_mut(v as usize) {
                *o = false;
            }
        }
        orphan
    }
}
