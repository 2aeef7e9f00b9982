//! Point caches: the positions of a mesh's vertices over time, without the mesh.
//!
//! ```text
//! PC2   "POINTCACHE2\0"  i32 1  i32 vertices  f32 start  f32 frames per sample  i32 samples   f32 x y z …   little-endian
//! MDD   i32 frames  i32 vertices  f32 time in s …   f32 x y z …   big-endian
//! ```
//!
//! The counts at the head must give the length of the file to the byte, so that a file is never larger in memory than on
//! disk. PC2 counts in frames of an animation, whose rate it does not know; MDD has the time of every frame.

use std::path::Path;

use super::{Fault, Parsed, extension};
use crate::error::{Action, Error, Result};

/// The first bytes of a PC2 file.
const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
/// The bytes of a PC2 file before its positions.
const PC2_HEAD: usize = 32;
/// The bytes of an MDD file before its times.
const MDD_HEAD: usize = 8;
/// The bytes of a position.
const POINT: usize = 12;

/// When the frames of a point cache are.
#[derive(Clone, Debug, PartialEq)]
pub enum Times {
    /// Each so many frames of the animation after the one before; above 0.
    Frames(f64),
    /// The time of each in s, ascending.
    Seconds(Vec<f64>),
}

/// A point cache whose head was checked, and whose positions are all finite.
#[derive(Clone, Debug)]
pub struct PointCache {
    /// The number of frames, at least 1.
    pub frames: usize,
    /// The number of vertices of each frame, at least 1.
    pub vertices: usize,
    /// When the frames are.
    pub times: Times,
    bytes: Vec<u8>,
    /// Where the positions begin in `bytes`.
    first: usize,
    number: fn([u8; 4]) -> f32,
}

/// True if a file's name is that of a point cache, `.pc2` or `.mdd`.
pub fn is_point_cache(path: &Path) -> bool {
    ["pc2", "mdd"].contains(&extension(path).as_str())
}

/// Reads a point cache: a PC2 file if its content says so, or else an MDD file, which has no mark.
pub fn read(path: &Path) -> Result<PointCache> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(Action::Read, path, error))?;
    let is_pc2 = bytes.starts_with(MAGIC) || extension(path) == "pc2";
    if is_pc2 { parse_pc2(bytes) } else { parse_mdd(bytes) }.map_err(|fault| fault.at(path))
}

impl PointCache {
    /// The positions of a frame, in the file's unit.
    pub fn points(&self, frame: usize) -> Vec<[f64; 3]> {
        let start = self.first + frame * self.vertices * POINT;
        let coordinate = |bytes: &[u8]| f64::from((self.number)(bytes.try_into().expect("four bytes")));
        self.bytes[start..start + self.vertices * POINT]
            .chunks_exact(POINT)
            .map(|point| std::array::from_fn(|k| coordinate(&point[4 * k..4 * k + 4])))
            .collect()
    }

    /// The cache, if all of its positions are finite.
    fn checked(self) -> Parsed<PointCache> {
        for frame in 0..self.frames {
            let points = self.points(frame);
            if let Some(v) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
                let place = format!("frame {frame}, vertex {v}");
                return Err(Fault::new(place, "a coordinate is not finite").hint("write the file anew"));
            }
        }
        Ok(self)
    }
}

fn word(bytes: &[u8], at: usize) -> Parsed<[u8; 4]> {
    let found = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    found.ok_or_else(|| {
        let reason = format!("the file ends within its head, after {} bytes", bytes.len());
        Fault::new(format!("byte {at}"), reason).hint("the file may be truncated")
    })
}

/// A number of frames or vertices, which is at least 1.
fn count(value: i32, at: usize, of: &str) -> Parsed<usize> {
    let found = usize::try_from(value).ok().filter(|count| *count > 0);
    found
        .ok_or_else(|| Fault::new(format!("byte {at}"), format!("it has {value} {of}, at least 1 is wanted")))
}

/// Refuses a file whose length is not what its head says.
fn check_length(bytes: &[u8], head: usize, frames: usize, vertices: usize) -> Parsed<()> {
    let positions = frames.checked_mul(vertices).and_then(|points| points.checked_mul(POINT));
    let wanted = positions.and_then(|bytes| bytes.checked_add(head));
    if wanted == Some(bytes.len()) {
        return Ok(());
    }
    let length = wanted.map_or("more bytes than a file can have".into(), |bytes| format!("{bytes} bytes"));
    let reason = format!(
        "{frames} frames of {vertices} vertices take {length}, but the file has {} bytes",
        bytes.len()
    );
    Err(Fault::new("", reason).hint("the file is truncated or damaged: write it anew"))
}

fn parse_pc2(bytes: Vec<u8>) -> Parsed<PointCache> {
    if !bytes.starts_with(MAGIC) {
        return Err(Fault::new("byte 0", "a PC2 file begins with the word POINTCACHE2"));
    }
    let integer = |at: usize| word(&bytes, at).map(i32::from_le_bytes);
    let real = |at: usize| word(&bytes, at).map(f32::from_le_bytes);
    let version = integer(12)?;
    if version != 1 {
        return Err(Fault::new(
            "byte 12",
            format!("version {version} of PC2 is not known, only version 1 is"),
        ));
    }
    let vertices = count(integer(16)?, 16, "vertices")?;
    let (start, rate) = (real(20)?, real(24)?);
    if !(start.is_finite() && rate > 0.0 && rate.is_finite()) {
        let reason =
            format!("it starts at frame {start} and has a sample every {rate} frames, which cannot be");
        return Err(Fault::new("byte 20", reason).hint("write the file anew"));
    }
    let frames = count(integer(28)?, 28, "frames")?;
    check_length(&bytes, PC2_HEAD, frames, vertices)?;
    let times = Times::Frames(f64::from(rate));
    PointCache { frames, vertices, times, bytes, first: PC2_HEAD, number: f32::from_le_bytes }.checked()
}

fn parse_mdd(bytes: Vec<u8>) -> Parsed<PointCache> {
    let integer = |at: usize| word(&bytes, at).map(i32::from_be_bytes);
    let frames = count(integer(0)?, 0, "frames")?;
    let vertices = count(integer(4)?, 4, "vertices")?;
    let first = MDD_HEAD + 4 * frames;
    check_length(&bytes, first, frames, vertices)?;
    let time = |bytes: &[u8]| f64::from(f32::from_be_bytes(bytes.try_into().expect("four bytes")));
    let times: Vec<f64> = bytes[MDD_HEAD..first].chunks_exact(4).map(time).collect();
    let rises = |pair: &[f64]| pair[0] < pair[1];
    if let Some(frame) = times.windows(2).position(|pair| !rises(pair)) {
        let reason = format!(
            "its time is {} s, which is not after {} s of the frame before",
            times[frame + 1],
            times[frame]
        );
        return Err(Fault::new(format!("frame {}", frame + 1), reason).hint("write the file anew"));
    }
    if !times.iter().all(|time| time.is_finite()) {
        return Err(Fault::new("byte 8", "a time is not finite").hint("write the file anew"));
    }
    let times = Times::Seconds(times);
    PointCache { frames, vertices, times, bytes, first, number: f32::from_be_bytes }.checked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;

    /// Two frames of three vertices.
    const POINTS: [[[f32; 3]; 3]; 2] = [
        [[0.0, 1.0, 2.0], [3.5, -4.0, 5.0], [6.0, 7.0, 1e-3]],
        [[0.5, 1.0, 2.0], [3.0, -4.25, 5.0], [6.0, 7.5, 1e6]],
    ];

    fn pc2() -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([1i32, 3].map(i32::to_le_bytes).as_flattened());
        out.extend([1.0f32, 0.5].map(f32::to_le_bytes).as_flattened());
        out.extend(2i32.to_le_bytes());
        out.extend(POINTS.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()));
        out
    }

    fn mdd() -> Vec<u8> {
        let mut out = [2i32, 3].map(i32::to_be_bytes).as_flattened().to_vec();
        out.extend([0.25f32, 0.75].map(f32::to_be_bytes).as_flattened());
        out.extend(POINTS.iter().flatten().flatten().flat_map(|x| x.to_be_bytes()));
        out
    }

    type Parser = fn(Vec<u8>) -> Parsed<PointCache>;
    type Maker = fn() -> Vec<u8>;
    const PARSERS: [(Maker, Parser); 2] = [(pc2, parse_pc2), (mdd, parse_mdd)];

    #[test]
    fn frames_and_times_come_back() {
        for (bytes, parse) in PARSERS {
            let cache = parse(bytes()).unwrap();
            assert_eq!((cache.frames, cache.vertices), (2, 3));
            for (frame, points) in POINTS.iter().enumerate() {
                assert_eq!(cache.points(frame), points.map(|p| p.map(f64::from)));
            }
        }
        assert_eq!(parse_pc2(pc2()).unwrap().times, Times::Frames(0.5));
        assert_eq!(parse_mdd(mdd()).unwrap().times, Times::Seconds(vec![0.25, 0.75]));
    }

    #[test]
    fn the_content_tells_a_pc2_file_and_the_name_the_others() {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.pc2", pc2()), ("b.mdd", pc2()), ("c.MDD", mdd())] {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert!(is_point_cache(&path) && read(&path).unwrap().vertices == 3, "{name}");
        }
        let path = dir.path().join("d.pc2");
        std::fs::write(&path, mdd()).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("d.pc2, byte 0: a PC2 file begins with"), "{message}");
        assert!(!is_point_cache(Path::new("pc2")) && !is_point_cache(Path::new("a.obj")));
    }

    #[test]
    fn damaged_files_are_refused_with_the_place() {
        let put = |mut bytes: Vec<u8>, at: usize, with: [u8; 4]| {
            bytes[at..at + 4].copy_from_slice(&with);
            bytes
        };
        let nan = f32::NAN.to_bits();
        for (parse, bytes, text) in [
            (parse_pc2 as Parser, put(pc2(), 0, *b"POIN").split_off(4), "POINTCACHE2"),
            (parse_pc2, put(pc2(), 12, 2i32.to_le_bytes()), "version 2"),
            (parse_pc2, put(pc2(), 16, 0i32.to_le_bytes()), "0 vertices"),
            (parse_pc2, put(pc2(), 16, i32::MAX.to_le_bytes()), "but the file has 104 bytes"),
            (parse_pc2, put(pc2(), 20, nan.to_le_bytes()), "starts at frame NaN"),
            (parse_pc2, put(pc2(), 24, 0.0f32.to_le_bytes()), "a sample every 0 frames"),
            (parse_pc2, put(pc2(), 28, (-1i32).to_le_bytes()), "-1 frames"),
            (parse_pc2, put(pc2(), 32 + 36 + 16, nan.to_le_bytes()), "a coordinate is not finite"),
            (parse_mdd, put(mdd(), 0, i32::MAX.to_be_bytes()), "but the file has 88 bytes"),
            (parse_mdd, put(mdd(), 4, (-3i32).to_be_bytes()), "-3 vertices"),
            (parse_mdd, put(mdd(), 12, 0.25f32.to_be_bytes()), "not after 0.25 s"),
            (parse_mdd, put(mdd(), 8, nan.to_be_bytes()), "not after NaN s"),
            (parse_mdd, put(mdd(), 12, f32::INFINITY.to_be_bytes()), "a time is not finite"),
            (parse_mdd, put(mdd(), 16, f32::INFINITY.to_be_bytes()), "a coordinate is not finite"),
        ] {
            let fault = parse(bytes).unwrap_err();
            assert!(fault.reason.contains(text), "{fault:?} does not tell {text}");
        }
        let fault = parse_pc2(put(pc2(), 32 + 36 + 16, nan.to_le_bytes())).unwrap_err();
        assert_eq!(fault.place, "frame 1, vertex 1");
    }

    #[test]
    fn truncated_and_edited_files_do_no_harm() {
        let mut random = SplitMix64::new(5);
        for (bytes, parse) in PARSERS {
            let whole = bytes();
            for length in 0..whole.len() {
                assert!(parse(whole[..length].to_vec()).is_err(), "{length} bytes");
            }
            assert!(parse([whole.clone(), vec![0]].concat()).is_err(), "a byte too much");
            for _ in 0..2000 {
                let mut edited = whole.clone();
                for _ in 0..3 {
                    let at = (random.uniform() * edited.len() as f64) as usize;
                    edited[at] = (random.uniform() * 256.0) as u8;
                }
                if let Ok(cache) = parse(edited) {
                    assert_eq!(cache.points(cache.frames - 1).len(), cache.vertices);
                }
            }
        }
    }
}
