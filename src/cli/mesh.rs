//! `pliant mesh`: a surface to tets.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use super::Global;
use super::convert::refuse_existing;
use super::progress::Busy;
use super::repair::RepairArgs;
use super::threads::ThreadArgs;
use crate::cache::Outcome;
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::repair::repair;
use crate::mesh::{Mesh, quality};
use crate::meshing::{Filling, Join, METHODS, Options, Size, check, method, tetrahedralize};

/// Arguments of `pliant mesh`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant mesh spot.obj -o spot.vtu\n  pliant mesh scan.stl -o scan.msh --cells 50000 --fill-holes all\n  pliant mesh spot.obj -o spot.vtu --method tetgen --keep-surface\n\nThe method \
                  'lattice' fills any surface, also one with holes, gaps or intersections: inside is where the \
                  generalized winding number is above one half. Tets have one size and dihedral angles above 8 degrees; \
                  parts thinner than a cell are held by tets that are wider than they are, and parts that touch or come within a cell \
                  are held together. Without --cells and --max-volume there are 20,000 \
                  tets, or up to 160,000 where fewer would lose more than 2% of the body.\n\nThe method 'tetgen' keeps the \
                  shape of the surface exactly, which must be closed and must not intersect itself. Tets are small at its \
                  details and large inside; without --cells and --max-volume there are as many as the quality takes."
)]
pub struct MeshArgs {
    /// A surface of triangles in any readable format.
    pub surface: PathBuf,
    /// The mesh file; its extension chooses the format.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How the surface is filled: lattice, tetgen.
    #[arg(long, value_name = "METHOD", default_value = METHODS[0].name)]
    pub method: String,
    /// About how many tets.
    #[arg(long, value_name = "N", conflicts_with = "max_volume")]
    pub cells: Option<u64>,
    /// The volume that no tet exceeds, in the file's unit cubed.
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    pub max_volume: Option<f64>,
    /// Keep every vertex, with its number, and every triangle of the surface (tetgen).
    #[arg(long)]
    pub keep_surface: bool,
    /// The largest ratio of circumradius to shortest edge of a tet (tetgen); default: 1.414.
    #[arg(long, value_name = "Q", allow_negative_numbers = true)]
    pub quality: Option<f64>,
    /// Hold parts together that are at most this far apart, in the file's unit; 0: none. Default: a cell's width (lattice).
    #[arg(long, value_name = "DISTANCE")]
    pub join: Option<f64>,
    /// Seconds after which the method gives up (tetgen).
    #[arg(long, value_name = "S", default_value = "120", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub time_limit: Duration,
    /// Replace the mesh file if it exists.
    #[arg(long)]
    pub force: bool,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Fill the surface as it is.
    #[arg(long, conflicts_with_all = ["weld", "fill_holes", "keep_orientation", "keep_small_shells"])]
    pub no_repair: bool,
    /// How the surface is repaired before.
    #[command(flatten)]
    pub repair: RepairArgs,
}

impl MeshArgs {
    /// Fills the surface, writes the tets and prints their quality.
    pub fn run(&self, global: &Global) -> Result<()> {
        let method = method(&self.method)?;
        io::write_format(&self.output)?;
        refuse_existing(&self.output, self.force)?;
        let name = self.surface.display().to_string();
        let surface = self.read(&name)?;
        let start = Instant::now();
        let busy = Busy::new(global, format!("filling {name}"));
        let (filling, outcome) = tetrahedralize(&surface, &name, method, self.options(), &global.cache())?;
        drop(busy);
        let seconds = start.elapsed().as_secs_f64();
        filling.warnings.iter().for_each(|warning| tracing::warn!("{name}: {warning}"));
        let notes = io::write(&filling.mesh, &self.output)?;
        notes.iter().for_each(|note| tracing::warn!("{}: {note}", self.output.display()));
        let from = if outcome == Outcome::Hit { "found in the cache" } else { method.name };
        tracing::info!("wrote {}: {} ({from}, {seconds:.2} s)", self.output.display(), describe(&filling));
        Ok(())
    }

    /// Reads the surface and repairs it, unless that is not wanted.
    fn read(&self, name: &str) -> Result<Mesh> {
        let import = io::import(&self.surface)?;
        import.notes.iter().for_each(|note| tracing::warn!("{name}: {note}"));
        let mesh = import.mesh;
        check(&mesh, name)?;
        tracing::info!("read {name}: {} vertices, {} triangles", mesh.points.len(), mesh.triangles.len());
        if self.no_repair {
            return Ok(mesh);
        }
        let (mesh, report) = repair(mesh, &self.repair.options());
        report.to_string().lines().for_each(|line| tracing::info!("{name}: {line}"));
        if mesh.triangles.is_empty() {
            return Err(Error::Mesh {
                subject: name.into(),
                reason: "it encloses nothing: no triangle has an area or a neighbour".into(),
                hint: "write the surface anew".into(),
            });
        }
        Ok(mesh)
    }

    fn options(&self) -> Options {
        let size = match (self.cells, self.max_volume) {
            (Some(cells), _) => Size::Cells(cells),
            (None, Some(volume)) => Size::MaxVolume(volume),
            (None, None) => Size::Automatic,
        };
        let join = match self.join {
            None => Join::Cell,
            Some(0.0) => Join::Never,
            Some(distance) => Join::Within(distance),
        };
        let &MeshArgs { keep_surface, quality, time_limit, .. } = self;
        Options { size, keep_surface, quality, join, time_limit }
    }
}

/// Reads a number of seconds that is above 0 and small enough for a clock.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| *s > 0.0 && *s < 1e9);
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "seconds above 0 are wanted".into())
}

/// The counts, volume and angles of a filling in a line.
fn describe(filling: &Filling) -> String {
    let mesh = &filling.mesh;
    let shape = quality::measure(&mesh.points, &mesh.tets);
    format!(
        "{} vertices, {} tets; volume {:.6e} ({:+.2}% against the surface); dihedral angles {:.1}° to {:.1}°",
        mesh.points.len(),
        mesh.tets.len(),
        shape.volume,
        100.0 * (shape.volume / filling.surface_volume - 1.0),
        shape.min_dihedral_deg,
        shape.max_dihedral_deg
    )
}
