//! Measurements from a CSV file: a line of names, then a line a point. Lines that begin with `#` are comments.

use std::path::Path;

use super::experiment::Experiment;
use crate::error::{Action, Error, Result};

/// One measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How the specimen was held.
    pub experiment: Experiment,
    /// The principal stretch along which it was pulled.
    pub stretch: f64,
    /// The nominal stress in Pa: force over undeformed area.
    pub stress: f64,
    /// The factor of its deviation.
    pub weight: f64,
}

/// Units of stress, by their names in lower case, in Pa.
const UNITS: [(&str, f64); 6] =
    [("pa", 1.0), ("kpa", 1e3), ("mpa", 1e6), ("gpa", 1e9), ("psi", 6894.757293168361), ("kgf/cm2", 98066.5)];

/// What a file does not say itself.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The experiment, of files without a column `mode`.
    pub experiment: Option<Experiment>,
    /// The unit of stress in Pa, of files whose column has none.
    pub unit: Option<f64>,
}

/// The unit with this name in Pa.
pub fn unit(name: &str) -> std::result::Result<f64, String> {
    let lower = name.to_lowercase().replace('²', "2");
    let found = UNITS.iter().find(|(unit, _)| *unit == lower);
    let known = UNITS.map(|(name, _)| name).join(", ");
    found
        .map(|(_, pascal)| *pascal)
        .ok_or_else(|| format!("'{name}' is no unit of stress; known are {known}"))
}

/// Where the columns are, and what their numbers mean.
struct Columns {
    mode: Option<usize>,
    stretch: usize,
    /// What is added to a number to be a stretch: 1 to a strain.
    rest: f64,
    stress: usize,
    unit: f64,
    weight: Option<usize>,
    count: usize,
}

/// Reads the points of a file.
pub fn read(path: &Path, given: &Given) -> Result<Vec<Point>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(Action::Read, path, e))?;
    parse(&text, path, given)
}

fn parse(text: &str, path: &Path, given: &Given) -> Result<Vec<Point>> {
    let fault = |line: usize, reason: String, hint: &str| Error::Format {
        path: path.to_owned(),
        place: format!("line {line}"),
        reason,
        hint: hint.into(),
    };
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (first, head) = lines.next().ok_or_else(|| fault(1, "has no points".into(), HEAD))?;
    let separator = [';', '\t', ','].into_iter().find(|c| head.contains(*c)).unwrap_or(',');
    let split = |line: &str| line.split(separator).map(|field| field.trim().to_owned()).collect::<Vec<_>>();
    let columns = columns(&split(head), given).map_err(|(reason, hint)| fault(first, reason, hint))?;
    let mut points = vec![];
    for (number, line) in lines {
        let point = columns.point(&split(line), given).map_err(|reason| fault(number, reason, ""))?;
        points.push(point);
    }
    if points.is_empty() {
        return Err(fault(first, "no point comes after the names of the columns".into(), ""));
    }
    Ok(points)
}

const HEAD: &str = "the first line names the columns: mode,stretch,stress [MPa]";

/// Finds the columns by the names of the first line; else the reason and a hint.
fn columns(names: &[String], given: &Given) -> std::result::Result<Columns, (String, &'static str)> {
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let find = |wanted: &str| {
        let begins = |name: &String| {
            let rest = name.strip_prefix(wanted);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        lower.iter().position(begins)
    };
    let missing = |what: &str| (format!("there is no column '{what}'"), HEAD);
    let (stretch, rest) = match (find("stretch"), find("strain")) {
        (Some(at), None) => (at, 0.0),
        (None, Some(at)) => (at, 1.0),
        (None, None) => return Err(missing("stretch")),
        (Some(_), Some(_)) => return Err(("has both stretch and strain".into(), "remove one of them")),
    };
    let mode = find("mode").or_else(|| find("experiment"));
    if mode.is_none() && given.experiment.is_none() {
        let hint = "add it, with uniaxial, equibiaxial or planar in each line, or say --mode for all";
        return Err((missing("mode").0, hint));
    }
    let stress = find("stress").ok_or_else(|| missing("stress"))?;
    let own = lower[stress]["stress".len()..].trim_matches(|c: char| " _()[],".contains(c)).to_owned();
    let unit = match (own.as_str(), given.unit) {
        ("", None) => {
            return Err(("the stress has no unit".into(), "name the column 'stress [MPa]', or say --unit"));
        }
        ("", Some(given)) => given,
        (own, _) => unit(own).map_err(|reason| (reason, "name the column 'stress [MPa]', for example"))?,
    };
    Ok(Columns { mode, stretch, rest, stress, unit, weight: find("weight"), count: names.len() })
}

impl Columns {
    fn point(&self, fields: &[String], given: &Given) -> std::result::Result<Point, String> {
        if fields.len() != self.count {
            return Err(format!("has {} values for {} columns", fields.len(), self.count));
        }
        let number = |at: usize, what: &str| {
            let value = fields[at].parse().ok().filter(|value: &f64| value.is_finite());
            value.ok_or_else(|| format!("the {what} is '{}', no number", fields[at]))
        };
        let experiment = match self.mode {
            None => given.experiment,
            Some(at) => Some(Experiment::find(&fields[at]).ok_or_else(|| {
                format!("the mode is '{}': must be uniaxial, equibiaxial or planar", fields[at])
            })?),
        };
        let stretch = number(self.stretch, "stretch")? + self.rest;
        if !(0.01..=100.0).contains(&stretch) {
            return Err(format!("the stretch is {stretch}: must lie between 0.01 and 100; 1 is rest"));
        }
        let stress = number(self.stress, "stress")? * self.unit;
        let weight = self.weight.map_or(Ok(1.0), |at| number(at, "weight"))?;
        if weight < 0.0 {
            return Err(format!("the weight is {weight}: must not be negative"));
        }
        let experiment = experiment.ok_or("the mode is missing")?;
        Ok(Point { experiment, stretch, stress, weight })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Point>> {
        parse(text, Path::new("m.csv"), &Given::default())
    }

    #[test]
    fn units_strains_and_separators_are_understood() {
        let points = parsed(
            "# a comment\nmode; strain; stress [kPa]; weight\nUniaxial; 0.5; 2; 3\nPure shear;-0.1;-1;1\n",
        );
        let point = |experiment, stretch, stress, weight| Point { experiment, stretch, stress, weight };
        let expected =
            [point(Experiment::Uniaxial, 1.5, 2e3, 3.0), point(Experiment::Planar, 0.9, -1e3, 1.0)];
        assert_eq!(points.unwrap(), expected);
        let given = Given { experiment: Some(Experiment::Equibiaxial), unit: Some(1e6) };
        let points = parse("stretch,stress\n2,1\n", Path::new("m.csv"), &given).unwrap();
        assert_eq!(points, [point(Experiment::Equibiaxial, 2.0, 1e6, 1.0)]);
        assert_eq!(parsed("mode\tstretch\tstress_MPa\nut\t2\t1\n").unwrap()[0].stress, 1e6);
    }

    #[test]
    fn faults_name_the_line_and_the_way_out() {
        for (text, expected) in [
            ("", "m.csv, line 1: has no points (the first line names the columns"),
            ("stretch,stress_pa\n1,2\n", "line 1: there is no column 'mode' (add it"),
            ("mode,stress_pa\n", "line 1: there is no column 'stretch'"),
            ("mode,stretch,stress\nut,2,1\n", "line 1: the stress has no unit (name the column"),
            ("mode,stretch,stress [bar]\nut,2,1\n", "'bar' is no unit of stress; known are pa, kpa, mpa"),
            ("mode,stretch,stress_pa\nut,2\n", "line 2: has 2 values for 3 columns"),
            ("mode,stretch,stress_pa\n\nut,x,1\n", "line 3: the stretch is 'x', no number"),
            ("mode,stretch,stress_pa\nut,-2,1\n", "line 2: the stretch is -2: must lie"),
            ("mode,stretch,stress_pa\nshear,2,1\n", "line 2: the mode is 'shear'"),
            ("mode,stretch,stress_pa\nut,2,inf\n", "line 2: the stress is 'inf', no number"),
            ("mode,stretch,stress_pa,weight\nut,2,1,-1\n", "line 2: the weight is -1"),
            ("mode,stretch,stress_pa\n", "line 1: no point comes after"),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
