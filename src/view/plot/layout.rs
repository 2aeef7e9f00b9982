//! The places of all parts of a chart.
//!
//! The width is fixed, and the height follows from the number of panels. Labels are measured first (see [`font`]), with
//! some slack as the fonts of SVG readers differ, and the panels get the remaining space.

use super::data::{Frame, lines, markers};
use super::drawing::{Anchor, Drawing, Item};
use super::legend::Legend;
use super::scale::{Scale, Ticks, power_of_ten};
use super::theme::{Theme, dashes, marker};
use super::{Axis, Chart, Mark, Panel, Series, font};

/// The width of every chart in pixels.
pub const WIDTH: f64 = 760.0;
/// The font size of labels in pixels.
pub(super) const TEXT: f64 = 12.0;
/// The height of a line of text in pixels.
pub(super) const LINE: f64 = 18.0;
/// Fonts of SVG readers may be wider than ours by this factor.
pub(super) const SLACK: f64 = 1.12;
const TITLE: f64 = 15.0;
const GAP: f64 = 14.0;
const EDGE: f64 = 14.0;
/// The width of curves in pixels.
const CURVE: f64 = 1.6;
const MARKER: f64 = 3.4;

/// One panel whose place is being chosen.
struct Row<'a> {
    panel: &'a Panel,
    scale: Scale,
    ticks: Ticks,
    /// The label of the vertical axis, in one or two lines.
    label: Vec<String>,
    top: f64,
}

/// The drawing of a chart.
pub fn layout(chart: &Chart, theme: Theme) -> Drawing {
    let height = panel_height(chart.panels.len());
    let mut top = if chart.title.is_empty() { EDGE } else { 40.0 };
    let rows: Vec<Row> = chart
        .panels
        .iter()
        .map(|panel| {
            let row = Row::new(panel, height, top);
            top += height + GAP;
            row
        })
        .collect();
    let bottom = top - GAP;
    let left = EDGE
        + rows.iter().map(|r| LINE * r.label.len() as f64).fold(0.0, f64::max)
        + rows.iter().map(|r| tick_width(&r.ticks)).fold(0.0, f64::max)
        + 10.0;
    let tops: Vec<f64> = rows.iter().map(|r| r.top).collect();
    let legend = Legend::new(chart, &tops, bottom, WIDTH - EDGE - left);
    let right = WIDTH - EDGE - legend.width_beside().max(10.0);
    let x = chart.panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.points).map(|p| p[0]);
    let x_scale = span(&chart.x, x, 0.0);
    let x_ticks = fitting_ticks(&x_scale, right - left);

    let mut pen = Pen { theme, items: vec![] };
    let title = font::shorten(&chart.title, TITLE, (WIDTH - left - EDGE) / SLACK);
    pen.text(&title, [left, 25.0], TITLE, Anchor::Start);
    for (i, row) in rows.iter().enumerate() {
        let frame = Frame {
            left,
            right,
            top: row.top,
            bottom: row.top + height,
            x: (chart.x.kind, x_scale),
            y: (row.panel.y.kind, row.scale),
        };
        pen.panel(row, &frame, &x_ticks, i + 1 == rows.len());
    }
    let label = axis_label(&chart.x, x_ticks.exponent).join(" ");
    pen.text(&label, [0.5 * (left + right), bottom + 38.0], TEXT, Anchor::Middle);
    let end = bottom + 50.0;
    let legend_height = legend.draw(&mut pen, right + 14.0, left, end);
    Drawing {
        title: chart.title.clone(),
        width: WIDTH as u32,
        height: (end + legend_height).ceil() as u32,
        background: theme.background(),
        items: pen.items,
    }
}

fn panel_height(panels: usize) -> f64 {
    match panels {
        0 | 1 => 300.0,
        2 => 190.0,
        3 => 150.0,
        _ => 124.0,
    }
}

impl Row<'_> {
    fn new(panel: &Panel, height: f64, top: f64) -> Row<'_> {
        let shown = panel.series.iter().flat_map(|s| s.points.iter().filter(|p| p[0].is_finite()));
        let scale = span(&panel.y, shown.map(|p| p[1]), 0.05);
        let ticks = scale.ticks((height / 34.0) as usize);
        let mut label = axis_label(&panel.y, ticks.exponent);
        let whole = label.join(" ");
        if font::width(&whole, TEXT) * SLACK <= height {
            label = vec![whole];
        }
        let label = label.iter().map(|line| font::shorten(line, TEXT, height / SLACK)).collect();
        Row { panel, scale, ticks, label, top }
    }
}

/// The span of values that an axis shows.
fn span(axis: &Axis, values: impl Iterator<Item = f64>, margin: f64) -> Scale {
    if axis.from_zero { Scale::from_zero(values, margin) } else { Scale::around(axis.kind, values, margin) }
}

/// The quantity and its unit, with the power of ten that tick labels leave out.
fn axis_label(axis: &Axis, exponent: i32) -> Vec<String> {
    let factor = if exponent == 0 { String::new() } else { power_of_ten(exponent) };
    let unit =
        [factor, axis.unit.clone()].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ");
    let unit = if unit.is_empty() { unit } else { format!("({unit})") };
    [axis.label.clone(), unit].into_iter().filter(|s| !s.is_empty()).collect()
}

fn tick_width(ticks: &Ticks) -> f64 {
    ticks.list.iter().map(|t| font::width(&t.label, TEXT) * SLACK).fold(0.0, f64::max)
}

/// As many ticks as there is room for with their labels.
fn fitting_ticks(scale: &Scale, width: f64) -> Ticks {
    let mut count = (width / 70.0) as usize;
    loop {
        let ticks = scale.ticks(count);
        let labelled = ticks.list.iter().filter(|t| !t.label.is_empty()).count();
        if count <= 2 || tick_width(&ticks) + 12.0 < width / labelled as f64 {
            return ticks;
        }
        count -= 1;
    }
}

/// The middle of the nearest pixel, where lines are sharp.
fn snap(value: f64) -> f64 {
    value.floor() + 0.5
}

/// Draws items into a list.
pub(super) struct Pen {
    pub theme: Theme,
    pub items: Vec<Item>,
}

impl Pen {
    pub fn text(&mut self, text: &str, at: [f64; 2], size: f64, anchor: Anchor) {
        if !text.is_empty() {
            let colour = self.theme.ink();
            self.items.push(Item::Text { text: text.into(), at, size, anchor, upward: false, colour });
        }
    }

    fn rule(&mut self, from: [f64; 2], to: [f64; 2], colour: [u8; 3]) {
        self.items.push(Item::Line { points: vec![from, to], colour, width: 1.0, dashes: &[] });
    }

    fn panel(&mut self, row: &Row, frame: &Frame, x_ticks: &Ticks, is_last: bool) {
        self.grid(frame, x_ticks, &row.ticks);
        for series in &row.panel.series {
            self.series(series, frame);
        }
        for tick in row.ticks.list.iter().filter(|t| !t.label.is_empty()) {
            let y = frame.bottom - tick.place * (frame.bottom - frame.top);
            self.text(&tick.label, [frame.left - 6.0, y + 0.35 * TEXT], TEXT, Anchor::End);
        }
        if is_last {
            for tick in &x_ticks.list {
                let x = frame.left + tick.place * (frame.right - frame.left);
                self.text(&tick.label, [x, frame.bottom + 17.0], TEXT, Anchor::Middle);
            }
        }
        for (i, line) in row.label.iter().enumerate() {
            let at = [EDGE + TEXT * 0.8 + LINE * i as f64 * 0.85, 0.5 * (frame.top + frame.bottom)];
            self.items.push(Item::Text {
                text: line.clone(),
                at,
                size: TEXT,
                anchor: Anchor::Middle,
                upward: true,
                colour: self.theme.ink(),
            });
        }
        let is_shown = |s: &Series| s.points.iter().any(|p| frame.pixel(*p).is_some());
        if !row.panel.series.iter().any(is_shown) {
            let at = [0.5 * (frame.left + frame.right), 0.5 * (frame.top + frame.bottom)];
            self.text("no values to show", at, TEXT, Anchor::Middle);
        }
    }

    /// Draws the lines at ticks, with faint ones behind, and the frame.
    fn grid(&mut self, frame: &Frame, x_ticks: &Ticks, y_ticks: &Ticks) {
        let (left, right) = (snap(frame.left), snap(frame.right));
        let (top, bottom) = (snap(frame.top), snap(frame.bottom));
        for is_faint in [true, false] {
            let colour = if is_faint { self.theme.faint_grid() } else { self.theme.grid() };
            for tick in x_ticks.list.iter().filter(|t| t.label.is_empty() == is_faint) {
                let x = snap(frame.left + tick.place * (frame.right - frame.left));
                self.rule([x, top], [x, bottom], colour);
            }
            for tick in y_ticks.list.iter().filter(|t| t.label.is_empty() == is_faint) {
                let y = snap(frame.bottom - tick.place * (frame.bottom - frame.top));
                self.rule([left, y], [right, y], colour);
            }
        }
        let corners = vec![[left, top], [left, bottom], [right, bottom], [right, top], [left, top]];
        self.items.push(Item::Line { points: corners, colour: self.theme.ink(), width: 1.0, dashes: &[] });
    }

    fn series(&mut self, series: &Series, frame: &Frame) {
        let colour = self.theme.curve(series.look);
        if series.mark.has_line() {
            for points in lines(&series.points, frame) {
                // A single point between gaps has no line, but should be visible.
                self.items.push(match points[..] {
                    [point] => Item::Area { points: marker(0, point, 0.9 * CURVE), colour },
                    _ => Item::Line { points, colour, width: CURVE, dashes: dashes(series.look) },
                });
            }
        }
        if series.mark.has_points() {
            for point in markers(&series.points, frame, series.mark.has_line()) {
                self.items.push(Item::Area { points: marker(series.look, point, MARKER), colour });
            }
        }
    }

    /// Draws a sample of a series between two places on a horizontal.
    pub fn sample(&mut self, look: usize, mark: Mark, from: [f64; 2], to: f64) {
        let colour = self.theme.curve(look);
        if mark.has_line() {
            let points = vec![from, [to, from[1]]];
            self.items.push(Item::Line { points, colour, width: CURVE, dashes: dashes(look) });
        }
        if mark.has_points() {
            let middle = [0.5 * (from[0] + to), from[1]];
            self.items.push(Item::Area { points: marker(look, middle, MARKER), colour });
        }
    }
}
