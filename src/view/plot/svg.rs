//! Drawings as SVG 1.1: self-contained, with texts in the reader's sans-serif font.

use super::drawing::{Anchor, Drawing, Item};
use super::theme::Colour;

/// The text of the SVG file.
pub fn to_svg(drawing: &Drawing) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n\
         <title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        escape(&drawing.title),
        hex(drawing.background)
    );
    for item in &drawing.items {
        write_item(item, &mut out);
    }
    out + "</svg>\n"
}

fn write_item(item: &Item, out: &mut String) {
    match item {
        Item::Line { points, colour, width, dashes } => {
            let mut dash = String::new();
            if !dashes.is_empty() {
                let lengths: Vec<String> = dashes.iter().map(|d| short(*d)).collect();
                dash = format!(" stroke-dasharray=\"{}\"", lengths.join(" "));
            }
            *out += &format!(
                "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{dash} points=\"{}\"/>\n",
                hex(*colour),
                short(*width),
                list(points)
            );
        }
        Item::Area { points, colour } => {
            *out += &format!("<polygon fill=\"{}\" points=\"{}\"/>\n", hex(*colour), list(points));
        }
        Item::Text { text, at, size, anchor, upward, colour } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let (x, y) = (short(at[0]), short(at[1]));
            let turn = if *upward { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            *out += &format!(
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{}</text>\n",
                short(*size),
                hex(*colour),
                escape(text)
            );
        }
    }
}

fn list(points: &[[f64; 2]]) -> String {
    let points: Vec<String> = points.iter().map(|p| format!("{},{}", short(p[0]), short(p[1]))).collect();
    points.join(" ")
}

/// A number with one decimal: a tenth of a pixel is finer than a screen.
fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.to_owned() }
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text for XML; characters that XML does not allow become question marks.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
