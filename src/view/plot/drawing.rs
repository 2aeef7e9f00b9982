//! A picture as a list of what to draw: all that the writers of SVG and PNG must know.

use super::theme::Colour;

/// A picture; coordinates in pixels from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// What it shows, for readers that cannot see it.
    pub title: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Behind everything.
    pub background: Colour,
    /// From back to front.
    pub items: Vec<Item>,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Connected segments.
    Line {
        /// At least two corners.
        points: Vec<[f64; 2]>,
        /// Of the stroke.
        colour: Colour,
        /// In pixels.
        width: f64,
        /// Strokes and gaps in pixels; empty: solid.
        dashes: &'static [f64],
    },
    /// A filled convex polygon.
    Area {
        /// Corners in order.
        points: Vec<[f64; 2]>,
        /// Of the inside.
        colour: Colour,
    },
    /// One line of text.
    Text {
        /// The words.
        text: String,
        /// Where its anchor is; on the baseline.
        at: [f64; 2],
        /// Height of the font (1 em) in pixels.
        size: f64,
        /// Which part of it is there.
        anchor: Anchor,
        /// Turned, to be read from below.
        upward: bool,
        /// Of the letters.
        colour: Colour,
    },
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}
