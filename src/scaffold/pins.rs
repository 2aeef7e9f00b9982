//! The pin of a first scene: a side of the body, or an array of the file, with vertices that it really selects.

use super::facts::Role;
use super::{Plan, Wishes, size};
use crate::error::suggest::suggestion;
use crate::error::{Error, Result};
use crate::model::body::BodyData;

/// The sides of a body: the name, the axis, and whether it is the upper end of it.
const SIDES: [(&str, usize, bool); 6] = [
    ("top", 1, true),
    ("bottom", 1, false),
    ("left", 0, false),
    ("right", 0, true),
    ("front", 2, true),
    ("back", 2, false),
];

/// The depths of a pinned slab that are tried, as parts of the body's extent.
const DEPTHS: [f64; 6] = [0.02, 0.05, 0.1, 0.15, 0.25, 0.4];
/// The first of these for solids, whose sides often end in tips: a slab has a twentieth of their vertices at least.
const SOLID: usize = 2;
/// A side of a body has so little depth, as a part of its size, if it is flat there.
const FLAT: f64 = 1e-3;

/// What a pin holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Hold {
    /// A slab at one end of the body.
    Slab {
        /// The name of the side.
        side: &'static str,
        /// The axis across the slab.
        axis: usize,
        /// True if it is at the upper end of the axis.
        is_upper: bool,
        /// Where the slab begins, in m.
        from: f64,
        /// How many vertices are in it.
        vertices: usize,
        /// How many the body has.
        of: usize,
    },
    /// Where a point array of the file is above a value.
    Array {
        /// The array's name.
        name: String,
        /// The value.
        above: f64,
    },
}

impl Plan<'_> {
    /// The pin that is wished for, or one that is chosen if nothing else would hold the body.
    pub fn choose_pin(
        &self,
        wishes: &Wishes,
        rest: &BodyData,
        notes: &mut Vec<String>,
    ) -> Result<Option<Hold>> {
        let name = match wishes.pin.as_deref() {
            Some("none") if wishes.shake.is_some() => return Err(shakes_nothing()),
            Some("none") => {
                if !self.floor {
                    notes.push("no pin and no floor: the body falls for ever".into());
                }
                return Ok(None);
            }
            Some(name) => name.to_owned(),
            None if self.floor && wishes.shake.is_some() => return Err(shakes_nothing()),
            None if self.floor => return Ok(None),
            None => {
                let side = self.usual_side();
                notes
                    .push(format!("nothing was said to hold it: its {side} is pinned (--pin SIDE, --floor)"));
                side.into()
            }
        };
        match SIDES.iter().find(|(side, ..)| *side == name) {
            Some(side) => self.slab(*side, rest).map(Some),
            None => self.array(&name).map(Some),
        }
    }

    /// The side to hang a body by: its top, or one end of its longest extent if it is flat or a line.
    fn usual_side(&self) -> &'static str {
        let extent = |axis: usize| self.bounds[1][axis] - self.bounds[0][axis];
        if extent(1) > 0.1 * size(&self.bounds) {
            "top"
        } else if extent(0) >= extent(2) {
            "left"
        } else {
            "back"
        }
    }

    /// The thinnest slab at a side with enough vertices.
    fn slab(&self, (side, axis, is_upper): (&'static str, usize, bool), rest: &BodyData) -> Result<Hold> {
        let used =
            || rest.rest.iter().zip(&rest.orphans).filter(|(_, orphan)| !**orphan).map(|(p, _)| p[axis]);
        let (low, high) =
            used().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let of = used().count();
        if high - low < FLAT * size(&self.bounds) {
            return Err(Error::Usage {
                what: format!("--pin {side}: the mesh is flat there, so that this would pin all of it"),
                hint: format!("such as --pin {}", self.usual_side()),
            });
        }
        let (least, first) = match self.facts.role {
            Role::Line => (1, 0),
            Role::Sheet => (2, 0),
            Role::Filled | Role::Solid => ((of / 20).max(6), SOLID),
        };
        let count = |from: f64| used().filter(|x| if is_upper { *x >= from } else { *x <= from }).count();
        let begin = |depth: f64| {
            super::text::tidy(if is_upper { high - depth * (high - low) } else { low + depth * (high - low) })
        };
        let depths = &DEPTHS[first..];
        let is_enough = |depth: &f64| count(begin(*depth)) >= least.min(of);
        let chosen = depths.iter().position(is_enough).unwrap_or(depths.len() - 1);
        let from = begin(depths[chosen]);
        Ok(Hold::Slab { side, axis, is_upper, from, vertices: count(from), of })
    }

    /// The upper half of a point array.
    fn array(&self, name: &str) -> Result<Hold> {
        let Some((name, [low, high])) = self.facts.arrays.iter().find(|(array, _)| array == name) else {
            let mut names: Vec<&str> = SIDES.iter().map(|(side, ..)| *side).collect();
            names.push("none");
            names.extend(self.facts.arrays.iter().map(|(name, _)| name.as_str()));
            return Err(Error::Usage {
                what: format!("--pin: '{name}' is no side, and no array of a number per point in the file"),
                hint: suggestion(name, "names", &names),
            });
        };
        if low >= high {
            return Err(Error::Usage {
                what: format!("--pin {name}: the array is {low} everywhere, so that it tells nothing apart"),
                hint: "paint what is to be pinned with a higher value".into(),
            });
        }
        Ok(Hold::Array { name: name.clone(), above: 0.5 * (low + high) })
    }
}

fn shakes_nothing() -> Error {
    Error::Usage {
        what: "--shake moves what is pinned, and nothing is".into(),
        hint: "add a side, such as --pin bottom".into(),
    }
}
