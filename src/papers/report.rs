//! The report: every row with its figures beside the paper's, as one page for browsers and as one in Markdown.

mod html;
mod markdown;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::outcome::Figure;
use super::scene::Meshes;
use super::spec::{Cell, Paper};
use super::store::{Files, Stored, program};
use super::verdict::{Verdict, judge, judge_row, judged};
use super::{Row, Wishes};
use crate::error::Result;
use crate::fs::write_atomically;

/// A row with what is known of it.
pub struct Entry {
    /// The row.
    pub row: Row,
    /// Its figures; `None` if it was not run.
    pub stored: Option<Stored>,
    /// The verdict on its figures.
    pub verdict: Option<Verdict>,
}

impl Entry {
    /// The row with the figures that `files` have of it.
    pub fn of(row: Row, files: &Files) -> Result<Entry> {
        let stored = files.read(&row.key)?;
        let verdict = stored.as_ref().map(|stored| judge_row(&row.spec, &stored.figures));
        Ok(Entry { row, stored, verdict })
    }

    /// The word for its state.
    pub fn word(&self) -> &'static str {
        self.verdict.map_or("not run", Verdict::word)
    }

    /// The lines of its table.
    fn lines(&self) -> Vec<Line> {
        let Some(stored) = &self.stored else { return vec![] };
        judged(&self.row.spec, &stored.figures).map(|(cell, figure)| Line::of(cell, figure)).collect()
    }

    /// Whose meshes it has, and whether other solvers or another build stand behind its figures.
    fn remarks(&self) -> Vec<String> {
        let Some(stored) = &self.stored else { return vec![] };
        let mut remarks = vec![];
        match stored.meshes {
            Meshes::Described => {}
            Meshes::Own => remarks.push("Measured on the paper's own mesh.".to_owned()),
            Meshes::Substitutes => {
                remarks.push("Measured on a mesh made here in place of the paper's.".to_owned());
            }
        }
        for (old, new) in &stored.swaps {
            remarks.push(format!("In the place of {old} stood {new}."));
        }
        if stored.mark.program != program() {
            remarks.push("Measured with another build of the program.".to_owned());
        }
        remarks
    }

    fn command(&self, wishes: &Wishes) -> String {
        format!("pliant paper run {}{}", self.row.key, if wishes.quick { " --quick" } else { "" })
    }
}

/// A cell as the report shows it.
struct Line {
    name: String,
    unit: String,
    paper: String,
    ours: String,
    ratio: String,
    rule: String,
    verdict: Verdict,
    why: String,
}

impl Line {
    fn of(cell: &Cell, figure: Figure) -> Line {
        let verdict = judge(cell, figure);
        let ratio = match (&cell.paper, figure) {
            (Some(Paper::Number(paper)), Figure::Number(ours)) if *paper != 0.0 => number(ours / paper),
            _ => String::new(),
        };
        let known = cell.known.as_ref().filter(|_| verdict == Verdict::Differs);
        Line {
            name: cell.name.clone(),
            unit: cell.unit.clone(),
            paper: cell.paper.as_ref().map_or(String::new(), |paper| match paper {
                Paper::Number(paper) => number(*paper),
                Paper::Word(word) => word.clone(),
            }),
            ours: match figure {
                Figure::Number(ours) => number(ours),
                Figure::Never => "never".into(),
            },
            ratio,
            rule: rule(cell),
            verdict,
            why: known.map_or(String::new(), |known| known.why.clone()),
        }
    }
}

/// The rule of a cell in words.
fn rule(cell: &Cell) -> String {
    let mut parts = vec![];
    if let Some(part) = cell.within {
        parts.push(format!("within {} %", number(100.0 * part)));
    }
    if let Some(most) = cell.near {
        parts.push(format!("within {}", number(most)));
    }
    if let Some(most) = cell.at_most {
        parts.push(format!("at most {}", number(most)));
    }
    if let Some(least) = cell.at_least {
        parts.push(format!("at least {}", number(least)));
    }
    if let Some(side) = cell.better {
        parts.push(match side {
            super::spec::Side::Lower => "or less".into(),
            super::spec::Side::Higher => "or more".into(),
        });
    }
    if parts.is_empty() { "the same".into() } else { parts.join(", ") }
}

/// A number with three digits that count.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-3..1e5).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let digits = (2 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How many rows have each verdict, in words.
fn tally(entries: &[Entry]) -> String {
    let words = ["better", "met", "differs", "FAILS", "not run"];
    let counted = words.map(|word| (word, entries.iter().filter(|entry| entry.word() == word).count()));
    let parts: Vec<String> =
        counted.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}")).collect();
    format!("{} rows: {}", entries.len(), parts.join(", "))
}

/// What the words of the report mean.
const LEGEND: &str = "A figure is met if it keeps the rule beside it, better if it is on the better side of the paper's, \
    differs if it does not keep the rule for a reason that was found and is given, and FAILS if nobody knows why. A row is \
    what its worst figure is. Times are of this machine and are not judged; ratios and counts are.";

/// Writes `report.html` and `report.md` into the directory of the figures; returns their paths.
pub fn write(entries: &[Entry], root: &Path, wishes: &Wishes) -> Result<[PathBuf; 2]> {
    std::fs::create_dir_all(root)
        .map_err(|e| crate::error::Error::io(crate::error::Action::CreateDirectory, root, e))?;
    let paths = ["report.html", "report.md"].map(|name| root.join(name));
    let texts = [html::page(entries, root, wishes)?, markdown::page(entries, wishes)];
    for (path, text) in paths.iter().zip(&texts) {
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(paths)
}

/// The table of a row for a terminal.
pub fn terminal(entry: &Entry) -> String {
    let lines = entry.lines();
    let width = |of: fn(&Line) -> &str, least: usize| {
        lines.iter().map(|line| of(line).chars().count()).max().unwrap_or(0).max(least)
    };
    let (names, papers, ours) = (width(|l| &l.name, 4), width(|l| &l.paper, 5), width(|l| &l.ours, 4));
    let mut text = format!("{}: {}  {}\n", entry.row.key, entry.word(), entry.row.spec.title);
    for line in &lines {
        text += &format!(
            "  {:names$}  paper {:>papers$}  here {:>ours$} {:3}  {}\n",
            line.name,
            line.paper,
            line.ours,
            line.unit,
            line.verdict.word()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, text) in
            [(22.68, "22.7"), (0.0, "0"), (1e7, "1.00e7"), (0.125, "0.125"), (2.0, "2"), (12345.0, "12345")]
        {
            assert_eq!(number(value), text);
        }
    }
}
