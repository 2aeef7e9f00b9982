//! Faults of a config, each with its place, and how they are printed.
//!
//! ```text
//! error: configs/bar.toml:12:5: body.0.material.yuong: unknown key
//!    12 |     yuong = 1e6
//!       |     ^^^^^ did you mean 'young'? valid keys: …
//! ```

use std::fmt::{self, Write};
use std::path::PathBuf;

use super::printable::{one_line, printable};

/// One fault of a config.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The config file, with the name that the user gave.
    pub file: PathBuf,
    /// The place of the fault.
    pub place: Place,
    /// The key path, such as `body.0.material.young`; empty for faults of the syntax.
    pub key: String,
    /// A description of the fault.
    pub message: String,
    /// A hint how to correct it; may be empty.
    pub hint: String,
}

/// The place of a fault.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// In the file as a whole: something is missing.
    File,
    /// In a command-line flag, given as it was typed.
    Flag(String),
    /// In a line of the file.
    Line(Excerpt),
}

/// A part of one line of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The first character of the fault, counted from 1.
    pub column: usize,
    /// The number of characters to underline, at least 1.
    pub width: usize,
    /// The text of the whole line.
    pub text: String,
}

/// The longest part of a line that is shown, in characters.
const SHOWN: usize = 100;

impl Excerpt {
    /// The bytes `span` of `text`, cut at the end of the line where they start.
    pub fn new(text: &str, span: std::ops::Range<usize>) -> Self {
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        Excerpt {
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end.min(line_end)].trim_end().chars().count().max(1),
            text: text[line_start..line_end].trim_end().to_owned(),
        }
    }

    /// The line as it is shown (a window of it if it is long), and how many characters precede the underlined ones.
    fn window(&self) -> (String, usize, usize) {
        let characters: Vec<char> = self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = self.column - 1;
        if characters.len() <= SHOWN {
            return (characters.iter().collect(), before, self.width);
        }
        let start = before.saturating_sub(SHOWN / 3);
        let end = characters.len().min(start + SHOWN);
        let (head, tail) = (if start > 0 { "…" } else { "" }, if end < characters.len() { "…" } else { "" });
        let shown: String = characters[start..end].iter().collect();
        let offset = before - start + head.chars().count();
        (format!("{head}{shown}{tail}"), offset, self.width.min(end.saturating_sub(before)).max(1))
    }
}

fn floor_boundary(text: &str, position: usize) -> usize {
    (0..=position.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

impl Diagnostic {
    /// `file:line:column: key: message`, without the excerpt.
    fn headline(&self) -> String {
        let mut line = match &self.place {
            Place::File => self.file.display().to_string(),
            Place::Flag(flag) => flag.clone(),
            Place::Line(at) => format!("{}:{}:{}", self.file.display(), at.line, at.column),
        };
        if !self.key.is_empty() {
            let _ = write!(line, ": {}", self.key);
        }
        one_line(&format!("{line}: {}", self.message)).into_owned()
    }

    /// The excerpt with its underline and the hint; empty if there is neither.
    fn details(&self, style: Style) -> String {
        let hint = printable(&self.hint);
        let Place::Line(at) = &self.place else {
            return if hint.is_empty() { String::new() } else { format!("\n   = {hint}") };
        };
        let (shown, before, width) = at.window();
        let number = format!("{:>5}", at.line);
        let (dim, red, off) = (style.dim, style.red, style.off);
        let gap = if hint.is_empty() { "" } else { " " };
        format!(
            "\n{dim}{number} |{off} {shown}\n{dim}{:>5} |{off} {}{red}{}{off}{gap}{hint}",
            "",
            " ".repeat(before),
            "^".repeat(width),
        )
    }
}

/// Terminal codes for colours, all empty without colour.
#[derive(Clone, Copy)]
struct Style {
    red: &'static str,
    bold: &'static str,
    dim: &'static str,
    off: &'static str,
}

impl Style {
    fn new(colour: bool) -> Self {
        if colour {
            Style { red: "\x1b[1;31m", bold: "\x1b[1m", dim: "\x1b[2m", off: "\x1b[0m" }
        } else {
            Style { red: "", bold: "", dim: "", off: "" }
        }
    }
}

/// All faults of a config, in the order of their places.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// The faults for a terminal, each with `error:` before it.
    pub fn render(&self, colour: bool) -> String {
        let style = Style::new(colour);
        let one = |fault: &Diagnostic| {
            let Style { red, bold, off, .. } = style;
            format!("{red}error{off}{bold}: {}{off}{}", fault.headline(), fault.details(style))
        };
        self.0.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            let newline = if i > 0 { "\n" } else { "" };
            write!(f, "{newline}{}{}", fault.headline(), fault.details(Style::new(false)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(place: Place) -> Diagnostic {
        Diagnostic {
            file: "configs/bar.toml".into(),
            place,
            key: "body.0.material.yuong".into(),
            message: "unknown key".into(),
            hint: "did you mean 'young'?".into(),
        }
    }

    #[test]
    fn a_fault_in_a_line_is_underlined() {
        let text = "a = 1\n    yuong = 1e6\n";
        let shown = Diagnostics(vec![fault(Place::Line(Excerpt::new(text, 10..15)))]).render(false);
        let expected = "error: configs/bar.toml:2:5: body.0.material.yuong: unknown key\n\
                        \x20   2 |     yuong = 1e6\n\
                        \x20     |     ^^^^^ did you mean 'young'?";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_fault_in_a_flag_names_the_flag() {
        let shown = Diagnostics(vec![fault(Place::Flag("--set body.0.material.yuong=1".into()))]).to_string();
        assert_eq!(
            shown,
            "--set body.0.material.yuong=1: body.0.material.yuong: unknown key\n   = did you mean 'young'?"
        );
    }

    #[test]
    fn colour_changes_nothing_but_the_codes() {
        let all = Diagnostics(vec![fault(Place::File), fault(Place::Line(Excerpt::new("x = 1", 0..1)))]);
        let coloured = all.render(true);
        assert!(coloured.contains("\x1b[1;31m"));
        let plain = ["\x1b[1;31m", "\x1b[1m", "\x1b[2m", "\x1b[0m"]
            .iter()
            .fold(coloured, |s, code| s.replace(code, ""));
        assert_eq!(plain, all.render(false));
    }

    #[test]
    fn long_lines_are_shown_in_a_window_and_columns_count_characters() {
        let text = format!("name = \"{}\" # {}", "ä".repeat(300), "x".repeat(300));
        let start = text.find('#').unwrap();
        let at = Excerpt::new(&text, start..start + 1);
        assert_eq!(at.column, 7 + 1 + 300 + 1 + 1 + 1);
        let (shown, before, width) = at.window();
        assert_eq!((shown.chars().nth(before), width), (Some('#'), 1));
        assert!(shown.starts_with('…') && shown.ends_with('…'));
    }

    #[test]
    fn spans_at_the_end_of_a_file_and_over_several_lines_have_a_place() {
        assert_eq!(Excerpt::new("a = [", 5..5).column, 6);
        let several = Excerpt::new("a = [\n1]\n", 4..8);
        assert_eq!((several.line, several.column, several.width), (1, 5, 1));
        assert_eq!(Excerpt::new("", 3..9).line, 1);
    }
}
