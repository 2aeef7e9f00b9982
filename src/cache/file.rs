//! The file format of cache entries.
//!
//! ```text
//! magic (8 bytes) · kind (16, zero padded) · version u32 · arrays u32 · key (32)
//! per array: type u64, length u64 · checksum of header and content (32) · the arrays, one after the other
//! ```
//!
//! All numbers are little endian. The checksum is BLAKE3 over the header and the BLAKE3 hashes of 1 MiB pieces of the
//! arrays, which can be computed side by side; arrays are read straight into their memory.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use super::Key;
use crate::error::Error;
use crate::fs::write_atomically;
use elements::par;

const MAGIC: &[u8; 8] = b"PLIANTC1";
const KIND_BYTES: usize = 16;
const FIXED: usize = 8 + KIND_BYTES + 4 + 4 + 32;
const PIECE: usize = 1 << 20;
const MAX_ARRAYS: u32 = 64;

/// One array of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Unsigned numbers of 32 bits.
    U32(Vec<u32>),
    /// Unsigned numbers of 64 bits.
    U64(Vec<u64>),
    /// Floating-point numbers in double precision.
    F64(Vec<f64>),
    /// Floating-point numbers in single precision.
    F32(Vec<f32>),
}

impl Array {
    fn bytes(&self) -> &[u8] {
        match self {
            Array::U32(v) => bytemuck::cast_slice(v),
            Array::U64(v) => bytemuck::cast_slice(v),
            Array::F64(v) => bytemuck::cast_slice(v),
            Array::F32(v) => bytemuck::cast_slice(v),
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Array::U32(v) => bytemuck::cast_slice_mut(v),
            Array::U64(v) => bytemuck::cast_slice_mut(v),
            Array::F64(v) => bytemuck::cast_slice_mut(v),
            Array::F32(v) => bytemuck::cast_slice_mut(v),
        }
    }

    /// The number of the type and the length of the array.
    fn describe(&self) -> [u64; 2] {
        match self {
            Array::U32(v) => [0, v.len() as u64],
            Array::U64(v) => [1, v.len() as u64],
            Array::F64(v) => [2, v.len() as u64],
            Array::F32(v) => [3, v.len() as u64],
        }
    }

    fn zeroed(kind: u64, length: usize) -> Option<Array> {
        match kind {
            0 => Some(Array::U32(vec![0; length])),
            1 => Some(Array::U64(vec![0; length])),
            2 => Some(Array::F64(vec![0.0; length])),
            3 => Some(Array::F32(vec![0.0; length])),
            _ => None,
        }
    }
}

/// Why an entry cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// There is no entry of this name.
    #[error("is not there")]
    Absent,
    /// It is not a cache file of this program.
    #[error("is not a cache file of this program")]
    Foreign,
    /// It was written by another version.
    #[error("was written by another version ({0})")]
    Version(u32),
    /// It is of another kind or for another key than its name says.
    #[error("holds something else than its name says")]
    Other,
    /// It ends too early or too late.
    #[error("has the wrong length (cut short?)")]
    Length,
    /// Its content does not match its checksum.
    #[error("is damaged (checksum)")]
    Damaged,
    /// Its content contradicts itself or what it is asked for.
    #[error("has content that cannot be right")]
    Inconsistent,
    /// The system refused to read it.
    #[error("cannot be read: {0}")]
    Unreadable(std::io::Error),
}

struct Header {
    fixed: [u8; FIXED],
    table: Vec<[u64; 2]>,
    checksum: [u8; 32],
}

impl Header {
    fn kind(&self) -> &[u8] {
        &self.fixed[8..8 + KIND_BYTES]
    }

    fn number(&self, at: usize) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|i| self.fixed[at + i]))
    }
}

fn fixed_part(kind: &str, version: u32, arrays: u32, key: &Key) -> [u8; FIXED] {
    let mut out = [0; FIXED];
    out[..8].copy_from_slice(MAGIC);
    out[8..8 + kind.len()].copy_from_slice(kind.as_bytes());
    out[8 + KIND_BYTES..12 + KIND_BYTES].copy_from_slice(&version.to_le_bytes());
    out[12 + KIND_BYTES..16 + KIND_BYTES].copy_from_slice(&arrays.to_le_bytes());
    out[16 + KIND_BYTES..].copy_from_slice(key.as_bytes());
    out
}

fn checksum(fixed: &[u8; FIXED], arrays: &[Array]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(fixed);
    for array in arrays {
        hasher.update(bytemuck::cast_slice(&array.describe()));
        let bytes = array.bytes();
        let pieces = par::map(bytes.len().div_ceil(PIECE), |i| {
            *blake3::hash(&bytes[i * PIECE..bytes.len().min((i + 1) * PIECE)]).as_bytes()
        });
        pieces.iter().for_each(|hash| {
            hasher.update(hash);
        });
    }
    *hasher.finalize().as_bytes()
}

fn read_header(file: &mut File) -> Result<Header, Fault> {
    let mut fixed = [0; FIXED];
    read_exact(file, &mut fixed)?;
    let mut header = Header { fixed, table: vec![], checksum: [0; 32] };
    if &header.fixed[..8] != MAGIC {
        return Err(Fault::Foreign);
    }
    let arrays = header.number(12 + KIND_BYTES);
    if arrays > MAX_ARRAYS {
        return Err(Fault::Damaged);
    }
    header.table = vec![[0; 2]; arrays as usize];
    read_exact(file, bytemuck::cast_slice_mut(&mut header.table))?;
    read_exact(file, &mut header.checksum)?;
    Ok(header)
}

fn read_exact(file: &mut File, out: &mut [u8]) -> Result<(), Fault> {
    file.read_exact(out).map_err(|e| match e.kind() {
        ErrorKind::UnexpectedEof => Fault::Length,
        _ => Fault::Unreadable(e),
    })
}

fn read_arrays(file: &mut File, header: &Header) -> Result<Vec<Array>, Fault> {
    let size = file.metadata().map_err(Fault::Unreadable)?.len();
    let width = |kind: u64| if matches!(kind, 0 | 3) { 4u64 } else { 8 };
    let mut total = (FIXED + 16 * header.table.len() + 32) as u64;
    for [kind, length] in &header.table {
        let bytes = length.checked_mul(width(*kind)).ok_or(Fault::Damaged)?;
        total = total.checked_add(bytes).ok_or(Fault::Damaged)?;
    }
    if total != size {
        return Err(Fault::Length);
    }
    let mut arrays = vec![];
    for [kind, length] in &header.table {
        let mut array = Array::zeroed(*kind, *length as usize).ok_or(Fault::Damaged)?;
        read_exact(file, array.bytes_mut())?;
        arrays.push(array);
    }
    if checksum(&header.fixed, &arrays) != header.checksum {
        return Err(Fault::Damaged);
    }
    Ok(arrays)
}

/// Opens a regular file. To open a pipe would wait for somebody who writes to it.
fn open(path: &Path) -> Result<File, Fault> {
    let refuse = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Fault::Absent,
        _ => Fault::Unreadable(e),
    };
    if !std::fs::metadata(path).map_err(refuse)?.is_file() {
        return Err(Fault::Foreign);
    }
    File::open(path).map_err(refuse)
}

/// Reads and checks an entry.
pub fn read(path: &Path, kind: &str, version: u32, key: &Key) -> Result<Vec<Array>, Fault> {
    let mut file = open(path)?;
    let header = read_header(&mut file)?;
    let found = header.number(8 + KIND_BYTES);
    if found != version {
        return Err(Fault::Version(found));
    }
    let expected = fixed_part(kind, version, header.table.len() as u32, key);
    if header.kind() != &expected[8..8 + KIND_BYTES] || header.fixed != expected {
        return Err(Fault::Other);
    }
    read_arrays(&mut file, &header)
}

/// An entry as its file describes itself.
pub struct Entry {
    /// The kind of the result.
    pub kind: String,
    /// The version of the content.
    pub version: u32,
    /// The key of the result.
    pub key: Key,
    /// The content.
    pub arrays: Vec<Array>,
}

/// Reads an entry of any kind and version and checks its checksum.
pub fn read_any(path: &Path) -> Result<Entry, Fault> {
    let mut file = open(path)?;
    let header = read_header(&mut file)?;
    let arrays = read_arrays(&mut file, &header)?;
    let kind = String::from_utf8_lossy(header.kind()).trim_end_matches('\0').to_owned();
    let key = Key::from_bytes(std::array::from_fn(|i| header.fixed[16 + KIND_BYTES + i]));
    Ok(Entry { kind, version: header.number(8 + KIND_BYTES), key, arrays })
}

/// Writes an entry, whole or not at all.
pub fn write(path: &Path, kind: &str, version: u32, key: &Key, arrays: &[Array]) -> Result<(), Error> {
    let fixed = fixed_part(kind, version, arrays.len() as u32, key);
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|e| Error::io(crate::error::Action::CreateDirectory, dir, e))?;
    }
    write_atomically(path, |file| {
        file.write_all(&fixed)?;
        for array in arrays {
            file.write_all(bytemuck::cast_slice(&array.describe()))?;
        }
        file.write_all(&checksum(&fixed, arrays))?;
        arrays.iter().try_for_each(|array| file.write_all(array.bytes()))
    })
}
