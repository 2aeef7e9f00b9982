//! Cache files taken apart and signed anew, so that what they hold is all that can be wrong with them.

use std::path::Path;

/// The bytes before the table of arrays: magic, kind, version, number of arrays, key.
const FIXED: usize = 64;
/// Arrays are hashed in pieces of this size.
const PIECE: usize = 1 << 20;

/// A cache file: its head, and for each array the number of its type and its bytes.
#[derive(Clone)]
pub struct Entry {
    head: Vec<u8>,
    pub arrays: Vec<(u64, Vec<u8>)>,
}

/// The size of a number of an array: types 0 to 3 are u32, u64, f64 and f32.
pub fn width(kind: u64) -> usize {
    if matches!(kind, 0 | 3) { 4 } else { 8 }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

impl Entry {
    pub fn parse(bytes: &[u8]) -> Entry {
        let count = u32::from_le_bytes(bytes[28..32].try_into().unwrap()) as usize;
        let mut at = FIXED + 16 * count + 32;
        let arrays = (0..count).map(|i| {
            let (kind, length) = (word(bytes, FIXED + 16 * i), word(bytes, FIXED + 16 * i + 8) as usize);
            let start = at;
            at += length * width(kind);
            (kind, bytes[start..at].to_vec())
        });
        Entry { arrays: arrays.collect(), head: bytes[..FIXED].to_vec() }
    }

    /// The only file of a kind in a cache directory.
    pub fn find(cache: &Path, kind: &str) -> (std::path::PathBuf, Entry) {
        let files = std::fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let path = files.into_iter().find(|path| name(path).starts_with(&format!("{kind}-"))).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (path, Entry::parse(&bytes))
    }

    /// The file with a checksum that is right.
    pub fn signed(&self) -> Vec<u8> {
        let mut head = self.head.clone();
        head[28..32].copy_from_slice(&(self.arrays.len() as u32).to_le_bytes());
        let mut hasher = blake3::Hasher::new();
        hasher.update(&head);
        let (mut table, mut content) = (vec![], vec![]);
        for (kind, bytes) in &self.arrays {
            let described = [*kind, (bytes.len() / width(*kind)) as u64].map(u64::to_le_bytes).concat();
            hasher.update(&described);
            for piece in bytes.chunks(PIECE) {
                hasher.update(blake3::hash(piece).as_bytes());
            }
            table.extend(described);
            content.extend(bytes);
        }
        [head, table, hasher.finalize().as_bytes().to_vec(), content].concat()
    }

    /// Calls `edit` with the numbers of an array of f64 and puts back what it leaves.
    pub fn edit_f64(&mut self, array: usize, edit: impl FnOnce(&mut Vec<f64>)) {
        let bytes = &mut self.arrays[array].1;
        let mut values = bytes.chunks_exact(8).map(|b| f64::from_bits(word(b, 0))).collect();
        edit(&mut values);
        *bytes = values.into_iter().flat_map(f64::to_le_bytes).collect();
    }

    /// Likewise for an array of u64.
    pub fn edit_u64(&mut self, array: usize, edit: impl FnOnce(&mut Vec<u64>)) {
        let bytes = &mut self.arrays[array].1;
        let mut values = bytes.chunks_exact(8).map(|b| word(b, 0)).collect();
        edit(&mut values);
        *bytes = values.into_iter().flat_map(u64::to_le_bytes).collect();
    }

    /// Likewise for an array of u32.
    pub fn edit_u32(&mut self, array: usize, edit: impl FnOnce(&mut Vec<u32>)) {
        let bytes = &mut self.arrays[array].1;
        let mut values = bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        edit(&mut values);
        *bytes = values.into_iter().flat_map(u32::to_le_bytes).collect();
    }
}
