//! The colour bar of pictures: the meaning of the colours, with numbers.

use super::film::Film;
use super::{Style, colour};
use crate::view::plot::drawing::{Anchor, Item};
use crate::view::plot::png::paint;
use crate::view::plot::theme::Colour;

/// The number of steps of the bar.
const STEPS: usize = 48;

/// The name of an array with its unit.
pub fn title(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

/// Draws the legend of the style's array into a picture. Without an array, the picture stays as it is.
pub fn draw(film: &Film, style: &Style, pixels: Vec<Colour>) -> Vec<Colour> {
    let Some((array, [low, high])) = style.array.map(|i| film.arrays[i]) else { return pixels };
    let height = style.size[1] as f64 / 2.0;
    let size = (0.035 * height).clamp(5.0, 13.0);
    let (bar, left, top, bottom) = (0.9 * size, size, 2.6 * size, 2.6 * size + 0.42 * height);
    let mut items = vec![];
    for i in 0..STEPS {
        let y = |step: usize| bottom + (top - bottom) * step as f64 / STEPS as f64;
        // Each step reaches a little into the next one, so that no seam is visible.
        let (low_edge, high_edge) = (y(i), y(i + 1) - 0.75);
        let points =
            vec![[left, low_edge], [left + bar, low_edge], [left + bar, high_edge], [left, high_edge]];
        items.push(Item::Area {
            points,
            colour: colour::of_value((i as f32 + 0.5) / STEPS as f32, [0.0, 1.0]),
        });
    }
    let mut text = |text: String, at: [f64; 2]| {
        let (anchor, upward, colour) = (Anchor::Start, false, style.ink());
        items.push(Item::Text { text, at, size, anchor, upward, colour });
    };
    text(title(array.name, array.unit), [left, top - size]);
    for part in [0.0, 0.5, 1.0] {
        let value = f64::from(low) + part * (f64::from(high) - f64::from(low));
        text(colour::number(value), [left + bar + 0.5 * size, bottom + part * (top - bottom) + 0.35 * size]);
    }
    paint(&items, style.size[0], pixels)
}
