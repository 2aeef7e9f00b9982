//! Random faults in the bytes of a file.

use elements::math::random::SplitMix64;

/// A number below `bound`, which is not 0.
pub fn below(random: &mut SplitMix64, bound: usize) -> usize {
    (random.uniform() * bound as f64) as usize % bound
}

/// One to four faults: bytes changed, taken out, put in or repeated, numbers made huge or negative, the end cut off.
pub fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    for _ in 0..=below(random, 4) {
        if bytes.is_empty() {
            return;
        }
        let at = below(random, bytes.len());
        let end = (at + 1 + below(random, 40)).min(bytes.len());
        match below(random, 8) {
            0 => bytes[at] = below(random, 256) as u8,
            1 => bytes[at] ^= 1 << below(random, 8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => bytes.truncate(at),
            5 => bytes[at..end].fill(0xff),
            // A digit becomes a number that no file has.
            kind => {
                let digit = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i);
                let text: &[u8] =
                    [&b"4294967295"[..], b"-7", b"99999999999999999999", b"nan"][below(random, 4)];
                match digit {
                    Some(place) if kind == 6 => drop(bytes.splice(place..place + 1, text.iter().copied())),
                    _ => drop(bytes.splice(at..at, text.iter().copied())),
                }
            }
        }
    }
}

/// A directory for many short-lived files: in memory, where there is a folder in it, because a disk would take minutes.
pub fn fleeting() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
        .expect("a temporary directory")
}
