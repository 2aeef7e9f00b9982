//! GIF89a: frames of palette indices, played in a loop.
//!
//! The palette is one for all frames, and its last entry is transparent: a frame holds only the rectangle that
//! changed, and within it the pixels that did.

use std::io::{self, Write};
use std::ops::Range;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use crate::view::plot::theme::Colour;

/// The entry that lets the last frame through; palettes must leave it free.
pub const TRANSPARENT: u8 = 255;

/// A file that is being written.
pub struct Gif<W: Write> {
    encoder: Encoder<W>,
    size: [usize; 2],
    last: Option<Vec<u8>>,
}

impl<W: Write> Gif<W> {
    /// Begins a file that plays for ever. More than 255 colours, no pixels, and sides above 65535 are errors.
    pub fn new(out: W, size: [usize; 2], colours: &[Colour]) -> io::Result<Gif<W>> {
        let [width, height] = size.map(|side| u16::try_from(side).unwrap_or(0));
        if width == 0 || height == 0 {
            return Err(io::Error::other("each side of a GIF has 1 to 65535 pixels"));
        }
        if colours.len() > usize::from(TRANSPARENT) {
            return Err(io::Error::other("a GIF has 255 colours and a transparent one"));
        }
        let mut table = colours.to_vec();
        table.resize(256, [0; 3]);
        let mut encoder = Encoder::new(out, width, height, table.as_flattened()).map_err(failure)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failure)?;
        Ok(Gif { encoder, size, last: None })
    }

    /// Adds a frame that is shown for `delay` hundredths of a second.
    pub fn frame(&mut self, indices: Vec<u8>, delay: u16) -> io::Result<()> {
        let width = self.size[0];
        let [columns, rows] = self.changed(&indices);
        let mut pixels = Vec::with_capacity(columns.len() * rows.len());
        for y in rows.clone() {
            for i in columns.clone().map(|x| y * width + x) {
                let same = self.last.as_ref().is_some_and(|last| last[i] == indices[i]);
                pixels.push(if same { TRANSPARENT } else { indices[i] });
            }
        }
        let frame = Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            left: columns.start as u16,
            top: rows.start as u16,
            width: columns.len() as u16,
            height: rows.len() as u16,
            buffer: pixels.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(failure)?;
        self.last = Some(indices);
        Ok(())
    }

    /// Writes the end of the file.
    pub fn finish(self) -> io::Result<()> {
        self.encoder.into_inner().map(drop).map_err(failure)
    }

    /// Columns and rows that differ from the last frame; one pixel at least.
    fn changed(&self, indices: &[u8]) -> [Range<usize>; 2] {
        let [width, height] = self.size;
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

/// An encoder's error as one of the file's, of the same kind where the file is to blame.
fn failure(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;

    #[test]
    fn frames_come_back_with_their_delays() {
        let size = [40, 30];
        let colours: Vec<Colour> = (0..TRANSPARENT).map(|i| [i, 255 - i, i / 2]).collect();
        let mut random = SplitMix64::new(1);
        let mut draw = |below: usize| (random.uniform() * below as f64) as usize;
        let mut frames = vec![vec![3; 1200]];
        for i in 1..20 {
            let mut frame: Vec<u8> = frames[i - 1].clone();
            // Nothing changes in every fifth frame, everything in every seventh.
            let changes = if i % 5 == 0 { 0 } else { draw(50) };
            (0..changes).for_each(|_| frame[draw(1200)] = draw(255) as u8);
            if i % 7 == 0 {
                frame.fill_with(|| draw(255) as u8);
            }
            frames.push(frame);
        }
        let mut bytes = vec![];
        let mut gif = Gif::new(&mut bytes, size, &colours).unwrap();
        (0..20).for_each(|i| gif.frame(frames[i].clone(), 2 + i as u16).unwrap());
        gif.finish().unwrap();

        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        assert_eq!(decoder.repeat(), Repeat::Infinite);
        assert_eq!(decoder.global_palette().unwrap()[..765], *colours.as_flattened());
        let mut shown = vec![0; 1200];
        for (i, frame) in frames.iter().enumerate() {
            let part = decoder.read_next_frame().unwrap().unwrap();
            assert_eq!((part.delay, part.dispose), (2 + i as u16, DisposalMethod::Keep));
            let [left, top, width] = [part.left, part.top, part.width].map(usize::from);
            for (k, pixel) in part.buffer.iter().enumerate().filter(|(_, pixel)| **pixel != TRANSPARENT) {
                shown[(top + k / width) * size[0] + left + k % width] = *pixel;
            }
            assert!(shown == *frame, "frame {i}");
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        assert!(Gif::new(vec![], [65535, 1], &[[0; 3]; 255]).is_ok());
        assert!(Gif::new(vec![], [65536, 1], &[[0; 3]]).is_err());
        assert!(Gif::new(vec![], [0, 0], &[[0; 3]]).is_err());
        assert!(Gif::new(vec![], [1, 1], &[[0; 3]; 256]).is_err());
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
