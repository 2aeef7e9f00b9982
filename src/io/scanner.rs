//! Words and numbers of text files, with the line in which they stand; also runs of bytes in files that mix
//! text and binary data.

use super::{Fault, Parsed};

/// A cursor over a file's bytes.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    position: usize,
    line: usize,
    comments: bool,
}

impl<'a> Scanner<'a> {
    /// A cursor at the start of a file; with `comments`, a `#` hides the rest of its line.
    pub(crate) fn new(bytes: &'a [u8], comments: bool) -> Self {
        Scanner { bytes, position: 0, line: 1, comments }
    }

    /// A cursor over the rest of a file, which begins in the given line.
    pub(crate) fn at_line(bytes: &'a [u8], line: usize) -> Self {
        Scanner { line, ..Scanner::new(bytes, false) }
    }

    /// The current place for messages: `line 12`, or `the end of the file`.
    pub(crate) fn place(&self) -> String {
        if self.position >= self.bytes.len() { "end of file".into() } else { format!("line {}", self.line) }
    }

    /// A fault at the current place.
    pub(crate) fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place(), reason)
    }

    /// The number of bytes that are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The bytes that are left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    /// The next word. The cursor stands before it afterwards.
    pub(crate) fn peek(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        let rest = self.rest();
        let length = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        let comment = self.comments.then(|| rest[..length].iter().position(|&b| b == b'#')).flatten();
        (length > 0).then(|| &rest[..comment.unwrap_or(length)])
    }

    /// The next word; the cursor moves behind it.
    pub(crate) fn word(&mut self) -> Option<&'a [u8]> {
        let word = self.peek()?;
        self.position += word.len();
        Some(word)
    }

    /// The next word as text, or a fault that says what was expected.
    pub(crate) fn text(&mut self, expected: &str) -> Parsed<String> {
        match self.word() {
            Some(word) => Ok(String::from_utf8_lossy(word).into_owned()),
            None => Err(self.fault(format!("the file ends where {expected} should be"))),
        }
    }

    /// The next word as a number.
    pub(crate) fn float(&mut self, expected: &str) -> Parsed<f64> {
        let word = self.peek();
        match word.map(parse_float) {
            Some(Some(value)) => {
                self.position += word.map_or(0, <[u8]>::len);
                Ok(value)
            }
            _ => Err(self.unexpected(word, expected)),
        }
    }

    /// The next word as a whole number.
    pub(crate) fn integer(&mut self, expected: &str) -> Parsed<i64> {
        let word = self.peek();
        match word.map(parse_integer) {
            Some(Some(value)) => {
                self.position += word.map_or(0, <[u8]>::len);
                Ok(value)
            }
            _ => Err(self.unexpected(word, expected)),
        }
    }

    /// The next word as a count of items with `values` numbers each, as text: at least two bytes
    /// per number must be left.
    pub(crate) fn count(&mut self, expected: &str, values: usize) -> Parsed<usize> {
        let value = self.integer(expected)?;
        let count =
            usize::try_from(value).map_err(|_| self.fault(format!("{expected} is negative: {value}")))?;
        self.check_text(count.saturating_mul(values), expected)?;
        Ok(count)
    }

    /// Checks that enough bytes are left for this many numbers as text.
    pub(crate) fn check_text(&self, numbers: usize, what: &str) -> Parsed<()> {
        if numbers.saturating_mul(2) > self.remaining().saturating_add(1) {
            let reason =
                format!("{what}: {numbers} numbers do not fit into the {} bytes left", self.remaining());
            return Err(self.fault(reason).hint("the file may be truncated"));
        }
        Ok(())
    }

    /// The rest of the current line without its end. The cursor moves to the start of the next line.
    pub(crate) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|&b| b == b'\n');
        self.position += end.map_or(rest.len(), |n| n + 1);
        self.line += usize::from(end.is_some());
        rest[..end.unwrap_or(rest.len())].trim_ascii_end()
    }

    /// The next `count` bytes as they are.
    pub(crate) fn bytes(&mut self, count: usize, what: &str) -> Parsed<&'a [u8]> {
        let Some(bytes) = self.rest().get(..count) else {
            let reason = format!("{what}: {count} bytes expected, {} are left", self.remaining());
            return Err(
                Fault::new(format!("byte {}", self.position), reason).hint("the file may be truncated")
            );
        };
        self.position += count;
        self.line += bytes.iter().filter(|&&b| b == b'\n').count();
        Ok(bytes)
    }

    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.position) {
            if byte == b'\n' {
                self.line += 1;
            } else if self.comments && byte == b'#' {
                let rest = self.rest();
                self.position += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                continue;
            } else if !byte.is_ascii_whitespace() {
                return;
            }
            self.position += 1;
        }
    }

    fn unexpected(&self, word: Option<&[u8]>, expected: &str) -> Fault {
        match word {
            None => self.fault(format!("the file ends where {expected} should be")),
            Some(word) => {
                let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
                self.fault(format!("'{shown}' where {expected} should be"))
            }
        }
    }
}

/// A number as C, Fortran (`1d-3`) or printf (`-nan`) write it.
pub(crate) fn parse_float(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    if text.trim_start_matches(['-', '+']).to_ascii_lowercase().starts_with("nan") {
        return Some(f64::NAN);
    }
    let exponent = text.find(['d', 'D'])?;
    format!("{}e{}", &text[..exponent], &text[exponent + 1..]).parse().ok()
}

/// A whole number, also if it is written as a float.
pub(crate) fn parse_integer(word: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let value: f64 = text.parse().ok()?;
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_lines_and_comments_hide() {
        let mut s = Scanner::new(b"a 1 # x y\n\n# z\n 2.5d1#c\n-nan", true);
        assert_eq!(s.word(), Some(&b"a"[..]));
        assert_eq!(s.integer("n"), Ok(1));
        assert_eq!(s.float("x"), Ok(25.0));
        assert_eq!(s.place(), "line 4");
        assert!(s.float("x").unwrap().is_nan());
        assert_eq!(s.float("a number").unwrap_err().reason, "the file ends where a number should be");
    }

    #[test]
    fn counts_must_fit_into_the_file() {
        assert!(Scanner::new(b"3 1 2 3", false).count("n", 1).is_ok());
        assert!(Scanner::new(b"4 1 2 3", false).count("n", 1).is_err());
        assert!(Scanner::new(b"99999999999999999 1", false).count("n", 3).is_err());
        assert!(Scanner::new(b"-1", false).count("n", 1).is_err());
        assert!(Scanner::new(b"1e3", false).integer("n").is_ok());
    }
}
