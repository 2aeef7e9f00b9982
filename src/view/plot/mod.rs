//! Charts: curves over a shared axis, as SVG text or PNG pixels.
//!
//! ```text
//! Chart ─ layout ─▶ Drawing (lines, areas, texts) ─ svg ─▶ text
//!                                                 ─ png ─▶ pixels
//! ```
//!
//! A [`Chart`] has one horizontal axis and one or more panels above it. [`layout`] thins the data, chooses ticks and
//! places everything; what it leaves is a [`drawing::Drawing`] that two small writers know. Both draw by themselves, and
//! the crate `png` only packs pixels: an SVG renderer with its text stack (`resvg` 0.49: some 60 crates, minutes to
//! build, and a font file to ship) weighs more than all that charts need, which is lines of a certain width and letters.
//! The letters of a PNG are strokes ([`font`]), so that no font has to be installed; an SVG names the usual sans-serif
//! fonts.
//!
//! Nothing in a file depends on time, threads or installed fonts.

mod data;
pub mod drawing;
pub mod fit;
pub mod font;
pub mod layout;
mod legend;
pub mod material;
pub mod metrics;
pub mod png;
pub mod runs;
pub mod scale;
pub mod svg;
pub mod theme;

use std::io::Write;
use std::path::Path;

use crate::error::Result;
use crate::fs::write_atomically;
pub use scale::Kind;
pub use theme::Theme;

/// A picture of one or more panels over one horizontal axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The title above the panels.
    pub title: String,
    /// The axis that all panels share.
    pub x: Axis,
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
}

/// The quantity of an axis and the way it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The name of the quantity.
    pub label: String,
    /// The unit of the quantity; empty for plain numbers.
    pub unit: String,
    /// Whether the axis is linear or logarithmic.
    pub kind: Kind,
    /// If true, a linear axis also shows 0, with no margin beyond it.
    pub from_zero: bool,
}

impl Axis {
    /// A linear axis, which shows the span of its values.
    pub fn linear(label: &str, unit: &str) -> Axis {
        Axis { label: label.into(), unit: unit.into(), kind: Kind::Linear, from_zero: false }
    }

    /// A logarithmic axis; values that are not positive are left out.
    pub fn log(label: &str, unit: &str) -> Axis {
        Axis { label: label.into(), unit: unit.into(), kind: Kind::Log, from_zero: false }
    }

    /// A linear axis that shows 0, for counts and lengths.
    pub fn from_zero(label: &str, unit: &str) -> Axis {
        Axis { from_zero: true, ..Axis::linear(label, unit) }
    }
}

/// One set of curves with its vertical axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The vertical axis.
    pub y: Axis,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
}

/// One curve of a panel, with its name and look.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; with an empty name it is not in the legend.
    pub name: String,
    /// The points `[x, y]` in the units of the axes. Points that are not finite, or not positive on a logarithmic axis,
    /// are left out and leave a gap.
    pub points: Vec<[f64; 2]>,
    /// Whether a line, markers or both are drawn.
    pub mark: Mark,
    /// A number that chooses colour, dashes and markers; series with equal numbers look alike.
    pub look: usize,
}

impl Series {
    /// A line without markers.
    pub fn line(name: &str, look: usize, points: Vec<[f64; 2]>) -> Series {
        Series { name: name.into(), points, mark: Mark::Line, look }
    }
}

/// The marks of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    #[default]
    Line,
    /// A marker at each point.
    Points,
    /// A line, and a marker at each point.
    Both,
}

impl Mark {
    /// True if there is a line.
    pub fn has_line(self) -> bool {
        self != Mark::Points
    }

    /// True if there are markers.
    pub fn has_points(self) -> bool {
        self != Mark::Line
    }
}

/// A file format of charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Vector graphics for browsers and documents.
    #[default]
    Svg,
    /// A picture of pixels.
    Png,
}

impl Format {
    /// The ending of file names, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
        }
    }
}

/// Writes a chart to `path`, whole or not at all.
pub fn write(chart: &Chart, path: &Path, format: Format, theme: Theme) -> Result<()> {
    let drawing = layout::layout(chart, theme);
    write_atomically(path, |out| match format {
        Format::Svg => out.write_all(svg::to_svg(&drawing).as_bytes()),
        Format::Png => png::write_png(&drawing, out),
    })
}

#[cfg(test)]
mod tests;
