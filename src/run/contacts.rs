//! `contacts.csv`: the forces between bodies and obstacles that feel each other at the end of each step.

use serde::Serialize;

use crate::error::{Action, Error, Result};
use crate::fs::read_regular;
use crate::simulate::Simulation;
use crate::step::active::Touching;

use super::directory::RunDirectory;

/// The name of the file.
pub const NAME: &str = "contacts.csv";

/// The columns, in order. Forces are those on the first by the second, in N.
pub const HEADER: &str = "step,first,second,normal_x,normal_y,normal_z,friction_x,friction_y,friction_z";

/// The rows of a step, each with a newline. Numbers read back to the same bits.
pub fn rows(step: u64, touching: &Touching) -> String {
    let row = |between: &crate::step::active::Between| {
        let [first, second] = between.names.each_ref().map(|name| quoted(name));
        let ([x, y, z], [u, v, w]) = (between.normal, between.friction);
        format!("{step},{first},{second},{x},{y},{z},{u},{v},{w}\n")
    };
    touching.between.iter().map(row).collect()
}

/// A name as a field of a CSV file.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

/// The header and the rows up to `step`.
pub fn rows_until(text: &str, step: u64) -> String {
    let number = |row: &str| row.split(',').next().and_then(|s| s.parse::<u64>().ok());
    let rows = text.lines().skip(1).take_while(|row| number(row).is_some_and(|s| s <= step));
    std::iter::once(HEADER).chain(rows).flat_map(|row| [row, "\n"]).collect()
}

/// What `summary.json` says of contact, over all steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactSummary {
    /// The gap d̂ in m from which on nothing is felt.
    pub distance: f64,
    /// The least and the largest stiffness κ of the bodies in Pa.
    pub stiffness: [f64; 2],
    /// The least gap at the end of a step in m; d̂ if it is larger.
    pub min_gap: f64,
    /// How many motions were cut short because they were not safe.
    pub truncated: u64,
    /// Nothing intersects in any written frame, by an exact test. Where something does that was not left out from the start
    /// on (`contact.start = "exclude"`), the run ends with an error. False with `contact.response = "published"`, where nothing
    /// is tested.
    pub intersection_free: bool,
    /// The number of pairs of pieces that are left out because they intersect: at the start, and at the end.
    pub excluded: [usize; 2],
}

impl ContactSummary {
    /// The summary of a complete run; `None` without contact. The metrics have all steps, those before a resume too.
    pub fn of(simulation: &Simulation, directory: &RunDirectory) -> Result<Option<ContactSummary>> {
        let Some(facts) = &simulation.contact else { return Ok(None) };
        let path = directory.metrics();
        let text = read_regular(&path).map_err(|e| Error::io(Action::Read, &path, e))?;
        let text = String::from_utf8_lossy(&text);
        let (min_gap, truncated) = worst(&text, facts.distance);
        let (distance, stiffness) = (facts.distance, facts.stiffness);
        let left = simulation.touching.as_ref().map_or(0, |touching| touching.excluded);
        Ok(Some(ContactSummary {
            distance,
            stiffness,
            min_gap,
            truncated,
            // The first frame is always written.
            intersection_free: facts.excluded == 0 && facts.is_guaranteed,
            excluded: [facts.excluded, left],
        }))
    }
}

/// The least gap and the number of truncations in the rows of `metrics.csv`; `distance` is d̂.
fn worst(text: &str, distance: f64) -> (f64, u64) {
    let mut rows = text.lines();
    let header: Vec<&str> = rows.next().unwrap_or_default().split(',').collect();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap_or(usize::MAX);
    let (gap, cut) = (place("min_gap"), place("truncated"));
    rows.fold((distance, 0), |(least, cuts), row| {
        let value = |at: usize| row.split(',').nth(at);
        let own = value(gap).and_then(|s| s.parse::<f64>().ok()).unwrap_or(distance);
        (least.min(own), cuts + value(cut).and_then(|s| s.parse::<u64>().ok()).unwrap_or(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::active::Between;

    #[test]
    fn rows_are_cut_at_a_step_and_names_may_have_commas() {
        let between = |first: &str| Between {
            names: [first.into(), "floor".into()],
            normal: [0.0, 9.5, 0.0],
            friction: [1.0, 0.0, -0.25],
        };
        let touching = Touching { between: vec![between("a"), between("b, c")], ..Touching::default() };
        let text = format!("{HEADER}\n{}{}", rows(3, &touching), rows(5, &touching));
        let until = rows_until(&text, 4);
        assert_eq!(
            until,
            format!("{HEADER}\n3,a,floor,0,9.5,0,1,0,-0.25\n3,\"b, c\",floor,0,9.5,0,1,0,-0.25\n")
        );
        assert_eq!(rows_until(&text, 5), text);
        assert_eq!(rows_until(&text, 2), format!("{HEADER}\n"));
    }

    #[test]
    fn the_worst_is_that_of_all_steps() {
        let text = "frame,step,min_gap,truncated\n1,1,0.01,0\n1,2,0.002,3\n2,3,0.004,1\n";
        assert_eq!(worst(text, 0.01), (0.002, 4));
        assert_eq!(worst("frame,step,min_gap,truncated\n", 0.01), (0.01, 0));
    }
}
