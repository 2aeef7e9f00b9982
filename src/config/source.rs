//! The text of a config with the places of its keys.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::path::KeyPath;
use super::problem::{Part, Problem};
use crate::error::diagnostic::{Diagnostic, Diagnostics, Excerpt, Place};

/// A parsed text with the places of its keys, and the keys that flags have replaced.
pub struct Source<'a> {
    file: &'a Path,
    text: &'a str,
    document: DeTable<'a>,
    overridden: Vec<(KeyPath, String)>,
}

/// The bytes of a key and of its value.
struct Spans {
    key: Range<usize>,
    value: Range<usize>,
}

impl<'a> Source<'a> {
    /// Parses `text`, the content of `file`, into its values and their places.
    pub fn parse(file: &'a Path, text: &'a str) -> Result<(Self, toml::Table), Diagnostics> {
        let fault = |error: toml::de::Error| {
            Diagnostics(vec![Diagnostic {
                file: file.to_owned(),
                place: error.span().map_or(Place::File, |span| Place::Line(Excerpt::new(text, span))),
                key: String::new(),
                message: format!("not valid TOML: {}", error.message()),
                hint: String::new(),
            }])
        };
        let document = DeTable::parse(text).map_err(fault)?.into_inner();
        let values = toml::from_str(text).map_err(fault)?;
        Ok((Source { file, text, document, overridden: Vec::new() }, values))
    }

    /// Remembers that `flag` has set `path`.
    pub fn set_by_flag(&mut self, path: KeyPath, flag: String) {
        self.overridden.push((path, flag));
    }

    /// True if a flag has set this key.
    pub fn is_flagged(&self, path: &KeyPath) -> bool {
        self.overridden.iter().any(|(set, _)| path.starts_with(set))
    }

    /// The place of a key: in the flag that set it last, else in the text, else at its table.
    pub fn place(&self, path: &KeyPath, part: Part) -> Place {
        if let Some((_, flag)) = self.overridden.iter().rev().find(|(set, _)| path.starts_with(set)) {
            return Place::Flag(flag.clone());
        }
        let (found, depth) = self.find(path);
        let Some(spans) = found else { return Place::File };
        let exists = depth == path.segments().len();
        let span = if part == Part::Key && exists { spans.key } else { spans.value };
        Place::Line(Excerpt::new(self.text, span))
    }

    /// The diagnostic of a fault, with its place.
    pub fn diagnose(&self, problem: &Problem) -> Diagnostic {
        Diagnostic {
            file: self.file.to_owned(),
            place: self.place(&problem.path, problem.part),
            key: problem.path.to_string(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        }
    }

    /// The spans of the longest part of `path` that exists, and how long that part is.
    fn find(&self, path: &KeyPath) -> (Option<Spans>, usize) {
        let mut segments = path.segments().iter().enumerate();
        let Some((_, first)) = segments.next() else { return (None, 0) };
        let Some((key, mut value)) = self.document.get_key_value(first.as_str()) else { return (None, 0) };
        let mut spans = Spans { key: key.span(), value: value.span() };
        for (depth, segment) in segments {
            let Some((key, next)) = child(value, segment) else { return (Some(spans), depth) };
            spans = Spans { key, value: next.span() };
            value = next;
        }
        (Some(spans), path.segments().len())
    }
}

/// The spans of the key and the value of `segment` in a table or array; an array element is its own key.
fn child<'v, 'a>(
    value: &'v Spanned<DeValue<'a>>,
    segment: &str,
) -> Option<(Range<usize>, &'v Spanned<DeValue<'a>>)> {
    match value.get_ref() {
        DeValue::Table(table) => table.get_key_value(segment).map(|(key, value)| (key.span(), value)),
        DeValue::Array(array) => {
            let element = array.get(segment.parse::<usize>().ok()?)?;
            Some((element.span(), element))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
name = \"ä\"
time.step = 1
[[body]]
velocity.linear = [1, 2, 3]
material = { model = 'm', young = 2 }
  [[body.pin]]
  select = { box = { min = [0,
      5] } }
  [[body.pin]]
  [body.transform.rotate]
  degrees = 3
[[body]]
deform = [ { file = 'a' }, { twist = { axis = 'x' } } ]
[output]
";

    fn at(path: &str, part: Part) -> (usize, usize, usize) {
        let (source, _) = Source::parse(Path::new("x.toml"), TEXT).unwrap();
        match source.place(&KeyPath::parse(path), part) {
            Place::Line(at) => (at.line, at.column, at.width),
            _ => (0, 0, 0),
        }
    }

    #[test]
    fn every_way_to_write_a_key_has_its_place() {
        for (path, key, value) in [
            ("name", (1, 1, 4), (1, 8, 3)),
            ("time.step", (2, 6, 4), (2, 13, 1)),
            ("body.0.velocity.linear", (4, 10, 6), (4, 19, 9)),
            ("body.0.velocity.linear.1", (4, 23, 1), (4, 23, 1)),
            ("body.0.material.young", (5, 27, 5), (5, 35, 1)),
            ("body.0.pin.0.select.box.min.1", (8, 7, 1), (8, 7, 1)),
            ("body.0.pin.0.select.box.min", (7, 22, 3), (7, 28, 3)),
            ("body.0.pin.1", (9, 3, 12), (9, 3, 12)),
            ("body.0.transform.rotate.degrees", (11, 3, 7), (11, 13, 1)),
            ("body.1.deform.1.twist.axis", (13, 40, 4), (13, 47, 3)),
        ] {
            assert_eq!((at(path, Part::Key), at(path, Part::Value)), (key, value), "{path}");
        }
    }

    #[test]
    fn missing_keys_stand_where_their_table_does() {
        assert_eq!(at("body.1.material.model", Part::Value), (12, 1, 8));
        assert_eq!(at("body.0.pin.1.select", Part::Key), (9, 3, 12));
        assert_eq!(at("solver.kind", Part::Value), (0, 0, 0));
    }

    #[test]
    fn faults_of_the_syntax_have_a_place() {
        for (text, line, column) in [("a = [1,\n", 1, 8), ("a = 1\nb = = 2\n", 2, 5), ("a = 1e999", 1, 5)] {
            let Err(faults) = Source::parse(Path::new("x.toml"), text) else { panic!("{text} was accepted") };
            let Place::Line(at) = &faults.0[0].place else { panic!("{text}: no place") };
            assert_eq!((at.line, at.column), (line, column), "{text}: {faults}");
        }
    }
}
