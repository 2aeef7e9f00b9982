//! A film as a GIF: which frames, for how long, in which colours.

use std::path::Path;

use super::Style;
use super::film::Film;
use super::gif::{Gif, TRANSPARENT};
use super::palette::Census;
use super::render::Stage;
use crate::error::Result;
use crate::fs::write_atomically;

/// Frames that the palette is made of.
const SAMPLES: usize = 12;
/// Browsers show frames of less than two hundredths of a second for ten.
const SHORTEST: f64 = 2.0;

/// The place of each shown frame among `times` (s), and how long it stays in hundredths of a second.
///
/// In real time, or `fps` frames per second. Where frames would be too short, only every n-th is shown. Rounding does
/// not add up: the whole is as long as it should be.
pub fn schedule(times: &[f64], fps: Option<f64>) -> Vec<(usize, u16)> {
    let last = times.len() - 1;
    let mean = if last > 0 { (times[last] - times[0]) / last as f64 } else { 1.0 };
    let at = |i: usize| {
        let seconds = match (fps, times.get(i)) {
            (Some(fps), _) => i as f64 / fps,
            (None, Some(time)) => time - times[0],
            // The end of the last frame, which is as long as the mean one.
            (None, None) => times[last] - times[0] + mean * (i - last) as f64,
        };
        (100.0 * seconds).round()
    };
    let length = 100.0 * fps.map_or(mean, |fps| 1.0 / fps);
    let stride = (SHORTEST / length.max(1e-6)).ceil().clamp(1.0, times.len() as f64) as usize;
    let shown = (0..times.len()).step_by(stride);
    shown.map(|i| (i, (at(i + stride) - at(i)).clamp(SHORTEST, f64::from(u16::MAX)) as u16)).collect()
}

/// Writes the frames of `shown` (see [`schedule`]), whole or not at all. Sides of 0 or above 65535 pixels are errors.
pub fn write(film: &Film, style: &Style, shown: &[(usize, u16)], path: &Path) -> Result<()> {
    let stage = Stage::new(film, style);
    let mut census = Census::new();
    for (i, _) in shown.iter().step_by(shown.len().div_ceil(SAMPLES)) {
        census.add(&stage.picture(&film.shots[*i]));
    }
    let mut palette = census.palette(style.background, usize::from(TRANSPARENT));
    write_atomically(path, |out| {
        let mut gif = Gif::new(out, style.size, &palette.colours)?;
        for (i, delay) in shown {
            let picture = stage.picture(&film.shots[*i]);
            gif.frame(palette.map(style.size[0], &picture), *delay)?;
        }
        gif.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_take_their_own_time() {
        let times: Vec<f64> = (0..=90).map(|i| f64::from(i) / 30.0).collect();
        let shown = schedule(&times, None);
        assert_eq!(shown.len(), 91);
        assert_eq!(shown.iter().map(|s| u32::from(s.1)).sum::<u32>(), 303);
        assert!(shown.iter().all(|s| s.1 == 3 || s.1 == 4));
        assert!(schedule(&times, Some(10.0)).iter().all(|s| s.1 == 10));
        let fast: Vec<f64> = (0..=100).map(|i| f64::from(i) / 60.0).collect();
        let shown = schedule(&fast, None);
        assert_eq!((shown.len(), shown[1].0), (51, 2));
        assert_eq!(schedule(&[0.0], None), [(0, 100)]);
    }
}
