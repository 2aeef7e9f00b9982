//! GIF89a: frames of palette indices, packed by LZW with codes of growing width, played in a loop.
//!
//! The palette is one for all frames, and its last entry is transparent: a frame holds only the rectangle that
//! changed, and within it the pixels that did.

use std::io::{self, Write};

use crate::view::plot::theme::Colour;

/// The entry that lets the last frame through; palettes must leave it free.
pub const TRANSPARENT: u8 = 255;
/// The most that codes can number.
const FULL: usize = 4096;

/// A file that is being written.
pub struct Gif<W: Write> {
    out: W,
    size: [u16; 2],
    last: Option<Vec<u8>>,
}

impl<W: Write> Gif<W> {
    /// Begins a file of at most 255 colours that plays for ever.
    pub fn new(mut out: W, size: [u16; 2], colours: &[Colour]) -> io::Result<Gif<W>> {
        out.write_all(b"GIF89a")?;
        out.write_all(&size[0].to_le_bytes())?;
        out.write_all(&size[1].to_le_bytes())?;
        // A table of 256 colours of 8 bits for all frames.
        out.write_all(&[0xf7, 0, 0])?;
        for i in 0..256 {
            out.write_all(colours.get(i).unwrap_or(&[0; 3]))?;
        }
        out.write_all(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")?;
        Ok(Gif { out, size, last: None })
    }

    /// Adds a frame that is shown for `delay` hundredths of a second.
    pub fn frame(&mut self, indices: Vec<u8>, delay: u16) -> io::Result<()> {
        let width = usize::from(self.size[0]);
        let [columns, rows] = self.changed(&indices);
        let mut pixels = Vec::with_capacity(columns.len() * rows.len());
        for y in rows.clone() {
            for i in columns.clone().map(|x| y * width + x) {
                let same = self.last.as_ref().is_some_and(|last| last[i] == indices[i]);
                pixels.push(if same { TRANSPARENT } else { indices[i] });
            }
        }
        // Leave the frame in place; the transparent entry counts.
        self.out.write_all(&[0x21, 0xf9, 4, 0b101])?;
        self.out.write_all(&delay.to_le_bytes())?;
        self.out.write_all(&[TRANSPARENT, 0, 0x2c])?;
        for value in [columns.start, rows.start, columns.len(), rows.len()] {
            self.out.write_all(&(value as u16).to_le_bytes())?;
        }
        self.out.write_all(&[0, 8])?;
        for block in pack(&pixels).chunks(255) {
            self.out.write_all(&[block.len() as u8])?;
            self.out.write_all(block)?;
        }
        self.out.write_all(&[0])?;
        self.last = Some(indices);
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b";")
    }

    /// Columns and rows that differ from the last frame; one pixel at least.
    fn changed(&self, indices: &[u8]) -> [std::ops::Range<usize>; 2] {
        let [width, height] = self.size.map(usize::from);
        let Some(last) = &self.last else { return [0..width, 0..height] };
        let (mut low, mut high) = ([width, height], [0, 0]);
        for i in (0..indices.len()).filter(|i| indices[*i] != last[*i]) {
            for (k, place) in [i % width, i / width].into_iter().enumerate() {
                low[k] = low[k].min(place);
                high[k] = high[k].max(place + 1);
            }
        }
        if high[0] == 0 { [0..1, 0..1] } else { [low[0]..high[0], low[1]..high[1]] }
    }
}

/// LZW as GIF has it: 8-bit symbols, a code to clear and one to end, widths from 9 to 12 bits.
fn pack(pixels: &[u8]) -> Vec<u8> {
    const CLEAR: usize = 256;
    const NONE: u16 = u16::MAX;
    // A tree of strings: the first child of each code, its next sibling, its last symbol.
    let mut first = vec![NONE; FULL];
    let (mut next, mut symbol) = (vec![NONE; FULL], vec![0u8; FULL]);
    let mut bits = Bits::default();
    let (mut count, mut width) = (CLEAR + 2, 9);
    bits.push(CLEAR, width);
    let mut rest = pixels.iter();
    let Some(begin) = rest.next() else {
        bits.push(CLEAR + 1, width);
        return bits.finish();
    };
    let mut code = usize::from(*begin);
    for pixel in rest {
        let mut child = first[code];
        while child != NONE && symbol[usize::from(child)] != *pixel {
            child = next[usize::from(child)];
        }
        if child != NONE {
            code = usize::from(child);
            continue;
        }
        bits.push(code, width);
        if count == FULL {
            bits.push(CLEAR, width);
            first.fill(NONE);
            (count, width) = (CLEAR + 2, 9);
        } else {
            next[count] = first[code];
            symbol[count] = *pixel;
            first[code] = count as u16;
            // The reader is one entry behind.
            if count == 1 << width {
                width += 1;
            }
            count += 1;
        }
        code = usize::from(*pixel);
    }
    bits.push(code, width);
    // The reader adds an entry for that code too.
    if count == 1 << width && width < 12 {
        width += 1;
    }
    bits.push(CLEAR + 1, width);
    bits.finish()
}

/// Codes from the lowest bit on.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    waiting: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, code: usize, width: u32) {
        self.waiting |= (code as u32) << self.count;
        self.count += width;
        while self.count >= 8 {
            self.bytes.push(self.waiting as u8);
            self.waiting >>= 8;
            self.count -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.waiting as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;

    /// The textbook's decoder.
    fn unpack(bytes: &[u8]) -> Vec<u8> {
        let mut table: Vec<Vec<u8>> = vec![];
        let (mut out, mut width, mut at) = (vec![], 9, 0);
        let mut last: Option<usize> = None;
        loop {
            let code = (0..width)
                .fold(0, |code, k| code | usize::from(bytes[(at + k) / 8] >> ((at + k) % 8) & 1) << k);
            at += width;
            if code == 256 {
                table = (0..=257u16).map(|i| if i < 256 { vec![i as u8] } else { vec![] }).collect();
                (width, last) = (9, None);
                continue;
            }
            if code == 257 {
                assert!(bytes.len() * 8 - at < 8, "bytes after the end");
                return out;
            }
            if let Some(last) = last
                && table.len() < FULL
            {
                let begin = if code < table.len() { table[code][0] } else { table[last][0] };
                table.push([&table[last][..], &[begin]].concat());
                if table.len() == 1 << width && width < 12 {
                    width += 1;
                }
            }
            out.extend(&table[code]);
            last = Some(code);
        }
    }

    #[test]
    fn what_is_packed_comes_back() {
        let mut random = SplitMix64::new(1);
        for (length, colours) in
            [(0, 1.0), (1, 2.0), (5, 1.0), (300, 2.0), (70_000, 3.0), (50_000, 250.0), (4000, 1.0)]
        {
            for extra in 0..4 {
                let pixels: Vec<u8> =
                    (0..length + extra).map(|_| (random.uniform() * colours) as u8).collect();
                assert!(unpack(&pack(&pixels)) == pixels, "{length} {colours}");
            }
        }
        for length in 3800..4200 {
            let pixels: Vec<u8> = (0..length).map(|i| (i * i / 7) as u8).collect();
            assert!(unpack(&pack(&pixels)) == pixels, "{length}");
        }
    }

    #[test]
    fn a_still_frame_is_one_pixel() {
        let mut bytes = vec![];
        let mut gif = Gif::new(&mut bytes, [10, 5], &[[0; 3], [255; 3]]).unwrap();
        gif.frame(vec![1; 50], 4).unwrap();
        gif.frame(vec![1; 50], 4).unwrap();
        gif.finish().unwrap();
        let header = bytes.windows(4).rposition(|w| w == [0x21, 0xf9, 4, 0b101]).unwrap();
        assert_eq!(bytes[header + 9..header + 17], [0, 0, 0, 0, 1, 0, 1, 0]);
        assert_eq!(bytes.last(), Some(&b';'));
    }
}
