//! The table as text, CSV and JSON.

use serde_json::{Map, Value, json};

use super::{Run, State, Table};
use crate::sweep::csv_field;

/// A column of the table.
struct Column<'a> {
    name: String,
    of: Box<dyn Fn(&Run) -> Value + 'a>,
}

fn column<'a>(name: impl Into<String>, of: impl Fn(&Run) -> Value + 'a) -> Column<'a> {
    Column { name: name.into(), of: Box::new(of) }
}

/// The value of a key: a number where it is one.
fn parsed(text: Option<&String>) -> Value {
    let Some(text) = text else { return Value::Null };
    text.parse::<f64>().map_or_else(|_| json!(text.trim_matches('"')), |number| json!(number))
}

impl Table {
    fn columns(&self) -> Vec<Column<'_>> {
        let number = |name: &str, keys: &'static [&'static str]| {
            column(name, move |run: &Run| json!(run.number(keys)))
        };
        let mut out =
            vec![column("run", |run| json!(run.name)), column("state", |run| json!(run.state.word()))];
        out.extend(
            self.keys.iter().map(|key| column(key.as_str(), move |run: &Run| parsed(run.values.get(key)))),
        );
        out.push(column("status", |run| json!(run.soundness())));
        out.push(number("frames", &["frames"]));
        out.push(number("worst_gradient", &["convergence", "worst"]));
        out.push(number("unconverged_steps", &["convergence", "worrying_steps"]));
        out.push(number("seconds", &["seconds", "total"]));
        out.push(number("seconds_per_frame", &["seconds", "per_frame"]));
        out.push(number("peak_bytes", &["machine", "peak_bytes"]));
        out.push(column("factor_cache", |run| run.summary["cache"]["factor"].clone()));
        for (i, measure) in self.measures.iter().enumerate() {
            out.push(column(measure.to_string(), move |run: &Run| {
                json!(run.measured.get(i).copied().flatten())
            }));
        }
        out
    }

    /// One row a run, numbers as they are read back to the same bits.
    pub fn to_csv(&self) -> String {
        let columns = self.columns();
        let line = |fields: Vec<String>| {
            fields.iter().map(|field| csv_field(field)).collect::<Vec<_>>().join(",") + "\n"
        };
        let head = line(columns.iter().map(|column| column.name.clone()).collect());
        let rows = self.runs.iter().map(|run| line(columns.iter().map(|c| plain(&(c.of)(run))).collect()));
        std::iter::once(head).chain(rows).collect()
    }

    /// An array of objects, one a run, with its directory and the command that continues it.
    pub fn to_json(&self) -> String {
        let columns = self.columns();
        let row = |run: &Run| {
            let mut row: Map<String, Value> = columns.iter().map(|c| (c.name.clone(), (c.of)(run))).collect();
            row.insert("directory".into(), json!(run.directory));
            row.insert("continue".into(), json!(run.way_on()));
            if let State::Failed(why) = &run.state {
                row.insert("error".into(), json!(why));
            }
            Value::Object(row)
        };
        format!("{:#}\n", Value::Array(self.runs.iter().map(row).collect()))
    }

    /// For people: short numbers in columns, then what is to be done.
    pub fn to_text(&self) -> String {
        let columns = self.columns();
        let mut rows = vec![columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>()];
        rows.extend(self.runs.iter().map(|run| columns.iter().map(|c| short(&(c.of)(run))).collect()));
        let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        let mut out = String::new();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
            out += &format!("{}\n", cells.collect::<Vec<_>>().join("  "));
        }
        out + &self.to_do()
    }

    /// How many runs are not done or not converged, each with its command.
    pub fn to_do(&self) -> String {
        let mut out = String::new();
        for run in &self.runs {
            if let State::Failed(why) = &run.state {
                out += &format!("{} failed: {why}\n", run.name);
            }
            if let Some(command) = run.way_on() {
                out += &format!("{}: {command}\n", run.name);
            }
        }
        out
    }
}

/// A value in a field of a table for programs.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(String::new, |number| number.to_string()),
        other => other.to_string(),
    }
}

/// A value with four digits.
pub(super) fn short(value: &Value) -> String {
    let Some(number) = value.as_f64() else { return plain(value) };
    match number.abs() {
        0.0 => "0".to_owned(),
        a if number.fract() == 0.0 && a < 1e6 => format!("{number:.0}"),
        a if (1e-2..1e5).contains(&a) => {
            let digits = (3 - a.log10().floor() as i32).clamp(0, 6) as usize;
            format!("{number:.digits$}")
        }
        _ => format!("{number:.3e}"),
    }
}

impl Table {
    /// The names of the columns and the cells of all runs, for a page.
    pub(super) fn cells(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let columns = self.columns();
        let row = |run: &Run| columns.iter().map(|c| short(&(c.of)(run))).collect();
        (columns.iter().map(|column| column.name.clone()).collect(), self.runs.iter().map(row).collect())
    }

    /// The numbers of a column by its name, a row a run.
    pub(super) fn numbers(&self, name: &str) -> Vec<Option<f64>> {
        let columns = self.columns();
        let found = columns.iter().find(|column| column.name == name);
        self.runs.iter().map(|run| found.and_then(|column| (column.of)(run).as_f64())).collect()
    }
}
