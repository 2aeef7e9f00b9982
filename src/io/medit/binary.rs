//! Medit's binary `.meshb`: the same sections by number, each with the position of the next.
//!
//! Version 1 has coordinates of four bytes, later ones of eight. From version 3 on positions have eight bytes, in
//! version 4 counts and numbers too.

use super::super::numeric::Scalar;
use super::super::scanner::Scanner;
use super::super::{Fault, Parsed};
use super::{Rows, Sections};

/// True for big-endian files, false for little-endian ones; `None` unless the first number is 1 and
/// the second a version.
pub(super) fn order(bytes: &[u8]) -> Option<bool> {
    match bytes.get(..8)? {
        [1, 0, 0, 0, 1..=4, 0, 0, 0] => Some(false),
        [0, 0, 0, 1, 0, 0, 0, 1..=4] => Some(true),
        _ => None,
    }
}

struct Binary<'a> {
    scanner: Scanner<'a>,
    big: bool,
    version: i64,
}

impl Binary<'_> {
    fn read(&mut self, scalar: Scalar, what: &str) -> Parsed<i64> {
        Ok(scalar.integers(self.scanner.bytes(scalar.size(), what)?, self.big)[0])
    }

    /// Reads a count or the number of a vertex.
    fn integer(&mut self, what: &str) -> Parsed<i64> {
        self.read(if self.version >= 4 { Scalar::I64 } else { Scalar::I32 }, what)
    }

    fn float(&mut self, what: &str) -> Parsed<f64> {
        let scalar = if self.version == 1 { Scalar::F32 } else { Scalar::F64 };
        Ok(scalar.floats(self.scanner.bytes(scalar.size(), what)?, self.big)[0])
    }

    /// Reads a count of rows that have at least so many numbers of four bytes.
    fn count(&mut self, what: &str, numbers: usize) -> Parsed<usize> {
        let count = self.integer(what)?;
        let rows =
            usize::try_from(count).ok().filter(|n| n.saturating_mul(4 * numbers) <= self.scanner.remaining());
        rows.ok_or_else(|| {
            let reason =
                format!("{what} is {count}, which the {} bytes left cannot hold", self.scanner.remaining());
            Fault::new("", reason).hint("the file may be truncated")
        })
    }

    fn rows<const N: usize>(&mut self, what: &str, corners: usize, rows: &mut Rows<N>) -> Parsed<()> {
        for _ in 0..self.count(&format!("the number of cells ({what})"), corners + 1)? {
            let mut cell = [0; N];
            for i in 0..corners {
                let corner = self.integer("a vertex number")?;
                if let Some(slot) = cell.get_mut(i) {
                    *slot = corner;
                }
            }
            rows.corners.push(cell);
            rows.references.push(self.integer("a reference")? as f64);
        }
        Ok(())
    }

    fn vertices(&mut self, sections: &mut Sections) -> Parsed<()> {
        for _ in 0..self.count("the number of vertices", sections.dimension + 1)? {
            let mut point = [0.0; 3];
            for x in &mut point[..sections.dimension] {
                *x = self.float("a coordinate")?;
            }
            sections.points.push(point);
            sections.references.push(self.integer("a vertex reference")? as f64);
        }
        Ok(())
    }
}

/// Reads all sections; `big` is the result of [`order`].
pub(super) fn parse(bytes: &[u8], big: bool) -> Parsed<Sections> {
    let mut binary = Binary { scanner: Scanner::new(bytes, false), big, version: 2 };
    binary.read(Scalar::I32, "the number 1")?;
    binary.version = binary.read(Scalar::I32, "the version of the format")?;
    let mut sections = Sections { dimension: 3, ..Sections::default() };
    while binary.scanner.remaining() > 0 {
        let keyword = binary.read(Scalar::I32, "the number of a section")?;
        if keyword == 54 {
            break;
        }
        let place = if binary.version >= 3 { Scalar::I64 } else { Scalar::I32 };
        let next = binary.read(place, "the place of the next section")?;
        match keyword {
            3 => {
                sections.dimension = match binary.read(Scalar::I32, "the dimension")? {
                    2 => 2,
                    3 => 3,
                    other => return Err(Fault::new("", format!("the dimension is {other}, not 2 or 3"))),
                };
            }
            4 => binary.vertices(&mut sections)?,
            5 => binary.rows("edge", 2, &mut sections.edges)?,
            6 => binary.rows("triangle", 3, &mut sections.triangles)?,
            8 => binary.rows("tetrahedron", 4, &mut sections.tets)?,
            30 => binary.rows("tetrahedron", 10, &mut sections.quadratic)?,
            // These are quadrilaterals, hexahedra, prisms and pyramids.
            7 | 9 | 10 | 11 => sections.has_others |= binary.integer("the number of cells")? != 0,
            _ => {}
        }
        let here = bytes.len() - binary.scanner.remaining();
        let next = usize::try_from(next).ok().filter(|next| *next >= here && *next <= bytes.len());
        match next {
            Some(next) => {
                binary.scanner.bytes(next - here, "a section")?;
            }
            None => {
                return Err(Fault::new(
                    format!("byte {here}"),
                    "the place of the next section is not behind",
                ));
            }
        }
    }
    Ok(sections)
}
