//! What there is to know about a mesh, for `pliant info`.

use std::fmt;

use serde::Serialize;

use super::prepare::degenerate_edges;
use super::quality::{self, BINS};
use super::surface;
use super::union_find::UnionFind;
use super::{DataArray, Kind, Mesh};
use crate::math::vec3::{norm, sub};

/// The description of one mesh. Serializes to JSON; what cannot be told, or is not finite, is `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Number of vertices.
    pub vertices: usize,
    /// Boundary triangles of the tets, or the triangles of a mesh without tets.
    pub triangles: usize,
    /// Number of tets.
    pub tets: usize,
    /// Edges of a mesh of lines; 0 of any other.
    pub edges: usize,
    /// `[min, max]` of the vertices that are finite.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Sum of the tets' absolute volumes; of a closed surface, what it encloses.
    pub volume: Option<f64>,
    /// Area of the triangles; `null` of lines.
    pub area: Option<f64>,
    /// Length of the edges of a mesh of lines.
    pub length: Option<f64>,
    /// Does every edge of the surface have exactly two triangles? `null` of lines.
    pub closed: Option<bool>,
    /// Is the surface free of edges with more than two triangles and of vertices with more than one fan? `null` of
    /// lines.
    pub manifold: Option<bool>,
    /// Border edges of the surface.
    pub open_edges: usize,
    /// Edges with more than two triangles.
    pub nonmanifold_edges: usize,
    /// Vertices with more than one fan of triangles.
    pub nonmanifold_vertices: usize,
    /// Edges whose two triangles are oriented against each other.
    pub inconsistent_edges: usize,
    /// Parts of the surface that hang together by edges.
    pub shells: usize,
    /// Parts of the mesh that hang together by vertices.
    pub components: usize,
    /// Tets of negative volume; they are turned round before a simulation.
    pub inverted: usize,
    /// Tets without volume, or edges without length; refused unless `repair = true`.
    pub degenerate: usize,
    /// Vertices in no cell.
    pub orphans: usize,
    /// Vertices with a coordinate that is NaN or infinite.
    pub nonfinite: usize,
    /// Cells that use vertices that do not exist; they are left out of everything else.
    pub out_of_range: usize,
    /// Smallest dihedral angle of the tets that have a volume.
    pub min_dihedral_deg: Option<f64>,
    /// Largest dihedral angle of the tets that have a volume.
    pub max_dihedral_deg: Option<f64>,
    /// Dihedral angles in bins of 10°; empty without tets.
    pub dihedral_histogram: Vec<u64>,
    /// The data arrays.
    pub arrays: Vec<ArrayInfo>,
}

/// The description of one data array.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArrayInfo {
    /// Name in the file.
    pub name: String,
    /// `points` or `cells`.
    pub on: &'static str,
    /// Values per point or cell.
    pub components: usize,
    /// Smallest and largest finite value; `null` if there is none.
    pub range: Option<[f64; 2]>,
    /// Values that are NaN or infinite.
    pub nonfinite: usize,
}

/// Describes `mesh`, whatever is wrong with it.
pub fn describe(mesh: &Mesh) -> Info {
    let vertices = mesh.points.len();
    let in_range = |corners: &[u32]| corners.iter().all(|&v| (v as usize) < vertices);
    let mut tets: Vec<[u32; 4]> = mesh.tets.iter().copied().filter(|t| in_range(t)).collect();
    let shape = quality::measure(&mesh.points, &tets);
    for tet in &mut tets {
        if quality::shape_ratio(&mesh.points, *tet) < 0.0 {
            tet.swap(2, 3);
        }
    }
    let triangles = if mesh.tets.is_empty() {
        mesh.triangles.iter().copied().filter(|t| in_range(t)).collect()
    } else {
        surface::boundary(&tets)
    };
    let lines = lines(mesh);
    let is_line = mesh.kind() == Some(Kind::Line);
    let topology = surface::topology(&triangles);
    let is_closed = topology.closed() && !triangles.is_empty();
    let (used, components) = match mesh.kind() {
        Some(Kind::Solid) => (tets.len(), components(vertices, &tets)),
        Some(Kind::Sheet) => (triangles.len(), components(vertices, &triangles)),
        _ => (lines.edges.len(), components(vertices, &lines.edges)),
    };
    let area: f64 = triangles.iter().map(|&t| norm(surface::area_vector(&mesh.points, t))).sum();
    let length: f64 = lines.edges.iter().map(|&[a, b]| edge_length(&mesh.points, a, b)).sum();
    Info {
        vertices,
        triangles: triangles.len(),
        tets: mesh.tets.len(),
        edges: if is_line { mesh.edges.len() } else { 0 },
        bounds: finite_bounds(&mesh.points),
        volume: match (tets.is_empty(), is_closed) {
            (false, _) => finite(tets.iter().map(|&t| quality::volume(&mesh.points, t)).sum()),
            (true, true) => finite(surface::enclosed_volume(&mesh.points, &triangles)),
            (true, false) => None,
        },
        area: finite(area).filter(|_| !is_line),
        length: finite(length).filter(|_| is_line),
        closed: (!is_line).then_some(is_closed),
        manifold: (!is_line).then_some(topology.manifold()),
        open_edges: topology.open_edges,
        nonmanifold_edges: topology.nonmanifold_edges,
        nonmanifold_vertices: topology.nonmanifold_vertices,
        inconsistent_edges: topology.inconsistent_edges,
        shells: topology.shells,
        components,
        inverted: shape.inverted,
        degenerate: shape.degenerate + degenerate_edges(&lines).len(),
        orphans: mesh.orphans().iter().filter(|&&o| o).count(),
        nonfinite: mesh.points.iter().filter(|p| !p.iter().all(|x| x.is_finite())).count(),
        out_of_range: mesh.cells() - used,
        min_dihedral_deg: finite(shape.min_dihedral_deg),
        max_dihedral_deg: finite(shape.max_dihedral_deg),
        dihedral_histogram: if tets.is_empty() { Vec::new() } else { shape.histogram.to_vec() },
        arrays: arrays(mesh),
    }
}

/// The points of a mesh of lines and those of its edges whose ends exist; no edges of any other mesh.
fn lines(mesh: &Mesh) -> Mesh {
    let mut lines = Mesh::default();
    if mesh.kind() == Some(Kind::Line) {
        lines.points.clone_from(&mesh.points);
        lines.edges = mesh
            .edges
            .iter()
            .copied()
            .filter(|e| e.iter().all(|&v| (v as usize) < mesh.points.len()))
            .collect();
    }
    lines
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

/// Parts that hang together by vertices; vertices in no cell do not count.
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

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "vertices     {}{}", self.vertices, remark(self.orphans, "in no cell"))?;
        if self.edges > 0 {
            writeln!(f, "cells        {} edges", self.edges)?;
        } else {
            let kind = if self.tets > 0 { "triangles on the boundary" } else { "triangles" };
            writeln!(f, "cells        {} tets, {} {kind}", self.tets, self.triangles)?;
        }
        if let Some([lo, hi]) = self.bounds {
            let size: [f64; 3] = std::array::from_fn(|i| hi[i] - lo[i]);
            writeln!(f, "bounds       {lo:?} to {hi:?}, size {size:?}")?;
        }
        if let Some(volume) = self.volume {
            writeln!(f, "volume       {volume:.6e}")?;
        }
        if let Some(area) = self.area {
            writeln!(f, "area         {area:.6e}")?;
        }
        if let Some(length) = self.length {
            writeln!(f, "length       {length:.6e}")?;
        }
        if let (Some(closed), Some(manifold)) = (self.closed, self.manifold) {
            writeln!(
                f,
                "surface      {}, {}, shells: {}, components: {}",
                if closed { "closed" } else { "not closed" },
                if manifold { "manifold" } else { "not manifold" },
                self.shells,
                self.components
            )?;
        } else {
            writeln!(f, "lines        components: {}", self.components)?;
        }
        for (count, what) in [
            (self.open_edges, "border edges"),
            (self.nonmanifold_edges, "edges with more than two triangles"),
            (self.nonmanifold_vertices, "vertices where the surface touches itself"),
            (self.inconsistent_edges, "edges between triangles oriented against each other"),
            (self.inverted, "tets of negative volume (turned round before a simulation)"),
            (self.degenerate, "cells without volume or length (repair = true on a body drops them)"),
            (self.nonfinite, "vertices that are not finite"),
            (self.out_of_range, "cells with vertices that do not exist"),
        ] {
            if count > 0 {
                writeln!(f, "             {count} {what}")?;
            }
        }
        self.fmt_angles(f)?;
        self.arrays.iter().try_for_each(|array| array.fmt(f))
    }
}

impl Info {
    fn fmt_angles(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(min), Some(max)) = (self.min_dihedral_deg, self.max_dihedral_deg) else { return Ok(()) };
        writeln!(f, "dihedral     {min:.4}° to {max:.4}°")?;
        let most = self.dihedral_histogram.iter().copied().max().unwrap_or(0).max(1);
        for (bin, &count) in self.dihedral_histogram.iter().enumerate() {
            let width = 180 / BINS;
            let bar = "#".repeat((count * 40).div_ceil(most) as usize);
            writeln!(f, "  {:>3}°-{:>3}°  {count:>9} {bar}", bin * width, (bin + 1) * width)?;
        }
        Ok(())
    }
}

impl fmt::Display for ArrayInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array        '{}' on {}, components: {}", self.name, self.on, self.components)?;
        if let Some([lo, hi]) = self.range {
            write!(f, ", from {lo} to {hi}")?;
        }
        writeln!(f, "{}", remark(self.nonfinite, "not finite"))
    }
}

fn remark(count: usize, what: &str) -> String {
    if count == 0 { String::new() } else { format!(" ({count} {what})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolved::Shape;
    use crate::mesh::generate::generate;

    #[test]
    fn a_block_is_described_in_the_contracts_words() {
        let mesh = generate(&Shape::Block { size: [2.0, 1.0, 1.0], cells: [2, 1, 1], split: 6 });
        let json = serde_json::to_value(describe(&mesh)).unwrap();
        assert_eq!(json["vertices"], 12);
        assert_eq!(json["tets"], 12);
        assert_eq!(json["triangles"], 20);
        assert_eq!(json["bounds"], serde_json::json!([[0.0, 0.0, 0.0], [2.0, 1.0, 1.0]]));
        assert_eq!(json["volume"], 2.0);
        assert_eq!((&json["closed"], &json["manifold"]), (&true.into(), &true.into()));
        assert_eq!((&json["inverted"], &json["components"]), (&0.into(), &1.into()));
        assert!((json["min_dihedral_deg"].as_f64().unwrap() - 45.0).abs() < 1e-9);
        assert_eq!(json["arrays"], serde_json::json!([]));
    }

    #[test]
    fn a_broken_mesh_is_described_too() {
        let mesh = Mesh {
            points: vec![[0.0; 3], [f64::NAN; 3], [0.0, 1.0, 0.0], [f64::INFINITY, 0.0, 1.0]],
            tets: vec![[0, 1, 2, 3], [0, 1, 2, 9]],
            point_data: vec![DataArray {
                name: "t".into(),
                components: 1,
                values: vec![f64::NAN, 1.0, 2.0, 3.0],
            }],
            ..Mesh::default()
        };
        let info = describe(&mesh);
        assert_eq!((info.degenerate, info.out_of_range, info.nonfinite), (1, 1, 2));
        let json = serde_json::to_string(&info).unwrap();
        assert!(json.contains(r#""volume":null"#) && json.contains(r#""range":[1.0,3.0]"#), "{json}");
        assert!(info.to_string().contains("2 vertices that are not finite"));
        assert!(describe(&Mesh::default()).to_string().contains("0 tets"));
    }

    #[test]
    fn a_closed_surface_has_a_volume_and_a_cloth_has_none() {
        let ball = generate(&Shape::Sphere { radius: 1.0, cells: 3 });
        let surface =
            Mesh { points: ball.points.clone(), triangles: surface::boundary(&ball.tets), ..Mesh::default() };
        let (solid, shell) = (describe(&ball), describe(&surface));
        assert!((solid.volume.unwrap() / shell.volume.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(shell.orphans, 1 + 12 + 42);
        let cloth = describe(&generate(&Shape::Cloth { size: [1.0, 1.0], cells: [3, 3] }));
        assert_eq!((cloth.volume, cloth.closed, cloth.manifold), (None, Some(false), Some(true)));
        assert_eq!((cloth.edges, cloth.length), (0, None));
    }

    #[test]
    fn lines_have_a_length_and_nothing_of_a_surface() {
        let mut mesh = generate(&Shape::Rope { length: 2.0, segments: 8 });
        mesh.edges.remove(3);
        mesh.edges.extend([[5, 5], [0, 99]]);
        let info = describe(&mesh);
        assert_eq!((info.edges, info.triangles, info.tets, info.components), (9, 0, 0, 2));
        assert_eq!((info.degenerate, info.out_of_range, info.orphans), (1, 1, 0));
        assert!((info.length.unwrap() - 1.75).abs() < 1e-15);
        assert_eq!((info.volume, info.area, info.closed, info.manifold), (None, None, None, None));
        let text = info.to_string();
        assert!(text.contains("9 edges") && text.contains("components: 2"), "{text}");
        assert!(!["area", "surface", "tets,"].iter().any(|word| text.contains(word)), "{text}");
    }
}
