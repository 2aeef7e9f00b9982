//! `pliant converge`: how far a scene is from what ever finer meshes would give.

use clap::Args;
use serde_json::json;

use super::Global;
use super::report::write_stdout;
use super::scene::SceneArgs;
use super::threads::ThreadArgs;
use crate::compare::resolution::{Resolutions, converge};
use crate::error::{Error, Result};

/// Arguments of `pliant converge`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant converge configs/cantilever.toml --frames 20\n  pliant converge scene.toml --levels 3 \
                  --probe 1,0.05,0.05\n\nEvery edge of every body is cut in half for each further resolution, which makes \
                  eight tets of one: the second takes some ten times as long as the first. Nothing is written."
)]
pub struct ConvergeArgs {
    /// The config with its overrides.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Resolutions, the config's own among them. With three, the order of convergence is measured.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..=5))]
    pub levels: u64,
    /// Look at the vertex that rests nearest to this place, in m, instead of at all.
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', allow_hyphen_values = true)]
    pub probe: Vec<f64>,
    /// The threads to use.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

impl ConvergeArgs {
    /// Simulates all resolutions and prints the errors.
    pub fn run(&self, global: &Global) -> Result<()> {
        let probe: Option<[f64; 3]> = match &self.probe[..] {
            [] => None,
            [x, y, z] if [x, y, z].iter().all(|c| c.is_finite()) => Some([*x, *y, *z]),
            _ => {
                return Err(Error::Usage {
                    what: "--probe wants three numbers, as in --probe 1,0,0.5".into(),
                    hint: "give the place at rest in m".into(),
                });
            }
        };
        let loaded = self.scene.load(global)?;
        let scene = &loaded.scene;
        if scene.time.frames == 0 {
            return Err(Error::Usage {
                what: "a scene of no frames has no error".into(),
                hint: "ask for some with --frames".into(),
            });
        }
        let mut told = |level: usize, frame: u64| {
            if frame == scene.time.frames {
                tracing::info!("resolution {} of {} is done", level + 1, self.levels);
            }
        };
        let found = converge(scene, self.levels as usize, &global.cache(), &mut told)?;
        let vertex = probe.map(|place| found.nearest(place));
        write_stdout(&if self.json {
            self.as_json(&found, vertex)
        } else {
            text(&scene.name, &found, vertex)
        })
    }

    fn as_json(&self, found: &Resolutions, vertex: Option<usize>) -> String {
        let last = found.errors(found.levels[0].frames.len() - 1, vertex);
        let levels = found.levels.iter().zip(&last).map(|(level, off)| {
            json!({
                "vertices": level.vertices, "cells": level.cells, "seconds": level.seconds,
                "error_mean": off.mean, "error_most": off.most,
            })
        });
        let out = json!({
            "levels": levels.collect::<Vec<_>>(), "order": found.order.0, "order_measured": found.order.1,
            "motion": found.motion, "probe": vertex.map(|v| found.rest[v]),
        });
        format!("{out:#}\n")
    }
}

fn text(name: &str, found: &Resolutions, vertex: Option<usize>) -> String {
    let end = found.levels[0].frames.len() - 1;
    let [p, q, r] = vertex.map_or([0.0; 3], |v| found.rest[v]);
    let of = match vertex {
        Some(_) => format!("the vertex that rests at ({p}, {q}, {r})"),
        None => "the vertices of the first mesh".into(),
    };
    let how = if found.order.1 { "measured" } else { "expected; --levels 3 measures it" };
    let mut out = format!(
        "{name}: estimated errors of {of} after {} frames, which move by {:.3e} m (root mean square)\n\n{:>10} {:>10} {:>9} \
         {:>12} {:>12} {:>9}\n",
        end + 1,
        found.motion,
        "vertices",
        "cells",
        "seconds",
        "mean, m",
        "most, m",
        "relative"
    );
    for (level, off) in found.levels.iter().zip(found.errors(end, vertex)) {
        let part = 100.0 * off.mean / found.motion;
        out += &format!(
            "{:>10} {:>10} {:>9.2} {:>12.3e} {:>12.3e} {part:>8.2}%\n",
            level.vertices, level.cells, level.seconds, off.mean, off.most
        );
    }
    out + &format!("\norder of convergence {:.2} ({how})\n", found.order.0)
}
