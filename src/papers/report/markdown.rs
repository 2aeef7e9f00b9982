//! The report in Markdown.

use super::super::Wishes;
use super::{Entry, LEGEND, tally};

/// The whole page.
pub(super) fn page(entries: &[Entry], wishes: &Wishes) -> String {
    let form = if wishes.quick { ", quick form" } else { "" };
    let mut text = format!("# The papers, measured again{form}\n\n{}.\n\n{LEGEND}\n\n", tally(entries));
    text += "| row | what | verdict |\n|---|---|---|\n";
    for entry in entries {
        let (key, title) = (&entry.row.key, cell(&entry.row.spec.title));
        text += &format!("| [{key}](#{key}) | {title} | {} |\n", entry.word());
    }
    for entry in entries {
        text += &row(entry, wishes);
    }
    text
}

/// The section of a row.
fn row(entry: &Entry, wishes: &Wishes) -> String {
    let spec = &entry.row.spec;
    let mut text = format!("\n## {}\n\n**{}**: {}\n\n", entry.row.key, spec.title, entry.word());
    text += &format!("The paper: {}\n\nChosen here: {}\n\n", spec.claim, spec.chosen);
    for remark in entry.remarks() {
        text += &format!("{remark}\n\n");
    }
    let lines = entry.lines();
    if !lines.is_empty() {
        text += "| figure | paper | here | ratio | rule | verdict |\n|---|---|---|---|---|---|\n";
    }
    for line in lines {
        let unit = if line.unit.is_empty() { String::new() } else { format!(" ({})", line.unit) };
        let why = if line.why.is_empty() { String::new() } else { format!(": {}", cell(&line.why)) };
        text += &format!(
            "| {}{unit} | {} | {} | {} | {} | {}{why} |\n",
            cell(&line.name),
            line.paper,
            line.ours,
            line.ratio,
            line.rule,
            line.verdict.word(),
        );
    }
    for chart in entry.stored.iter().flat_map(|stored| &stored.charts) {
        text += &format!("\n![{}]({}/{chart})\n", spec.title, entry.row.key);
    }
    text + &format!("\n```console\n$ {}\n```\n", entry.command(wishes))
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}
