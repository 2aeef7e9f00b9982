//! The legend: beside the panels if it fits, else below them; never over the curves.
//!
//! Panels that follow each other with the same names share one legend.

use super::layout::{LINE, Pen, SLACK, TEXT};
use super::{Chart, Mark, Series, drawing::Anchor, font};

/// If a name is wider than this in pixels, the legend goes below.
const WIDEST_BESIDE: f64 = 190.0;
/// The length of the sample of a curve, and its distance to the name, in pixels.
const SAMPLE: f64 = 30.0;
const SPACE: f64 = 7.0;

#[derive(Clone, PartialEq)]
struct Entry {
    name: String,
    look: usize,
    mark: Mark,
}

/// A legend with its place.
pub(super) struct Legend {
    /// The entries, with the upper end of their panel.
    groups: Vec<(f64, Vec<Entry>)>,
    is_beside: bool,
    /// The width of the widest name, in pixels.
    widest: f64,
    /// The width for a legend below, in pixels.
    room: f64,
}

impl Legend {
    /// The legend for panels whose upper ends are `tops`, and of which the last ends at `bottom`. `room` is the width
    /// of panels and legend together.
    pub fn new(chart: &Chart, tops: &[f64], bottom: f64, room: f64) -> Legend {
        let mut groups: Vec<(f64, Vec<Entry>)> = vec![];
        for (panel, top) in chart.panels.iter().zip(tops) {
            let entries = entries(&panel.series);
            if !entries.is_empty() && groups.last().is_none_or(|(_, last)| *last != entries) {
                groups.push((*top, entries));
            }
        }
        let names = groups.iter().flat_map(|(_, entries)| entries);
        let widest = names.map(|e| font::width(&e.name, TEXT) * SLACK).fold(0.0, f64::max);
        let ends = groups.iter().skip(1).map(|(top, _)| *top).chain([bottom]);
        let fits = groups.iter().zip(ends).all(|((top, e), end)| LINE * e.len() as f64 <= end - top);
        Legend { is_beside: fits && widest <= WIDEST_BESIDE, groups, widest, room }
    }

    /// The width that it takes from the panels, in pixels.
    pub fn width_beside(&self) -> f64 {
        if self.is_beside && !self.groups.is_empty() { 14.0 + SAMPLE + SPACE + self.widest } else { 0.0 }
    }

    /// Draws it at `right` of the panels, or below `bottom` from `left` on; returns the height that it adds.
    pub fn draw(&self, pen: &mut Pen, right: f64, left: f64, bottom: f64) -> f64 {
        if self.is_beside {
            for (top, entries) in &self.groups {
                for (i, entry) in entries.iter().enumerate() {
                    draw_entry(pen, entry, [right, top + LINE * (i as f64 + 0.5)], WIDEST_BESIDE * SLACK);
                }
            }
            return 0.0;
        }
        let mut all: Vec<&Entry> = vec![];
        for entry in self.groups.iter().flat_map(|(_, entries)| entries) {
            if !all.contains(&entry) {
                all.push(entry);
            }
        }
        let column = (SAMPLE + SPACE + self.widest + 18.0).min(self.room);
        let columns = ((self.room / column) as usize).clamp(1, all.len().max(1));
        let rows = all.len().div_ceil(columns);
        for (i, entry) in all.iter().enumerate() {
            let at = [left + column * (i / rows) as f64, bottom + LINE * ((i % rows) as f64 + 0.5)];
            draw_entry(pen, entry, at, (self.room - SAMPLE - SPACE) / SLACK);
        }
        LINE * rows as f64 + 8.0
    }
}

/// The names of a panel, once for each look. A line and markers of the same name and look are one entry.
fn entries(series: &[Series]) -> Vec<Entry> {
    let mut out: Vec<Entry> = vec![];
    for s in series.iter().filter(|s| !s.name.is_empty()) {
        match out.iter_mut().find(|e| e.name == s.name && e.look == s.look) {
            Some(entry) if entry.mark != s.mark => entry.mark = Mark::Both,
            Some(_) => {}
            None => out.push(Entry { name: s.name.clone(), look: s.look, mark: s.mark }),
        }
    }
    out
}

fn draw_entry(pen: &mut Pen, entry: &Entry, at: [f64; 2], room: f64) {
    pen.sample(entry.look, entry.mark, at, at[0] + SAMPLE);
    let name = font::shorten(&entry.name, TEXT, room);
    pen.text(&name, [at[0] + SAMPLE + SPACE, at[1] + 0.35 * TEXT], TEXT, Anchor::Start);
}
