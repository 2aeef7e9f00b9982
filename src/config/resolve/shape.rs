//! Procedural meshes: which keys a shape takes, and their ranges. Shared by `[[body]]` and `pliant generate`.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::refuse_keys;
use crate::mesh::generate::size;
use crate::scene;
use crate::scene::memory;

/// More vertices than this cannot be numbered in the Int32 arrays of the output.
const MOST_VERTICES: f64 = i32::MAX as f64;

/// The keys of a shape besides `shape`; all but `split` are required.
fn keys(shape: raw::Shape) -> &'static [&'static str] {
    match shape {
        raw::Shape::Beam | raw::Shape::Box => &["size", "cells", "split"],
        raw::Shape::Sphere => &["radius", "cells"],
        raw::Shape::Torus => &["major", "minor", "cells"],
        raw::Shape::Cloth => &["size", "cells"],
        raw::Shape::Rope => &["length", "segments"],
    }
}

/// Validates the keys of a `generate` table at `at`; `None` if there are faults, which the report has.
pub fn shape(generate: &raw::Generate, at: &KeyPath, report: &mut Report) -> Option<scene::Shape> {
    let Some(shape) = generate.shape else {
        report.value(at.join("shape"), "missing", "valid names: beam, box, sphere, torus, cloth, rope");
        return None;
    };
    let before = report.problems.len();
    let taken: Vec<&str> = std::iter::once("shape").chain(keys(shape).iter().copied()).collect();
    let name = format!("{shape:?}").to_lowercase();
    refuse_keys(generate, &taken, at, &format!("shape '{name}'"), report);
    let resolution = at.join(if shape == raw::Shape::Rope { "segments" } else { "cells" });
    let mut wants = Wants { generate, at, report };
    let shape = match shape {
        raw::Shape::Beam | raw::Shape::Box => {
            scene::Shape::Block { size: wants.size(), cells: wants.cells_along(), split: wants.split() }
        }
        raw::Shape::Sphere => scene::Shape::Sphere {
            radius: wants.length("radius", generate.radius),
            cells: wants.cells_across(1),
        },
        raw::Shape::Torus => wants.torus(),
        raw::Shape::Cloth => scene::Shape::Cloth { size: wants.size(), cells: wants.cells_along() },
        raw::Shape::Rope => {
            scene::Shape::Rope { length: wants.length("length", generate.length), segments: wants.segments() }
        }
    };
    let fits = vertices(&shape) <= MOST_VERTICES && size(&shape).is_some();
    report.check(fits, resolution.clone(), "more vertices or cells than a mesh can have (2³¹)");
    if let (Some((vertices, cells)), Some(memory)) = (size(&shape).filter(|_| fits), memory::available()) {
        let needed = memory::of_simulation(vertices as usize, cells as usize);
        if needed > memory {
            let gigabytes = |bytes: u64| bytes as f64 / 1e9;
            let message = format!(
                "{cells} cells need about {:.0} GB of memory and {:.0} GB are free",
                gigabytes(needed),
                gigabytes(memory)
            );
            report.value(resolution, message, "use fewer cells");
        }
    }
    (report.problems.len() == before).then_some(shape)
}

/// About how many vertices a shape has.
fn vertices(shape: &scene::Shape) -> f64 {
    let grid = |cells: &[usize]| cells.iter().map(|&n| n as f64 + 1.0).product::<f64>();
    match shape {
        scene::Shape::Block { cells, .. } => grid(cells),
        scene::Shape::Sphere { cells, .. } => (2.0 * *cells as f64 + 1.0).powi(3),
        scene::Shape::Torus { major, minor, cells } => (*cells as f64).powi(3) * major / minor,
        scene::Shape::Cloth { cells, .. } => grid(cells),
        scene::Shape::Rope { segments, .. } => grid(&[*segments]),
    }
}

/// Reads the keys of one table, with stand-ins for values that it refuses.
struct Wants<'a> {
    generate: &'a raw::Generate,
    at: &'a KeyPath,
    report: &'a mut Report,
}

impl Wants<'_> {
    fn refuse(&mut self, key: &str, message: impl Into<String>) {
        self.report.value(self.at.join(key), message, "");
    }

    fn length(&mut self, key: &str, value: Option<f64>) -> f64 {
        match value {
            Some(x) if x > 0.0 && x.is_finite() => return x,
            Some(_) => self.refuse(key, "must be above 0"),
            None => self.refuse(key, "missing"),
        }
        1.0
    }

    fn size<const N: usize>(&mut self) -> [f64; N] {
        let Some(size) = &self.generate.size else {
            self.refuse("size", "missing");
            return [1.0; N];
        };
        let Ok(lengths) = <[f64; N]>::try_from(size.as_slice()) else {
            self.refuse("size", format!("expected {N} lengths, found {}", size.len()));
            return [1.0; N];
        };
        if lengths.iter().any(|&x| x.is_nan() || x <= 0.0) {
            self.refuse("size", "every length must be above 0");
        }
        lengths
    }

    fn cells_along<const N: usize>(&mut self) -> [usize; N] {
        let counts = match &self.generate.cells {
            None => Err("missing".to_owned()),
            Some(raw::Cells::Across(_)) => Err(format!("expected an array of {N} numbers")),
            Some(raw::Cells::Along(counts)) => <[u64; N]>::try_from(counts.as_slice())
                .map_err(|_| format!("expected {N} numbers, found {}", counts.len())),
        };
        let counts = counts.and_then(|counts| match counts.contains(&0) {
            true => Err("every number must be at least 1".to_owned()),
            false => Ok(counts.map(|n| usize::try_from(n).unwrap_or(usize::MAX))),
        });
        counts.unwrap_or_else(|reason| {
            self.refuse("cells", reason);
            [1; N]
        })
    }

    fn cells_across(&mut self, least: u64) -> usize {
        match self.generate.cells {
            Some(raw::Cells::Across(n)) if n >= least => return usize::try_from(n).unwrap_or(usize::MAX),
            Some(raw::Cells::Across(_)) => self.refuse("cells", format!("must be at least {least}")),
            Some(raw::Cells::Along(_)) => self.refuse("cells", "expected one number"),
            None => self.refuse("cells", "missing"),
        }
        1
    }

    fn segments(&mut self) -> usize {
        match self.generate.segments {
            Some(n) if n >= 1 => return usize::try_from(n).unwrap_or(usize::MAX),
            Some(_) => self.refuse("segments", "must be at least 1"),
            None => self.refuse("segments", "missing"),
        }
        1
    }

    fn split(&mut self) -> usize {
        match self.generate.split {
            Some(6) => 6,
            Some(5) | None => 5,
            Some(_) => {
                self.refuse("split", "must be 5 or 6 tets per cube");
                5
            }
        }
    }

    fn torus(&mut self) -> scene::Shape {
        let before = self.report.problems.len();
        let major = self.length("major", self.generate.major);
        let minor = self.length("minor", self.generate.minor);
        if self.report.problems.len() == before && minor >= major {
            self.refuse("minor", "must be less than major");
        }
        scene::Shape::Torus { major, minor, cells: self.cells_across(3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let mut report = Report::default();
        let generate: raw::Generate = toml::from_str(text).unwrap();
        let shape = shape(&generate, &KeyPath::root(), &mut report);
        assert_eq!(shape.is_none(), !report.problems.is_empty());
        report.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
    }

    #[test]
    fn every_shape_takes_its_keys_only() {
        for good in [
            "shape = 'beam'\nsize = [4, 1, 1]\ncells = [4, 1, 1]",
            "shape = 'box'\nsize = [4, 1, 1]\ncells = [4, 1, 1]\nsplit = 6",
            "shape = 'sphere'\nradius = 1\ncells = 3",
            "shape = 'torus'\nmajor = 1\nminor = 0.3\ncells = 8",
            "shape = 'cloth'\nsize = [1, 1]\ncells = [4, 4]",
            "shape = 'rope'\nlength = 2\nsegments = 10",
        ] {
            assert!(faults(good).is_empty(), "{good}: {:?}", faults(good));
        }
        for (bad, expected) in [
            ("radius = 1", vec!["shape: missing"]),
            (
                "shape = 'sphere'\nsize = [1]",
                vec!["size: shape 'sphere' does not take this key", "radius: missing", "cells: missing"],
            ),
            (
                "shape = 'box'\nsize = [1, 1]\ncells = [1, 0, 1]\nsplit = 7",
                vec![
                    "size: expected 3 lengths, found 2",
                    "cells: every number must be at least 1",
                    "split: must be 5 or 6 tets per cube",
                ],
            ),
            (
                "shape = 'box'\nsize = [1, -1, 1]\ncells = 3",
                vec!["size: every length must be above 0", "cells: expected an array of 3 numbers"],
            ),
            (
                "shape = 'torus'\nmajor = 1\nminor = 2\ncells = 2",
                vec!["minor: must be less than major", "cells: must be at least 3"],
            ),
            ("shape = 'rope'\nlength = -1", vec!["length: must be above 0", "segments: missing"]),
            (
                "shape = 'rope'\nlength = 1\nsegments = 9223372036854775807",
                vec!["segments: more vertices or cells than a mesh can have (2³¹)"],
            ),
            (
                "shape = 'cloth'\nsize = [1, 1]\ncells = [9223372036854775807, 9223372036854775807]",
                vec!["cells: more vertices or cells than a mesh can have (2³¹)"],
            ),
        ] {
            assert_eq!(faults(bad), expected, "{bad}");
        }
    }
}
