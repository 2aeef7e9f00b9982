//! Views of runs: a page for browsers, pictures, and moving pictures, all without a window or another program.
//!
//! ```text
//! replay::Motion ─▶ Film ─ page ─▶ HTML with WebGL (page.html, draw.js, viewer.js)
//!                        ─ render ─▶ pixels ─ plot::png ─▶ PNG
//!                                           ─ gif ─▶ GIF
//! ```
//!
//! The page and the pictures have the same camera ([`camera`]), light ([`light`]), colours ([`colour`]) and creases
//! ([`shape`]). Nothing in a file depends on time or threads.

pub mod camera;
pub mod colour;
pub mod film;
pub mod gif;
mod ground;
mod legend;
pub mod light;
pub mod movie;
pub mod page;
mod palette;
mod raster;
pub mod render;
pub mod shape;

use std::str::FromStr;

use crate::view::plot::Theme;
use crate::view::plot::theme::Colour;
use camera::View;

/// The settings with which a film is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The width and height of pictures in pixels, at least 1.
    pub size: [usize; 2],
    /// The direction from which the scene is seen.
    pub view: View,
    /// The colour behind everything.
    pub background: Colour,
    /// If true, the sides of triangles are drawn.
    pub wireframe: bool,
    /// The number of the film's array that colours stand for; with `None`, each part has its own colour.
    pub array: Option<usize>,
}

impl Style {
    /// True if the background is dark.
    pub fn is_dark(&self) -> bool {
        let [r, g, b] = self.background.map(u32::from);
        3 * r + 6 * g + b < 1280
    }

    /// The colour of letters.
    pub fn ink(&self) -> Colour {
        if self.is_dark() { Theme::Dark.ink() } else { Theme::Light.ink() }
    }
}

/// A background: `light`, `dark`, or `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background(pub Colour);

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Background, String> {
        let hex = || {
            let digits = text.strip_prefix('#').unwrap_or(text);
            let is_hex = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let [_, r, g, b] = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?.to_be_bytes();
            Some([r, g, b])
        };
        match text {
            "light" => Ok(Background([247, 248, 250])),
            "dark" => Ok(Background([22, 24, 28])),
            _ => hex().map(Background).ok_or_else(|| "wants light, dark, or a colour such as #ffffff".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds_are_words_or_colours() {
        assert_eq!("#ff8000".parse(), Ok(Background([255, 128, 0])));
        assert_eq!("0000ff".parse(), Ok(Background([0, 0, 255])));
        for text in ["", "white", "#fff", "#gg0000", "+12345", "#ff80001"] {
            assert!(text.parse::<Background>().is_err(), "{text}");
        }
    }
}
