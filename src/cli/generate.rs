//! `pliant generate`: procedural meshes.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::config::{self, KeyPath, Report, raw};
use crate::error::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::Kind;
use crate::mesh::generate::generate;
use crate::scene::Shape;

/// Arguments of `pliant generate`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant generate beam --size 4,1,1 --cells 40,10,10 --split 5 -o beam.vtu"
)]
pub struct GenerateArgs {
    /// The shape with its sizes.
    #[command(subcommand)]
    pub shape: ShapeArgs,
}

/// The shapes with their sizes in metres and resolutions.
#[derive(Clone, Debug, Subcommand)]
pub enum ShapeArgs {
    /// A block of cubes from the origin, split into tets
    #[command(
        after_help = "Example:\n  pliant generate beam --size 4,1,1 --cells 40,10,10 --split 5 -o beam.vtu"
    )]
    Beam(BlockArgs),
    /// The same as beam
    #[command(after_help = "Example:\n  pliant generate box --size 1,1,1 --cells 10,10,10 -o box.vtu")]
    Box(BlockArgs),
    /// A ball about the origin
    #[command(after_help = "Example:\n  pliant generate sphere --radius 0.5 --cells 8 -o ball.vtu")]
    Sphere(SphereArgs),
    /// A solid torus about the z axis
    #[command(after_help = "Example:\n  pliant generate torus --major 1 --minor 0.3 --cells 12 -o torus.vtu")]
    Torus(TorusArgs),
    /// A flat sheet of triangles in the xz plane
    #[command(after_help = "Example:\n  pliant generate cloth --size 1,1 --cells 30,30 -o cloth.ply")]
    Cloth(ClothArgs),
    /// A straight line of segments along x
    #[command(after_help = "Example:\n  pliant generate rope --length 2 --segments 40 -o rope.vtu")]
    Rope(RopeArgs),
}

/// The file for the mesh.
#[derive(Args, Clone, Debug)]
pub struct OutputArgs {
    /// The mesh file; its extension chooses the format.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Sizes of a beam or box.
#[derive(Args, Clone, Debug)]
pub struct BlockArgs {
    /// Edge lengths along x, y and z, in m.
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', allow_hyphen_values = true, required = true)]
    pub size: Vec<f64>,
    /// Cubes along each edge.
    #[arg(long, value_name = "NX,NY,NZ", value_delimiter = ',', required = true)]
    pub cells: Vec<u64>,
    /// Tets per cube, 5 or 6.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub split: u64,
    /// The file for the mesh.
    #[command(flatten)]
    pub to: OutputArgs,
}

/// Sizes of a sphere.
#[derive(Args, Clone, Debug)]
pub struct SphereArgs {
    /// The radius of the ball, in m.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub radius: f64,
    /// Cells across the radius.
    #[arg(long, value_name = "N")]
    pub cells: u64,
    /// The file for the mesh.
    #[command(flatten)]
    pub to: OutputArgs,
}

/// Sizes of a torus.
#[derive(Args, Clone, Debug)]
pub struct TorusArgs {
    /// Distance from the centre to the tube's centre line.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub major: f64,
    /// Radius of the tube.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub minor: f64,
    /// Cells around the tube.
    #[arg(long, value_name = "N")]
    pub cells: u64,
    /// The file for the mesh.
    #[command(flatten)]
    pub to: OutputArgs,
}

/// Sizes of a cloth.
#[derive(Args, Clone, Debug)]
pub struct ClothArgs {
    /// Edge lengths along x and z, in m.
    #[arg(long, value_name = "X,Z", value_delimiter = ',', allow_hyphen_values = true, required = true)]
    pub size: Vec<f64>,
    /// Squares along each edge.
    #[arg(long, value_name = "NX,NZ", value_delimiter = ',', required = true)]
    pub cells: Vec<u64>,
    /// The file for the mesh.
    #[command(flatten)]
    pub to: OutputArgs,
}

/// Sizes of a rope.
#[derive(Args, Clone, Debug)]
pub struct RopeArgs {
    /// The whole length.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub length: f64,
    /// Segments of equal length.
    #[arg(long, value_name = "N")]
    pub segments: u64,
    /// The file for the mesh.
    #[command(flatten)]
    pub to: OutputArgs,
}

impl GenerateArgs {
    /// Makes the mesh and writes it.
    pub fn run(&self) -> Result<()> {
        let shape = self.shape()?;
        io::write_format(self.output())?;
        let mesh = generate(&shape);
        io::write(&mesh, self.output())?;
        let cell = mesh.kind().map_or("cell", Kind::cell);
        tracing::info!(
            "wrote {}: {} vertices, {} {cell}s",
            self.output().display(),
            mesh.points.len(),
            mesh.cells()
        );
        Ok(())
    }

    /// The path of the mesh file.
    pub fn output(&self) -> &Path {
        match &self.shape {
            ShapeArgs::Beam(args) | ShapeArgs::Box(args) => &args.to.output,
            ShapeArgs::Sphere(args) => &args.to.output,
            ShapeArgs::Torus(args) => &args.to.output,
            ShapeArgs::Cloth(args) => &args.to.output,
            ShapeArgs::Rope(args) => &args.to.output,
        }
    }

    /// The shape, checked like the `generate` table of a config; faults name the flag.
    pub fn shape(&self) -> Result<Shape> {
        let mut report = Report::default();
        let shape = config::shape(&self.table(), &KeyPath::root(), &mut report);
        shape.ok_or_else(|| {
            let fault = |problem: &config::Problem| Diagnostic {
                file: PathBuf::new(),
                place: Place::Flag(format!("--{}", problem.path)),
                key: String::new(),
                message: problem.message.clone(),
                hint: problem.hint.clone(),
            };
            Error::Config(Diagnostics(report.problems.iter().map(fault).collect()))
        })
    }

    fn table(&self) -> raw::Generate {
        let none = raw::Generate::default();
        let block = |shape, args: &BlockArgs| raw::Generate {
            shape: Some(shape),
            size: Some(args.size.clone()),
            cells: Some(raw::Cells::Along(args.cells.clone())),
            split: Some(args.split),
            ..raw::Generate::default()
        };
        match &self.shape {
            ShapeArgs::Beam(args) => block(raw::Shape::Beam, args),
            ShapeArgs::Box(args) => block(raw::Shape::Box, args),
            ShapeArgs::Sphere(args) => raw::Generate {
                shape: Some(raw::Shape::Sphere),
                radius: Some(args.radius),
                cells: Some(raw::Cells::Across(args.cells)),
                ..none
            },
            ShapeArgs::Torus(args) => raw::Generate {
                shape: Some(raw::Shape::Torus),
                major: Some(args.major),
                minor: Some(args.minor),
                cells: Some(raw::Cells::Across(args.cells)),
                ..none
            },
            ShapeArgs::Cloth(args) => raw::Generate {
                shape: Some(raw::Shape::Cloth),
                size: Some(args.size.clone()),
                cells: Some(raw::Cells::Along(args.cells.clone())),
                ..none
            },
            ShapeArgs::Rope(args) => raw::Generate {
                shape: Some(raw::Shape::Rope),
                length: Some(args.length),
                segments: Some(args.segments),
                ..none
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: GenerateArgs,
    }

    fn parse(line: &str) -> GenerateArgs {
        Line::try_parse_from(std::iter::once("generate").chain(line.split(' '))).unwrap().args
    }

    #[test]
    fn flags_become_shapes() {
        let beam = parse("beam --size 4,1,0.5 --cells 40,10,10 -o b.vtu");
        assert_eq!(beam.output(), Path::new("b.vtu"));
        let block = Shape::Block { size: [4.0, 1.0, 0.5], cells: [40, 10, 10], split: 5 };
        assert_eq!(beam.shape().unwrap(), block);
        let sphere = parse("sphere --radius 0.5 --cells 4 -o b.vtu").shape().unwrap();
        assert_eq!(sphere, Shape::Sphere { radius: 0.5, cells: 4 });
        let torus = parse("torus --major 1 --minor 0.25 --cells 8 -o b.vtu").shape().unwrap();
        assert_eq!(torus, Shape::Torus { major: 1.0, minor: 0.25, cells: 8 });
        let cloth = parse("cloth --size 1,2 --cells 3,4 -o b.ply").shape().unwrap();
        assert_eq!(cloth, Shape::Cloth { size: [1.0, 2.0], cells: [3, 4] });
        let rope = parse("rope --length 2.5 --segments 40 -o b.vtu").shape().unwrap();
        assert_eq!(rope, Shape::Rope { length: 2.5, segments: 40 });
    }

    #[test]
    fn faults_name_the_flag() {
        for (line, expected) in [
            ("beam --size 4,1 --cells 1,1,1 -o b", "--size: expected 3 lengths, found 2"),
            ("beam --size -4,1,1 --cells 1,1,1 -o b", "--size: every length must be above 0"),
            ("box --size 1,1,1 --cells 1,1,1 --split 4 -o b", "--split: must be 5 or 6 tets per cube"),
            ("sphere --radius -1 --cells 2 -o b", "--radius: must be above 0"),
            ("rope --length 0 --segments 3 -o b", "--length: must be above 0"),
            ("rope --length 1 --segments 0 -o b", "--segments: must be at least 1"),
            ("torus --major nan --minor 1 --cells 8 -o b", "--major: must be above 0"),
        ] {
            let error = parse(line).shape().unwrap_err();
            assert!(error.exit() == crate::error::Exit::Usage);
            assert_eq!(error.to_string(), expected);
        }
    }
}
