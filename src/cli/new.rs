//! `pliant new`: a commented config for a mesh.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Global;
use super::progress::Busy;
use super::report::write_stdout;
use crate::error::{Action, Error, Result};
use crate::fs::write_atomically;
use crate::scaffold::{self, Draft, Wishes};

/// Arguments of `pliant new`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant new spot.obj -o spot.toml\n  pliant new spot.obj --pin bottom --shake x --preset jelly\n  \
                  pliant new teapot.stl --floor --preset rubber -o teapot.toml\n  pliant simulate spot.obj          # the same without a file\n\n\
                  The config has the file's own bounds, a pin that selects vertices, and a step that is short against the body's \
                  vibrations. Without --preset, the material is so soft that the body sags by about 5% of its size. Without --pin \
                  and --floor, its top is pinned."
)]
pub struct NewArgs {
    /// A mesh of any readable format: tets, a surface, or edges.
    pub mesh: PathBuf,
    /// What the scene should have.
    #[command(flatten)]
    pub wishes: WishArgs,
    /// The config file; default: it is printed.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the config file if it exists.
    #[arg(long, requires = "output")]
    pub force: bool,
}

/// What the scene of a mesh should have; shared by `new` and the commands that take a mesh in place of a config.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "For a mesh")]
pub struct WishArgs {
    /// What is held: top, bottom, left, right, front, back, a point array of the file, or none.
    #[arg(long, value_name = "SIDE|ARRAY|none")]
    pub pin: Option<String>,
    /// Shake what is held along an axis.
    #[arg(long, value_enum, value_name = "AXIS")]
    pub shake: Option<Axis>,
    /// Add a floor below the body, to which it falls unless it is held.
    #[arg(long)]
    pub floor: bool,
    /// A known material, such as rubber or cotton; a wrong name lists them all.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    Z,
}

impl WishArgs {
    /// The wishes as the library takes them.
    pub fn wishes(&self) -> Wishes {
        let shake = self.shake.map(|axis| axis as usize);
        Wishes { pin: self.pin.clone(), shake, floor: self.floor, preset: self.preset.clone() }
    }
}

impl NewArgs {
    /// Prints the config or writes it.
    pub fn run(&self, global: &Global) -> Result<()> {
        if let Some(output) = self.output.as_ref().filter(|output| output.exists() && !self.force) {
            return Err(Error::Usage {
                what: format!("{} exists", output.display()),
                hint: "replace it with --force, or choose another name".into(),
            });
        }
        let directory = self.output.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let draft = draft(&self.mesh, directory, &self.wishes, global)?;
        let Some(output) = &self.output else { return write_stdout(&draft.text) };
        write_atomically(output, |file| file.write_all(draft.text.as_bytes()))?;
        tracing::info!("wrote {0}; next: pliant simulate {0}", output.display());
        Ok(())
    }
}

/// The config of a mesh for a file in a directory; what was chosen is logged.
pub fn draft(mesh: &Path, directory: &Path, wishes: &WishArgs, global: &Global) -> Result<Draft> {
    let named = relative(mesh, directory)?;
    let busy = Busy::new(global, format!("looking at {}", mesh.display()));
    let draft = scaffold::draft(mesh, &named, &wishes.wishes(), &global.cache())?;
    drop(busy);
    draft.notes.iter().for_each(|note| tracing::info!("{}: {note}", mesh.display()));
    Ok(draft)
}

/// The path of a file as seen from a directory, both relative to the working directory.
fn relative(file: &Path, directory: &Path) -> Result<String> {
    let refuse = || Error::Usage {
        what: format!("{}: the path is not UTF-8", file.display()),
        hint: "a config cannot name it; rename the file".into(),
    };
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(refuse);
    if directory.as_os_str().is_empty() || file.is_absolute() {
        return text(file);
    }
    let whole = |path: &Path| {
        std::path::absolute(path).map_err(|error| Error::io(Action::FindWorkingDirectory, path, error))
    };
    let (from, to) = (whole(directory)?, whole(file)?);
    let (from, to): (Vec<Component>, Vec<Component>) =
        (from.components().collect(), to.components().collect());
    if from.iter().chain(&to).any(|part| *part == Component::ParentDir) || from.first() != to.first() {
        return text(&to.iter().collect::<PathBuf>());
    }
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| Component::ParentDir);
    text(&up.chain(to[common..].iter().copied()).collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_directory_of_the_config() {
        for (file, directory, expected) in [
            ("a/spot.obj", "", "a/spot.obj"),
            ("a/spot.obj", "a", "spot.obj"),
            ("spot.obj", "b/c", "../../spot.obj"),
            ("a/spot.obj", "b", "../a/spot.obj"),
        ] {
            let found = relative(Path::new(file), Path::new(directory)).unwrap();
            assert_eq!(found.replace('\\', "/"), expected, "{file} from {directory}");
        }
    }
}
