//! The report as one page for browsers, with its charts inside.

use std::path::Path;

use super::super::Wishes;
use super::{Entry, LEGEND, tally};
use crate::error::{Action, Error, Result};
use crate::io::vtu_write::escape;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>The papers, measured again</title><style>\
body{font:15px/1.45 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1c2430}\
table{border-collapse:collapse;margin:.6em 0}td,th{padding:.2em .7em;text-align:left;border-bottom:1px solid #d5dae1;\
vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}section{margin-top:2.5em}\
.better,.met{color:#17703a}.differs{color:#a05a00}.FAILS{color:#b3161b;font-weight:bold}.not{color:#68707c}\
svg{max-width:100%;height:auto}code{background:#eef1f5;padding:.15em .4em}</style></head><body>\n";

/// The whole page; charts are read from the directories of the rows.
pub(super) fn page(entries: &[Entry], root: &Path, wishes: &Wishes) -> Result<String> {
    let form = if wishes.quick { ", quick form" } else { "" };
    let mut text = format!("{HEAD}<h1>The papers, measured again{form}</h1>\n<p>{}.</p>\n", tally(entries));
    text += &format!("<p>{LEGEND}</p>\n<table><tr><th>row</th><th>what</th><th>verdict</th></tr>\n");
    for entry in entries {
        let (key, title) = (&entry.row.key, escape(&entry.row.spec.title));
        text += &format!(
            "<tr><td><a href=\"#{key}\">{key}</a></td><td>{title}</td><td>{}</td></tr>\n",
            word(entry.word())
        );
    }
    text += "</table>\n";
    for entry in entries {
        text += &row(entry, root, wishes)?;
    }
    Ok(text + "</body></html>\n")
}

fn word(word: &str) -> String {
    format!("<span class=\"{word}\">{word}</span>")
}

/// The section of a row.
fn row(entry: &Entry, root: &Path, wishes: &Wishes) -> Result<String> {
    let (key, spec) = (&entry.row.key, &entry.row.spec);
    let mut text = format!(
        "<section id=\"{key}\"><h2>{}: {}</h2>\n<p>The paper: {}</p>\n<p>Chosen here: {}</p>\n",
        escape(&spec.title),
        word(entry.word()),
        escape(&spec.claim),
        escape(&spec.chosen)
    );
    for remark in entry.remarks() {
        text += &format!("<p>{}</p>\n", escape(&remark));
    }
    let lines = entry.lines();
    if !lines.is_empty() {
        text += "<table><tr><th>figure</th><th>paper</th><th>here</th><th>ratio</th><th>rule</th><th>verdict</th></tr>\n";
        for line in lines {
            let unit =
                if line.unit.is_empty() { String::new() } else { format!(" ({})", escape(&line.unit)) };
            let why = if line.why.is_empty() { String::new() } else { format!(": {}", escape(&line.why)) };
            text += &format!(
                "<tr><td>{}{unit}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td>\
                 <td>{}{why}</td></tr>\n",
                escape(&line.name),
                escape(&line.paper),
                line.ours,
                line.ratio,
                line.rule,
                word(line.verdict.word())
            );
        }
        text += "</table>\n";
    }
    for chart in entry.stored.iter().flat_map(|stored| &stored.charts) {
        let path = root.join(key).join(chart);
        text += &std::fs::read_to_string(&path).map_err(|e| Error::io(Action::Read, &path, e))?;
    }
    Ok(text + &format!("<p><code>{}</code></p></section>\n", entry.command(wishes)))
}
