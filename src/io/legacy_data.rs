//! Numbers and attributes of VTK legacy files, as text or as big-endian bytes.

use super::numeric::Scalar;
use super::scanner::Scanner;
use super::{Fault, Parsed};
use crate::mesh::DataArray;

/// A cursor that knows whether data is text or binary.
pub(crate) struct LegacyData<'a> {
    pub(crate) scanner: Scanner<'a>,
    pub(crate) binary: bool,
}

impl LegacyData<'_> {
    /// Ends a header line: binary data begins on the next line, text may continue on the same one.
    pub(crate) fn end_header_line(&mut self) {
        if self.binary {
            self.scanner.rest_of_line();
        }
    }

    /// The next word as a count. Counts that are too large for the file are refused when the numbers are read.
    pub(crate) fn count(&mut self, expected: &str) -> Parsed<usize> {
        let value = self.scanner.integer(expected)?;
        usize::try_from(value).map_err(|_| self.scanner.fault(format!("{expected} is negative: {value}")))
    }

    /// The next `count` numbers of the legacy type `kind`.
    pub(crate) fn floats(&mut self, count: usize, kind: &str, what: &str) -> Parsed<Vec<f64>> {
        if kind.eq_ignore_ascii_case("bit") && self.binary {
            let bytes = self.scanner.bytes(count.div_ceil(8), what)?;
            return Ok((0..count).map(|i| f64::from(bytes[i / 8] >> (7 - i % 8) & 1)).collect());
        }
        if self.binary {
            let scalar = self.scalar(kind)?;
            return Ok(scalar.floats(self.raw(count, scalar, what)?, true));
        }
        self.scanner.check_text(count, what)?;
        (0..count).map(|_| self.scanner.float(what)).collect()
    }

    /// The next `count` whole numbers.
    pub(crate) fn integers(&mut self, count: usize, kind: &str, what: &str) -> Parsed<Vec<i64>> {
        if self.binary {
            let scalar = self.scalar(kind)?;
            return Ok(scalar.integers(self.raw(count, scalar, what)?, true));
        }
        self.scanner.check_text(count, what)?;
        (0..count).map(|_| self.scanner.integer(what)).collect()
    }

    fn raw(&mut self, count: usize, scalar: Scalar, what: &str) -> Parsed<&[u8]> {
        self.scanner.bytes(count.saturating_mul(scalar.size()), what)
    }

    fn scalar(&self, kind: &str) -> Parsed<Scalar> {
        Scalar::from_legacy(kind)
            .ok_or_else(|| self.scanner.fault(format!("the data type '{kind}' is not known")))
    }

    /// Skips a `METADATA` block, which ends with an empty line. The cursor stands behind its first word.
    pub(crate) fn skip_metadata(&mut self) {
        self.scanner.rest_of_line();
        while !self.scanner.rest_of_line().is_empty() {}
    }

    /// Reads `FIELD name count` and its arrays; returns those with `tuples` tuples.
    pub(crate) fn field(&mut self, tuples: usize) -> Parsed<Vec<DataArray>> {
        self.scanner.text("the name of the field")?;
        let count = self.count("the number of arrays")?;
        let mut arrays = Vec::new();
        for _ in 0..count {
            let mut name = self.scanner.text("the name of an array")?;
            while name == "METADATA" {
                self.skip_metadata();
                name = self.scanner.text("the name of an array")?;
            }
            let components = self.count("the number of components")?;
            let length = self.count("the number of tuples")?;
            let kind = self.scanner.text("a data type")?;
            let what = format!("array '{name}'");
            let values = components.saturating_mul(length);
            if kind.eq_ignore_ascii_case("string") {
                self.scanner.rest_of_line();
                self.skip_strings(values, &what)?;
                continue;
            }
            self.end_header_line();
            let values = self.floats(values, &kind, &what)?;
            if length == tuples && components > 0 {
                arrays.push(DataArray { name: decode_name(&name), components, values });
            }
        }
        Ok(arrays)
    }

    /// Skips strings. Text has one string per line; binary strings begin with their length, in 6, 14, 30 or 62 bits.
    fn skip_strings(&mut self, count: usize, what: &str) -> Parsed<()> {
        for _ in 0..count {
            if self.scanner.remaining() == 0 {
                return Err(self.scanner.fault(format!("{what}: {count} strings expected")));
            }
            if !self.binary {
                self.scanner.rest_of_line();
                continue;
            }
            let first = self.scanner.bytes(1, what)?[0];
            let more = [7, 3, 1, 0][usize::from(first >> 6)];
            let rest = self.scanner.bytes(more, what)?;
            let length = rest.iter().fold(u64::from(first & 0x3f), |n, &b| n << 8 | u64::from(b));
            self.scanner.bytes(usize::try_from(length).unwrap_or(usize::MAX), what)?;
        }
        Ok(())
    }

    /// Reads one attribute of `POINT_DATA` or `CELL_DATA` behind its `keyword`; `None` if it holds no array. An
    /// unknown keyword is a fault.
    pub(crate) fn attribute(&mut self, keyword: &str, tuples: usize) -> Parsed<Option<DataArray>> {
        let Some(fixed) = Attribute::from_keyword(keyword) else {
            let reason = format!("the keyword '{keyword}' is not known");
            return Err(self.scanner.fault(reason).hint("the counts before it may be wrong"));
        };
        let name = self.scanner.text("the name of an array")?;
        let what = format!("array '{name}'");
        let (components, kind) = match fixed {
            Attribute::Fixed(components) => (components, self.scanner.text("a data type")?),
            Attribute::Scalars => self.scalars_header()?,
            Attribute::Colors => (self.count("the number of components")?, self.color_type()),
            Attribute::TextureCoordinates => {
                (self.count("the number of components")?, self.scanner.text("a data type")?)
            }
            Attribute::LookupTable => {
                let entries = self.count("the size of the lookup table")?;
                self.end_header_line();
                let kind = self.color_type();
                self.floats(entries.saturating_mul(4), &kind, &what)?;
                return Ok(None);
            }
        };
        if fixed != Attribute::Scalars {
            self.end_header_line();
        }
        let values = self.floats(tuples.saturating_mul(components), &kind, &what)?;
        Ok((components > 0).then(|| DataArray { name: decode_name(&name), components, values }))
    }

    /// Reads `SCALARS name type [components]` and, on a line of its own, `LOOKUP_TABLE name`.
    fn scalars_header(&mut self) -> Parsed<(usize, String)> {
        let kind = self.scanner.text("a data type")?;
        let components = match self.scanner.rest_of_line().trim_ascii() {
            b"" => 1,
            text => {
                let text = String::from_utf8_lossy(text).into_owned();
                let number = text.parse().ok().filter(|n| (1..=1000).contains(n));
                number.ok_or_else(|| self.scanner.fault(format!("{text} components per scalar")))?
            }
        };
        if self.scanner.rest().trim_ascii_start().starts_with(b"LOOKUP_TABLE") {
            self.scanner.word();
            self.scanner.text("the name of the lookup table")?;
            self.end_header_line();
        }
        Ok((components, kind))
    }

    /// The type of colours: bytes in binary files, numbers from 0 to 1 in text.
    fn color_type(&self) -> String {
        if self.binary { "unsigned_char".into() } else { "float".into() }
    }
}

/// What stands between the name of an attribute and its data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    /// A type; the number of components is fixed.
    Fixed(usize),
    Scalars,
    Colors,
    TextureCoordinates,
    LookupTable,
}

impl Attribute {
    fn from_keyword(keyword: &str) -> Option<Attribute> {
        Some(match keyword {
            "SCALARS" => Attribute::Scalars,
            "COLOR_SCALARS" => Attribute::Colors,
            "LOOKUP_TABLE" => Attribute::LookupTable,
            "TEXTURE_COORDINATES" => Attribute::TextureCoordinates,
            "VECTORS" | "NORMALS" => Attribute::Fixed(3),
            "TENSORS" => Attribute::Fixed(9),
            "TENSORS6" => Attribute::Fixed(6),
            "GLOBAL_IDS" | "PEDIGREE_IDS" | "EDGE_FLAGS" => Attribute::Fixed(1),
            _ => return None,
        })
    }
}

/// Decodes a name, in which `%20` stands for a space and so on.
fn decode_name(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A fault in one of the header lines.
pub(crate) fn header_fault(line: usize, reason: &str) -> Fault {
    Fault::new(format!("line {line}"), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded() {
        assert_eq!(decode_name("von%20Mises"), "von Mises");
        assert_eq!(decode_name("100%"), "100%");
        assert_eq!(decode_name("%zz%"), "%zz%");
    }

    #[test]
    fn binary_strings_and_bits_are_passed_over() {
        let mut bytes = b"F 2\ns 1 2 string\n".to_vec();
        bytes.extend([0b1100_0001, b'x', 0b1000_0000, 1, b'y']);
        bytes.extend(b"\nb 1 3 bit\n\xa0\n");
        let mut data = LegacyData { scanner: Scanner::new(&bytes, false), binary: true };
        let arrays = data.field(3).unwrap();
        assert_eq!(arrays, [DataArray { name: "b".into(), components: 1, values: vec![1.0, 0.0, 1.0] }]);
    }
}
