//! A picture as a list of items to draw, which is all that the writers of SVG and PNG need.

use super::theme::Colour;

/// A picture; coordinates in pixels from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// A description of the picture, for readers that cannot see it.
    pub title: String,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The colour behind everything.
    pub background: Colour,
    /// The items to draw, from back to front.
    pub items: Vec<Item>,
}

/// One item to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Connected segments.
    Line {
        /// The corners, at least two.
        points: Vec<[f64; 2]>,
        /// The colour of the stroke.
        colour: Colour,
        /// The width of the stroke in pixels.
        width: f64,
        /// The lengths of strokes and gaps in pixels; empty for a solid line.
        dashes: &'static [f64],
    },
    /// A filled convex polygon.
    Area {
        /// The corners in order.
        points: Vec<[f64; 2]>,
        /// The colour of the inside.
        colour: Colour,
    },
    /// One line of text.
    Text {
        /// The words to be written.
        text: String,
        /// The place of the anchor, on the baseline.
        at: [f64; 2],
        /// The height of the font (1 em) in pixels.
        size: f64,
        /// The part of the text that is at this place.
        anchor: Anchor,
        /// True if the text is turned, so that it reads from below.
        upward: bool,
        /// The colour of the letters.
        colour: Colour,
    },
}

/// The part of a text that is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The place is where the text begins.
    Start,
    /// The place is the middle of the text.
    Middle,
    /// The place is where the text ends.
    End,
}
