//! The description of a mesh, for `pliant info`.

mod diagnosis;
mod text;

pub use diagnosis::{Diagnosis, diagnose};

use serde::Serialize;

use super::prepare::degenerate_cells;
use super::quality;
use super::surface;
use super::union_find::UnionFind;
use super::weld::coinciding;
use super::{DataArray, Kind, Mesh};
use elements::math::vec3::{norm, sub};

/// The description of one mesh. It serializes to JSON; values that are unknown or not finite are `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// The number of vertices.
    pub vertices: usize,
    /// The number of boundary triangles of the tets, or of triangles in a mesh without tets.
    pub triangles: usize,
    /// The number of tets.
    pub tets: usize,
    /// The number of edges of a mesh of lines; 0 for other meshes.
    pub edges: usize,
    /// The box `[min, max]` around all finite vertices.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// The sum of the tets' absolute volumes. For a closed and oriented surface, the volume that it encloses,
    /// negative if it is inside out.
    pub volume: Option<f64>,
    /// The area of the triangles; `null` for lines.
    pub area: Option<f64>,
    /// The length of the edges of a mesh of lines.
    pub length: Option<f64>,
    /// True if every edge of the surface has exactly two triangles; `null` for lines.
    pub closed: Option<bool>,
    /// True if the surface has no edge with more than two triangles and no vertex with more than one
    /// fan; `null` for lines.
    pub manifold: Option<bool>,
    /// True if the triangles at every edge run through it in opposite directions; `null` for lines.
    pub oriented: Option<bool>,
    /// True if every shell of the surface points outward, or into a cavity; `null` unless it is closed and oriented.
    pub outward: Option<bool>,
    /// The number of shells that are inside out.
    pub inside_out: usize,
    /// The number of border edges of the surface.
    pub open_edges: usize,
    /// The number of loops that the border edges form.
    pub boundary_loops: usize,
    /// The number of edges with more than two triangles.
    pub nonmanifold_edges: usize,
    /// The number of vertices with more than one fan of triangles.
    pub nonmanifold_vertices: usize,
    /// The number of edges whose two triangles are oriented against each other.
    pub inconsistent_edges: usize,
    /// The number of parts of the surface that are connected by edges.
    pub shells: usize,
    /// The number of parts of the mesh that are connected by vertices.
    pub components: usize,
    /// The number of tets of negative volume; they are turned round before a simulation.
    pub inverted: usize,
    /// The number of tets without volume, triangles without area or edges without length; refused
    /// unless `repair = true`.
    pub degenerate: usize,
    /// The number of triangles of the surface with the corners of another one.
    pub duplicate_triangles: usize,
    /// The number of pairs of triangles of the surface that intersect beyond shared vertices; `null` for lines.
    pub self_intersections: Option<usize>,
    /// The number of triangles that are in such a pair.
    pub intersecting_triangles: usize,
    /// The first of these pairs.
    pub first_intersection: Option<[u32; 2]>,
    /// The number of triangles that were not compared with all others, so that there may be more such pairs; 0 unless
    /// very many triangles overlap.
    pub uncompared_triangles: usize,
    /// The number of vertices in no cell.
    pub orphans: usize,
    /// The number of vertices at exactly the place of an earlier one.
    pub duplicate_vertices: usize,
    /// How many of them were welded to judge the surface: all, if no triangles have a vertex in common; else none.
    pub welded: usize,
    /// The number of vertices with a coordinate that is NaN or infinite.
    pub nonfinite: usize,
    /// The number of cells that use vertices that do not exist; they are left out of everything else.
    pub out_of_range: usize,
    /// The smallest dihedral angle of the tets that have a volume, in degrees.
    pub min_dihedral_deg: Option<f64>,
    /// The largest dihedral angle of the tets that have a volume, in degrees.
    pub max_dihedral_deg: Option<f64>,
    /// Dihedral angles in bins of 10°; empty without tets.
    pub dihedral_histogram: Vec<u64>,
    /// The smallest radius ratio of the tets that have a volume: 1 for a regular one.
    pub min_radius_ratio: Option<f64>,
    /// Radius ratios in bins of 0.1; empty without tets.
    pub radius_ratio_histogram: Vec<u64>,
    /// The data arrays of the mesh.
    pub arrays: Vec<ArrayInfo>,
}

/// The description of one data array.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArrayInfo {
    /// The name of the array in the file.
    pub name: String,
    /// What the array is on: `points` or `cells`.
    pub on: &'static str,
    /// The number of values per point or cell.
    pub components: usize,
    /// The smallest and the largest finite value; `null` if there is none.
    pub range: Option<[f64; 2]>,
    /// The number of values that are NaN or infinite.
    pub nonfinite: usize,
}

/// True if the mesh has tets without volume, triangles without area or edges without length.
pub fn is_degenerate_somewhere(mesh: &Mesh) -> bool {
    !degenerate_cells(mesh).is_empty()
}

/// Describes `mesh`, whatever its defects are.
pub fn describe(mesh: &Mesh) -> Info {
    let vertices = mesh.points.len();
    let whole = in_range(mesh);
    let (points, tets) = (&mesh.points, &whole.tets);
    let shape = quality::measure(points, tets);
    let triangles = if mesh.tets.is_empty() { whole.triangles.clone() } else { boundary(points, tets) };
    let is_line = mesh.kind() == Some(Kind::Line);
    let surface = diagnose(points, &triangles);
    let topology = surface.topology;
    let is_closed = topology.closed() && !surface.triangles.is_empty();
    let components = match mesh.kind() {
        Some(Kind::Solid) => components(vertices, tets),
        Some(Kind::Sheet) => components(vertices, &surface.triangles),
        _ => components(vertices, &whole.edges),
    };
    let area: f64 = triangles.iter().map(|&t| norm(surface::area_vector(points, t))).sum();
    let length: f64 = whole.edges.iter().map(|&[a, b]| edge_length(points, a, b)).sum();
    let mut intersecting: Vec<u32> = surface.intersections.pairs.as_flattened().to_vec();
    intersecting.sort_unstable();
    intersecting.dedup();
    Info {
        vertices,
        triangles: triangles.len(),
        tets: mesh.tets.len(),
        edges: if is_line { mesh.edges.len() } else { 0 },
        bounds: finite_bounds(points),
        volume: match (tets.is_empty(), is_closed && topology.inconsistent_edges == 0) {
            (false, _) => finite(tets.iter().map(|&t| quality::volume(points, t).abs()).sum()),
            (true, true) => finite(surface::enclosed_volume(points, &surface.triangles)),
            (true, false) => None,
        },
        area: finite(area).filter(|_| !is_line),
        length: finite(length).filter(|_| is_line),
        closed: (!is_line).then_some(is_closed),
        manifold: (!is_line).then_some(topology.manifold()),
        oriented: (!is_line).then_some(topology.inconsistent_edges == 0),
        outward: surface.inside_out.map(|count| count == 0),
        inside_out: surface.inside_out.unwrap_or(0),
        open_edges: topology.open_edges,
        boundary_loops: surface.boundary_loops,
        nonmanifold_edges: topology.nonmanifold_edges,
        nonmanifold_vertices: topology.nonmanifold_vertices,
        inconsistent_edges: topology.inconsistent_edges,
        shells: topology.shells,
        components,
        inverted: shape.inverted,
        degenerate: degenerate_cells(&whole).len(),
        duplicate_triangles: surface.duplicates,
        self_intersections: (!is_line).then_some(surface.intersections.pairs.len()),
        intersecting_triangles: intersecting.len(),
        first_intersection: surface.intersections.pairs.first().copied(),
        uncompared_triangles: surface.intersections.uncompared,
        orphans: mesh.orphans().iter().filter(|&&o| o).count(),
        duplicate_vertices: coinciding(points).iter().zip(0..).filter(|&(&first, v)| first != v).count(),
        welded: surface.welded,
        nonfinite: points.iter().filter(|p| !p.iter().all(|x| x.is_finite())).count(),
        out_of_range: mesh.cells() - whole.cells(),
        min_dihedral_deg: finite(shape.min_dihedral_deg),
        max_dihedral_deg: finite(shape.max_dihedral_deg),
        dihedral_histogram: if tets.is_empty() { Vec::new() } else { shape.histogram.to_vec() },
        min_radius_ratio: finite(shape.min_radius_ratio),
        radius_ratio_histogram: if tets.is_empty() { Vec::new() } else { shape.ratio_histogram.to_vec() },
        arrays: arrays(mesh),
    }
}

/// The points of `mesh` and those cells of its kind whose corners exist.
fn in_range(mesh: &Mesh) -> Mesh {
    fn filtered<const N: usize>(cells: &[[u32; N]], vertices: usize) -> Vec<[u32; N]> {
        cells.iter().copied().filter(|cell| cell.iter().all(|&v| (v as usize) < vertices)).collect()
    }
    let vertices = mesh.points.len();
    let mut whole = Mesh { points: mesh.points.clone(), ..Mesh::default() };
    match mesh.kind() {
        Some(Kind::Solid) => whole.tets = filtered(&mesh.tets, vertices),
        Some(Kind::Sheet) => whole.triangles = filtered(&mesh.triangles, vertices),
        _ => whole.edges = filtered(&mesh.edges, vertices),
    }
    whole
}

/// The boundary of the tets, as if all of them were positive.
fn boundary(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let turned = |&[a, b, c, d]: &[u32; 4]| {
        if quality::shape_ratio(points, [a, b, c, d]) < 0.0 { [a, b, d, c] } else { [a, b, c, d] }
    };
    surface::boundary(&tets.iter().map(turned).collect::<Vec<_>>())
}

fn edge_length(points: &[[f64; 3]], a: u32, b: u32) -> f64 {
    norm(sub(points[b as usize], points[a as usize]))
}

fn arrays(mesh: &Mesh) -> Vec<ArrayInfo> {
    let describe = |on, array: &DataArray| {
        let finite = || array.values.iter().copied().filter(|x| x.is_finite());
        let range = [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)];
        ArrayInfo {
            name: array.name.clone(),
            on,
            components: array.components,
            range: (range[0] <= range[1]).then_some(range),
            nonfinite: array.values.len() - finite().count(),
        }
    };
    let points = mesh.point_data.iter().map(|a| describe("points", a));
    points.chain(mesh.cell_data.iter().map(|a| describe("cells", a))).collect()
}

/// The number of parts that are connected by vertices; vertices in no cell do not count.
fn components<const N: usize>(vertices: usize, cells: &[[u32; N]]) -> usize {
    let mut sets = UnionFind::new(vertices);
    let mut used = vec![false; vertices];
    for cell in cells {
        for &v in cell {
            used[v as usize] = true;
            sets.union(cell[0], v);
        }
    }
    (0..vertices as u32).filter(|&v| used[v as usize] && sets.find(v) == v).count()
}

fn finite_bounds(points: &[[f64; 3]]) -> Option<[[f64; 3]; 2]> {
    let finite = points.iter().copied().filter(|p| p.iter().all(|x| x.is_finite())).collect();
    Mesh { points: finite, ..Mesh::default() }.bounds()
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

#[cfg(test)]
mod tests;
