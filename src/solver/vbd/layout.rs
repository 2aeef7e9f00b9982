//! Which vertices move together, and the elements around each.
//!
//! Vertices that share no element have the same colour: the colouring of elements (see
//! [`sparse::colouring`](sparse::colouring)) with the parts of vertices and elements exchanged. Four vertices of a
//! colour make a bundle, computed side by side; a colour is sorted by how many elements its vertices have of each
//! term, so that few lanes of a bundle wait for the others.

use std::ops::Range;

use crate::step::Objective;
use elements::energy::vertex::{self, Star};
use elements::math::lanes::WIDTH;
use elements::math::vec3::{norm, sub};
use sparse::colouring;

/// The bundles, their colours and the elements around them. All of it stays the same while the same unknowns are held.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) bundles: Vec<Bundle>,
    /// The range of bundles of each colour.
    pub(super) colours: Vec<Range<usize>>,
    stars: Vec<Part>,
    rows: Vec<[u32; WIDTH]>,
    others: Vec<[u32; WIDTH]>,
    numbers: Vec<[f64; WIDTH]>,
}

/// Up to four vertices of one colour.
pub(super) struct Bundle {
    /// How many of the four vertices count; the others repeat the last of them.
    pub(super) count: usize,
    pub(super) vertices: [u32; WIDTH],
    /// The distance from each vertex to the nearest other corner at rest, in m.
    pub(super) size: [f64; WIDTH],
    stars: Range<usize>,
}

/// The elements of one term around a bundle.
struct Part {
    term: usize,
    rows: Range<usize>,
    others: Range<usize>,
    numbers: Range<usize>,
    counts: [u32; WIDTH],
}

/// The elements around a vertex, as (term, corners · element + corner), ascending.
type Around = Vec<(u32, u32)>;

impl Layout {
    pub(super) fn new(objective: &Objective) -> Layout {
        let around = around(objective);
        let mut layout = Layout::default();
        for mut class in classes(objective, &around) {
            class.retain(|v| objective.moves(*v as usize));
            class.sort_by_cached_key(|v| signature(&around[*v as usize]));
            let first = layout.bundles.len();
            for four in class.chunks(WIDTH) {
                layout.bundle(objective, &around, four);
            }
            layout.colours.push(first..layout.bundles.len());
        }
        layout
    }

    /// The terms around a bundle with their elements.
    pub(super) fn stars(&self, bundle: &Bundle) -> impl Iterator<Item = (usize, Star<'_>)> {
        self.stars[bundle.stars.clone()].iter().map(|part| {
            let star = Star {
                rows: &self.rows[part.rows.clone()],
                others: &self.others[part.others.clone()],
                numbers: &self.numbers[part.numbers.clone()],
                counts: part.counts,
            };
            (part.term, star)
        })
    }

    fn bundle(&mut self, objective: &Objective, around: &[Around], four: &[u32]) {
        let vertices = std::array::from_fn(|lane| four[lane.min(four.len() - 1)]);
        let first = self.stars.len();
        for term in 0..objective.terms.len() {
            let mut columns = [&[][..]; WIDTH];
            for (column, v) in columns.iter_mut().zip(four) {
                *column = of_term(&around[*v as usize], term as u32);
            }
            let longest = columns.iter().map(|c| c.len()).max().unwrap_or(0);
            if longest == 0 {
                continue;
            }
            // A lane without a further element repeats its last one, or takes one of another vertex.
            let any = columns.iter().find_map(|c| c.first()).map_or(0, |(_, slot)| *slot);
            let slot = |c: &[(u32, u32)], row: usize| c.get(row).or(c.last()).map_or(any, |(_, slot)| *slot);
            let rows: Vec<_> = (0..longest).map(|row| columns.map(|c| slot(c, row))).collect();
            self.add_part(objective, term, &rows, columns.map(|c| c.len() as u32));
        }
        self.bundles.push(Bundle {
            count: four.len(),
            vertices,
            size: vertices.map(|v| size(objective, &around[v as usize], v)),
            stars: first..self.stars.len(),
        });
    }

    fn add_part(&mut self, objective: &Objective, term: usize, rows: &[[u32; WIDTH]], counts: [u32; WIDTH]) {
        let energy = objective.terms[term].as_ref();
        let numbers = energy.vertexwise().map_or(vec![], |own| own.numbers(rows));
        self.stars.push(Part {
            term,
            rows: append(&mut self.rows, rows),
            others: append(&mut self.others, &vertex::others(energy, rows)),
            numbers: append(&mut self.numbers, &numbers),
            counts,
        });
    }
}

fn append<T: Clone>(all: &mut Vec<T>, own: &[T]) -> Range<usize> {
    let first = all.len();
    all.extend_from_slice(own);
    first..all.len()
}

/// The elements around each unknown that moves. If an element names a vertex twice, only the first has a weight.
fn around(objective: &Objective) -> Vec<Around> {
    let mut around = vec![vec![]; objective.free];
    for (t, term) in objective.terms.iter().enumerate() {
        for e in 0..term.len() {
            let vertices = term.element(e);
            for (c, v) in vertices.iter().enumerate() {
                if objective.moves(*v as usize) && !vertices[..c].contains(v) {
                    around[*v as usize].push((t as u32, (e * term.corners() + c) as u32));
                }
            }
        }
    }
    around
}

/// The vertices of each colour.
fn classes(objective: &Objective, around: &[Around]) -> Vec<Vec<u32>> {
    let mut bases = vec![];
    let mut total = 0;
    for term in &objective.terms {
        bases.push(total);
        total += term.len();
    }
    // Elements get one common numbering. Each vertex adds an element of its own, as there may be no other.
    let elements: Vec<Vec<u32>> = (around.iter().enumerate())
        .map(|(v, around)| {
            let element = |(t, slot): &(u32, u32)| {
                bases[*t as usize] + *slot as usize / objective.terms[*t as usize].corners()
            };
            around.iter().map(element).chain([total + v]).map(|e| e as u32).collect()
        })
        .collect();
    colouring::colours(total + around.len(), around.len(), |v| &elements[v])
}

fn of_term(around: &[(u32, u32)], term: u32) -> &[(u32, u32)] {
    let start = around.partition_point(|(t, _)| *t < term);
    let end = around.partition_point(|(t, _)| *t <= term);
    &around[start..end]
}

/// How many elements a vertex has of each term.
fn signature(around: &[(u32, u32)]) -> Vec<(u32, usize)> {
    around.chunk_by(|a, b| a.0 == b.0).map(|part| (part[0].0, part.len())).collect()
}

/// The distance to the nearest other corner at rest, in m; infinite for a vertex without neighbours.
fn size(objective: &Objective, around: &[(u32, u32)], vertex: u32) -> f64 {
    let at = |v: u32| objective.rest[v as usize].xyz();
    let mut nearest = f64::INFINITY;
    for (t, slot) in around {
        let term = &objective.terms[*t as usize];
        for v in term.element(*slot as usize / term.corners()).iter().filter(|v| **v != vertex) {
            nearest = nearest.min(norm(sub(at(*v), at(vertex))));
        }
    }
    nearest
}
