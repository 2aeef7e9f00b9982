//! The description as text for people: defects come first.

use std::fmt;

use super::{ArrayInfo, Info};
use crate::mesh::prepare::counted;

/// The width of a histogram's longest bar, in characters.
const BAR: u64 = 40;

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_surface(f)?;
        self.fmt_problems(f)?;
        let places = if self.welded > 0 {
            "at another's place: welded to judge the surface"
        } else {
            "at another's place"
        };
        let vertices = format!(
            "{}{}{}",
            self.vertices,
            remark(self.orphans, "in no cell"),
            remark(self.duplicate_vertices, places)
        );
        writeln!(f, "vertices     {vertices}")?;
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
        for (name, value) in [("volume", self.volume), ("area", self.area), ("length", self.length)] {
            if let Some(value) = value {
                writeln!(f, "{name:<12} {value:.6e}")?;
            }
        }
        self.fmt_shapes(f)?;
        self.arrays.iter().try_for_each(|array| array.fmt(f))
    }
}

impl Info {
    /// The verdict about the surface in one line.
    fn fmt_surface(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(closed), Some(manifold)) = (self.closed, self.manifold) else {
            return writeln!(f, "lines        {}", counted(self.components, "component", "components"));
        };
        let orientation = match (self.oriented, self.outward) {
            (Some(false), _) => "not oriented consistently",
            (_, Some(true)) => "oriented outward",
            (_, Some(false)) => "inside out",
            _ => "oriented consistently",
        };
        writeln!(
            f,
            "{:<12} {}, {}, {orientation}; {}, {}",
            if self.tets > 0 { "boundary" } else { "surface" },
            if closed { "closed" } else { "not closed" },
            if manifold { "manifold" } else { "not manifold" },
            counted(self.shells, "shell", "shells"),
            counted(self.components, "component", "components"),
        )
    }

    /// The defects, a line each, and the way to repair them if there is one.
    fn fmt_problems(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.first_intersection.unwrap_or_default();
        let (flat, repair) = match self.tets + self.edges {
            0 => (["triangle without area", "triangles without area"].map(String::from), true),
            _ => (
                ["cell", "cells"]
                    .map(|n| n.to_owned() + " without volume or length (repair = true drops them)"),
                false,
            ),
        };
        let nouns = |[one, many]: [&str; 2], what: &str| [format!("{one} {what}"), format!("{many} {what}")];
        let [edge, vertex, triangle] = [["edge", "edges"], ["vertex", "vertices"], ["triangle", "triangles"]];
        let border = format!("in {}", counted(self.boundary_loops, "loop", "loops"));
        let pairs = format!("of triangles that intersect (the first: {a} and {b})");
        let all = [
            (self.open_edges, nouns(["border edge", "border edges"], &border), repair),
            (self.nonmanifold_edges, nouns(edge, "with more than two triangles"), false),
            (self.nonmanifold_vertices, nouns(vertex, "where the surface touches itself"), false),
            (self.inconsistent_edges, nouns(edge, "between triangles oriented against each other"), repair),
            (self.inside_out, nouns(["shell", "shells"], "inside out"), repair),
            (self.self_intersections.unwrap_or(0), nouns(["pair", "pairs"], &pairs), false),
            (self.duplicate_triangles, nouns(triangle, "with the corners of another"), repair),
            (
                self.inverted,
                nouns(["tet", "tets"], "of negative volume (turned round before a simulation)"),
                false,
            ),
            (self.degenerate, flat, repair),
            (self.nonfinite, nouns(vertex, "with a coordinate that is not finite"), false),
            (self.out_of_range, nouns(["cell", "cells"], "with vertices that do not exist"), false),
        ];
        for (count, [one, many], _) in all.iter().filter(|(count, ..)| *count > 0) {
            writeln!(f, "             {}", counted(*count, one, many))?;
        }
        if self.uncompared_triangles > 0 {
            let [one, many] = ["triangle was", "triangles were"]
                .map(|n| n.to_owned() + " not compared with all others: more pairs may intersect");
            writeln!(f, "             {}", counted(self.uncompared_triangles, &one, &many))?;
        }
        if all.iter().any(|(count, _, repair)| *count > 0 && *repair) {
            writeln!(f, "             to make a closed surface of it: pliant convert IN OUT --repair")?;
        }
        Ok(())
    }

    fn fmt_shapes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(min), Some(max)) = (self.min_dihedral_deg, self.max_dihedral_deg) {
            writeln!(f, "dihedral     {min:.4}° to {max:.4}°")?;
            bars(f, &self.dihedral_histogram, |bin| {
                let width = 180 / self.dihedral_histogram.len();
                format!("{:>3}°-{:>3}°", bin * width, (bin + 1) * width)
            })?;
        }
        if let Some(min) = self.min_radius_ratio {
            writeln!(f, "radius ratio {min:.4} at the least; 1 is a regular tet")?;
            bars(f, &self.radius_ratio_histogram, |bin| {
                let edge = |bin: usize| bin as f64 / self.radius_ratio_histogram.len() as f64;
                format!("  {:.1}-{:.1}", edge(bin), edge(bin + 1))
            })?;
        }
        Ok(())
    }
}

fn bars(f: &mut fmt::Formatter<'_>, counts: &[u64], label: impl Fn(usize) -> String) -> fmt::Result {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    for (bin, &count) in counts.iter().enumerate() {
        let bar = "#".repeat((count * BAR).div_ceil(most) as usize);
        writeln!(f, "  {}  {count:>9} {bar}", label(bin))?;
    }
    Ok(())
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
