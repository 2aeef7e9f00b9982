//! The data of VTU arrays: text, base64 or raw bytes, plain or in compressed blocks.
//!
//! ```text
//! plain:       [bytes: word] data
//! compressed:  [blocks: word] [block size: word] [last block's size, 0 = whole: word]
//!              [compressed size: word]… block…
//! ```
//!
//! A word is UInt32 or UInt64 in the file's byte order. In base64 the header and the data may be encoded
//! together or one after the other, each with its padding: the decoder takes any mixture.
//!
//! Blocks are paid for out of the file's budget before they are unpacked, and none is unpacked beyond the size that the
//! header gives it.

use std::borrow::Cow;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::budget::Budget;
use super::numeric::Scalar;
use super::{Fault, Parsed};

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compressor {
    None,
    Zlib,
    Lz4,
    Lzma,
}

impl Compressor {
    /// From the `compressor` attribute.
    pub(crate) fn from_xml(name: Option<&str>) -> Result<Compressor, String> {
        match name {
            None | Some("") => Ok(Compressor::None),
            Some("vtkZLibDataCompressor") => Ok(Compressor::Zlib),
            Some("vtkLZ4DataCompressor") => Ok(Compressor::Lz4),
            Some("vtkLZMADataCompressor") => Ok(Compressor::Lzma),
            Some(other) => Err(format!("the compressor '{other}' is not known (zlib, LZ4 and LZMA are)")),
        }
    }

    /// Appends a block that must have `size` bytes when it is unpacked. None is unpacked further than one byte more,
    /// which is enough to tell that there are too many.
    fn unpack(self, block: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let (start, most) = (out.len(), (size as u64).saturating_add(1));
        match self {
            Compressor::None => out.extend_from_slice(block),
            Compressor::Zlib => {
                let mut decoder = flate2::read::ZlibDecoder::new(block).take(most);
                decoder.read_to_end(out).map_err(|e| format!("damaged zlib block: {e}"))?;
            }
            Compressor::Lz4 => {
                // LZ4 cannot compress better than 255 to 1.
                if size > block.len().saturating_mul(255).saturating_add(64) {
                    return Err(format!("damaged LZ4 block: {} bytes cannot hold {size}", block.len()));
                }
                out.resize(start + size, 0);
                let length = lz4_flex::block::decompress_into(block, &mut out[start..])
                    .map_err(|e| format!("damaged LZ4 block: {e}"))?;
                out.truncate(start + length);
            }
            Compressor::Lzma => {
                let decoder = lzma_rust2::XzReader::new_mem_limit(block, false, LZMA_KB);
                let mut decoder = decoder.take(most);
                decoder.read_to_end(out).map_err(|e| format!("damaged LZMA block: {e}"))?;
            }
        }
        match out.len() - start {
            length if length == size => Ok(()),
            length if length > size => Err(format!("a block unpacks to more than its {size} bytes")),
            length => Err(format!("a block of {size} bytes unpacks to {length}")),
        }
    }
}

/// The memory in kB that the decoder of an LZMA block may take: the largest preset of xz needs 64 MiB and a little.
const LZMA_KB: u32 = 66_000;

/// The encoding of the arrays of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding {
    pub(crate) big_endian: bool,
    pub(crate) header: Scalar,
    pub(crate) compressor: Compressor,
}

impl Encoding {
    /// The bytes of the array that begins at the start of `source`.
    pub(crate) fn unpack<'a>(&self, mut source: Source<'a>, budget: &Budget) -> Parsed<Cow<'a, [u8]>> {
        let first = self.word(&mut source)?;
        if self.compressor == Compressor::None {
            return Ok(source.take(first)?);
        }
        if first == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let (block_size, last_size) = (self.word(&mut source)?, self.word(&mut source)?);
        let width = self.header.size();
        let sizes = source.take(first.saturating_mul(width))?;
        let sizes = self.header.integers(&sizes, self.big_endian);
        let mut out = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            let block = source.take(usize::try_from(size).unwrap_or(usize::MAX))?;
            let whole = i + 1 < sizes.len() || last_size == 0;
            let size = if whole { block_size } else { last_size };
            budget.charge(size)?;
            self.compressor.unpack(&block, size, &mut out).map_err(|e| format!("block {i}: {e}"))?;
        }
        Ok(Cow::Owned(out))
    }

    fn word(&self, source: &mut Source) -> Parsed<usize> {
        let bytes = source.take(self.header.size())?;
        let value = self.header.integers(&bytes, self.big_endian)[0];
        usize::try_from(value).map_err(|_| Fault::from(format!("a size of {value} bytes")))
    }
}

/// Bytes that are taken one run after the other.
pub(crate) enum Source<'a> {
    /// Plain bytes, which need no decoding.
    Raw(&'a [u8]),
    /// Base64 text, decoded as far as needed.
    Base64 {
        /// The text that is not yet decoded.
        text: &'a [u8],
        /// Bytes that are decoded but not yet taken.
        pending: Vec<u8>,
    },
}

impl<'a> Source<'a> {
    /// A source of base64 text.
    pub(crate) fn base64(text: &'a [u8]) -> Self {
        Source::Base64 { text, pending: Vec::new() }
    }

    /// The next `count` bytes.
    fn take(&mut self, count: usize) -> Result<Cow<'a, [u8]>, String> {
        match self {
            Source::Raw(bytes) => {
                let Some((head, tail)) = bytes.split_at_checked(count) else {
                    return Err(format!("{count} bytes expected, {} are left: truncated?", bytes.len()));
                };
                *bytes = tail;
                Ok(Cow::Borrowed(head))
            }
            Source::Base64 { text, pending } => {
                while pending.len() < count {
                    let missing = count - pending.len();
                    let before = text.len();
                    pending.extend_from_slice(&decode_run(text, missing)?);
                    if text.len() == before {
                        return Err(format!(
                            "{count} bytes expected, {} are left: truncated?",
                            pending.len()
                        ));
                    }
                }
                let rest = pending.split_off(count);
                Ok(Cow::Owned(std::mem::replace(pending, rest)))
            }
        }
    }
}

/// Decodes from the start of `text` until `bytes` bytes, a padding or the end is reached; moves `text` on.
fn decode_run(text: &mut &[u8], bytes: usize) -> Result<Vec<u8>, String> {
    let wanted = bytes.div_ceil(3).saturating_mul(4);
    let mut run = Vec::with_capacity(wanted.min(text.len()));
    let mut used = 0;
    for &byte in text.iter() {
        if run.len() >= wanted || (run.len() % 4 == 0 && run.last() == Some(&b'=')) {
            break;
        }
        used += 1;
        if !byte.is_ascii_whitespace() {
            run.push(byte);
        }
    }
    *text = &text[used..];
    STANDARD.decode(&run).map_err(|e| format!("damaged base64: {e}"))
}

/// Bytes as a stream of xz, for tests.
#[cfg(test)]
pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const PLAIN: Encoding = Encoding { big_endian: false, header: Scalar::U32, compressor: Compressor::None };

    #[test]
    fn base64_of_header_and_data_together_or_apart() {
        let together = STANDARD.encode([5, 0, 0, 0, 1, 2, 3, 4, 5]);
        let apart = format!("\n {}{}  ", STANDARD.encode([5, 0, 0, 0]), STANDARD.encode([1, 2, 3, 4, 5]));
        for text in [together, apart] {
            let text = format!("{text}{}", STANDARD.encode([9; 20]));
            assert_eq!(
                *PLAIN.unpack(Source::base64(text.as_bytes()), &Budget::of(b"")).unwrap(),
                [1, 2, 3, 4, 5]
            );
        }
        let refused = |text| PLAIN.unpack(Source::base64(text), &Budget::of(b"")).unwrap_err().reason;
        assert!(refused(b"BQAAAAEC").contains("truncated"));
        assert!(refused(b"B*AAAAEC").contains("base64"));
        assert!(refused(b"").contains("truncated"));
    }

    #[test]
    fn blocks_of_every_compressor() {
        let data: Vec<u8> = (0..250u8).collect();
        for compressor in [Compressor::Zlib, Compressor::Lz4, Compressor::Lzma] {
            let encoding = Encoding { compressor, big_endian: true, header: Scalar::U64 };
            let blocks: Vec<Vec<u8>> = data.chunks(100).map(|chunk| pack(compressor, chunk)).collect();
            let words = [3, 100, 50].into_iter().chain(blocks.iter().map(|b| b.len() as u64));
            let mut file: Vec<u8> = words.flat_map(u64::to_be_bytes).collect();
            file.extend(blocks.concat());
            assert_eq!(*encoding.unpack(Source::Raw(&file), &Budget::of(&file)).unwrap(), data);
            file[15] = 99;
            assert!(encoding.unpack(Source::Raw(&file), &Budget::of(&file)).is_err(), "a wrong block size");
        }
    }

    /// Bytes in one packed block.
    fn pack(compressor: Compressor, bytes: &[u8]) -> Vec<u8> {
        match compressor {
            Compressor::None => bytes.to_vec(),
            Compressor::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            Compressor::Lz4 => lz4_flex::block::compress(bytes),
            Compressor::Lzma => xz(bytes),
        }
    }
}
