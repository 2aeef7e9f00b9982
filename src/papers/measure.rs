//! The experiments: solvers on one step, on the steps of many frames, or on whole runs, and their matrices on one step.

use std::path::Path;

use super::contender;
use super::outcome::{Case, Data, Outcome, Run};
use super::spec::{Kind, Measure};
use crate::cache::Cache;
use crate::compare::cases::combinations;
use crate::compare::{compare, over_frames};
use crate::config::{self, Loaded, Overrides};
use crate::error::{Error, Result};
use crate::simulate::Simulation;
use crate::simulate::metrics::momenta;
use crate::solver::Method;
use crate::solver::specification::Contender;
use crate::solver::spectrum::{Spectrum, spectrum};
use crate::step::{Iterate, Objective};

/// Makes an experiment on the config at `path`; `set` holds values that come with the meshes.
pub fn measure(
    plan: &Measure,
    path: &Path,
    set: &[String],
    swaps: &[(String, String)],
    cache: &Cache,
) -> Result<Outcome> {
    let vary: Vec<_> = (plan.vary.iter())
        .map(|v| (v.keys.clone(), v.values.iter().map(ToString::to_string).collect()))
        .collect();
    let mut cases = vec![];
    for case in combinations(&vary) {
        let set: Vec<String> = set.iter().chain(&plan.set).cloned().collect();
        let overrides = Overrides { set, vary: case.assignments.clone(), ..Overrides::default() };
        let loaded = config::load(path, &overrides)?;
        let solver = |text: &String| contender(text, swaps, &loaded.scene.solver);
        let solvers: Vec<Contender> = plan.solvers.iter().map(solver).collect::<Result<_>>()?;
        let data = match plan.kind {
            Kind::Step => {
                let (mut simulation, _) = Simulation::new(&loaded.scene, cache)?;
                for _ in 0..plan.at_frame * loaded.scene.time.substeps {
                    simulation.advance()?;
                }
                Data::Step(compare(&mut simulation, &solvers, plan.iterations.unwrap_or(100), cache)?)
            }
            Kind::Condition => {
                let (mut simulation, _) = Simulation::new(&loaded.scene, cache)?;
                for _ in 0..plan.at_frame * loaded.scene.time.substeps {
                    simulation.advance()?;
                }
                let (_, start) = simulation.next_stage()?;
                let condition = |solver| condition(solver, &simulation.objective, &start);
                Data::Conditions(solvers.iter().map(condition).collect::<Result<_>>()?)
            }
            Kind::Frames => {
                let (mut simulation, _) = Simulation::new(&loaded.scene, cache)?;
                let span = (frames(plan, &loaded), loaded.scene.time.substeps);
                Data::Frames(over_frames(&mut simulation, &solvers, span, cache)?)
            }
            Kind::Runs => {
                let run = |solver: &Contender| {
                    let set = overrides.set.iter().chain(&solver.assignments).cloned().collect();
                    let kind = Some(solver.settings.kind().name.to_owned());
                    let own = config::load(path, &Overrides { set, solver: kind, ..overrides.clone() })?;
                    run(&own, &solver.label, frames(plan, &loaded), cache)
                };
                Data::Runs(solvers.iter().map(run).collect::<Result<_>>()?)
            }
        };
        cases.push(Case { values: case.values, data });
    }
    Ok(Outcome { cases })
}

fn frames(plan: &Measure, loaded: &Loaded) -> u64 {
    plan.frames.unwrap_or(loaded.scene.time.frames)
}

/// The spectrum of the Hessian where a step starts, against the matrix that a solver has there.
fn condition(solver: &Contender, objective: &Objective, start: &Iterate) -> Result<(String, Spectrum)> {
    let Method::QuasiNewton(options) = &solver.settings.method else {
        return Err(Error::Usage {
            what: format!("solver '{}' starts its steps with no matrix of its own", solver.label),
            hint: "experiments of the kind 'condition' take quasi-newton with an initial_hessian".into(),
        });
    };
    let choice = options.initial_hessian.unwrap_or_default();
    Ok((solver.label.clone(), spectrum(objective, &start.x, choice)?))
}

/// A whole run. One whose numbers are not finite any more ends there.
fn run(loaded: &Loaded, label: &str, frames: u64, cache: &Cache) -> Result<Run> {
    let scene = &loaded.scene;
    let (mut simulation, _) = Simulation::new(scene, cache)?;
    let start = energy(&simulation, scene.gravity.at(0.0));
    let (mut steps, mut broke) = (vec![], false);
    for _ in 0..frames * scene.time.substeps {
        match simulation.advance() {
            Ok(metrics) => steps.push(metrics),
            Err(Error::Failed { .. }) => {
                broke = true;
                break;
            }
            Err(other) => return Err(other),
        }
    }
    Ok(Run { solver: label.to_owned(), start, steps, broke })
}

/// The energy of a state in J: elastic, kinetic and potential.
fn energy(simulation: &Simulation, gravity: [f64; 3]) -> [f64; 3] {
    let (objective, state) = (&simulation.objective, &simulation.state);
    let mut at = objective.iterate_at(state.x.clone());
    objective.evaluate(&mut at);
    let sums = momenta(&objective.mass, &state.x, &state.v);
    let potential = -(0..3).map(|k| gravity[k] * sums.first[k]).sum::<f64>();
    [at.value.elastic, sums.kinetic, potential]
}
