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

use std::borrow::Cow;
use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::numeric::Scalar;

/// The result of decoding. An error says what is wrong; the reader adds the array's name.
pub(crate) type Decoded<T> = Result<T, String>;

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
    pub(crate) fn from_xml(name: Option<&str>) -> Decoded<Compressor> {
        match name {
            None | Some("") => Ok(Compressor::None),
            Some("vtkZLibDataCompressor") => Ok(Compressor::Zlib),
            Some("vtkLZ4DataCompressor") => Ok(Compressor::Lz4),
            Some("vtkLZMADataCompressor") => Ok(Compressor::Lzma),
            Some(other) => Err(format!("the compressor '{other}' is not known (zlib, LZ4 and LZMA are)")),
        }
    }

    /// Unpacks a block that must have `size` bytes. Memory grows only with the bytes that are really there.
    fn unpack(self, block: &[u8], size: usize) -> Decoded<Vec<u8>> {
        let mut out = Vec::new();
        match self {
            Compressor::None => out.extend_from_slice(block),
            Compressor::Zlib => {
                let mut decoder = flate2::read::ZlibDecoder::new(block).take(size as u64 + 1);
                decoder.read_to_end(&mut out).map_err(|e| format!("damaged zlib block: {e}"))?;
            }
            Compressor::Lz4 => {
                // LZ4 cannot compress better than 255 to 1.
                if size > block.len().saturating_mul(255).saturating_add(64) {
                    return Err(format!("damaged LZ4 block: {} bytes cannot hold {size}", block.len()));
                }
                out = lz4_flex::block::decompress(block, size)
                    .map_err(|e| format!("damaged LZ4 block: {e}"))?;
            }
            Compressor::Lzma => {
                let mut limited = Limited { out: &mut out, limit: size };
                let mut input = block;
                lzma_rs::xz_decompress(&mut input, &mut limited)
                    .map_err(|e| format!("damaged LZMA block: {e}"))?;
            }
        }
        if out.len() != size {
            return Err(format!("a block of {size} bytes unpacks to {}", out.len()));
        }
        Ok(out)
    }
}

/// A sink that refuses more than `limit` bytes.
struct Limited<'a> {
    out: &'a mut Vec<u8>,
    limit: usize,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.out.len() + bytes.len() > self.limit {
            return Err(std::io::Error::other("it unpacks to more than the header says"));
        }
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The encoding of the arrays of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding {
    pub(crate) big_endian: bool,
    pub(crate) header: Scalar,
    pub(crate) compressor: Compressor,
}

impl Encoding {
    /// The bytes of the array that begins at the start of `source`.
    pub(crate) fn unpack<'a>(&self, mut source: Source<'a>) -> Decoded<Cow<'a, [u8]>> {
        let first = self.word(&mut source)?;
        if self.compressor == Compressor::None {
            return source.take(first);
        }
        if first == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let (block_size, last_size) = (self.word(&mut source)?, self.word(&mut source)?);
        let width = self.header.size();
        let sizes = source.take(first.checked_mul(width).ok_or("the number of blocks is damaged")?)?;
        let sizes = self.header.integers(&sizes, self.big_endian);
        let mut out = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            let block = source.take(usize::try_from(size).map_err(|_| "a block size is damaged")?)?;
            let whole = i + 1 < sizes.len() || last_size == 0;
            let unpacked = self.compressor.unpack(&block, if whole { block_size } else { last_size });
            out.extend_from_slice(&unpacked.map_err(|e| format!("block {i}: {e}"))?);
        }
        Ok(Cow::Owned(out))
    }

    fn word(&self, source: &mut Source) -> Decoded<usize> {
        let bytes = source.take(self.header.size())?;
        let value = self.header.integers(&bytes, self.big_endian)[0];
        usize::try_from(value).map_err(|_| format!("a size of {value} bytes"))
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
    fn take(&mut self, count: usize) -> Decoded<Cow<'a, [u8]>> {
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
fn decode_run(text: &mut &[u8], bytes: usize) -> Decoded<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Encoding = Encoding { big_endian: false, header: Scalar::U32, compressor: Compressor::None };

    #[test]
    fn base64_of_header_and_data_together_or_apart() {
        let together = STANDARD.encode([5, 0, 0, 0, 1, 2, 3, 4, 5]);
        let apart = format!("\n {}{}  ", STANDARD.encode([5, 0, 0, 0]), STANDARD.encode([1, 2, 3, 4, 5]));
        for text in [together, apart] {
            let text = format!("{text}{}", STANDARD.encode([9; 20]));
            assert_eq!(*PLAIN.unpack(Source::base64(text.as_bytes())).unwrap(), [1, 2, 3, 4, 5]);
        }
        assert!(PLAIN.unpack(Source::base64(b"BQAAAAEC")).unwrap_err().contains("truncated"));
        assert!(PLAIN.unpack(Source::base64(b"B*AAAAEC")).unwrap_err().contains("base64"));
        assert!(PLAIN.unpack(Source::base64(b"")).is_err());
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
            assert_eq!(*encoding.unpack(Source::Raw(&file)).unwrap(), data);
            file[15] = 99;
            assert!(encoding.unpack(Source::Raw(&file)).is_err(), "a wrong block size");
        }
    }

    fn pack(compressor: Compressor, bytes: &[u8]) -> Vec<u8> {
        match compressor {
            Compressor::None => bytes.to_vec(),
            Compressor::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            Compressor::Lz4 => lz4_flex::block::compress(bytes),
            Compressor::Lzma => {
                let (mut input, mut out) = (bytes, Vec::new());
                lzma_rs::xz_compress(&mut input, &mut out).unwrap();
                out
            }
        }
    }
}
