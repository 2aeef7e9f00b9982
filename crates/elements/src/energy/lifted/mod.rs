//! Terms of tets on quadratic tets: each point of quadrature is a linear tet between virtual corners.
//!
//! ```text
//! x̃ = E x,      F = Σ_c x̃_c g_cᵀ,      E_element(x) = Σ_points e(E x),      forces = Σ_points Eᵀ f̃
//! ```
//!
//! In a quadratic tet the derivative of the place in barycentric coordinates is linear in its ten nodes; four such
//! derivatives are the virtual corners of a point ([`rule`]), and F is that of a linear tet between them. So every term
//! that knows linear tets, whatever it is (a material, limits, fibres, viscosity), serves quadratic ones with all its
//! capabilities, and D, hence the system matrix, stays constant.
//!
//! An element may have several parts, each with a rule of its own: what resists changes of volume is evaluated at the
//! centre, where one condition an element does not lock. The inner terms number the virtual corners of a chunk from 0, so
//! that these stay in the cache.

mod capabilities;
pub mod rule;

use std::cell::RefCell;

use super::constraint::Compliant;
use super::proximal::Proximal;
use super::vertex::Vertexwise;
use super::{CHUNK, ElementState, Energy, Role};
use crate::math::lanes::{Vec4, dispatch};
use rule::{CORNERS, Drop, Lift, Rule};

/// Nodes of a quadratic tet.
pub const NODES: usize = 10;

/// Virtual corners of as many points as a chunk has.
const CORNERS_AT_ONCE: usize = CORNERS * CHUNK;

thread_local! {
    /// Virtual corners, a second set of them, and forces on them.
    static ROOM: RefCell<[Vec<Vec4>; 3]> = RefCell::new([(); 3].map(|()| vec![Vec4::ZERO; CORNERS_AT_ONCE]));
}

/// Calls `f` with room for the virtual corners of a chunk, twice, and for forces.
fn with_room<R>(f: impl FnOnce(&mut [Vec<Vec4>; 3]) -> R) -> R {
    ROOM.with(|room| f(&mut room.borrow_mut()))
}

/// A part of the energy of each element.
pub struct Part {
    /// Where it is evaluated.
    pub rule: Rule,
    /// Its points as linear tets: point q of element e is number `points · e + q`, between the corners that
    /// [`corners`] gives.
    pub inner: Box<dyn Energy>,
}

/// The numbers of the virtual corners of a point, as inner terms have them.
pub fn corners(point: usize) -> [u32; 4] {
    std::array::from_fn(|c| (CORNERS * (point % CHUNK) + c) as u32)
}

/// Quadratic tets with one energy or several.
pub struct Lifted {
    nodes: Vec<[u32; NODES]>,
    parts: Vec<Part>,
}

/// The points of a part in a chunk of elements: those of one of its inner chunks.
struct Batch {
    /// The elements.
    elements: std::ops::Range<usize>,
    /// The number of the inner chunk.
    inner: usize,
}

impl Lifted {
    /// Elements with the given nodes. The first part is the one that tells the state and the volume of elements.
    pub fn new(nodes: Vec<[u32; NODES]>, parts: Vec<Part>) -> Lifted {
        assert!(!parts.is_empty(), "an element has an energy");
        for part in &parts {
            assert_eq!(part.inner.len(), part.rule.points() * nodes.len(), "{}: points", part.inner.name());
            assert_eq!(part.inner.corners(), CORNERS, "{}: corners of a point", part.inner.name());
        }
        Lifted { nodes, parts }
    }

    /// The points of a part in a chunk, as many at a time as an inner chunk has.
    fn batches(&self, rule: Rule, chunk: usize) -> impl Iterator<Item = Batch> + use<> {
        let (points, len) = (rule.points(), self.nodes.len());
        let at_once = CHUNK / points;
        (points * chunk..points * (chunk + 1))
            .map(move |inner| Batch {
                elements: (at_once * inner).min(len)..(at_once * (inner + 1)).min(len),
                inner,
            })
            .filter(|batch| !batch.elements.is_empty())
    }

    /// Writes the virtual corners of elements, which are the first ones of a batch.
    fn lift(&self, rule: Rule, elements: std::ops::Range<usize>, x: &[Vec4], out: &mut [Vec4]) {
        dispatch(Lift { rule, nodes: &self.nodes[elements], x, out });
    }

    /// Writes the virtual corners of one element where its points have them in their batch.
    fn lift_one(&self, rule: Rule, element: usize, x: &[Vec4], out: &mut [Vec4]) {
        let first = corners(rule.points() * element)[0] as usize;
        self.lift(rule, element..element + 1, x, &mut out[first..]);
    }

    fn evaluate_by(
        &self,
        chunk: usize,
        x: &[Vec4],
        slots: &mut [Vec4],
        evaluate: impl Fn(&dyn Energy, usize, &[Vec4], &mut [Vec4]) -> f64,
    ) -> f64 {
        slots.fill(Vec4::ZERO);
        let mut sum = 0.0;
        with_room(|[places, _, forces]| {
            for part in &self.parts {
                for batch in self.batches(part.rule, chunk) {
                    self.lift(part.rule, batch.elements.clone(), x, places);
                    let padded = part.inner.slots() - CORNERS_AT_ONCE * batch.inner;
                    let forces = &mut forces[..padded.min(CORNERS_AT_ONCE)];
                    sum += evaluate(part.inner.as_ref(), batch.inner, places, forces);
                    let first = NODES * (batch.elements.start - CHUNK * chunk);
                    let slots = &mut slots[first..][..NODES * batch.elements.len()];
                    dispatch(Drop { rule: part.rule, forces, slots });
                }
            }
        });
        sum
    }

    /// Calls `f(point, shares)` for the points of an element in each part.
    fn each_point(&self, element: usize, mut f: impl FnMut(&Part, usize, &[[f64; NODES]; CORNERS])) {
        for part in &self.parts {
            for point in 0..part.rule.points() {
                f(part, part.rule.points() * element + point, &part.rule.shares(point));
            }
        }
    }
}

/// Adds `shares`ᵀ M `shares` to `out`, where M has a block of `size`² numbers for each pair of virtual corners and `out`
/// one for each pair of nodes.
fn add_squared(shares: &[[f64; NODES]; CORNERS], m: &[f64], size: usize, out: &mut [f64]) {
    let (inner, outer) = (size * CORNERS, size * NODES);
    for c in 0..CORNERS {
        for d in 0..CORNERS {
            for a in (0..NODES).filter(|a| shares[c][*a] != 0.0) {
                for b in (0..NODES).filter(|b| shares[d][*b] != 0.0) {
                    let weight = shares[c][a] * shares[d][b];
                    for k in 0..size * size {
                        let (i, j) = (k / size, k % size);
                        out[outer * (size * a + i) + size * b + j] +=
                            weight * m[inner * (size * c + i) + size * d + j];
                    }
                }
            }
        }
    }
}

impl Energy for Lifted {
    fn name(&self) -> String {
        self.parts[0].inner.name()
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn corners(&self) -> usize {
        NODES
    }

    fn slots(&self) -> usize {
        NODES * self.nodes.len()
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.nodes[index]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        self.evaluate_by(chunk, x, slots, |inner, chunk, x, slots| inner.evaluate(chunk, x, slots))
    }

    fn evaluate_projective(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        self.evaluate_by(chunk, x, slots, |inner, chunk, x, slots| inner.evaluate_projective(chunk, x, slots))
    }

    fn element_system(&self, element: usize, out: &mut [f64]) {
        out.fill(0.0);
        let mut own = [0.0; CORNERS * CORNERS];
        self.each_point(element, |part, point, shares| {
            part.inner.element_system(point, &mut own);
            add_squared(shares, &own, 1, out);
        });
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"quadratic");
        hasher.update(bytemuck::cast_slice(self.nodes.as_flattened()));
        self.parts.iter().for_each(|part| part.inner.hash_system(hasher));
    }

    fn is_projective(&self) -> bool {
        self.parts.iter().all(|part| part.inner.is_projective())
    }

    fn proximal(&self) -> Option<&dyn Proximal> {
        self.parts.iter().all(|part| part.inner.proximal().is_some()).then_some(self)
    }

    fn compliant(&self) -> Option<&dyn Compliant> {
        self.parts.iter().all(|part| part.inner.compliant().is_some()).then_some(self)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        self.parts.iter().all(|part| part.inner.expanding().is_some()).then_some(self)
    }

    fn scale(&self) -> f64 {
        self.parts.iter().map(|part| part.inner.scale()).sum()
    }

    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]) {
        out.fill(0.0);
        let mut own = [0.0; 9 * CORNERS * CORNERS];
        with_room(|[places, ..]| {
            for part in &self.parts {
                self.lift_one(part.rule, element, x, places);
                for point in 0..part.rule.points() {
                    part.inner.hessian(part.rule.points() * element + point, places, project, &mut own);
                    add_squared(&part.rule.shares(point), &own, 3, out);
                }
            }
        });
    }

    fn is_feasible(&self, chunk: usize, x: &[Vec4]) -> bool {
        with_room(|[places, ..]| {
            self.parts.iter().all(|part| {
                self.batches(part.rule, chunk).all(|batch| {
                    self.lift(part.rule, batch.elements, x, places);
                    part.inner.is_feasible(batch.inner, places)
                })
            })
        })
    }

    fn role(&self) -> Role {
        self.parts[0].inner.role()
    }

    fn rescale(&mut self, factor: f64) -> bool {
        self.parts.iter_mut().all(|part| part.inner.rescale(factor))
    }

    fn set_base_of(&mut self, chunk: usize, middle: &[Vec4], base: &[Vec4]) {
        with_room(|[middles, bases, _]| {
            for n in 0..self.parts.len() {
                let rule = self.parts[n].rule;
                for batch in self.batches(rule, chunk) {
                    self.lift(rule, batch.elements.clone(), middle, middles);
                    self.lift(rule, batch.elements, base, bases);
                    self.parts[n].inner.set_base_of(batch.inner, middles, bases);
                }
            }
        });
    }

    /// The number is that of inverted points.
    fn volumes(&self, chunk: usize, x: &[Vec4]) -> Option<(f64, usize)> {
        let (part, mut found) = (&self.parts[0], None);
        with_room(|[places, ..]| {
            for batch in self.batches(part.rule, chunk) {
                self.lift(part.rule, batch.elements, x, places);
                let (lowest, inverted) = part.inner.volumes(batch.inner, places)?;
                let (least, count) = found.unwrap_or((f64::INFINITY, 0));
                found = Some((lowest.min(least), inverted + count));
            }
            found
        })
    }

    /// Energies are means over the points, and so is the stress, to which parts other than the first add pressure alone;
    /// det F is the lowest one.
    fn inspect(&self, chunk: usize, x: &[Vec4], states: &mut [ElementState]) -> bool {
        let mut own = vec![ElementState::default(); CHUNK];
        for (n, part) in self.parts.iter().enumerate() {
            let points = part.rule.points();
            for batch in self.batches(part.rule, chunk) {
                let own = &mut own[..points * batch.elements.len()];
                let has_states = with_room(|[places, ..]| {
                    self.lift(part.rule, batch.elements.clone(), x, places);
                    part.inner.inspect(batch.inner, places, own)
                });
                if !has_states {
                    return false;
                }
                let states = &mut states[batch.elements.start - CHUNK * chunk..];
                for (state, of) in states.iter_mut().zip(own.chunks_exact(points)) {
                    let mean = |f: fn(&ElementState) -> f64| of.iter().map(f).sum::<f64>() / points as f64;
                    let energy = mean(|s| s.energy_density);
                    if n > 0 {
                        state.energy_density += energy;
                    } else {
                        state.energy_density = energy;
                        state.von_mises = mean(|s| s.von_mises);
                        state.det_f = of.iter().map(|s| s.det_f).fold(f64::INFINITY, f64::min);
                    }
                }
            }
        }
        true
    }
}
