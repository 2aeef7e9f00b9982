//! Colours of bodies and of values.
//!
//! Values are shown in viridis (Smith and van der Walt 2015). Its lightness rises evenly, so that it can be read with
//! any colour deficiency and in grey. Here it is given by eleven of its colours, with straight lines between them.

use crate::view::plot::theme::Colour;
use crate::view::replay::motion::Part;

/// Viridis from 0 to 1 in tenths.
pub const MAP: [Colour; 11] = [
    [68, 1, 84],
    [72, 36, 117],
    [65, 68, 135],
    [53, 95, 141],
    [42, 120, 142],
    [33, 145, 140],
    [34, 168, 132],
    [68, 191, 112],
    [122, 209, 81],
    [189, 223, 38],
    [253, 231, 37],
];

/// The colours of bodies, in turn: light versions of those of Okabe and Ito, in an order that keeps neighbours apart.
pub const BODIES: [Colour; 8] = [
    [74, 134, 200],
    [229, 138, 62],
    [70, 164, 128],
    [205, 120, 170],
    [226, 188, 72],
    [112, 190, 226],
    [150, 124, 190],
    [150, 150, 150],
];

/// The colour of obstacles.
const OBSTACLE: Colour = [186, 188, 192];

/// The colour of a part with its number.
pub fn of_part(number: usize, part: &Part) -> Colour {
    if part.is_obstacle() { OBSTACLE } else { BODIES[number % BODIES.len()] }
}

/// The colour of a value between `low` and `high`; grey for NaN.
pub fn of_value(value: f32, [low, high]: [f32; 2]) -> Colour {
    let at = part_of_range(value, [low, high]);
    if at.is_nan() {
        return [128; 3];
    }
    let place = at * (MAP.len() - 1) as f32;
    let i = (place as usize).min(MAP.len() - 2);
    let t = place - i as f32;
    std::array::from_fn(|k| {
        (f32::from(MAP[i][k]) + t * (f32::from(MAP[i + 1][k]) - f32::from(MAP[i][k]))).round() as u8
    })
}

/// The place of a value between `low` and `high`: 0 to 1, or NaN.
pub fn part_of_range(value: f32, [low, high]: [f32; 2]) -> f32 {
    if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { value * 0.0 }
}

/// The range of values that the colours span. It leaves out the outermost half percent at either end, unless
/// including it extends the range by less than a third. It begins at 0 if the lowest value is close to 0.
/// `[0, 0]` without finite values.
pub fn range(values: impl Iterator<Item = f32>) -> [f32; 2] {
    let mut values: Vec<f32> = values.filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return [0.0; 2];
    }
    let last = values.len() - 1;
    let out = last / 200;
    let mut at = |i: usize| *values.select_nth_unstable_by(i, f32::total_cmp).1;
    let (least, low, high, most) = (at(0), at(out), at(last - out), at(last));
    let slack = (high - low) / 3.0;
    let high = if most - high < slack { most } else { high };
    let low = if low - least < slack { least } else { low };
    [if (0.0..0.1 * high).contains(&low) { 0.0 } else { low }, high]
}

/// A number with three digits, for people to read.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".into()
    } else if (1e-3..1e4).contains(&size) {
        let digits = (2 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_map_are_those_of_the_range() {
        assert_eq!(of_value(-1.0, [0.0, 2.0]), MAP[0]);
        assert_eq!(of_value(1.0, [0.0, 2.0]), MAP[5]);
        assert_eq!(of_value(f32::INFINITY, [0.0, 2.0]), MAP[10]);
        assert_eq!(of_value(f32::NAN, [0.0, 2.0]), [128; 3]);
        assert_eq!(of_value(3.0, [3.0, 3.0]), MAP[0]);
    }

    #[test]
    fn outliers_do_not_stretch_the_range() {
        let even = (0..1000).map(|i| i as f32);
        assert_eq!(range(even.clone()), [0.0, 999.0]);
        assert_eq!(range(even.chain([1e9, f32::NAN])), [0.0, 995.0]);
        assert_eq!(range(std::iter::empty()), [0.0, 0.0]);
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.12345, "0.123"),
            (-12.5, "-12.5"),
            (9876.0, "9876"),
            (12345.0, "1.23e4"),
            (2.5e8, "2.50e8"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
