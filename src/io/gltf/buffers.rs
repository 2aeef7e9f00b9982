//! The numbers of a glTF file: buffers, views of them, and accessors into these.

use std::borrow::Cow;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::document::{Accessor, Document};
use crate::io::budget::Budget;
use crate::io::{Fault, Parsed};

/// All buffers, with the document that says what is in them.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    bytes: Vec<Cow<'a, [u8]>>,
    other_files: usize,
}

/// The accessor's numbers as they lie in a buffer.
struct Layout<'a> {
    bytes: &'a [u8],
    stride: usize,
    /// Bytes of a component.
    size: usize,
    kind: u32,
    is_normalized: bool,
    count: usize,
}

impl<'a> Buffers<'a> {
    /// Takes the binary chunk, decodes what is in the JSON, and reads other files in the directory.
    pub fn load(
        document: &'a Document,
        binary: Option<&'a [u8]>,
        directory: Option<&Path>,
    ) -> Parsed<Buffers<'a>> {
        let (mut bytes, mut other_files) = (vec![], 0);
        for (i, buffer) in document.buffers.iter().enumerate() {
            let at = format!("buffers[{i}]");
            let content: Cow<[u8]> = match (&buffer.uri, binary) {
                (None, Some(binary)) if i == 0 => binary.into(),
                (None, _) => return Err(Fault::new(at, "it has no uri, and there is no binary chunk")),
                (Some(uri), _) => match uri.strip_prefix("data:") {
                    Some(data) => {
                        let (_, text) = data
                            .split_once(";base64,")
                            .ok_or_else(|| Fault::new(&at, "the data in the JSON is not in base64"))?;
                        STANDARD
                            .decode(text)
                            .map_err(|error| Fault::new(&at, format!("the base64 is damaged: {error}")))?
                            .into()
                    }
                    None => {
                        let content = beside(uri, directory).map_err(|fault| fault.within(&at))?;
                        other_files += content.len();
                        content.into()
                    }
                },
            };
            if content.len() < buffer.byte_length {
                let reason = format!("{} bytes of {}", content.len(), buffer.byte_length);
                return Err(Fault::new(at, reason).hint("the file is truncated"));
            }
            bytes.push(content);
        }
        Ok(Buffers { document, bytes, other_files })
    }

    /// The bytes of the files that stand beside the document.
    pub fn other_files(&self) -> usize {
        self.other_files
    }

    fn accessor(&self, number: usize) -> Parsed<&Accessor> {
        let found = self.document.accessors.get(number);
        found.ok_or_else(|| Fault::new("", format!("there is no accessor {number}")))
    }

    /// True if an accessor has single numbers.
    pub fn is_scalar(&self, number: usize) -> bool {
        self.accessor(number).is_ok_and(|accessor| accessor.shape == "SCALAR")
    }

    /// The layout of an accessor with so many components, which it must have.
    fn layout(&self, number: usize, components: usize) -> Parsed<Layout<'_>> {
        let accessor = self.accessor(number)?;
        let refuse = |reason: String| Fault::new("", format!("accessor {number}: {reason}"));
        let wanted = ["SCALAR", "VEC2", "VEC3"][components - 1];
        if accessor.shape != wanted {
            return Err(refuse(format!("the type is '{}', not {wanted}", accessor.shape)));
        }
        if accessor.sparse.is_some() {
            return Err(refuse("sparse numbers cannot be read".into()).hint("save it without morph targets"));
        }
        let size = match accessor.component_type {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            other => return Err(refuse(format!("there is no componentType {other}"))),
        };
        let Some(view) = accessor.buffer_view else {
            return Err(refuse("it has no bufferView, so that all numbers would be 0".into()));
        };
        let outside = || refuse(format!("its {} entries reach beyond the buffer", accessor.count));
        let found = self.document.buffer_views.get(view);
        let found = found.ok_or_else(|| refuse(format!("there is no bufferView {view}")))?;
        let buffer = self
            .bytes
            .get(found.buffer)
            .ok_or_else(|| refuse(format!("there is no buffer {}", found.buffer)))?;
        let end = found.byte_offset.checked_add(found.byte_length);
        let all = end.and_then(|end| buffer.get(found.byte_offset..end)).ok_or_else(outside)?;
        let bytes = all.get(accessor.byte_offset..).ok_or_else(outside)?;
        let entry = size * components;
        let stride = found.byte_stride.filter(|stride| *stride > 0).unwrap_or(entry);
        if stride < entry {
            return Err(refuse(format!("a stride of {stride} bytes for entries of {entry}")));
        }
        let needed = accessor.count.saturating_sub(1).checked_mul(stride).and_then(|n| n.checked_add(entry));
        if accessor.count > 0 && needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(outside());
        }
        let (kind, is_normalized) = (accessor.component_type, accessor.normalized);
        Ok(Layout { bytes, stride, size, kind, is_normalized, count: accessor.count })
    }

    /// The vectors of an accessor.
    pub fn vectors<const N: usize>(&self, number: usize, budget: &Budget) -> Parsed<Vec<[f64; N]>> {
        let layout = self.layout(number, N)?;
        budget.charge_numbers(layout.count.saturating_mul(N))?;
        let vector = |i: usize| std::array::from_fn(|k| layout.number(i, k));
        Ok((0..layout.count).map(vector).collect())
    }

    /// The whole numbers of an accessor.
    pub fn indices(&self, number: usize, budget: &Budget) -> Parsed<Vec<u32>> {
        let layout = self.layout(number, 1)?;
        if !matches!(layout.kind, 5121 | 5123 | 5125) {
            let reason = format!("accessor {number}: indices of componentType {}", layout.kind);
            return Err(Fault::new("", reason));
        }
        budget.charge_numbers(layout.count)?;
        Ok((0..layout.count).map(|i| layout.number(i, 0) as u32).collect())
    }
}

impl Layout<'_> {
    /// Component `k` of entry `i`, both within range.
    fn number(&self, i: usize, k: usize) -> f64 {
        let at = i * self.stride + k * self.size;
        let word = |n: usize| {
            let mut bytes = [0; 4];
            bytes[..n].copy_from_slice(&self.bytes[at..at + n]);
            bytes
        };
        let [a, b, ..] = word(self.size);
        let (value, largest) = match self.kind {
            5120 => (f64::from(a as i8), 127.0),
            5121 => (f64::from(a), 255.0),
            5122 => (f64::from(i16::from_le_bytes([a, b])), 32767.0),
            5123 => (f64::from(u16::from_le_bytes([a, b])), 65535.0),
            5125 => (f64::from(u32::from_le_bytes(word(4))), f64::from(u32::MAX)),
            _ => return f64::from(f32::from_le_bytes(word(4))),
        };
        if self.is_normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// The content of a file that stands beside the document.
fn beside(uri: &str, directory: Option<&Path>) -> Parsed<Vec<u8>> {
    let Some(directory) = directory else {
        return Err(Fault::new("", format!("the buffer is in another file, '{uri}'")));
    };
    if uri.contains("://") || uri.starts_with('/') {
        let reason = format!("the buffer '{uri}' does not stand beside the file");
        return Err(Fault::new("", reason).hint("save it as .glb, which has all in one file"));
    }
    let path = directory.join(decoded(uri));
    std::fs::read(&path).map_err(|error| {
        Fault::new("", format!("cannot read {}: {error}", path.display()))
            .hint("keep it beside the .gltf, or save as .glb, which has all in one file")
    })
}

/// A URI with its `%20` and the like replaced.
fn decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let (mut out, mut i) = (vec![], 0);
    while i < bytes.len() {
        let hex = bytes.get(i + 1..i + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.filter(|_| bytes[i] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
