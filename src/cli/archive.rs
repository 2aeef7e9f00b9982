//! A ZIP archive of a few small files, stored as they are.
//!
//! ```text
//! for each file: local header, name, content;   for each file: central header, name;   end record
//! ```
//!
//! The times in it are always the same, so that the same files give the same bytes.

use std::io::{self, Write};

use flate2::Crc;

/// 1 January 1980, the first day that an archive can tell.
const DAY: u16 = 1 << 5 | 1;
/// The version of the format that is needed to read it.
const VERSION: u16 = 20;
/// The bit that says that names are UTF-8.
const UTF8: u16 = 1 << 11;

/// What both headers of a file have in common, from the version to the length of the name.
fn description(name: &str, content: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(content);
    let length = u32::try_from(content.len()).expect("files of the program are small");
    let mut out = vec![];
    // No compression, no time of the day.
    for word in [VERSION, UTF8, 0, 0, DAY] {
        out.extend(word.to_le_bytes());
    }
    for long in [crc.sum(), length, length] {
        out.extend(long.to_le_bytes());
    }
    out.extend((name.len() as u16).to_le_bytes());
    out
}

/// Writes an archive of files, each a name and a content, in their order.
pub fn write(files: &[(&str, &str)], out: &mut impl Write) -> io::Result<()> {
    let (mut body, mut directory) = (vec![], vec![]);
    for (name, content) in files {
        let description = description(name, content.as_bytes());
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&description);
        // No extra field, comment, other disk or attributes.
        directory.extend([0; 12]);
        directory.extend((body.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        body.extend(b"PK\x03\x04");
        body.extend(description);
        body.extend([0; 2]);
        body.extend(name.as_bytes());
        body.extend(content.as_bytes());
    }
    let count = files.len() as u16;
    out.write_all(&body)?;
    out.write_all(&directory)?;
    out.write_all(b"PK\x05\x06\0\0\0\0")?;
    out.write_all(&[count.to_le_bytes(), count.to_le_bytes()].concat())?;
    out.write_all(&[(directory.len() as u32).to_le_bytes(), (body.len() as u32).to_le_bytes()].concat())?;
    out.write_all(&[0; 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_its_files_where_it_says() {
        let mut bytes = vec![];
        write(&[("a.txt", "123456789"), ("b/ü.txt", "")], &mut bytes).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        // The check value of CRC-32.
        assert_eq!((word(14), word(18), word(22)), (0xcbf4_3926, 9, 9));
        assert_eq!(&bytes[30..44], b"a.txt123456789");
        let end = bytes.len() - 22;
        assert_eq!((&bytes[end..end + 4], bytes[end + 8], bytes[end + 10]), (&b"PK\x05\x06"[..], 2, 2));
        let (size, first) = (word(end + 12) as usize, word(end + 16) as usize);
        assert_eq!(first + size, end);
        assert_eq!(&bytes[first..first + 4], b"PK\x01\x02");
        // The second file's entry leads to its header.
        let second = first + 46 + "a.txt".len();
        let at = word(second + 42) as usize;
        assert_eq!(
            (&bytes[at..at + 4], &bytes[at + 30..at + 38]),
            (&b"PK\x03\x04"[..], "b/ü.txt".as_bytes())
        );
    }
}
