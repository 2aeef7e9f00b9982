//! From TOML values to [`raw::Config`], collecting every fault on the way.
//!
//! serde stops at the first fault. Here its key is noted and removed and the rest is read again, so that one run finds
//! all faults. Removed keys leave holes; [`Removed`] tells which later faults they explain.

use serde_path_to_error::Segment;
use toml::{Table, Value};

use super::path::KeyPath;
use super::problem::{Part, Problem, Report};
use super::raw;
use crate::error::suggest::suggestion;

/// The largest number of faults that are looked for.
const MOST: usize = 20;

/// The keys at fault, which were removed from the values before anything else was checked.
pub struct Removed {
    paths: Vec<KeyPath>,
    before: Value,
}

impl Removed {
    /// True for a fault that may be a consequence of a removal: it is about the removed key, a table around it or a key
    /// in it, or about a key that is missing beside it (the removed one may be that key, misspelt).
    pub fn explains(&self, path: &KeyPath) -> bool {
        self.paths.iter().any(|gone| {
            let missing_beside = gone.parent() == path.parent() && get(&self.before, path).is_none();
            path.starts_with(gone) || gone.starts_with(path) || missing_beside
        })
    }
}

/// Reads `values`, reporting unknown keys, wrong types and numbers that are not finite.
///
/// Returns the config without the keys at fault (`None` if there were too many), and those keys.
pub fn read(values: Table, report: &mut Report) -> (Option<raw::Config>, Removed) {
    let mut values = Value::Table(values);
    let mut strange = Vec::new();
    find_non_finite(&values, KeyPath::root(), &mut strange);
    for path in &strange {
        report.value(path.clone(), "must be a finite number", "");
    }
    // These keys stay in, but later faults about them are already reported.
    let mut removed = Removed { paths: strange, before: values.clone() };
    for _ in 0..MOST {
        let error = match serde_path_to_error::deserialize::<_, raw::Config>(values.clone()) {
            Ok(config) => return (Some(config), removed),
            Err(error) => error,
        };
        let at = place(error.path());
        let problem = explain(at.clone(), error.inner().message(), &values);
        if !removed.explains(&problem.path) {
            report.problems.push(problem);
        }
        let found = remove(&mut values, at.segments());
        removed.paths.push(at);
        if !found {
            break;
        }
    }
    (None, removed)
}

/// The path of the key that serde stopped at.
pub fn place(path: &serde_path_to_error::Path) -> KeyPath {
    path.iter().fold(KeyPath::root(), |path, segment| match segment {
        Segment::Seq { index } => path.join(index),
        Segment::Map { key } => path.join(key),
        Segment::Enum { variant } => path.join(variant),
        Segment::Unknown => path,
    })
}

/// Finds every number that is infinite or not a number.
fn find_non_finite(value: &Value, path: KeyPath, found: &mut Vec<KeyPath>) {
    match value {
        Value::Float(x) if !x.is_finite() => found.push(path),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                find_non_finite(item, path.join(i), found);
            }
        }
        Value::Table(table) => {
            for (key, item) in table {
                find_non_finite(item, path.join(key), found);
            }
        }
        _ => {}
    }
}

/// Removes the last key of `segments` that is in a table (removing an array element would renumber the others).
fn remove(value: &mut Value, segments: &[String]) -> bool {
    let Some((first, rest)) = segments.split_first() else { return false };
    match value {
        Value::Table(table) => match table.get_mut(first) {
            Some(inner) => remove(inner, rest) || table.remove(first).is_some(),
            None => false,
        },
        Value::Array(items) => {
            first.parse::<usize>().ok().and_then(|i| items.get_mut(i)).is_some_and(|item| remove(item, rest))
        }
        _ => false,
    }
}

/// The value at `path`.
fn get<'v>(values: &'v Value, path: &KeyPath) -> Option<&'v Value> {
    path.segments().iter().try_fold(values, |value, segment| match value {
        Value::Table(table) => table.get(segment),
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        _ => None,
    })
}

/// serde's message in terms of the config.
pub fn explain(at: KeyPath, message: &str, values: &Value) -> Problem {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (name, valid) = names.split_first().map_or(("", &[][..]), |(name, valid)| (*name, valid));
    let value =
        |path: KeyPath, message: String, hint: String| Problem { path, part: Part::Value, message, hint };
    if message.starts_with("unknown field") {
        let (message, hint) = ("unknown key".to_owned(), suggestion(name, "keys", valid));
        return Problem { path: at, part: Part::Key, message, hint };
    }
    if message.starts_with("unknown variant") {
        // In `select = { bax = … }` the name is a key below the path, in `select = "bax"` it is the value.
        let below = at.join(name);
        let is_key = get(values, &below).is_some();
        let part = if is_key { Part::Key } else { Part::Value };
        let (message, hint) = (format!("unknown name '{name}'"), suggestion(name, "names", valid));
        return Problem { path: if is_key { below } else { at }, part, message, hint };
    }
    if message.starts_with("missing field") {
        return value(at.join(name), "missing".into(), String::new());
    }
    if message.starts_with("wanted exactly 1 element") {
        return value(at, "wants exactly one kind".into(), String::new());
    }
    if message.contains("expected newtype variant") {
        let kind = at.segments().last().cloned().unwrap_or_default();
        return value(at.parent(), format!("'{kind}' wants a value: write {{ {kind} = … }}"), String::new());
    }
    let message = wrong_type(message, get(values, &at));
    value(at, message, String::new())
}

/// A message such as `expected a number, found the string "x"`.
fn wrong_type(message: &str, value: Option<&Value>) -> String {
    let count = value.and_then(Value::as_array).map(Vec::len);
    if let (true, Some(count)) = (message.starts_with("invalid length"), count) {
        let wanted = message.rsplit_once("an array of length ").map_or("fewer", |(_, length)| length);
        return format!("expected {wanted} elements, found {count}");
    }
    let Some((_, expected)) = message.split_once(", expected ") else { return message.to_owned() };
    let expected = match expected {
        "f64" => "a number",
        "u64" | "u32" => "a whole number that is not negative",
        "a sequence" => "an array",
        "string only" => "a name in quotes",
        other if other.starts_with("struct ") => "a table",
        other => other.strip_prefix("an array of length ").map_or(other, |_| "an array of numbers"),
    };
    match value {
        Some(value @ (Value::Table(_) | Value::Array(_))) => {
            format!("expected {expected}, found {} {}", article(value), value.type_str())
        }
        Some(value) => format!("expected {expected}, found {value}"),
        None => format!("expected {expected}"),
    }
}

fn article(value: &Value) -> &'static str {
    if value.is_array() { "an" } else { "a" }
}
