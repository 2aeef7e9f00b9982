//! Letters as strokes, for pictures that cannot rely on installed fonts.
//!
//! `glyphs.txt` has a line for each character: the character, its width, and its strokes, separated by `|`. A stroke
//! is a list of points, and with `~` a smooth curve through them (Catmull-Rom). Units are such that capitals are 14
//! high; the baseline is at 0. Widths are close to those of Helvetica and Arial, so that they also serve for the
//! layout of an SVG, which has another font. Raised and lowered digits are small ones; accents are put on letters; a
//! missing character is a box.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Pixels per unit at a font size of 1 pixel: capitals are 0.72 em high.
const UNIT: f64 = 0.72 / 14.0;
/// The space between characters, half of it on each side.
const SPACING: f64 = 3.2;
/// The size of raised and lowered characters.
const SMALL: f64 = 0.66;
/// The number of points per smooth piece of a stroke.
const PIECES: usize = 6;

/// A polyline of points.
pub type Stroke = Vec<[f64; 2]>;

#[derive(Clone, Debug, Default)]
struct Glyph {
    width: f64,
    strokes: Vec<Stroke>,
}

/// Accented letters, each followed by its base and its accent.
const ACCENTED: &str = "äa¨ öo¨ üu¨ ÄA¨ ÖO¨ ÜU¨ ëe¨ ïı¨ ÿy¨ áa´ ée´ íı´ óo´ úu´ ýy´ àa` èe` ìı` òo` ùu` âaˆ êeˆ îıˆ ôoˆ ûuˆ ãa˜ ñn˜ õo˜ çc¸ åa˚ \
ÉE´ ÈE` ÀA` ÁA´ ÂAˆ ÅA˚ ÑN˜ ÇC¸";

/// How far accents are lifted on capitals.
const LIFT: f64 = 3.6;

fn glyphs() -> &'static BTreeMap<char, Glyph> {
    static GLYPHS: OnceLock<BTreeMap<char, Glyph>> = OnceLock::new();
    GLYPHS.get_or_init(|| {
        let mut all: BTreeMap<char, Glyph> = include_str!("glyphs.txt").lines().filter_map(parse).collect();
        all.insert(' ', Glyph { width: 2.2, strokes: vec![] });
        let dotless = Glyph { width: 1.0, strokes: vec![vec![[0.5, 0.0], [0.5, 10.0]]] };
        all.insert('ı', dotless);
        for entry in ACCENTED.split(' ') {
            let parts: Vec<char> = entry.chars().collect();
            if let [letter, base, accent] = parts[..]
                && let (Some(base), Some(accent)) = (all.get(&base), all.get(&accent))
            {
                let glyph = combine(base, accent, parts[1].is_uppercase() && parts[2] != '¸');
                all.insert(letter, glyph);
            }
        }
        all
    })
}

/// Reads a line of `glyphs.txt`.
fn parse(line: &str) -> Option<(char, Glyph)> {
    let mut parts = line.splitn(3, ' ');
    let (name, width, strokes) = (parts.next()?, parts.next()?, parts.next()?);
    let point = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some([x.parse().ok()?, y.parse().ok()?])
    };
    let stroke = |text: &str| -> Option<Stroke> {
        let points: Stroke = text.trim_start_matches('~').split(' ').map(point).collect::<Option<_>>()?;
        Some(if text.starts_with('~') { smooth(&points) } else { points })
    };
    let strokes = strokes.split('|').map(stroke).collect::<Option<_>>()?;
    Some((name.chars().next()?, Glyph { width: width.parse().ok()?, strokes }))
}

/// The Catmull-Rom curve through points; it is closed if the last point is the first.
fn smooth(points: &[[f64; 2]]) -> Stroke {
    let last = points.len() - 1;
    let is_closed = points[0] == points[last];
    let at = |i: isize| match i {
        -1 if is_closed => points[last - 1],
        i if i > last as isize && is_closed => points[1],
        i => points[i.clamp(0, last as isize) as usize],
    };
    let mut out = vec![points[0]];
    for i in 0..last as isize {
        let [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
        for step in 1..=PIECES {
            let t = step as f64 / PIECES as f64;
            out.push(std::array::from_fn(|k| {
                let (m0, m1) = (0.5 * (c[k] - a[k]), 0.5 * (d[k] - b[k]));
                let (c2, c3) = (3.0 * (c[k] - b[k]) - 2.0 * m0 - m1, 2.0 * (b[k] - c[k]) + m0 + m1);
                b[k] + t * (m0 + t * (c2 + t * c3))
            }));
        }
    }
    out
}

/// A letter with its accent above the middle.
fn combine(base: &Glyph, accent: &Glyph, is_capital: bool) -> Glyph {
    let (right, up) = (0.5 * (base.width - accent.width), if is_capital { LIFT } else { 0.0 });
    let moved = accent.strokes.iter().map(|s| s.iter().map(|p| [p[0] + right, p[1] + up]).collect());
    Glyph { width: base.width, strokes: base.strokes.iter().cloned().chain(moved).collect() }
}

/// The glyph of a character, its scale and how far it is raised.
fn look_up(c: char) -> (&'static Glyph, f64, f64) {
    static MISSING: OnceLock<Glyph> = OnceLock::new();
    let (plain, scale, raise) = match c {
        '⁰' | '⁴'..='⁹' => (('0'..='9').nth(c as usize - '⁰' as usize).unwrap_or(c), SMALL, 7.0),
        '¹' => ('1', SMALL, 7.0),
        '²' => ('2', SMALL, 7.0),
        '³' => ('3', SMALL, 7.0),
        '⁻' => ('-', SMALL, 7.0),
        'ⁿ' => ('n', SMALL, 7.0),
        '₀'..='₉' => (('0'..='9').nth(c as usize - '₀' as usize).unwrap_or(c), SMALL, -3.0),
        other => (other, 1.0, 0.0),
    };
    let box_glyph = || Glyph {
        width: 8.0,
        strokes: vec![vec![[0.0, 0.0], [8.0, 0.0], [8.0, 14.0], [0.0, 14.0], [0.0, 0.0]]],
    };
    let glyph = glyphs().get(&plain).unwrap_or_else(|| MISSING.get_or_init(box_glyph));
    (glyph, scale, raise)
}

/// The width of a text in pixels at a font size in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(look_up).map(|(glyph, scale, _)| (glyph.width + SPACING) * scale * UNIT * size).sum()
}

/// The strokes of a text that begins at the origin, in pixels to the right and up.
pub fn strokes(text: &str, size: f64) -> Vec<Stroke> {
    let mut x = 0.0;
    let mut out = vec![];
    for (glyph, scale, raise) in text.chars().map(look_up) {
        let place = |p: &[f64; 2]| {
            [(x + (p[0] + 0.5 * SPACING) * scale) * UNIT * size, (p[1] * scale + raise) * UNIT * size]
        };
        out.extend(glyph.strokes.iter().map(|stroke| stroke.iter().map(place).collect::<Stroke>()));
        x += (glyph.width + SPACING) * scale;
    }
    out
}

/// The text; its middle is left out if it is wider than `most` pixels.
pub fn shorten(text: &str, size: f64, most: f64) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut kept = letters.len();
    let mut out = text.to_owned();
    while width(&out, size) > most && kept > 2 {
        kept -= 1;
        let (head, tail) = (kept.div_ceil(2), letters.len() - kept / 2);
        out = letters[..head].iter().chain(&['…']).chain(&letters[tail..]).collect();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_glyph_within_its_box() {
        let lines = include_str!("glyphs.txt").lines();
        for line in lines {
            let (c, glyph) = parse(line).unwrap_or_else(|| panic!("{line}"));
            for p in glyph.strokes.iter().flatten() {
                assert!(p[0] > -1.0 && p[0] < glyph.width + 1.0 && p[1] > -4.5 && p[1] < 15.5, "{c}: {p:?}");
            }
        }
        for c in (' '..='~').chain("äÜéñç−·×′…σμλΨ∇‖|²⁻⁹₁".chars()) {
            assert_ne!(look_up(c).0.strokes, look_up('\u{1F600}').0.strokes, "{c} has no glyph");
        }
    }

    /// Advance widths of Helvetica (Adobe's metrics), in thousandths of the size.
    #[test]
    fn widths_are_close_to_those_of_helvetica() {
        for (text, adobe) in [
            ("0123456789", 5560.0),
            ("energy", 556.0 * 4.0 + 333.0 + 500.0),
            ("Momentum", 833.0 + 556.0 * 4.0 + 833.0 * 2.0 + 278.0),
            ("line search", 222.0 * 2.0 + 556.0 * 4.0 + 278.0 + 500.0 * 2.0 + 556.0 + 333.0),
        ] {
            let got = width(text, 1000.0);
            assert!((got / adobe - 1.0).abs() < 0.08, "{text}: {got} {adobe}");
        }
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shorten("short", 12.0, 100.0), "short");
        let text = shorten("a-very-long-name-of-a-run-with-its-solver", 12.0, 120.0);
        assert!(
            width(&text, 12.0) <= 120.0 && text.starts_with("a-ver") && text.ends_with("solver"),
            "{text}"
        );
        assert!(shorten("ab", 12.0, 1.0).chars().count() <= 3);
    }
}
