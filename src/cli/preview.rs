//! `pliant preview`: a run as a page for browsers, as pictures, or as a moving picture.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Global;
use super::progress::Busy;
use super::report::write_stdout;
use super::threads::ThreadArgs;
use crate::error::{Action, Error, Result};
use crate::fs::Pending;
use crate::view::plot::png;
use crate::view::preview::camera::View;
use crate::view::preview::film::Film;
use crate::view::preview::render::Stage;
use crate::view::preview::{Background, Style, movie, page};
use crate::view::replay::motion::{ARRAYS, Motion};

/// Pages above this size in bytes are slow to open.
const MOST_BYTES: u64 = 200_000_000;

/// Arguments of `pliant preview`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant preview outputs/cantilever\n  pliant preview outputs/cantilever --png end.png \
                  --color-by von_mises --view 40,15\n  pliant preview outputs/cantilever --gif bend.gif --size 480x360\n\n\
                  Runs with vtu frames show all arrays; of runs with ply frames alone, the surfaces."
)]
pub struct PreviewArgs {
    /// The run directory.
    #[arg(value_name = "RUN_DIR")]
    pub run: PathBuf,
    /// The page; default: preview.html in the run directory, none with --png or --gif.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A picture of one frame; or a directory, for pictures of all of them.
    #[arg(long, value_name = "FILE|DIR")]
    pub png: Option<PathBuf>,
    /// A moving picture of all frames, which plays in a loop.
    #[arg(long, value_name = "FILE")]
    pub gif: Option<PathBuf>,
    /// The frame of the picture; default: the last.
    #[arg(long, value_name = "N", requires = "png")]
    pub frame: Option<u64>,
    /// Show every n-th of the run's frames, and the last; default: all, fewer where the page would be above 200 MB.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// What colours tell; the page can change it.
    #[arg(long, value_name = "ARRAY", default_value = "body", value_parser = [
        "body", "von_mises", "energy_density", "det_f", "displacement", "speed",
    ])]
    pub color_by: String,
    /// Where it is seen from: front, side, top, iso, or AZIMUTH,ELEVATION in degrees.
    #[arg(long, value_name = "VIEW", default_value = "iso", allow_hyphen_values = true)]
    pub view: View,
    /// Pixels of pictures; default: 960x720, for a GIF 480x360.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<[usize; 2]>,
    /// The background: light, dark, or a colour such as #ffffff.
    #[arg(long, value_name = "COLOUR", default_value = "light")]
    pub background: Background,
    /// Draw the sides of triangles.
    #[arg(long)]
    pub wireframe: bool,
    /// Frames per second of the GIF; default: as fast as the run's own time.
    #[arg(long, value_name = "FPS", requires = "gif", value_parser = parse_fps)]
    pub fps: Option<f64>,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl PreviewArgs {
    /// Writes the requested files and prints their names.
    pub fn run(&self, global: &Global) -> Result<()> {
        self.refuse_pictures_as_page()?;
        let busy = Busy::new(global, format!("reading {}", self.run.display()));
        let motion = Motion::open(&self.run, &global.cache())?;
        drop(busy);
        let array = self.array(&motion)?;
        let is_page = self.output.is_some() || (self.png.is_none() && self.gif.is_none());
        let arrays: Vec<usize> = match array {
            _ if is_page && motion.outline.has_arrays => (0..ARRAYS.len()).collect(),
            Some(array) => vec![array],
            None => vec![],
        };
        let numbers = self.choose(&motion, is_page.then_some(arrays.len()))?;
        let busy = Busy::new(global, format!("drawing {} frames", numbers.len()));
        let film = Film::read(&motion, &numbers, &arrays)?;
        let style = Style {
            size: self.size.unwrap_or([960, 720]),
            view: self.view,
            background: self.background.0,
            wireframe: self.wireframe,
            array: array.and_then(|array| arrays.iter().position(|a| *a == array)),
        };
        let mut written = vec![];
        if let Some(path) = &self.png {
            self.write_png(&film, &style, path, &mut written)?;
        }
        if let Some(path) = &self.gif {
            let style = Style { size: self.size.unwrap_or([480, 360]), ..style.clone() };
            let times: Vec<f64> = film.shots.iter().map(|shot| shot.time).collect();
            movie::write(&film, &style, &movie::schedule(&times, self.fps), path)?;
            written.push(path.clone());
        }
        drop(busy);
        if is_page {
            let path = self.output.clone().unwrap_or_else(|| self.run.join("preview.html"));
            page::write(&film, &style, &path)?;
            tracing::info!("{}: {} frames, {}", path.display(), film.shots.len(), size_of(&path));
            written.push(path);
        }
        let names: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
        write_stdout(&names)
    }

    /// Refuses a page in a file with the extension of a picture.
    fn refuse_pictures_as_page(&self) -> Result<()> {
        let Some(path) = &self.output else { return Ok(()) };
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if extension == "png" || extension == "gif" {
            return Err(Error::Usage {
                what: format!("-o {}: this is the name of the page, which is HTML", path.display()),
                hint: format!("for a picture: --{extension} {}", path.display()),
            });
        }
        Ok(())
    }

    /// The number of the array that colours stand for; `None` for bodies.
    fn array(&self, motion: &Motion) -> Result<Option<usize>> {
        let place = ARRAYS.iter().position(|array| array.name == self.color_by);
        if place.is_some() && !motion.outline.has_arrays {
            return Err(Error::Run {
                path: self.run.clone(),
                reason: format!("has no array '{}': ply frames hold positions alone", self.color_by),
                hint: "simulate with \"vtu\" among output.formats".into(),
            });
        }
        Ok(place)
    }

    /// The frames to show, in order; `arrays` is the number of arrays of a page, `None` without a page.
    fn choose(&self, motion: &Motion, arrays: Option<usize>) -> Result<Vec<u64>> {
        let frames = &motion.frames;
        if let Some(frame) = self.frame
            && frames.binary_search(&frame).is_err()
        {
            return Err(Error::Usage {
                what: format!("--frame {frame}: {} has no such frame", self.run.display()),
                hint: format!("its frames are {} to {}", frames[0], frames[frames.len() - 1]),
            });
        }
        let each = arrays.map_or(0, |arrays| page::bytes_per_frame(motion.outline.rest.len(), arrays));
        let fits = |every: u64| (frames.len() as u64).div_ceil(every).saturating_mul(each) <= MOST_BYTES;
        let every = match self.every {
            Some(every) if !fits(every) => {
                let least = (every..).find(|n| fits(*n) || *n > frames.len() as u64).unwrap_or(every);
                return Err(Error::Usage {
                    what: format!("--every {every}: the page would be above {} MB", MOST_BYTES / 1_000_000),
                    hint: format!("--every {least} makes a smaller one; --png and --gif have no such limit"),
                });
            }
            Some(every) => every,
            None => (1..frames.len() as u64).find(|every| fits(*every)).unwrap_or(frames.len() as u64),
        };
        if self.every.is_none() && every > 1 {
            let most = MOST_BYTES / 1_000_000;
            tracing::warn!("one frame of {every} is shown, to keep the page below {most} MB (see --every)");
        }
        let last = frames.len() - 1;
        let is_shown =
            |i: usize| (i as u64).is_multiple_of(every) || i == last || self.frame == Some(frames[i]);
        Ok((0..frames.len()).filter(|i| is_shown(*i)).map(|i| frames[i]).collect())
    }

    /// Writes one picture, or one of each frame if `path` is a directory or has no extension: all of them, or none.
    fn write_png(&self, film: &Film, style: &Style, path: &Path, written: &mut Vec<PathBuf>) -> Result<()> {
        let stage = Stage::new(film, style);
        let is_file = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) && !path.is_dir();
        let last = film.shots.len() - 1;
        if !is_file {
            std::fs::create_dir_all(path).map_err(|e| Error::io(Action::CreateDirectory, path, e))?;
        }
        let mut pending = vec![];
        for (i, shot) in film.shots.iter().enumerate() {
            let is_wanted = match self.frame {
                Some(frame) => shot.number == frame,
                None => !is_file || i == last,
            };
            if !is_wanted {
                continue;
            }
            let file = if is_file {
                path.to_owned()
            } else {
                path.join(format!("{}_{:04}.png", film.outline.name, shot.number))
            };
            let picture = stage.picture(shot);
            pending.push(Pending::write(&file, |out| png::encode(style.size, &picture, out))?);
            written.push(file);
        }
        Pending::place_all(pending)
    }
}

/// The size of a file for people to read.
fn size_of(path: &Path) -> String {
    let bytes = std::fs::metadata(path).map_or(0, |m| m.len()) as f64;
    if bytes < 1e6 { format!("{:.0} kB", bytes / 1e3) } else { format!("{:.1} MB", bytes / 1e6) }
}

/// Reads width and height in pixels.
fn parse_size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once(['x', 'X', '×']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let is_possible = |sides: &[usize; 2]| sides.iter().all(|side| (16..=8192).contains(side));
    sides
        .filter(is_possible)
        .ok_or_else(|| "wants WIDTHxHEIGHT in pixels, 16 to 8192 each, such as 800x600".into())
}

/// Reads a number of frames per second.
fn parse_fps(text: &str) -> Result<f64, String> {
    let fps = text.parse::<f64>().ok().filter(|fps| (0.01..=1000.0).contains(fps));
    fps.ok_or_else(|| "wants a number from 0.01 to 1000".into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: PreviewArgs,
    }

    fn parse(line: &str) -> Result<PreviewArgs, clap::Error> {
        Line::try_parse_from(std::iter::once("preview").chain(line.split(' '))).map(|line| line.args)
    }

    #[test]
    fn all_flags_are_read() {
        let args = parse(
            "run --png a.png --frame 3 --size 640x480 --view -30,20 --color-by det_f --gif a.gif --fps 25",
        )
        .unwrap();
        assert_eq!((args.size, args.frame, args.fps), (Some([640, 480]), Some(3), Some(25.0)));
        assert_eq!(args.view, View { azimuth: -30.0, elevation: 20.0 });
        assert!(ARRAYS.iter().all(|array| parse(&format!("run --color-by {}", array.name)).is_ok()));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for line in [
            "run --frame 3",
            "run --fps 10",
            "run --size 640",
            "run --size 8x8",
            "run --size 99999x10",
            "run --view behind",
            "run --color-by pinned",
            "run --every 0",
            "run --gif a.gif --fps 0",
            "run --background grey",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
