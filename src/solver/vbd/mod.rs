//! Vertex block descent: Newton's method on one vertex after the other.
//!
//! ```text
//! H_v = m_v/h² I + Σ_e ∂²E_e/∂x_v²,      d = −|H_v|⁻¹ ∂g/∂x_v,      x_v += α d
//! ```
//!
//! \[Chen2024\]. The sum goes over the elements around the vertex, and their blocks have three by three numbers (see
//! [`energy::vertex`](elements::energy::vertex)). Vertices that share no element have the same colour and move
//! together; an iteration is a sweep over all colours, in an order that depends on the mesh alone.
//!
//! Every block step lowers g, or is not made: α is the largest of 1, ½, ¼, … with
//!
//! ```text
//! g(x_v + αd) ≤ g(x_v) + γ α d·∂g/∂x_v,      γ = 0.1,
//! ```
//!
//! which needs only the elements around the vertex; outside the domain of a barrier g is infinite. Steps that change
//! strains by less than 1e-7 are taken without a test, because differences of energies are rounding errors there.
//!
//! Acceleration \[Wang2015\], after each sweep from x_{k−1} to x̄, with ω as in `acceleration`:
//!
//! ```text
//! x_k = ω (x̄ − x_{k−2}) + x_{k−2}
//! ```
//!
//! Departures from the paper: H is exact, and where it is indefinite |H| has the absolute values of its eigenvalues.
//! There is a line search, which the paper does without (it skips vertices whose det H is nearly zero). An accelerated
//! point is refused where g is above that of x_{k−1}, and ω begins anew, so that too large a ρ costs little. A step
//! starts where those of all solvers do.
//!
//! Active terms have a part in each block, and the sweep as a whole is a direction then (see `touching`).

mod layout;
mod local;
mod touching;

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acceleration::Acceleration;
use super::options::{Options as _, check_rho};
use super::{Cost, Preparation, Progress, Refusal, Solver, options};
use crate::cache::{Cache, Outcome};
use crate::error::Result;
use crate::step::{Iterate, Objective};
use elements::energy::Energy;
use elements::energy::material::Fault;
use elements::energy::vertex::Memory;
use elements::math::lanes::{Vec4, WIDTH};
use elements::par;
use layout::Layout;
use local::Neighbourhood;
use touching::Touching;

/// The options of `vbd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Spectral radius for Chebyshev acceleration, at least 0 and below 1. Accelerated points that raise g are
    /// refused. Default: no acceleration.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rho: Option<f64>,
    /// Iterations before acceleration begins, at least 1. Default 10.
    pub delay: Option<u64>,
}

impl options::Options for Options {
    const NAME: &'static str = "vbd";
    const ABOUT: &'static str =
        "vertex block descent: Newton's method on one vertex after the other; needs no factor";

    fn check(&self) -> Result<(), Fault> {
        check_rho(self.rho)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        term.vertexwise().is_none().then_some(Refusal::NotVertexwise)
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        Box::new(BlockDescent { acceleration: Acceleration::new(self.rho, self.delay), ..Default::default() })
    }
}

/// The number of bundles in a chunk of work.
const BUNDLES: usize = 8;

/// The solver `vbd`.
#[derive(Default)]
pub struct BlockDescent {
    /// The acceleration; ρ = 0 means none.
    acceleration: Acceleration,
    layout: Layout,
    /// The new positions of the vertices of a colour.
    targets: Vec<[Vec4; WIDTH]>,
    /// Scratch memory, one for each chunk of work.
    memories: Vec<Memory>,
    /// The iterates x_{k−1} and x_{k−2}, and the point x̄ after the last sweep.
    before: [Vec<Vec4>; 2],
    plain: Vec<Vec4>,
    /// The number of accelerated points so far, and the number of them that were refused.
    accelerated: u64,
    refused: u64,
    /// The model of active terms, where there are some.
    touching: Option<Touching>,
}

impl BlockDescent {
    /// Minimizes over one vertex after the other; true if one of them moved.
    fn sweep(&mut self, objective: &Objective, x: &mut [Vec4]) -> bool {
        let mut moved = false;
        for colour in &self.layout.colours {
            let bundles = &self.layout.bundles[colour.clone()];
            let targets = &mut self.targets[..bundles.len()];
            let (layout, at): (&Layout, &[Vec4]) = (&self.layout, x);
            let touching = self.touching.as_ref();
            let memories = &mut self.memories[..targets.len().div_ceil(BUNDLES)];
            par::chunks_mut_and(targets, BUNDLES, memories, |chunk, targets, memory| {
                for (bundle, target) in bundles[chunk * BUNDLES..].iter().zip(targets) {
                    *target = Neighbourhood { objective, layout, bundle, x: at, touching }.minimize(memory);
                }
            });
            for (bundle, target) in bundles.iter().zip(targets.iter()) {
                for (v, target) in bundle.vertices[..bundle.count].iter().zip(target) {
                    moved |= x[*v as usize] != *target;
                    if let Some(touching) = &mut self.touching {
                        touching.moved(*v, x[*v as usize], *target);
                    }
                    x[*v as usize] = *target;
                }
            }
        }
        moved
    }

    /// Extrapolates from x̄ if acceleration has begun; returns true if so.
    fn extrapolate(&mut self, x: &mut [Vec4]) -> bool {
        let omega = self.acceleration.advance();
        if omega == 1.0 {
            return false;
        }
        self.plain.clear();
        self.plain.extend_from_slice(x);
        for (x, old) in x.iter_mut().zip(&self.before[1]) {
            x.0 = std::array::from_fn(|k| omega * (x.0[k] - old.0[k]) + old.0[k]);
        }
        self.accelerated += 1;
        true
    }
}

impl Solver for BlockDescent {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        self.layout = Layout::new(objective);
        let longest = self.layout.colours.iter().map(|c| c.len()).max().unwrap_or(0);
        self.targets = vec![[Vec4::ZERO; WIDTH]; longest];
        self.memories = vec![Memory::new(); longest.div_ceil(BUNDLES)];
        tracing::debug!("{} colours, {} bundles", self.layout.colours.len(), self.layout.bundles.len());
        if objective.has_active() {
            self.accept_active(objective)?;
        }
        Ok(Preparation::default())
    }

    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        self.touching = Some(Touching::new(objective, &self.layout));
        Ok(())
    }

    /// There is nothing to do: every sweep asks for the stiffness anew.
    fn follow(&mut self, _: &Objective, _: &Cache) -> Result<Option<Outcome>> {
        Ok(None)
    }

    fn begin_step(&mut self, _: &Objective, _: &Iterate) {
        self.acceleration.begin_step();
    }

    fn closing_note(&self) -> Option<String> {
        (self.refused > 0).then(|| {
            format!(
                "{} of {} accelerated iterations would have raised the objective and were refused (rho = {})",
                self.refused, self.accelerated, self.acceleration.rho
            )
        })
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let (start, free) = (Instant::now(), objective.free);
        let most = iterate.value.total() + objective.rounding(&iterate.value);
        if self.acceleration.rho > 0.0 {
            self.before.swap(0, 1);
            self.before[0].clear();
            self.before[0].extend_from_slice(&iterate.x[..free]);
        }
        if self.touching.is_some() {
            return Ok(self.iterate_touching(objective, iterate, cost));
        }
        let moved = self.sweep(objective, &mut iterate.x);
        let accelerated = self.extrapolate(&mut iterate.x[..free]);
        objective.evaluate(iterate);
        // A NaN is not below, so it is refused.
        let is_lower = iterate.value.total() <= most;
        if accelerated && !is_lower {
            iterate.x[..free].copy_from_slice(&self.plain);
            objective.evaluate(iterate);
            self.refused += 1;
            self.acceleration.begin_anew();
        }
        cost.local += start.elapsed();
        Ok(if moved { Progress::Moved } else { Progress::Stalled })
    }
}
