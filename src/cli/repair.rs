//! The flags of commands that repair surfaces.

use clap::Args;

use crate::mesh::repair::Repair;

/// How a surface is repaired; each command says whether it is.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Repair")]
pub struct RepairArgs {
    /// Weld vertices within T times the diagonal of the bounding box; those at exactly one place always are.
    #[arg(long, value_name = "T", value_parser = parse_part)]
    pub weld: Option<f64>,
    /// Fill holes of up to N edges, all of them, or none [default: 100].
    #[arg(long, value_name = "N|all|none", value_parser = parse_holes)]
    pub fill_holes: Option<usize>,
    /// Leave triangles facing the way they do.
    #[arg(long)]
    pub keep_orientation: bool,
    /// Keep shells of less than 1e-4 of the largest one's size, and lone triangles.
    #[arg(long)]
    pub keep_small_shells: bool,
}

impl RepairArgs {
    /// The repairs that the flags ask for.
    pub fn options(&self) -> Repair {
        let default = Repair::default();
        Repair {
            weld: self.weld.or(default.weld),
            holes: self.fill_holes.unwrap_or(default.holes),
            orient: !self.keep_orientation,
            small_shells: if self.keep_small_shells { 0.0 } else { default.small_shells },
            ..default
        }
    }

    /// True if any of these flags is given.
    pub fn is_given(&self) -> bool {
        *self != RepairArgs::default()
    }
}

/// Reads a part of a whole, from 0 to below 1.
fn parse_part(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|part| (0.0..1.0).contains(part)).ok_or("not a number from 0 to below 1".into())
}

fn parse_holes(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        "none" => Ok(0),
        number => number.parse().map_err(|_| "neither a number of edges nor 'all' nor 'none'".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        repair: RepairArgs,
    }

    fn parse(line: &str) -> Result<RepairArgs, clap::Error> {
        Program::try_parse_from(line.split(' ')).map(|program| program.repair)
    }

    #[test]
    fn flags_become_options() {
        let none = parse("x").unwrap();
        assert_eq!((none.options(), none.is_given()), (Repair::default(), false));
        let all = parse("x --weld 1e-5 --fill-holes all --keep-orientation --keep-small-shells").unwrap();
        let expected = Repair {
            weld: Some(1e-5),
            holes: usize::MAX,
            orient: false,
            small_shells: 0.0,
            ..Repair::default()
        };
        assert_eq!((all.options(), all.is_given()), (expected, true));
        assert_eq!(parse("x --fill-holes none").unwrap().options().holes, 0);
        for bad in ["x --weld 1", "x --weld -1e-3", "x --weld nan", "x --fill-holes some"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
