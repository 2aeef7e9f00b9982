//! The table as a page for browsers, with charts of what was measured over the values that differ.

use super::Table;
use crate::io::vtu_write::escape;
use crate::view::plot::layout::layout;
use crate::view::plot::svg::to_svg;
use crate::view::plot::{Axis, Chart, Mark, Panel, Series, Theme};

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>Runs</title><style>\
body{font:15px/1.45 system-ui,sans-serif;margin:2em;color:#1c2430}table{border-collapse:collapse}\
td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #d5dae1;font-variant-numeric:tabular-nums}\
svg{max-width:60em;height:auto;display:block}pre{background:#eef1f5;padding:.6em}</style></head><body>\n";

/// The most charts of a page.
const CHARTS: usize = 40;
/// An axis is logarithmic from this ratio of its values on.
const WIDE: f64 = 30.0;

/// The whole page.
pub fn page(table: &Table) -> String {
    let (names, rows) = table.cells();
    let line = |tag: &str, cells: &[String]| {
        let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let done = table.runs.iter().filter(|run| run.state == super::State::Done).count();
    let mut text =
        format!("{HEAD}<h1>{} runs, {done} done</h1>\n<table>\n{}", table.runs.len(), line("th", &names));
    rows.iter().for_each(|row| text += &line("td", row));
    text += "</table>\n";
    let to_do = table.to_do();
    if !to_do.is_empty() {
        text += &format!("<h2>To be done</h2>\n<pre>{}</pre>\n", escape(&to_do));
    }
    for chart in charts(table) {
        text += &to_svg(&layout(&chart, Theme::default()));
    }
    text + "</body></html>\n"
}

/// A chart for each key whose values are numbers, with a panel for each measure.
fn charts(table: &Table) -> Vec<Chart> {
    let measures: Vec<String> = table.measures.iter().map(ToString::to_string).collect();
    let shown = measures.into_iter().chain(["worst_gradient".to_owned(), "seconds".to_owned()]);
    let shown: Vec<String> = shown.collect();
    let mut out = vec![];
    for key in table.keys.iter().take(CHARTS) {
        let x = table.numbers(key);
        let panels: Vec<Panel> =
            shown.iter().filter_map(|name| panel(&x, &table.numbers(name), name)).collect();
        if !panels.is_empty() {
            out.push(Chart { title: String::new(), x: axis(key, &x), panels });
        }
    }
    out
}

/// The points of a measure; `None` without any.
fn panel(x: &[Option<f64>], y: &[Option<f64>], name: &str) -> Option<Panel> {
    let points: Vec<[f64; 2]> = x.iter().zip(y).filter_map(|(x, y)| Some([(*x)?, (*y)?])).collect();
    let is_seen = points.iter().any(|point| point[0] != points[0][0]);
    let series = Series { name: String::new(), points, mark: Mark::Points, look: 0 };
    is_seen.then(|| Panel { y: axis(name, y), series: vec![series] })
}

/// An axis that suits the values.
fn axis(name: &str, values: &[Option<f64>]) -> Axis {
    let known = || values.iter().flatten().copied();
    let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    if least > 0.0 && most > WIDE * least { Axis::log(name, "") } else { Axis::linear(name, "") }
}
