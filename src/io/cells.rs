//! VTK cells to tets, triangles and edges, shared by the VTU and the legacy reader.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::split::{corners_of, split};
use super::{CELLS_LEFT_OUT, Fault, Import, Parsed};
use crate::mesh::{DataArray, Mesh};

/// VTK's number of a polygon, whose corners are cut into a fan of triangles.
pub(crate) const POLYGON: i64 = 7;
/// VTK's number of a triangle strip.
pub(crate) const STRIP: i64 = 6;

/// VTK's number of a tet with ten nodes.
pub(crate) const QUADRATIC_TET: i64 = 24;
/// VTK's number of a line of two points.
const LINE: i64 = 3;
/// VTK's number of a polyline, which is cut into edges.
pub(crate) const POLYLINE: i64 = 4;

/// Collects the cells that are used, and their places among the file's cells.
#[derive(Default)]
pub(crate) struct Cells {
    pub(crate) tets: Vec<[u32; 4]>,
    /// The further nodes of quadratic tets, VTK's order.
    middles: Vec<[u32; 6]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    tet_sources: Vec<usize>,
    triangle_sources: Vec<usize>,
    edge_sources: Vec<usize>,
    lines: usize,
    skipped: BTreeMap<i64, usize>,
    count: usize,
}

impl Cells {
    /// Takes the file's next cell. Its corners count from `first_point`, after which the file has `points` points.
    /// Quadratic triangles and edges give their corners, hexahedra, wedges, pyramids and quads tets and triangles; kinds that are
    /// not used are counted and skipped.
    pub(crate) fn push(
        &mut self,
        kind: i64,
        corners: &[i64],
        first_point: usize,
        points: usize,
    ) -> Parsed<()> {
        let number = self.count;
        let vertex = |corner: i64| match usize::try_from(corner) {
            Ok(v) if v < points => Ok((first_point + v) as u32),
            _ => {
                let reason = format!("uses point {corner}, but there are only {points} (numbered from 0)");
                Err(Fault::new(format!("cell {number}"), reason))
            }
        };
        let vertices = |count: usize| -> Parsed<Vec<u32>> {
            let Some(corners) = corners.get(..count) else {
                let reason = format!("a {} with {} corners", kind_name(kind), corners.len());
                return Err(Fault::new(format!("cell {number}"), reason));
            };
            corners.iter().map(|&c| vertex(c)).collect()
        };
        match kind {
            10 | QUADRATIC_TET => {
                let v = vertices(if kind == QUADRATIC_TET { 10 } else { 4 })?;
                self.tets.push([v[0], v[1], v[2], v[3]]);
                self.middles.extend(v.get(4..).and_then(|middles| <[u32; 6]>::try_from(middles).ok()));
                self.tet_sources.push(number);
            }
            5 | 22 => {
                let v = vertices(3)?;
                self.push_triangle([v[0], v[1], v[2]]);
            }
            LINE | POLYLINE | 21 => {
                let v = vertices(if kind == POLYLINE { corners.len() } else { 2 })?;
                self.edges.extend(v.windows(2).map(|ends| [ends[0], ends[1]]));
                self.edge_sources.resize(self.edges.len(), number);
                self.lines += 1;
            }
            _ => match corners_of(kind) {
                None => *self.skipped.entry(kind).or_default() += 1,
                Some(order) => {
                    let v = vertices(order.len())?;
                    let pieces = split(&order.iter().map(|i| v[*i]).collect::<Vec<u32>>());
                    self.tets.extend(&pieces.tets);
                    self.tet_sources.resize(self.tets.len(), number);
                    self.triangles.extend(&pieces.triangles);
                    self.triangle_sources.resize(self.triangles.len(), number);
                }
            },
        }
        self.count += 1;
        Ok(())
    }

    /// Takes the next cell of a polygonal surface. Polygons and strips become triangles, each with the cell data of the
    /// cell that it comes from.
    pub(crate) fn push_polygonal(&mut self, kind: i64, corners: &[i64], points: usize) -> Parsed<()> {
        if kind == POLYLINE {
            return self.push(kind, corners, 0, points);
        }
        let mut part = |corners: [i64; 3]| -> Parsed<()> {
            self.push(5, &corners, 0, points)?;
            self.count -= 1;
            Ok(())
        };
        match kind {
            POLYGON => {
                for pair in corners.windows(2).skip(1) {
                    part([corners[0], pair[0], pair[1]])?;
                }
            }
            STRIP => {
                for (i, w) in corners.windows(3).enumerate() {
                    part(if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })?;
                }
            }
            _ => *self.skipped.entry(kind).or_default() += 1,
        }
        self.count += 1;
        Ok(())
    }

    /// The number of the file's cells so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The mesh. `cell_data` has a tuple for every cell of the file and is restricted to the cells that are
    /// kept; a cell that was cut into many pays for the copies of its tuple. Lines are kept only if the file has no cells of a higher dimension, used or not; otherwise they
    /// are the edges of those. Tets have middles if all are quadratic. What is left out is in the notes.
    pub(crate) fn into_mesh(
        mut self,
        points: Vec<[f64; 3]>,
        point_data: Vec<DataArray>,
        cell_data: Vec<DataArray>,
        budget: &Budget,
    ) -> Parsed<Import> {
        let is_line = self.tets.is_empty() && self.triangles.is_empty();
        let has_others = self.skipped.keys().any(|kind| !(0..=2).contains(kind));
        if is_line && (self.edges.is_empty() || has_others) {
            return Err(self.nothing_usable());
        }
        let sources = match (self.tets.is_empty(), is_line) {
            (false, _) => &self.tet_sources,
            (true, false) => &self.triangle_sources,
            (true, true) => &self.edge_sources,
        };
        let all = sources.len() == self.count && sources.iter().enumerate().all(|(i, &s)| i == s);
        let restrict = |array: DataArray| {
            if all {
                return Ok(array);
            }
            let n = array.components;
            budget.charge_numbers(sources.len().saturating_mul(n))?;
            let values = sources.iter().flat_map(|&s| &array.values[s * n..(s + 1) * n]).copied().collect();
            Ok(DataArray { values, ..array })
        };
        let cell_data = cell_data.into_iter().map(restrict).collect::<Parsed<_>>()?;
        let edges = if is_line { self.edges } else { Vec::new() };
        if self.middles.len() != self.tets.len() {
            self.middles.clear();
        }
        let (tets, middles, triangles) = (self.tets, self.middles, self.triangles);
        let notes = self.skipped.iter().filter(|(kind, _)| !(0..=2).contains(*kind));
        let notes =
            notes.map(|(kind, count)| format!("{CELLS_LEFT_OUT}: {count} × {}", kind_name(*kind))).collect();
        let mesh = Mesh { points, tets, middles, triangles, edges, point_data, cell_data, groups: vec![] };
        Ok(Import { mesh, notes })
    }

    fn nothing_usable(mut self) -> Fault {
        if self.lines > 0 {
            self.skipped.insert(LINE, self.lines);
        }
        let found: Vec<String> =
            self.skipped.iter().map(|(&kind, count)| format!("{count} × {}", kind_name(kind))).collect();
        let found = if found.is_empty() { "no cells at all".into() } else { found.join(", ") };
        let fault = Fault::new("", format!("the file holds no tetrahedra and no triangles, but {found}"));
        fault.hint("split other cells into tetrahedra before, e.g. with ParaView's Tetrahedralize")
    }

    fn push_triangle(&mut self, triangle: [u32; 3]) {
        self.triangles.push(triangle);
        self.triangle_sources.push(self.count);
    }
}

/// The name of a cell kind in VTK.
fn kind_name(kind: i64) -> String {
    let name = match kind {
        0 => "empty cell",
        1 | 2 => "vertex",
        LINE | POLYLINE => "line",
        5 => "triangle",
        STRIP => "triangle strip",
        POLYGON => "polygon",
        8 => "pixel",
        9 => "quad",
        10 => "tetrahedron",
        11 => "voxel",
        12 => "hexahedron",
        13 => "wedge",
        14 => "pyramid",
        21 => "quadratic edge",
        22 => "quadratic triangle",
        23 => "quadratic quad",
        QUADRATIC_TET => "quadratic tetrahedron",
        25 => "quadratic hexahedron",
        42 => "polyhedron",
        _ => return format!("cell of type {kind}"),
    };
    name.to_owned()
}
