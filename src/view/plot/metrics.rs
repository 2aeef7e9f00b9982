//! `metrics.csv` of a run, column by column; its first line names the columns.

use std::path::{Path, PathBuf};

use crate::error::{Action, Error, Result};

/// The measurements of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// The name of the run, which is that of its directory.
    pub name: String,
    path: PathBuf,
    columns: Vec<String>,
    /// All values, row by row.
    values: Vec<f64>,
}

impl Metrics {
    /// Reads the file of a run directory.
    pub fn read(directory: &Path) -> Result<Metrics> {
        let refuse = |path: &Path, reason: &str, hint: &str| Error::Run {
            path: path.to_owned(),
            reason: reason.into(),
            hint: hint.into(),
        };
        if !directory.is_dir() {
            let reason = if directory.exists() { "is not a directory" } else { "does not exist" };
            return Err(refuse(directory, reason, "name the directory of a run, such as outputs/NAME"));
        }
        let path = directory.join("metrics.csv");
        if !path.is_file() {
            let hint = "it is no run directory; 'pliant simulate' makes them";
            return Err(refuse(directory, "has no metrics.csv", hint));
        }
        let text = std::fs::read_to_string(&path).map_err(|e| Error::io(Action::Read, &path, e))?;
        let (columns, values) = parse(&text, &path)?;
        if values.is_empty() {
            return Err(refuse(&path, "has no rows", "let the run simulate a frame first"));
        }
        Ok(Metrics { name: name(directory), path, columns, values })
    }

    /// Reads another table of a run directory; `None` if it is not there or has no rows.
    pub fn read_file(directory: &Path, file: &str) -> Result<Option<Metrics>> {
        let path = directory.join(file);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(Action::Read, &path, e)),
        };
        let (columns, values) = parse(&text, &path)?;
        Ok((!values.is_empty()).then(|| Metrics { name: name(directory), path, columns, values }))
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.columns.len()
    }

    /// Always false: files without rows are refused.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values of the column with this name.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let Some(index) = self.columns.iter().position(|column| column == name) else {
            return Err(Error::Format {
                path: self.path.clone(),
                place: "line 1".into(),
                reason: format!("there is no column '{name}'"),
                hint: "the file is of another version of pliant, or of another program".into(),
            });
        };
        Ok(self.values.chunks_exact(self.columns.len()).map(|row| row[index]).collect())
    }

    /// The sum of columns, row by row.
    pub fn sum(&self, names: &[&str]) -> Result<Vec<f64>> {
        self.combine(names, |row| row.iter().sum())
    }

    /// The length of the vector whose components are these columns, row by row.
    pub fn length(&self, names: &[&str]) -> Result<Vec<f64>> {
        self.combine(names, |row| row.iter().fold(0.0, |sum: f64, v| sum.hypot(*v)))
    }

    /// A function of some columns, row by row.
    pub fn combine(&self, names: &[&str], f: impl Fn(&[f64]) -> f64) -> Result<Vec<f64>> {
        let columns: Vec<Vec<f64>> = names.iter().map(|name| self.column(name)).collect::<Result<_>>()?;
        Ok((0..self.len()).map(|i| f(&columns.iter().map(|c| c[i]).collect::<Vec<_>>())).collect())
    }
}

/// The last part of a path, also for paths like `.`.
fn name(directory: &Path) -> String {
    let whole = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    whole.file_name().map_or_else(|| directory.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// Reads columns and values; `path` is for messages.
fn parse(text: &str, path: &Path) -> Result<(Vec<String>, Vec<f64>)> {
    let mut lines = text.lines();
    let columns: Vec<String> = lines.next().unwrap_or("").split(',').map(|c| c.trim().to_owned()).collect();
    let mut values = vec![];
    for (i, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |reason: String| Error::Format {
            path: path.to_owned(),
            place: format!("line {}", i + 2),
            reason,
            hint: "repair or delete the line, or simulate again".into(),
        };
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != columns.len() {
            return Err(fault(format!("has {} values for {} columns", fields.len(), columns.len())));
        }
        for (field, column) in fields.iter().zip(&columns) {
            let value =
                field.trim().parse().map_err(|_| fault(format!("{column} is '{field}', no number")))?;
            values.push(value);
        }
    }
    Ok((columns, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("metrics.csv"), "px,time,py\n3,0.5,4\n\n6,1.0,NaN\n").unwrap();
        let metrics = Metrics::read(dir.path()).unwrap();
        assert_eq!(metrics.column("time").unwrap(), [0.5, 1.0]);
        let length = metrics.length(&["px", "py"]).unwrap();
        assert!(length[0] == 5.0 && length[1].is_nan());
        assert_eq!(metrics.sum(&["px", "time"]).unwrap(), [3.5, 7.0]);
        let error = metrics.column("pz").unwrap_err().to_string();
        assert!(error.contains("metrics.csv, line 1: there is no column 'pz'"), "{error}");
    }

    #[test]
    fn broken_rows_are_named() {
        for (text, want) in [
            ("a,b\n1,2\n3\n", "m.csv, line 3: has 1 values for 2 columns"),
            ("a,b\n1,2\n\n3,x\n", "m.csv, line 4: b is 'x', no number"),
            ("a,b\n1,\n", "m.csv, line 2: b is '', no number"),
        ] {
            let error = parse(text, Path::new("m.csv")).unwrap_err();
            assert!(
                error.exit() == crate::error::Exit::Usage && error.to_string().starts_with(want),
                "{error}"
            );
        }
    }
}
