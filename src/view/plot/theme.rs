//! Colours, dashes and markers.
//!
//! The colours of curves are those of Okabe and Ito (Color Universal Design, 2008), which people with any of the common
//! colour deficiencies can tell apart. Each theme leaves out the one of the eight that is too close to its background,
//! and the dark theme has two of them a little lighter. Dashes and markers are the second cue: with seven colours, five
//! dashes and five markers, 35 series differ.

/// A colour as red, green and blue, from 0 to 255.
pub type Colour = [u8; 3];

/// The colours of a chart: light or dark background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Theme {
    /// Dark lines on white.
    #[default]
    Light,
    /// Light lines on black.
    Dark,
}

/// The colours of curves, for each theme.
const LIGHT: [Colour; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [40, 40, 40],
    [230, 159, 0],
    [86, 180, 233],
];
const DARK: [Colour; 7] = [
    [86, 180, 233],
    [230, 159, 0],
    [0, 178, 130],
    [204, 121, 167],
    [235, 235, 235],
    [240, 228, 66],
    [223, 104, 10],
];

/// The lengths of strokes and gaps in pixels; the first is a solid line.
const DASHES: [&[f64]; 5] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0], &[14.0, 4.0]];

/// The corners of markers about the origin, as large as a circle of radius 1.
const MARKERS: [&[[f64; 2]]; 5] = [
    &[
        [1.0, 0.0],
        [0.71, 0.71],
        [0.0, 1.0],
        [-0.71, 0.71],
        [-1.0, 0.0],
        [-0.71, -0.71],
        [0.0, -1.0],
        [0.71, -0.71],
    ],
    &[[0.88, 0.88], [-0.88, 0.88], [-0.88, -0.88], [0.88, -0.88]],
    &[[1.15, 0.8], [-1.15, 0.8], [0.0, -1.2]],
    &[[1.25, 0.0], [0.0, 1.25], [-1.25, 0.0], [0.0, -1.25]],
    &[[1.15, -0.8], [0.0, 1.2], [-1.15, -0.8]],
];

impl Theme {
    /// The colour behind everything.
    pub fn background(self) -> Colour {
        match self {
            Theme::Light => [255, 255, 255],
            Theme::Dark => [22, 24, 28],
        }
    }

    /// The colour of texts and frames.
    pub fn ink(self) -> Colour {
        match self {
            Theme::Light => [45, 45, 45],
            Theme::Dark => [222, 222, 222],
        }
    }

    /// The colour of the lines at ticks.
    pub fn grid(self) -> Colour {
        match self {
            Theme::Light => [222, 222, 222],
            Theme::Dark => [58, 61, 67],
        }
    }

    /// The colour of the lines between the ticks of a logarithmic axis.
    pub fn faint_grid(self) -> Colour {
        match self {
            Theme::Light => [241, 241, 241],
            Theme::Dark => [38, 40, 45],
        }
    }

    /// The colour of a curve.
    pub fn curve(self, look: usize) -> Colour {
        match self {
            Theme::Light => LIGHT[look % LIGHT.len()],
            Theme::Dark => DARK[look % DARK.len()],
        }
    }
}

/// The dashes of a curve: strokes and gaps in pixels, empty for a solid line.
pub fn dashes(look: usize) -> &'static [f64] {
    DASHES[look % DASHES.len()]
}

/// The corners of a curve's marker of the given radius at `center`, in pixels; a convex polygon.
pub fn marker(look: usize, center: [f64; 2], radius: f64) -> Vec<[f64; 2]> {
    let corners = MARKERS[look % MARKERS.len()];
    corners.iter().map(|c| [center[0] + radius * c[0], center[1] + radius * c[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours after WCAG 2.1: 1 for equal ones, 21 for black and white.
    fn contrast(a: Colour, b: Colour) -> f64 {
        let luminance = |c: Colour| {
            let linear = c.map(|v| {
                let v = f64::from(v) / 255.0;
                if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn everything_stands_out_from_its_background() {
        for theme in [Theme::Light, Theme::Dark] {
            assert!(contrast(theme.ink(), theme.background()) > 7.0);
            for look in 0..7 {
                assert!(contrast(theme.curve(look), theme.background()) > 2.0, "{theme:?} {look}");
                for other in 0..look {
                    assert_ne!(theme.curve(look), theme.curve(other));
                }
            }
        }
    }

    #[test]
    fn looks_differ_up_to_35() {
        for look in 0..35 {
            for other in 0..look {
                assert!(look % 7 != other % 7 || look % 5 != other % 5);
            }
        }
    }
}
