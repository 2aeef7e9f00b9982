//! Regions of the mesh that are swept side by side.
//!
//! Unknowns are numbered by nested dissection, so that a range of numbers is a region with a short boundary. All
//! numbers are cut in two, such that the smaller half has as many elements as possible. Each half is cut again, and so
//! on. A sweep goes through the elements of both halves, side by side, and then through those that have unknowns in
//! both. These go colour by colour, on a copy of their vertices. The order depends on the mesh alone.

use std::ops::Range;

use super::{Multipliers, project};
use crate::step::Objective;
use elements::energy::constraint::{Batch, CORNERS, Changes, Compliant, Sweep};
use elements::math::lanes::{Kernel, Lane, Vec4, WIDTH, dispatch};
use elements::par;
use sparse::colouring;

/// The least number of elements of a half. They have some 30 colours, and [`WIDTH`] elements are projected at a time.
const ELEMENTS: usize = 2048;
/// The largest number of batches of a run.
const BATCHES: usize = 16;

/// A range of unknowns, and all elements whose unknowns lie in it.
#[derive(Default)]
pub(super) struct Region {
    /// The number of unknowns of the region.
    size: usize,
    halves: Option<Box<[Region; 2]>>,
    /// The elements that lie in neither half.
    part: Part,
}

impl Region {
    /// Sorts all elements that have vertices to move into regions.
    pub(super) fn new(objective: &Objective) -> Region {
        let places = (0..objective.terms.len())
            .flat_map(|term| (0..objective.terms[term].len()).map(move |element| Place { term, element }))
            .filter(|place| place.vertices(objective).iter().any(|v| objective.moves(*v as usize)))
            .collect();
        let mut local = vec![0; objective.rest.len()];
        Region::build(objective, 0..objective.free, places, &mut local)
    }

    fn build(objective: &Objective, range: Range<usize>, places: Vec<Place>, local: &mut [u32]) -> Region {
        let size = range.len();
        let (cut, smaller) = cut(range.clone(), places.iter().map(|place| place.span(objective)));
        if smaller < ELEMENTS {
            return Region { size, halves: None, part: Part::new(objective, range.start, &places, local) };
        }
        let (mut lower, mut upper, mut both) = (vec![], vec![], vec![]);
        for place in places {
            let span = place.span(objective);
            let side = match span {
                _ if span.end <= cut => &mut lower,
                _ if span.start >= cut => &mut upper,
                _ => &mut both,
            };
            side.push(place);
        }
        let halves = [(range.start..cut, lower), (cut..range.end, upper)];
        let halves = halves.map(|(range, places)| Region::build(objective, range, places, local));
        let part = Part::new(objective, range.start, &both, local);
        Region { size, halves: Some(Box::new(halves)), part }
    }

    /// Projects all constraints once, with the unknowns at `x` and the prescribed vertices at `fixed`.
    pub(super) fn sweep(&mut self, project: &Project, x: &mut [Vec4], fixed: &[Vec4]) {
        if let Some(halves) = &mut self.halves {
            let [lower, upper] = &mut **halves;
            let (below, above) = x.split_at_mut(lower.size);
            par::both(|| lower.sweep(project, below, fixed), || upper.sweep(project, above, fixed));
        }
        self.part.sweep(project, x, fixed);
    }

    /// Collects the numbers of all batches anew, after the stiffness of terms has changed.
    pub(super) fn repack(&mut self, objective: &Objective) {
        self.halves.iter_mut().flat_map(|halves| halves.iter_mut()).for_each(|half| half.repack(objective));
        self.part.repack(objective);
    }

    /// Calls `f` for all batches, in a fixed order.
    pub(super) fn visit(&mut self, f: &mut impl FnMut(&mut Batch)) {
        self.halves.iter_mut().flat_map(|halves| halves.iter_mut()).for_each(|half| half.visit(f));
        self.part.batches.iter_mut().for_each(f);
    }
}

/// Everything that a sweep needs to project constraints.
pub(super) struct Project<'a> {
    /// The objective, whose terms have the elements.
    pub(super) objective: &'a Objective,
    /// The settings that all constraints share.
    pub(super) sweep: Sweep,
    /// The number of constraints per element of each term.
    pub(super) counts: &'a [usize],
}

impl Project<'_> {
    /// Projects batches of one term that share no unknown; `numbers` holds what the term packed for them.
    fn run(&self, batches: &mut [Batch], numbers: &[[f64; WIDTH]], x: &[Vec4], changes: &mut [Changes]) {
        let term = batches[0].term;
        let constraints = self.counts[term];
        let Some(energy) = self.objective.terms[term].compliant() else { return };
        if let Some(energy) = energy.batched() {
            energy.project(&self.sweep, constraints, batches, numbers, x, changes);
            return;
        }
        for (batch, change) in batches.iter_mut().zip(changes) {
            project(&self.sweep, energy, constraints, batch, x, change);
        }
    }
}

/// An element of a term.
#[derive(Clone, Copy)]
struct Place {
    term: usize,
    element: usize,
}

impl Place {
    fn vertices(self, objective: &Objective) -> &[u32] {
        objective.terms[self.term].element(self.element)
    }

    /// The range of its unknowns, empty if it has none.
    fn span(self, objective: &Objective) -> Range<usize> {
        let vertices = self.vertices(objective).iter().map(|v| *v as usize);
        let unknowns = vertices.filter(|v| *v < objective.free);
        let (first, end) = unknowns.fold((usize::MAX, 0), |(first, end), v| (first.min(v), end.max(v + 1)));
        first..end
    }
}

/// Where to cut a range of unknowns, and how many elements the smaller half then has. The cut makes the half with fewer
/// elements as large as possible, so that few elements are left for the other half and between them.
fn cut(range: Range<usize>, spans: impl Iterator<Item = Range<usize>>) -> (usize, usize) {
    // How many elements end before each number, and how many start there or later.
    let (mut below, mut above) = (vec![0usize; range.len() + 1], vec![0usize; range.len() + 1]);
    for span in spans {
        below[span.end - range.start] += 1;
        above[span.start - range.start] += 1;
    }
    for i in 1..=range.len() {
        below[i] += below[i - 1];
        above[range.len() - i] += above[range.len() + 1 - i];
    }
    let smaller = |i: usize| below[i].min(above[i]);
    let best = (0..=range.len()).max_by_key(|i| smaller(*i)).expect("at least one place");
    (range.start + best, smaller(best))
}

/// Elements that are swept one after the other.
#[derive(Default)]
struct Part {
    /// Its unknowns, counted from the first one of the region, and its prescribed vertices, counted
    /// from the first of all.
    unknowns: Vec<u32>,
    prescribed: Vec<u32>,
    /// The positions of all of them, in that order. The vertices of batches are indices into this array.
    x: Vec<Vec4>,
    batches: Vec<Batch>,
    /// The numbers that terms packed for their batches, and where those of each batch start.
    numbers: Vec<[f64; WIDTH]>,
    starts: Vec<usize>,
    /// Batches of one colour and one term that are projected together: no batch reads what another changes.
    runs: Vec<Range<usize>>,
    /// How far the batches of a run move their corners.
    changes: Vec<Changes>,
}

impl Part {
    /// Sorts elements into batches by colour. `first` is the region's first unknown, and `local` is scratch space
    /// with a number per vertex.
    fn new(objective: &Objective, first: usize, places: &[Place], local: &mut [u32]) -> Part {
        let mut vertices: Vec<u32> =
            places.iter().flat_map(|place| place.vertices(objective)).copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices.iter().zip(0..).for_each(|(v, i)| local[*v as usize] = i);
        let (unknowns, prescribed) =
            vertices.split_at(vertices.partition_point(|v| (*v as usize) < objective.free));
        let mut part = Part {
            unknowns: unknowns.iter().map(|v| v - first as u32).collect(),
            prescribed: prescribed.iter().map(|v| v - objective.free as u32).collect(),
            x: vec![Vec4::ZERO; vertices.len()],
            changes: vec![[[Vec4::ZERO; WIDTH]; CORNERS]; BATCHES],
            ..Part::default()
        };
        let element = |i: usize| places[i].vertices(objective);
        for class in colouring::colours(objective.free, places.len(), element) {
            let of_class: Vec<Place> = class.iter().map(|i| places[*i as usize]).collect();
            for run in
                of_class.chunk_by(|a, b| a.term == b.term).flat_map(|group| group.chunks(BATCHES * WIDTH))
            {
                let first = part.batches.len();
                part.batches.extend(run.chunks(WIDTH).map(|four| batch(objective, four, local)));
                part.runs.push(first..part.batches.len());
            }
        }
        part.repack(objective);
        part
    }

    /// Collects the numbers of the batches.
    fn repack(&mut self, objective: &Objective) {
        self.numbers.clear();
        self.starts.clear();
        self.starts.push(0);
        for batch in &self.batches {
            if let Some(term) = objective.terms[batch.term].compliant().and_then(Compliant::batched) {
                self.numbers.extend(term.packed(&batch.elements));
            }
            self.starts.push(self.numbers.len());
        }
    }

    /// Projects all of its constraints; `unknowns` are those of the region.
    fn sweep(&mut self, project: &Project, unknowns: &mut [Vec4], fixed: &[Vec4]) {
        let (own, others) = self.x.split_at_mut(self.unknowns.len());
        own.iter_mut().zip(&self.unknowns).for_each(|(x, v)| *x = unknowns[*v as usize]);
        others.iter_mut().zip(&self.prescribed).for_each(|(x, v)| *x = fixed[*v as usize]);
        for run in &self.runs {
            let batches = &mut self.batches[run.clone()];
            let numbers = &self.numbers[self.starts[run.start]..self.starts[run.end]];
            let changes = &mut self.changes[..batches.len()];
            project.run(batches, numbers, &self.x, changes);
            let corners = project.objective.terms[batches[0].term].corners();
            let unknowns = &mut self.x[..self.unknowns.len()];
            dispatch(Apply { corners, batches, changes, unknowns });
        }
        self.unknowns.iter().zip(&self.x).for_each(|(v, x)| unknowns[*v as usize] = *x);
    }
}

/// A batch of up to [`WIDTH`] elements of a term, with vertices by their `local` numbers.
fn batch(objective: &Objective, four: &[Place], local: &[u32]) -> Batch {
    let last = four[four.len() - 1];
    let mut batch = Batch {
        term: last.term,
        count: four.len(),
        elements: [last.element as u32; WIDTH],
        vertices: [[0; WIDTH]; CORNERS],
        mass: [[0.0; WIDTH]; CORNERS],
        multipliers: Multipliers::default(),
    };
    for lane in 0..WIDTH {
        let place = *four.get(lane).unwrap_or(&last);
        batch.elements[lane] = place.element as u32;
        for (c, v) in place.vertices(objective).iter().map(|v| *v as usize).enumerate() {
            batch.vertices[c][lane] = local[v];
            if objective.moves(v) {
                batch.mass[c][lane] = 1.0 / objective.mass[v];
            }
        }
    }
    batch
}

/// The kernel that moves the unknowns of batches of a term.
struct Apply<'a> {
    corners: usize,
    batches: &'a [Batch],
    changes: &'a [Changes],
    unknowns: &'a mut [Vec4],
}

impl Kernel for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (batch, changes) in self.batches.iter().zip(self.changes) {
            for (vertices, changes) in batch.vertices.iter().zip(changes).take(self.corners) {
                for lane in 0..batch.count {
                    if let Some(x) = self.unknowns.get_mut(vertices[lane] as usize) {
                        x.0 = (L::load(&x.0) + L::load(&changes[lane].0)).to_array();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;
    use crate::simulate::Simulation;

    /// A beam of 12,000 tets, held at one end, and by springs in the middle.
    fn beam() -> Objective {
        let text = r#"
            [solver]
            kind = "pd"
            [[body]]
            element = "linear"
            generate = { shape = "beam", size = [20, 10, 10], cells = [20, 10, 10], split = 6 }
            material = { model = "arap", young = 1e5 }
            [[body.pin]]
            select = { box = { min = [-1, -1, -1], max = [0.5, 99, 99] } }
            [[body.pin]]
            select = { box = { min = [9.5, -1, -1], max = [10.5, 99, 99] } }
            kind = { soft = 1e3 }
        "#;
        let config = crate::config::parse(text).unwrap().scene;
        Simulation::new(&config, &Cache::disabled()).unwrap().0.objective
    }

    /// Collects the elements, checks that those of a run have no vertex in common, and counts the regions.
    fn check(region: &Region, seen: &mut Vec<(usize, u32)>) -> usize {
        let mut regions = 1;
        if let Some([lower, upper]) = region.halves.as_deref() {
            regions += check(lower, seen) + check(upper, seen);
            assert_eq!(lower.size + upper.size, region.size);
        }
        let part = &region.part;
        assert!(part.unknowns.is_sorted() && part.unknowns.iter().all(|v| (*v as usize) < region.size));
        for run in &part.runs {
            let mut touched = vec![false; part.unknowns.len()];
            for batch in &part.batches[run.clone()] {
                for lane in 0..batch.count {
                    seen.push((batch.term, batch.elements[lane]));
                    for corner in 0..CORNERS {
                        let moves = batch.mass[corner][lane] > 0.0;
                        let place = batch.vertices[corner][lane] as usize;
                        assert!(!moves || !std::mem::replace(&mut touched[place], true));
                    }
                }
            }
        }
        regions
    }

    #[test]
    fn every_element_is_in_one_region() {
        let objective = beam();
        let all = Region::new(&objective);
        assert_eq!(all.size, objective.free);
        let mut seen = vec![];
        let regions = check(&all, &mut seen);
        assert!(regions >= 5, "{regions} regions");
        seen.sort_unstable();
        let wanted: Vec<(usize, u32)> = (0..objective.terms.len())
            .flat_map(|t| (0..objective.terms[t].len() as u32).map(move |e| (t, e)))
            .filter(|(t, e)| {
                let vertices = objective.terms[*t].element(*e as usize);
                vertices.iter().any(|v| (*v as usize) < objective.free)
            })
            .collect();
        assert!(wanted.len() > 10_000);
        assert_eq!(seen, wanted);
    }

    #[test]
    fn a_cut_leaves_the_most_to_the_smaller_half() {
        // Two chains of 10 links each, and one link between them, which is the only one that crosses the cut.
        let spans = (0..10).chain(11..21).map(|i| 100 + i..102 + i).chain(std::iter::once(105..118));
        assert_eq!(cut(100..122, spans), (111, 10));
        // All elements span the whole range, so neither half has any.
        assert_eq!(cut(0..9, std::iter::repeat_n(0..9, 5)).1, 0);
        assert_eq!(cut(0..0, std::iter::empty()), (0, 0));
    }
}
