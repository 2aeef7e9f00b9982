//! What is taken from the columns of a run: the last, least, largest or mean value.

use std::path::Path;
use std::str::FromStr;

use super::{Run, State};
use crate::error::Result;
use crate::run::probes;
use crate::view::plot::metrics::Metrics;

/// The way to make one number of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Last,
    Min,
    Max,
    Mean,
}

/// A column of `metrics.csv` or `probes.csv`, and the way to make one number of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    way: Way,
    column: String,
}

const WAYS: [(&str, Way); 4] =
    [("last", Way::Last), ("min", Way::Min), ("max", Way::Max), ("mean", Way::Mean)];

impl FromStr for Measure {
    type Err = String;

    /// Reads `max:kinetic`.
    fn from_str(text: &str) -> std::result::Result<Measure, String> {
        let parts = text.split_once(':');
        let found = parts.and_then(|(way, column)| {
            WAYS.iter().find(|(word, _)| *word == way).map(|(_, way)| (*way, column))
        });
        match found {
            Some((way, column)) if !column.is_empty() => Ok(Measure { way, column: column.to_owned() }),
            _ => Err("wants last:, min:, max: or mean: and a column of metrics.csv or probes.csv, such as max:kinetic".into()),
        }
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = WAYS.iter().find(|(_, way)| *way == self.way).map_or("", |(word, _)| word);
        write!(f, "{word}:{}", self.column)
    }
}

impl Measure {
    /// The number of a run directory; `None` if it has no such column, or no rows yet.
    pub fn of(&self, directory: &Path) -> Result<Option<f64>> {
        for file in ["metrics.csv", probes::NAME] {
            if !directory.join(file).is_file() {
                continue;
            }
            let Some(table) = Metrics::read_file(directory, file)? else { continue };
            if let Ok(values) = table.column(&self.column) {
                return Ok(match self.way {
                    Way::Last => values.last().copied(),
                    Way::Min => values.iter().copied().reduce(f64::min),
                    Way::Max => values.iter().copied().reduce(f64::max),
                    Way::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
                });
            }
        }
        Ok(None)
    }
}

/// The last values of all probes that the runs have.
pub fn of_probes(runs: &[Run]) -> Result<Vec<Measure>> {
    let mut out: Vec<Measure> = vec![];
    for run in runs.iter().filter(|run| run.state != State::Absent) {
        let table = Metrics::read_file(&run.directory, probes::NAME)?;
        for column in
            table.iter().flat_map(|table| table.columns()).filter(|c| !probes::COUNTS.contains(&c.as_str()))
        {
            let measure = Measure { way: Way::Last, column: column.clone() };
            if !out.contains(&measure) {
                out.push(measure);
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_as_they_are_written() {
        for text in ["last:tip_y", "max:kinetic", "min:min_gap", "mean:iterations"] {
            assert_eq!(text.parse::<Measure>().unwrap().to_string(), text);
        }
        assert!(
            "kinetic".parse::<Measure>().is_err()
                && "sum:x".parse::<Measure>().is_err()
                && "max:".parse::<Measure>().is_err()
        );
    }

    #[test]
    fn each_way_makes_its_number() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("metrics.csv"), "step,a\n1,3\n2,-1\n3,4\n").unwrap();
        let of = |text: &str| text.parse::<Measure>().unwrap().of(dir.path()).unwrap();
        assert_eq!(
            ["last:a", "min:a", "max:a", "mean:a", "max:b"].map(of),
            [Some(4.0), Some(-1.0), Some(4.0), Some(2.0), None]
        );
    }
}
