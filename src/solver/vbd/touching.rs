//! Active terms in sweeps over vertices.
//!
//! A sweep from x₀ sees the active terms, whose energy is C, by their quadratic model there:
//!
//! ```text
//! C(x₀) + ∇C·Δ + ½ Σ (v·Δ)²,      Δ = x − x₀
//! ```
//!
//! Each vertex has a gradient and a block of it, with v·Δ as the vertices before it have left it. Vertices of one colour that
//! a square has in common move at the same time, so the square counts in their blocks as many times as there are such
//! vertices. Where the sweep ends is safe only as far as the filter says, and the model is one: so the sweep as a whole is a
//! direction for a line search. If that does not descend, a direction by blocks is taken.

use super::BlockDescent;
use super::layout::Layout;
use crate::solver::structured::{blocks, solve_blocks};
use crate::solver::system::assemble;
use crate::solver::{Cost, Progress};
use crate::step::active::Square;
use crate::step::line_search::{LineSearch, approach};
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::symmetric::PLACES;
use elements::math::vec3::{add, dot, scale, sub};
use elements::math::vectors;

/// The quadratic model of active terms during a sweep.
#[derive(Default)]
pub(super) struct Touching {
    /// The diagonal of A, for blocks.
    diagonal: Vec<f64>,
    /// The colour of each unknown.
    colour: Vec<u32>,
    squares: Vec<Square>,
    /// How many corners of one colour each square has at the most.
    shared: Vec<f64>,
    /// The products v·Δ.
    products: Vec<f64>,
    /// For each unknown where its entries begin in `entries`, which are (square, corner).
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
    gradient: Vec<Vec4>,
    direction: Vec<Vec4>,
    trial: Iterate,
}

impl Touching {
    /// For the unknowns of an objective, coloured by a layout.
    pub(super) fn new(objective: &Objective, layout: &Layout) -> Touching {
        let mut colour = vec![0; objective.free];
        for (number, bundles) in (0..).zip(&layout.colours) {
            for bundle in &layout.bundles[bundles.clone()] {
                bundle.vertices.iter().for_each(|v| colour[*v as usize] = number);
            }
        }
        Touching {
            diagonal: assemble(objective, 1.0).diagonal(),
            colour,
            direction: vec![Vec4::ZERO; objective.free],
            ..Touching::default()
        }
    }

    /// Makes the model at an evaluated iterate.
    fn begin(&mut self, objective: &Objective, at: &Iterate) {
        objective.squares(&at.x, &mut self.squares);
        self.gradient.clone_from(&at.active);
        self.products.clear();
        self.products.resize(self.squares.len(), 0.0);
        let colour = |v: u32| self.colour.get(v as usize);
        self.shared.clear();
        self.shared.extend(self.squares.iter().map(|square| {
            let same = |v: u32| square.corners.iter().filter(|w| colour(**w) == colour(v)).count();
            square.corners.iter().filter(|v| colour(**v).is_some()).map(|v| same(*v)).max().unwrap_or(1)
                as f64
        }));
        let mut all: Vec<(u32, (u32, u32))> = vec![];
        for (number, square) in (0..).zip(&self.squares) {
            let corners = (0..).zip(square.corners).filter(|(_, v)| (*v as usize) < objective.free);
            all.extend(corners.map(|(corner, v)| (v, (number, corner))));
        }
        all.sort_unstable();
        self.starts.clear();
        self.starts.resize(objective.free + 1, 0);
        all.iter().for_each(|(v, _)| self.starts[*v as usize + 1] += 1);
        for v in 0..objective.free {
            self.starts[v + 1] += self.starts[v];
        }
        self.entries = all.into_iter().map(|(_, entry)| entry).collect();
    }

    fn of(&self, vertex: u32) -> &[(u32, u32)] {
        let v = vertex as usize;
        &self.entries[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// The gradient of the model at a vertex and its block, six numbers; `None` if no square has it.
    pub(super) fn block(&self, vertex: u32) -> Option<([f64; 3], [f64; 6])> {
        let own = self.of(vertex);
        if own.is_empty() {
            return None;
        }
        let (mut gradient, mut block) = (self.gradient[vertex as usize].xyz(), [0.0; 6]);
        for (square, corner) in own {
            let vector = self.squares[*square as usize].vectors[*corner as usize];
            gradient = add(gradient, scale(self.products[*square as usize], vector));
            for (entry, (i, k)) in block.iter_mut().zip(PLACES) {
                *entry += self.shared[*square as usize] * vector[i] * vector[k];
            }
        }
        Some((gradient, block))
    }

    /// Notes that a vertex has moved.
    pub(super) fn moved(&mut self, vertex: u32, from: Vec4, to: Vec4) {
        let way = sub(to.xyz(), from.xyz());
        let v = vertex as usize;
        for (square, corner) in &self.entries[self.starts[v] as usize..self.starts[v + 1] as usize] {
            let square = *square as usize;
            self.products[square] += dot(self.squares[square].vectors[*corner as usize], way);
        }
    }
}

impl BlockDescent {
    /// One iteration where there are active terms.
    pub(super) fn iterate_touching(
        &mut self,
        objective: &Objective,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> Progress {
        let start = objective.watch();
        let free = objective.free;
        let Some(mut own) = self.touching.take() else { return Progress::Stalled };
        own.begin(objective, iterate);
        own.trial.clone_from(iterate);
        self.touching = Some(own);
        let mut swept = iterate.x.clone();
        self.sweep(objective, &mut swept);
        let Some(mut own) = self.touching.take() else { return Progress::Stalled };
        vectors_between(&iterate.x[..free], &swept, &mut own.direction);
        let accelerated = self.extrapolate(&mut swept[..free]);
        cost.local += objective.since(start);
        if accelerated {
            own.trial.x.copy_from_slice(&swept);
            let is_lower = approach(objective, iterate, &mut own.trial, cost);
            if is_lower {
                self.touching = Some(own);
                return Progress::Moved;
            }
            self.refused += 1;
            self.acceleration.begin_anew();
        }
        let progress = own.go(objective, iterate, cost);
        self.touching = Some(own);
        progress
    }
}

impl Touching {
    /// Goes along the direction of the sweep, or one by blocks.
    fn go(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Progress {
        let (search, trial) = (LineSearch::Armijo, &mut self.trial);
        let slope = vectors::dot(&iterate.gradient, &self.direction);
        let mut found = search.search(objective, iterate, &self.direction, slope, trial, cost);
        if found.is_none() {
            let blocks = blocks(&self.diagonal, &self.squares);
            let slope = solve_blocks(&blocks, &iterate.gradient, &mut self.direction);
            found = search.search(objective, iterate, &self.direction, slope, trial, cost);
        }
        if found.is_some() { Progress::Moved } else { Progress::Stalled }
    }
}

/// The differences `to` − `from`.
fn vectors_between(from: &[Vec4], to: &[Vec4], out: &mut [Vec4]) {
    for ((out, a), b) in out.iter_mut().zip(from).zip(to) {
        out.0 = std::array::from_fn(|k| b.0[k] - a.0[k]);
    }
}
