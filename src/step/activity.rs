//! What an objective asks its active terms: what they store and push, how far motions may go, what touches.

use super::Objective;
use super::active::{Active, Approach, Square, Touching};
use super::iterate::Iterate;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use elements::math::lanes::Vec4;
use elements::math::vectors;

impl Objective {
    /// Computes energy and gradient of the active terms at the iterate's positions, and adds the gradient to its own.
    pub fn add_active_part(&self, at: &mut Iterate) {
        if self.active.is_empty() {
            return;
        }
        at.active.clear();
        at.active.resize(self.free, Vec4::ZERO);
        let before = self.searched();
        at.value.active = self.active.iter().map(|active| active.add_gradient(&at.x, &mut at.active)).sum();
        if !self.constraints.is_empty() {
            at.shares = self.shares(&at.x);
        }
        self.note_searched(before);
        self.still(&mut at.active);
        vectors::add_scaled(1.0, &at.active, &mut at.gradient);
    }

    /// The largest safe part of the straight motion of all vertices from `from` to `to`, above 0 and up to 1; infinite
    /// if there are no active terms, and then `to` is not called.
    pub fn longest_part<'a>(&self, from: &[Vec4], to: impl FnOnce() -> &'a [Vec4]) -> f64 {
        if self.active.is_empty() {
            return f64::INFINITY;
        }
        let (to, started) = (to(), Instant::now());
        let longest = self.active.iter().map(|active| active.longest_part(from, to)).fold(1.0, f64::min);
        self.searching.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        longest
    }

    /// The energy of active terms that each body has a share in, in J: what is stored at `x` less the work of friction
    /// since the step began.
    pub fn shares(&self, x: &[Vec4]) -> Vec<f64> {
        let bodies = self.active.iter().flat_map(|active| active.bodies()).max().map_or(0, |last| last + 1);
        let mut shares = vec![0.0; bodies];
        self.active.iter().for_each(|active| active.add_shares(x, &mut shares));
        shares
    }

    /// The pairs of bodies that may feel each other in the motion from `from` to `to`; `None` stands for obstacles.
    pub fn meeting(&self, from: &[Vec4], to: &[Vec4]) -> Vec<[Option<usize>; 2]> {
        self.active.iter().flat_map(|active| active.meeting(from, to)).collect()
    }

    /// Finds the constraints of what comes near each other in the motion from `from` to `to`, linear about `from`.
    pub fn approaches(&self, from: &[Vec4], to: &[Vec4], out: &mut Vec<Approach>) {
        out.clear();
        let started = Instant::now();
        self.active.iter().for_each(|active| active.approaches(from, to, out));
        self.searching.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Finds for each vertex a safe part of the straight way from `from` to `to`; true if some parts are below 1.
    pub fn apart(&self, from: &[Vec4], to: &[Vec4], parts: &mut Vec<f64>) -> bool {
        let started = Instant::now();
        parts.clear();
        parts.resize(from.len(), 1.0);
        self.active.iter().for_each(|active| active.apart(from, to, parts));
        self.searching.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        parts.iter().any(|part| *part < 1.0)
    }

    /// The names of the two parts that bound the motion from `from` to `to` the most; `None` if nothing bounds it.
    pub fn bounding(&self, from: &[Vec4], to: &[Vec4]) -> Option<[String; 2]> {
        self.active.iter().find_map(|active| active.bounding(from, to))
    }

    /// The vectors v of which Σ v vᵀ is the Hessian of the active terms at `x`, without what has negative eigenvalues. Corners
    /// that are held have a number beyond all vertices, as if they were prescribed.
    pub fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        out.clear();
        let before = self.searched();
        self.active.iter().for_each(|active| active.squares(x, out));
        self.note_searched(before);
        if !self.held().is_empty() {
            let corners = out.iter_mut().flat_map(|square| &mut square.corners);
            corners.filter(|v| !self.moves(**v as usize)).for_each(|v| *v = u32::MAX);
        }
    }

    /// Adds a term whose elements change.
    pub fn add_active(&mut self, term: Box<dyn Active>) {
        self.active.push(term);
    }

    /// The terms whose elements change.
    pub fn active(&self) -> impl Iterator<Item = &dyn Active> {
        self.active.iter().map(|active| active.as_ref())
    }

    /// The terms whose elements change, to be changed between steps.
    pub fn active_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Active>> {
        self.active.iter_mut()
    }

    fn searched(&self) -> u64 {
        self.active.iter().map(|active| active.searched()).sum()
    }

    fn note_searched(&self, before: u64) {
        self.searching.fetch_add(self.searched() - before, Ordering::Relaxed);
    }

    /// Starts to measure a time without what active terms take to find their elements and safe motions.
    pub fn watch(&self) -> (Instant, u64) {
        (Instant::now(), self.searching.load(Ordering::Relaxed))
    }

    /// The time since [`Objective::watch`].
    pub fn since(&self, (started, before): (Instant, u64)) -> Duration {
        let searching = self.searching.load(Ordering::Relaxed) - before;
        started.elapsed().saturating_sub(Duration::from_nanos(searching))
    }

    /// The time that active terms took to find their elements and safe motions since it was asked last.
    pub fn take_searching(&mut self) -> Duration {
        Duration::from_nanos(std::mem::take(self.searching.get_mut()))
    }

    /// The names of two parts that intersect at `x`, by an exact test; `None` if nothing does.
    pub fn intersection(&self, x: &[Vec4]) -> Option<[String; 2]> {
        self.active.iter().find_map(|active| active.intersection(x))
    }

    /// Tells active terms that a step begins with vertices at `x`.
    pub fn begin_step(&mut self, x: &[Vec4]) {
        self.active.iter_mut().for_each(|active| active.begin_step(x));
    }

    /// Lets active terms take anew from `x` what they hold fixed in a minimization; true if one more is needed.
    pub fn lag(&mut self, x: &[Vec4]) -> bool {
        let mut again = false;
        for active in &mut self.active {
            again |= active.lag(x);
        }
        again
    }

    /// What touches at `x`; `None` without contact.
    pub fn touching(&self, x: &[Vec4]) -> Option<Touching> {
        self.active.iter().find_map(|active| active.touching(x))
    }

    /// True if active terms bound motions, and their Hessian belongs into directions.
    pub fn is_bounded(&self) -> bool {
        self.active.iter().any(|active| active.is_bounding())
    }

    /// True if solvers move unknowns by [`Objective::project`], which no energy tells of.
    pub fn projects(&self) -> bool {
        self.active.iter().any(|active| active.projects())
    }

    /// Moves unknowns to where active terms allow them to be, after an iteration.
    pub fn project(&self, x: &mut [Vec4]) {
        let held: Vec<Vec4> = self.held().iter().map(|v| x[*v as usize]).collect();
        self.active.iter().for_each(|active| active.project(x, self.free));
        self.held().iter().zip(held).for_each(|(v, place)| x[*v as usize] = place);
    }

    /// The same at the end of a step.
    pub fn finish(&self, x: &mut [Vec4]) {
        self.active.iter().for_each(|active| active.finish(x, self.free));
    }

    /// Adds the forces in N of active terms that stay the same over a step, which starts at `x`.
    pub fn add_forces(&self, x: &[Vec4], out: &mut [Vec4]) {
        self.active.iter().for_each(|active| active.add_forces(x, out));
    }

    /// True if there are terms whose elements change.
    pub fn has_active(&self) -> bool {
        !self.active.is_empty()
    }
}
