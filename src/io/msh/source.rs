//! The numbers of an MSH file, text or binary, and its sections.

use super::super::numeric::Scalar;
use super::super::scanner::Scanner;
use super::super::{Fault, Parsed};

/// A cursor that knows how numbers are written.
pub(super) struct Source<'a> {
    /// The cursor over the bytes of the file.
    pub(super) scanner: Scanner<'a>,
    /// The byte order if numbers are binary: true for big-endian; `None` for text.
    order: Option<bool>,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { scanner: Scanner::new(bytes, false), order: None }
    }

    pub(super) fn fault(&self, reason: impl Into<String>) -> Fault {
        self.scanner.fault(reason)
    }

    /// The name of the next section.
    pub(super) fn section(&mut self) -> Parsed<Option<String>> {
        let Some(word) = self.scanner.word() else { return Ok(None) };
        match word.strip_prefix(b"$") {
            Some(name) => Ok(Some(String::from_utf8_lossy(name).into_owned())),
            None => {
                let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
                Err(self.fault(format!("'{shown}' where a section should begin")))
            }
        }
    }

    /// Skips the words of a section that is not used.
    pub(super) fn skip(&mut self, section: &str) -> Parsed<()> {
        let ends = [format!("$End{section}"), format!("$END{section}")].map(String::into_bytes);
        loop {
            match self.scanner.peek() {
                None => return Err(self.fault(format!("${section} does not end"))),
                Some(word) if ends.iter().any(|end| word == end.as_slice()) => return Ok(()),
                Some(_) => {
                    self.scanner.word();
                }
            }
        }
    }

    /// Reads the end of a section. The last section of a file may lack it.
    pub(super) fn end(&mut self, section: &str) -> Parsed<()> {
        let wanted = format!("$end{}", section.to_ascii_lowercase());
        match self.scanner.word() {
            None => Ok(()),
            Some(word) if String::from_utf8_lossy(word).to_ascii_lowercase() == wanted => Ok(()),
            Some(word) => {
                let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
                Err(self
                    .fault(format!("'{shown}' where $End{section} should be"))
                    .hint("a count in the section may be wrong"))
            }
        }
    }

    /// Switches to binary numbers; the number 1 that follows tells the byte order.
    pub(super) fn detect_order(&mut self) -> Parsed<()> {
        self.order = match self.scanner.bytes(4, "the number 1")? {
            [1, 0, 0, 0] => Some(false),
            [0, 0, 0, 1] => Some(true),
            _ => return Err(self.fault("the number that tells the byte order is not 1")),
        };
        Ok(())
    }

    /// True if numbers are binary.
    pub(super) fn is_binary(&self) -> bool {
        self.order.is_some()
    }

    /// Goes to the first byte after the line, if numbers are binary.
    pub(super) fn begin_binary(&mut self) {
        if self.is_binary() {
            self.scanner.rest_of_line();
        }
    }

    fn binary(&mut self, scalar: Scalar, big: bool, what: &str) -> Parsed<i64> {
        Ok(scalar.integers(self.scanner.bytes(scalar.size(), what)?, big)[0])
    }

    /// Reads a number of four bytes.
    pub(super) fn int(&mut self, what: &str) -> Parsed<i64> {
        match self.order {
            Some(big) => self.binary(Scalar::I32, big, what),
            None => self.scanner.integer(what),
        }
    }

    /// Reads a number of eight bytes.
    pub(super) fn long(&mut self, what: &str) -> Parsed<i64> {
        match self.order {
            Some(big) => self.binary(Scalar::U64, big, what),
            None => self.scanner.integer(what),
        }
    }

    pub(super) fn double(&mut self, what: &str) -> Parsed<f64> {
        match self.order {
            Some(big) => Ok(Scalar::F64.floats(self.scanner.bytes(8, what)?, big)[0]),
            None => self.scanner.float(what),
        }
    }

    /// Reads three coordinates.
    pub(super) fn point(&mut self) -> Parsed<[f64; 3]> {
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = self.double("a coordinate")?;
        }
        Ok(point)
    }

    /// Refuses a count of items that the remaining bytes cannot hold. An item has so many bytes, or so
    /// many numbers as text.
    pub(super) fn check_count(&self, count: i64, bytes: usize, numbers: usize) -> Parsed<usize> {
        let each = if self.is_binary() { bytes } else { 2 * numbers };
        let count = usize::try_from(count).map_err(|_| self.fault(format!("a negative count: {count}")))?;
        if count.saturating_mul(each) > self.scanner.remaining().saturating_add(1) {
            let reason =
                format!("{count} entries do not fit into the {} bytes left", self.scanner.remaining());
            return Err(self.fault(reason).hint("the file may be truncated"));
        }
        Ok(count)
    }
}
