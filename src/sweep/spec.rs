//! The file of a sweep, and its cases.
//!
//! ```toml
//! config = "bar.toml"                  # relative to this file
//!
//! [[vary]]                             # several: all combinations, the last one changes first
//! key = "body.0.material.young"
//! values = [1e5, 1e6]
//!
//! [[vary]]                             # several keys together: a row of values each time
//! keys = ["solver.kind", "solver.iterations"]
//! values = [["pd", 40], ["newton", 5]]
//!
//! [sample]                             # and each of these with 20 points between bounds
//! count = 20
//! keys = [{ key = "body.0.density", min = 500, max = 2000, scale = "log" }]
//! ```
//!
//! Points are independent and uniform (`method = "random"`), or one in each of `count` strips of every key
//! (`"latin-hypercube"` \[McKay1979\]). They come from a seed alone, so that a sweep has the same cases everywhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use elements::math::random::SplitMix64;
use serde::Deserialize;
use toml::Value;

use super::values::{distinct, name_of, shorter};
use super::{Case, Sweep};
use crate::error::{Action, Error, Result};

/// The most cases of a sweep.
const MOST: usize = 1_000_000;

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<String>,
    config: PathBuf,
    output: Option<PathBuf>,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    vary: Vec<Vary>,
    sample: Option<Sample>,
}

/// Values that one key or several take in turn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vary {
    key: Option<String>,
    keys: Option<Vec<String>>,
    values: Vec<Value>,
}

/// Points between bounds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    #[serde(default)]
    method: Method,
    count: u64,
    #[serde(default)]
    seed: u64,
    keys: Vec<Range>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Method {
    #[default]
    LatinHypercube,
    Random,
}

/// The bounds of a key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    key: String,
    min: f64,
    max: f64,
    #[serde(default)]
    scale: Scale,
    #[serde(default)]
    integer: bool,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Scale {
    #[default]
    Linear,
    Log,
}

impl Range {
    /// The value at a place from 0 to 1, as TOML.
    fn at(&self, place: f64) -> String {
        let value = match self.scale {
            Scale::Linear => self.min + (self.max - self.min) * place,
            Scale::Log => self.min * (self.max / self.min).powf(place),
        };
        let value = value.clamp(self.min, self.max);
        if self.integer { format!("{value:.0}") } else { format!("{value:?}") }
    }
}

/// Values for some keys, and what they add to a name.
#[derive(Clone)]
struct Choice {
    values: Vec<String>,
    name: String,
}

/// Reads a sweep.
pub fn read(path: &Path) -> Result<Sweep> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(Action::Read, path, e))?;
    let here = std::env::current_dir().map_err(|e| Error::io(Action::FindWorkingDirectory, path, e))?;
    parse(&text, path, &here)
}

/// The sweep that a text describes, as if it stood in the file `path`.
fn parse(text: &str, path: &Path, here: &Path) -> Result<Sweep> {
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        Error::Format {
            path: path.to_owned(),
            place: line.map_or_else(String::new, |line| format!("line {line}")),
            reason: error.message().to_owned(),
            hint: "a sweep has the keys name, config, output, set, [[vary]] and [sample]".into(),
        }
    })?;
    let refuse = |place: String, reason: &str, hint: &str| Error::Format {
        path: path.to_owned(),
        place,
        reason: reason.into(),
        hint: hint.into(),
    };
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = file.name.unwrap_or(stem);
    if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(refuse(
            "name".into(),
            "cannot be the name of a directory",
            "use letters, digits, '-' and '_'",
        ));
    }
    let beside =
        |given: &Path| here.join(path).parent().map_or_else(|| given.to_owned(), |dir| dir.join(given));
    let (mut keys, mut axes) = (vec![], vec![]);
    for (i, vary) in file.vary.iter().enumerate() {
        let (own, choices) =
            axis(vary).map_err(|(reason, hint)| refuse(format!("vary.{i}"), &reason, hint))?;
        keys.extend(own);
        axes.push(choices);
    }
    if let Some(sample) = &file.sample {
        let (own, choices) =
            points(sample).map_err(|(reason, hint)| refuse("sample".into(), &reason, hint))?;
        keys.extend(own);
        axes.push(choices);
    }
    if let Some(twice) = (1..keys.len()).find(|i| keys[..*i].contains(&keys[*i])) {
        return Err(refuse(keys[twice].clone(), "is varied twice", "name each key once"));
    }
    let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.len()));
    if count.is_none_or(|count| count > MOST) {
        return Err(refuse(String::new(), "has more than a million cases", "vary fewer values together"));
    }
    Ok(Sweep {
        directory: file.output.map_or_else(|| here.join("outputs").join(&name), |output| beside(&output)),
        config: beside(&file.config),
        cases: cases(&keys, &axes, &file.set),
        name,
        keys,
    })
}

type Refusal = (String, &'static str);

/// The keys and the choices of a variation.
fn axis(vary: &Vary) -> std::result::Result<(Vec<String>, Vec<Choice>), Refusal> {
    let keys = match (&vary.key, &vary.keys) {
        (Some(key), None) => vec![key.clone()],
        (None, Some(keys)) if !keys.is_empty() => keys.clone(),
        _ => return Err(("wants either key or keys".into(), "key = \"body.0.material.young\"")),
    };
    if vary.values.is_empty() {
        return Err(("has no values".into(), "values = [1e5, 1e6]"));
    }
    let choice = |value: &Value| {
        let values: Vec<String> = match value {
            Value::Array(row) if keys.len() > 1 => row.iter().map(ToString::to_string).collect(),
            one => vec![one.to_string(); keys.len()],
        };
        if values.len() != keys.len() {
            let reason = format!("has a row of {} values for {} keys", values.len(), keys.len());
            return Err((reason, "give one value for each key, or one for all"));
        }
        let shown: &[String] = if matches!(value, Value::Array(_)) { &values } else { &values[..1] };
        Ok(Choice { name: name_of(&keys[0], shown), values })
    };
    let choices: Vec<Choice> = vary.values.iter().map(choice).collect::<std::result::Result<_, _>>()?;
    if let Some(twice) =
        (1..choices.len()).find(|i| choices[..*i].iter().any(|c| c.values == choices[*i].values))
    {
        return Err((format!("has {} twice", choices[twice].values.join(", ")), "name each value once"));
    }
    Ok((keys, choices))
}

/// The keys and the points of a sample.
fn points(sample: &Sample) -> std::result::Result<(Vec<String>, Vec<Choice>), Refusal> {
    if sample.keys.is_empty() || sample.count == 0 || sample.count > MOST as u64 {
        return Err(("wants keys and a count from 1 to 1,000,000".into(), "count = 20"));
    }
    for range in &sample.keys {
        let is_ordered = range.min.is_finite() && range.max.is_finite() && range.min <= range.max;
        if !is_ordered || (range.scale == Scale::Log && range.min <= 0.0) {
            let reason = format!("bounds of {} are not min <= max, or not above 0 on a log scale", range.key);
            return Err((reason, "{ key = …, min = 500, max = 2000 }"));
        }
    }
    let count = sample.count as usize;
    let mut random = SplitMix64::new(sample.seed);
    // For each key the place of every point.
    let places: Vec<Vec<f64>> = (sample.keys.iter())
        .map(|_| match sample.method {
            Method::Random => (0..count).map(|_| random.uniform()).collect(),
            Method::LatinHypercube => {
                let mut strips: Vec<usize> = (0..count).collect();
                for i in (1..count).rev() {
                    strips.swap(i, (random.next_bits() % (i as u64 + 1)) as usize);
                }
                strips.into_iter().map(|strip| (strip as f64 + random.uniform()) / count as f64).collect()
            }
        })
        .collect();
    let digits = (count - 1).to_string().len();
    let choices = (0..count).map(|i| Choice {
        values: sample.keys.iter().zip(&places).map(|(range, place)| range.at(place[i])).collect(),
        name: format!("sample-{i:0digits$}"),
    });
    Ok((sample.keys.iter().map(|range| range.key.clone()).collect(), choices.collect()))
}

/// All combinations of the choices, with names that differ.
fn cases(keys: &[String], axes: &[Vec<Choice>], set: &[String]) -> Vec<Case> {
    let mut all = vec![Choice { values: vec![], name: String::new() }];
    for axis in axes {
        let longer = |case: &Choice, choice: &Choice| Choice {
            values: case.values.iter().chain(&choice.values).cloned().collect(),
            name: [case.name.as_str(), &choice.name]
                .iter()
                .filter(|name| !name.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join("_"),
        };
        all = all.iter().flat_map(|case| axis.iter().map(move |choice| longer(case, choice))).collect();
    }
    let mut taken = BTreeSet::new();
    let case = |Choice { values, name }: Choice| {
        let mut name = if name.is_empty() { "case".to_owned() } else { shorter(name, &values) };
        // Some file systems do not tell capitals from small letters.
        if !taken.insert(name.to_lowercase()) {
            name = distinct(&name, &values);
            taken.insert(name.to_lowercase());
        }
        let own = keys.iter().zip(&values).map(|(key, value)| format!("{key}={value}"));
        Case { name, set: set.iter().cloned().chain(own).collect(), values }
    };
    all.into_iter().map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(text: &str) -> Result<Sweep> {
        parse(&format!("config = 'a.toml'\n{text}"), Path::new("/s/soft.toml"), Path::new("/w"))
    }

    fn names(sweep: &Sweep) -> Vec<&str> {
        sweep.cases.iter().map(|case| case.name.as_str()).collect()
    }

    #[test]
    fn grids_rows_and_names() {
        let text = "set = ['time.frames=3']\n[[vary]]\nkey = 'body.0.material.young'\nvalues = [1e5, 1e6]\n\
                    [[vary]]\nkeys = ['solver.kind', 'solver.iterations']\nvalues = [['pd', 40], ['newton', 5]]\n";
        let sweep = sweep(text).unwrap();
        assert_eq!(
            (sweep.config.as_path(), sweep.directory.as_path()),
            (Path::new("/s/a.toml"), Path::new("/w/outputs/soft"))
        );
        assert_eq!(
            names(&sweep),
            [
                "young-1e5_kind-pd-40",
                "young-1e5_kind-newton-5",
                "young-1e6_kind-pd-40",
                "young-1e6_kind-newton-5"
            ]
        );
        assert_eq!(
            sweep.cases[1].set,
            [
                "time.frames=3",
                "body.0.material.young=100000.0",
                "solver.kind=\"newton\"",
                "solver.iterations=5"
            ]
        );
        let arguments = sweep.arguments(&sweep.cases[0]);
        assert_eq!(arguments[..2], ["simulate", "/s/a.toml"]);
        assert_eq!(
            arguments[arguments.len() - 3..],
            ["--output", "/w/outputs/soft/young-1e5_kind-pd-40", "--resume"]
        );
    }

    #[test]
    fn a_latin_hypercube_has_one_point_in_each_strip_of_every_key() {
        let text = "[sample]\ncount = 50\nseed = 3\nkeys = [{ key = 'a', min = 0, max = 50 }, { key = 'b', min = 1, max = 10, scale = 'log' }]";
        let found = sweep(text).unwrap();
        assert_eq!(found, sweep(text).unwrap(), "the same everywhere");
        let number = |case: &Case, k: usize| case.values[k].parse::<f64>().unwrap();
        for k in 0..2 {
            let strip = |case: &Case| {
                let value = number(case, k);
                (if k == 0 { value } else { 50.0 * value.log10() }).floor() as usize
            };
            let mut strips: Vec<usize> = found.cases.iter().map(strip).collect();
            strips.sort_unstable();
            assert_eq!(strips, (0..50).collect::<Vec<_>>());
        }
        assert_ne!(found, sweep(&text.replace("seed = 3", "seed = 4")).unwrap());
        assert_eq!(found.cases[7].name, "sample-07");
    }

    #[test]
    fn random_points_are_within_bounds_and_whole_if_asked_for() {
        let text = "[sample]\nmethod = 'random'\ncount = 200\nkeys = [{ key = 'a', min = 2, max = 5, integer = true }]";
        let sweep = sweep(text).unwrap();
        let values: BTreeSet<&str> = sweep.cases.iter().map(|case| case.values[0].as_str()).collect();
        assert_eq!(values.into_iter().collect::<Vec<_>>(), ["2", "3", "4", "5"]);
    }

    #[test]
    fn names_of_strange_values_are_those_of_directories_and_differ() {
        let text =
            "[[vary]]\nkey = 'world.gravity'\nvalues = [[0, -9.81, 0], [0, 9.81, 0], '../../x', '..|..|x']\n";
        let sweep = sweep(text).unwrap();
        let names = names(&sweep);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 4, "{names:?}");
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c)))
        );
        assert!(names.iter().all(|name| !name.starts_with('.') && name.len() < 100), "{names:?}");
        assert_eq!(sweep.cases[0].set, ["world.gravity=[0, -9.81, 0]"]);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        for (text, part) in [
            ("[[vary]]\nvalues = [1]", "vary.0"),
            ("[[vary]]\nkey = 'a'\nvalues = []", "no values"),
            ("[[vary]]\nkeys = ['a', 'b']\nvalues = [[1]]", "1 values for 2 keys"),
            ("[[vary]]\nkey = 'a'\nvalues = [1, 1]", "twice"),
            ("[[vary]]\nkey = 'a'\nvalues = [1]\n[[vary]]\nkey = 'a'\nvalues = [2]", "varied twice"),
            ("[sample]\ncount = 3\nkeys = [{ key = 'a', min = 0, max = 1, scale = 'log' }]", "log scale"),
            ("[sample]\ncount = 0\nkeys = []", "count"),
            ("vari = 1", "line 2"),
            ("name = '../x'", "directory"),
        ] {
            let told = sweep(text).unwrap_err().to_string();
            assert!(told.contains(part) && told.contains("soft.toml"), "{text}: {told}");
        }
    }
}
