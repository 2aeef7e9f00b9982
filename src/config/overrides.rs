//! Values of flags that replace those of the file: `--set key.path=value`, `--solver`, `--frames`, `-o`.

use std::path::PathBuf;

use toml::{Table, Value};

use super::path::KeyPath;

/// The changes that the command line makes to a config.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Assignments `key.path=value`, applied in order; values are TOML, or else strings.
    pub set: Vec<String>,
    /// The same, made by a comparison that varies values.
    pub vary: Vec<String>,
    /// Replaces `solver.kind`; options that the new kind does not take are dropped with a warning.
    pub solver: Option<String>,
    /// Replaces `time.frames`.
    pub frames: Option<u64>,
    /// Replaces `output.dir`, relative to the working directory.
    pub output: Option<PathBuf>,
}

/// One assignment of a flag.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The flag as typed, for messages.
    pub flag: String,
    /// The path of the key that is set.
    pub path: KeyPath,
    /// The new value of the key.
    pub value: Value,
}

/// A flag that cannot be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The flag as typed.
    pub flag: String,
    /// The path of the key, if it could be read.
    pub path: KeyPath,
    /// The reason why it cannot be applied.
    pub message: String,
}

impl Overrides {
    /// The assignments in the order in which they apply: `--set` first, then the other flags.
    ///
    /// A relative output directory is resolved against `working_directory`.
    pub fn assignments(&self, working_directory: &std::path::Path) -> Vec<Result<Assignment, Refusal>> {
        let set = self.set.iter().map(|text| parse_set("--set", text));
        let mut all: Vec<_> = set.chain(self.vary.iter().map(|text| parse_set("vary:", text))).collect();
        let assign =
            |flag: String, key: &str, value: Value| Ok(Assignment { flag, path: KeyPath::parse(key), value });
        if let Some(kind) = &self.solver {
            all.push(assign(format!("--solver {kind}"), "solver.kind", Value::String(kind.clone())));
        }
        if let Some(frames) = self.frames {
            let flag = format!("--frames {frames}");
            all.push(match i64::try_from(frames) {
                Ok(frames) => assign(flag, "time.frames", Value::Integer(frames)),
                Err(_) => {
                    Err(Refusal { flag, path: KeyPath::parse("time.frames"), message: "too large".into() })
                }
            });
        }
        if let Some(dir) = &self.output {
            let flag = format!("--output {}", dir.display());
            all.push(match working_directory.join(dir).to_str() {
                Some(path) => assign(flag, "output.dir", Value::String(path.to_owned())),
                None => Err(Refusal {
                    flag,
                    path: KeyPath::parse("output.dir"),
                    message: "the path is not UTF-8".into(),
                }),
            });
        }
        all
    }
}

/// Reads one `key.path=value`.
fn parse_set(by: &str, text: &str) -> Result<Assignment, Refusal> {
    let flag = format!("{by} {text}");
    let refuse = |path: KeyPath, message: String| Err(Refusal { flag: flag.clone(), path, message });
    let Some((key, value)) = text.split_once('=') else {
        return refuse(KeyPath::root(), "wants key.path=value, such as time.frames=10".into());
    };
    let path = KeyPath::parse(key);
    if path.segments().iter().any(String::is_empty) {
        return refuse(KeyPath::root(), format!("'{key}' is not a key path such as body.0.material.young"));
    }
    let value = value.trim();
    match toml::from_str::<Table>(&format!("value = {value}")) {
        Ok(mut table) if table.len() == 1 => {
            let value = table.remove("value").unwrap_or(Value::String(String::new()));
            Ok(Assignment { flag, path, value })
        }
        Err(error) if value.starts_with(['[', '{', '"', '\'']) => {
            refuse(path, format!("the value is not valid TOML: {}", error.message()))
        }
        _ => Ok(Assignment { flag, path, value: Value::String(value.to_owned()) }),
    }
}

/// Puts an assignment into `config`. Missing tables on the way are made; missing array elements are not.
pub fn apply(config: &mut Table, assignment: &Assignment) -> Result<(), Refusal> {
    let Assignment { flag, path, value } = assignment;
    set_in_table(config, KeyPath::root(), path.segments(), value.clone()).map_err(|message| Refusal {
        flag: flag.clone(),
        path: path.clone(),
        message,
    })
}

/// Sets `rest` below `table`, whose path is `here`.
fn set_in_table(table: &mut Table, here: KeyPath, rest: &[String], value: Value) -> Result<(), String> {
    let Some((segment, rest)) = rest.split_first() else { return Err("names no key".into()) };
    let here = here.join(segment);
    let Some(next) = rest.first() else {
        table.insert(segment.clone(), value);
        return Ok(());
    };
    if !table.contains_key(segment) && next.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("the config has no array '{here}'"));
    }
    set_in_value(table.entry(segment).or_insert_with(|| Value::Table(Table::new())), here, rest, value)
}

/// Sets `rest` below a value that must be a table or an array.
fn set_in_value(within: &mut Value, here: KeyPath, rest: &[String], value: Value) -> Result<(), String> {
    let array = match within {
        Value::Table(table) => return set_in_table(table, here, rest, value),
        Value::Array(array) => array,
        other => return Err(format!("'{here}' is a {}, not a table", other.type_str())),
    };
    let Some((segment, rest)) = rest.split_first() else { return Err("names no key".into()) };
    let Ok(index) = segment.parse::<usize>() else {
        return Err(format!("'{here}' is an array: name an element, such as {here}.0.{segment}"));
    };
    let count = array.len();
    let Some(element) = array.get_mut(index) else {
        let elements = if count == 1 { "element" } else { "elements" };
        return Err(format!("'{here}' has {count} {elements}, counted from 0"));
    };
    if rest.is_empty() {
        *element = value;
        return Ok(());
    }
    set_in_value(element, here.join(segment), rest, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Result<Table, String> {
        let mut config: Table =
            toml::from_str("name = 'a'\n[[body]]\nsize = [1, 2]\nmaterial = { young = 1 }\n").unwrap();
        let assignment = parse_set("--set", text).map_err(|refusal| refusal.message)?;
        apply(&mut config, &assignment).map_err(|refusal| refusal.message)?;
        Ok(config)
    }

    #[test]
    fn values_are_toml_or_else_strings() {
        for (text, expected) in [
            ("name=1e5", Value::Float(1e5)),
            ("name=7", Value::Integer(7)),
            ("name=true", Value::Boolean(true)),
            ("name=1/30", Value::String("1/30".into())),
            ("name = quasi-newton", Value::String("quasi-newton".into())),
            ("name='1'", Value::String("1".into())),
            ("name=a=b", Value::String("a=b".into())),
            ("name=", Value::String(String::new())),
            ("name=1\nbody=2", Value::String("1\nbody=2".into())),
            ("name=[1, 2]", Value::Array(vec![Value::Integer(1), Value::Integer(2)])),
        ] {
            assert_eq!(set(text).unwrap()["name"], expected, "{text}");
        }
    }

    #[test]
    fn keys_are_replaced_in_arrays_and_tables_and_missing_tables_are_made() {
        assert_eq!(
            set("body.0.material.young=2.5").unwrap()["body"][0]["material"]["young"].as_float(),
            Some(2.5)
        );
        assert_eq!(set("body.0.size.1=5").unwrap()["body"][0]["size"][1].as_integer(), Some(5));
        assert_eq!(set("world.wind.speed=5").unwrap()["world"]["wind"]["speed"].as_integer(), Some(5));
    }

    #[test]
    fn what_cannot_be_applied_says_why() {
        for (text, reason) in [
            ("frames", "wants key.path=value, such as time.frames=10"),
            ("a..b=1", "'a..b' is not a key path such as body.0.material.young"),
            ("body.3.density=1", "'body' has 1 element, counted from 0"),
            ("body.density=1", "'body' is an array: name an element, such as body.0.density"),
            ("obstacle.0.friction=1", "the config has no array 'obstacle'"),
            ("name.x=1", "'name' is a string, not a table"),
            ("body.0.size.x=1", "'body.0.size' is an array: name an element, such as body.0.size.0.x"),
        ] {
            assert_eq!(set(text).unwrap_err(), reason, "{text}");
        }
        assert!(set("body.0.size=[1, 2").unwrap_err().starts_with("the value is not valid TOML: "));
    }
}
