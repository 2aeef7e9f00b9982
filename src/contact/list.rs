//! The pairs that may touch, as lists that serve many states.
//!
//! A list made for vertices at x₀ has all pairs whose gap there is less than their range and twice a margin. It tells what
//! touches at x wherever no pair can have come closer by twice the margin. Every part p is followed by its mean
//! displacement t_p; vertex v of it has moved by m_v = |x_v − x₀_v − t_p| besides. The gap of a pair between parts p and q
//! has shrunk by at most
//!
//! ```text
//! max m of the first piece  +  max m of the second piece  +  |t_p − t_q|
//! ```
//!
//! so what falls, slides or flies in one piece uses up no margin, and pairs that are certainly apart are passed over
//! without a look at their geometry: the list ascends by the room that pairs have, so that most of them are not even
//! looked at. What touches, and how far a motion may go, does not depend on the list that told it.
//!
//! There is one list for the pairs within bodies, one for those between bodies, and one for those with obstacles, each
//! made anew when its own parts have moved against each other. Parts whose boxes are far from each other have no pairs:
//! the distance of the boxes is their room.

use super::AT_ONCE;
use super::filter;
use super::hierarchy::{Hierarchy, Scope};
use super::pairs::{Kind, Pair};
use super::surfaces::{NONE, Surfaces};
use std::sync::atomic::{AtomicUsize, Ordering};

use elements::math::lanes::Vec4;
use elements::math::vec3::{add, dot, norm, scale, sub};
use elements::par;

/// The part of a gap that a motion may use up and is certainly not bounded; a bit less than what the filter allows.
pub const FREE: f64 = 0.89;
/// A list is worn if pairs may have come closer by this part of its margin, and
const WORN: f64 = 0.2;
/// as many pairs were looked at as all pairs and primitives, so many times: as much work as making it anew.
const PAYS: usize = 8;
/// Into how many steps the room of pairs is divided.
const STEPS: usize = 32;

type Point = [f64; 3];

/// A pair, and what is known of it since the list was made.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The two pieces, and what their contact is like.
    pub pair: Pair,
    /// Its gap in m when the list was made.
    gap: f64,
    /// The parts of its two pieces.
    parts: [u32; 2],
}

impl Listed {
    /// By how much it may come closer before it touches, in m.
    fn room(&self) -> f64 {
        self.gap - self.pair.range
    }
}

/// A list of pairs.
#[derive(Debug, Default)]
pub struct List {
    /// The pairs, ascending by their room, in steps.
    pairs: Vec<Listed>,
    /// Where each step ends among the pairs.
    ends: Vec<usize>,
    /// The pairs of parts that were near each other.
    near: Vec<[u32; 2]>,
    /// The others, with the room that all of their pieces had, in m.
    far: Vec<([u32; 2], f64)>,
    made_at: Vec<Vec4>,
    margin: f64,
    /// How many pairs were looked at since it was made.
    looked_at: AtomicUsize,
}

/// By how much vertices have moved, apart from what their parts have in common.
pub struct Moved {
    /// For each vertex, in m; 0 for those that no surface has.
    vertices: Vec<f64>,
    /// The mean displacement of each part in m.
    parts: Vec<Point>,
    /// The largest entry of `vertices` for each part.
    most: Vec<f64>,
}

impl Moved {
    /// From `from` to `to`.
    pub fn between(surfaces: &Surfaces, from: &[Vec4], to: &[Vec4]) -> Moved {
        let mut common = vec![[0.0; 3]; surfaces.parts.len()];
        let mut sizes = vec![0.0f64; surfaces.parts.len()];
        for v in 0..from.len() {
            let part = surfaces.part_of(v as u32);
            if part != NONE {
                common[part as usize] = add(common[part as usize], sub(to[v].xyz(), from[v].xyz()));
                sizes[part as usize] += 1.0;
            }
        }
        common.iter_mut().zip(&sizes).for_each(|(sum, size)| *sum = scale(1.0 / size.max(1.0), *sum));
        Moved::besides(surfaces, common, [from, to])
    }

    /// From `from` to `to`, where each vertex may stop on its way.
    pub fn stopping(surfaces: &Surfaces, from: &[Vec4], to: &[Vec4]) -> Moved {
        Moved::besides(surfaces, vec![[0.0; 3]; surfaces.parts.len()], [from, to])
    }

    fn besides(surfaces: &Surfaces, parts: Vec<Point>, [from, to]: [&[Vec4]; 2]) -> Moved {
        let part_of = |v: usize| Some(surfaces.part_of(v as u32) as usize).filter(|p| *p < parts.len());
        let mut vertices = vec![0.0; from.len()];
        par::chunks_mut(&mut vertices, AT_ONCE, |chunk, moved| {
            for (v, moved) in (AT_ONCE * chunk..).zip(moved) {
                if let Some(part) = part_of(v) {
                    *moved = norm(sub(sub(to[v].xyz(), from[v].xyz()), parts[part]));
                }
            }
        });
        let mut most = vec![0.0f64; parts.len()];
        for (v, moved) in vertices.iter().enumerate() {
            if let Some(part) = part_of(v) {
                most[part] = most[part].max(*moved);
            }
        }
        Moved { vertices, parts, most }
    }

    /// By how much a pair may have come closer at the most without what its parts moved, in m, and that, squared.
    fn of(&self, listed: &Listed) -> (f64, f64) {
        let most = |corners: &[u32]| corners.iter().map(|v| self.vertices[*v as usize]).fold(0.0, f64::max);
        let (a, b) = listed.pair.corners.split_at(listed.pair.kind.first());
        let [p, q] = listed.parts.map(|part| self.parts[part as usize]);
        let apart = sub(p, q);
        (most(a) + most(b), dot(apart, apart))
    }

    /// True if a pair may have come closer by `room` or more.
    fn may_use_up(&self, listed: &Listed, room: f64) -> bool {
        let (own, common) = self.of(listed);
        let rest = room - own;
        rest <= 0.0 || common >= rest * rest
    }

    /// By how much any pair between two parts may have come closer at the most, in m.
    fn of_parts(&self, parts: [u32; 2]) -> f64 {
        let [p, q] = parts.map(|part| part as usize);
        self.most[p] + self.most[q] + norm(sub(self.parts[p], self.parts[q]))
    }
}

/// The step of a room, of which the largest is `most`.
fn step(room: f64, most: f64) -> usize {
    ((room / most * STEPS as f64).max(0.0) as usize).min(STEPS - 1)
}

/// Pairs in the order of the steps of their room, with the ends of all steps.
fn by_room(pairs: Vec<Listed>, most: f64) -> (Vec<Listed>, Vec<usize>) {
    let mut ends = vec![0; STEPS];
    pairs.iter().for_each(|listed| ends[step(listed.room(), most)] += 1);
    let mut next = 0;
    let mut starts = ends.clone();
    for (start, end) in starts.iter_mut().zip(&mut ends) {
        *start = next;
        next += *end;
        *end = next;
    }
    let mut sorted = pairs.clone();
    for listed in pairs {
        let start = &mut starts[step(listed.room(), most)];
        sorted[*start] = listed;
        *start += 1;
    }
    (sorted, ends)
}

impl List {
    /// The pairs near each other with vertices at `x`.
    pub fn new(surfaces: &Surfaces, hierarchy: &Hierarchy, scope: Scope, x: &[Vec4], margin: f64) -> List {
        let reach = surfaces.range + 2.0 * margin;
        let fitted = hierarchy.fit(surfaces, scope, [x, x], reach);
        let pairs = fitted.collect(|kind, corners, [p, q], out| {
            let places = corners.map(|v| x[v as usize].xyz());
            let near = reach + surfaces.radii(p, q);
            if filter::boxes_apart(kind.first(), &places) >= near * near {
                return;
            }
            let vector = kind.closest(places).vector;
            if dot(vector, vector) >= near * near {
                return;
            }
            if let Some(pair) = surfaces.complete(kind, corners, p, q) {
                let gap = norm(vector) - pair.offset;
                if gap < pair.range + 2.0 * margin {
                    let parts = if corners[..kind.first()].iter().all(|v| p.corners.contains(v)) {
                        [p.part, q.part]
                    } else {
                        [q.part, p.part]
                    };
                    out.push(Listed { pair, gap, parts });
                }
            }
        });
        let (far, near): (Vec<_>, Vec<_>) = fitted.parts().partition(|(_, apart)| *apart > 0.0);
        let far = far.into_iter().map(|(parts, apart)| (parts, apart + 2.0 * margin)).collect();
        let near = near.into_iter().map(|(parts, _)| parts).collect();
        let (pairs, ends) = by_room(pairs, 2.0 * margin);
        List { pairs, ends, near, far, made_at: x.to_vec(), margin, looked_at: AtomicUsize::new(0) }
    }

    /// By how much any pair of parts that were near each other may have come closer, in m.
    fn closer(&self, moved: &Moved) -> f64 {
        self.near.iter().map(|parts| moved.of_parts(*parts)).fold(0.0, f64::max)
    }

    /// By how much vertices at `x` have moved since the list was made; `Err` tells how much closer pairs may have come
    /// where that is too much for the list.
    pub fn moved(&self, surfaces: &Surfaces, x: &[Vec4]) -> Result<Moved, f64> {
        if self.made_at.len() != x.len() {
            return Err(0.0);
        }
        let moved = Moved::between(surfaces, &self.made_at, x);
        let closer = self.closer(&moved);
        let is_worn = closer > WORN * self.margin
            && self.looked_at.load(Ordering::Relaxed) > PAYS * (self.pairs.len() + surfaces.primitives.len());
        let tells =
            closer < 2.0 * self.margin && self.far.iter().all(|(parts, room)| moved.of_parts(*parts) < *room);
        if tells && !is_worn { Ok(moved) } else { Err(closer) }
    }

    /// Appends what `use_it` makes of the pairs that may be closer than their range, with their kind and corners.
    pub fn near<R: Send>(
        &self,
        moved: &Moved,
        use_it: impl Fn(&Pair) -> Option<R> + Send + Sync,
        out: &mut Vec<((Kind, [u32; 4]), R)>,
    ) {
        out.append(&mut self.collect(self.closer(moved), |listed| {
            let near = moved.may_use_up(listed, listed.room());
            let key = || (listed.pair.kind, listed.pair.corners);
            if near { use_it(&listed.pair).map(|made| (key(), made)) } else { None }
        }));
    }

    /// The pairs whose gap may be less than their range somewhere on a way; `None` where the list does not tell.
    pub fn within(&self, moved: &Moved, way: &Moved) -> Option<Vec<Pair>> {
        let more = self.closer(way);
        let reach = self.closer(moved) + more;
        let stays_far =
            |(parts, room): &([u32; 2], f64)| moved.of_parts(*parts) + way.of_parts(*parts) < *room;
        let select = |listed: &Listed| moved.may_use_up(listed, listed.room() - more).then_some(listed.pair);
        let tells = reach < 2.0 * self.margin && self.far.iter().all(stays_far);
        tells.then(|| self.collect(reach, select))
    }

    /// The largest part of a motion up to 1 that keeps all pairs apart; `way` is what it moves. `None` where the list does
    /// not tell.
    pub fn longest(&self, surfaces: &Surfaces, way: &Moved, [from, to]: [&[Vec4]; 2]) -> Option<f64> {
        let start = self.moved(surfaces, from).ok()?;
        // A pair that has not used up this much of its gap is not bounded by the filter either.
        let free = |left: f64| FREE * left - filter::KEPT * surfaces.range;
        let is_free =
            |(parts, room): &([u32; 2], f64)| way.of_parts(*parts) < free(room - start.of_parts(*parts));
        let [gone, going] = [self.closer(&start), self.closer(way)];
        if going >= free(2.0 * self.margin - gone) || !self.far.iter().all(is_free) {
            return None;
        }
        let reach = (going + filter::KEPT * surfaces.range) / FREE + gone;
        let parts = self.collect(reach, |listed| {
            let (own, common) = start.of(listed);
            let left = free(listed.gap - own - common.sqrt());
            way.may_use_up(listed, left).then(|| filter::longest(&listed.pair, from, to))
        });
        Some(parts.into_iter().fold(1.0, f64::min))
    }

    /// What `use_it` makes of the pairs with at most so much room.
    fn collect<R: Send>(&self, room: f64, use_it: impl Fn(&Listed) -> Option<R> + Send + Sync) -> Vec<R> {
        let last = self.ends.get(step(room, 2.0 * self.margin)).copied().unwrap_or(0);
        let pairs = &self.pairs[..last];
        self.looked_at.fetch_add(pairs.len(), Ordering::Relaxed);
        let found = par::map(pairs.len().div_ceil(AT_ONCE), |chunk| {
            let pairs = &pairs[AT_ONCE * chunk..pairs.len().min(AT_ONCE * (chunk + 1))];
            pairs.iter().filter_map(&use_it).collect::<Vec<R>>()
        });
        found.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::List;
    use crate::config::parse;
    use crate::contact::hierarchy::{Hierarchy, Scope};
    use crate::contact::surfaces::{Part, Surfaces};
    use crate::simulate::Simulation;
    use elements::math::lanes::Vec4;
    use elements::math::random::SplitMix64;

    const SCENE: &str = "[solver]\nkind = \"newton\"\n[contact]\ndistance = 0.02\n\
        [[obstacle]]\nname = \"floor\"\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }\n\
        [[obstacle]]\nname = \"post\"\nshape = { box = { min = [1.01, 0.2, 0.2], max = [1.3, 0.95, 0.7] } }\n\
        [[body]]\nname = \"low\"\nelement = \"linear\"\ngenerate = { shape = \"box\", size = [1, 1, 1], cells = [3, 3, 3] }\n\
        material = { model = \"arap\", young = 1e5, poisson = 0 }\ntransform = { translate = [0, 0.01, 0] }\n\
        [[body]]\nname = \"cloth\"\nthickness = 0.002\ngenerate = { shape = \"cloth\", size = [1, 1], cells = [6, 6] }\n\
        material = { model = \"arap\", young = 1e5, poisson = 0.3 }\ntransform = { translate = [0.1, 1.02, 0.1] }\n";

    fn start() -> Simulation {
        Simulation::start(&parse(SCENE).unwrap().scene).unwrap()
    }

    /// Energy and gradient of contact.
    fn evaluate(simulation: &Simulation, x: &[Vec4]) -> (f64, Vec<Vec4>) {
        let mut iterate = simulation.objective.iterate_at(x.to_vec());
        simulation.objective.evaluate(&mut iterate);
        (iterate.value.active, iterate.active)
    }

    #[test]
    fn what_touches_and_how_far_motions_go_does_not_depend_on_the_list() {
        let used = start();
        let (free, mut random) = (used.objective.free, SplitMix64::new(11));
        let mut x = used.state.x.clone();
        let (mut touched, mut cut) = (0, 0);
        for round in 0..300 {
            // Long and short motions, of single vertices and of whole bodies, towards each other and away.
            let size = [1e-4, 3e-3, 0.03, 0.3][round % 4];
            let way = |random: &mut SplitMix64| [(); 3].map(|_| size * (2.0 * random.uniform() - 1.0));
            let (common, mut to) = (way(&mut random), x.clone());
            for v in &mut to[..free] {
                let own = way(&mut random);
                (0..3).for_each(|k| v.0[k] += common[k] + 0.5 * own[k]);
            }
            let fresh = start();
            let longest = used.objective.longest_part(&x, || &to);
            assert_eq!(longest, fresh.objective.longest_part(&x, || &to), "round {round}");
            cut += usize::from(longest < 1.0);
            for (v, end) in x.iter_mut().zip(&to) {
                (0..3).for_each(|k| v.0[k] += longest * (end.0[k] - v.0[k]));
            }
            let found = evaluate(&used, &x);
            assert!(found.0.is_finite(), "round {round}");
            assert_eq!(found, evaluate(&fresh, &x), "round {round}");
            touched += usize::from(found.0 > 0.0);
        }
        assert!(touched > 50 && cut > 50, "{touched} touched, {cut} were cut");
    }

    /// Triangles above each other: two of a body, 0.1 m apart, and one of an obstacle 1 m below.
    fn three_triangles() -> (Surfaces, Vec<Vec4>) {
        let corner = |height: f64, k: usize| {
            Vec4::new([[0.0, height, 0.0], [1.0, height, 0.0], [0.0, height, 1.0]][k])
        };
        let x: Vec<Vec4> = (0..9).map(|v| corner([0.0, 0.1, -1.0][v / 3], v % 3)).collect();
        let body = Part { triangles: vec![[0, 1, 2], [3, 4, 5]], ..Part::default() };
        let obstacle = Part { is_obstacle: true, triangles: vec![[6, 7, 8]], ..Part::default() };
        (Surfaces::new(vec![body, obstacle], |_, _| true, x.clone(), 6, 0.01), x)
    }

    #[test]
    fn lists_serve_what_falls_until_it_may_touch() {
        let (surfaces, x) = three_triangles();
        let hierarchy = Hierarchy::new(&surfaces, &x);
        let [own, other] =
            [Scope::Own, Scope::Obstacles].map(|scope| List::new(&surfaces, &hierarchy, scope, &x, 0.05));
        let lowered = |by: f64, first: usize| {
            let mut x = x.clone();
            x[first..6].iter_mut().for_each(|v| v.0[1] -= by);
            x
        };
        // All of the body: its own list serves anywhere, that with the obstacle for less than 0.99 m.
        for (by, serves) in [(0.5, true), (0.98, true), (0.995, false)] {
            assert!(own.moved(&surfaces, &lowered(by, 0)).is_ok(), "{by}");
            assert_eq!(other.moved(&surfaces, &lowered(by, 0)).is_ok(), serves, "{by}");
        }
        // One triangle on the other: no more than twice the margin.
        assert!(own.moved(&surfaces, &lowered(0.04, 3)).is_ok());
        assert!(own.moved(&surfaces, &lowered(0.11, 3)).is_err_and(|closer| (closer - 0.11).abs() < 1e-12));
        // Pairs of other scopes are not listed.
        assert!(own.pairs.iter().all(|listed| listed.parts == [0, 0]) && !own.pairs.is_empty());
        assert!(other.pairs.is_empty() && other.far.len() == 1);
    }
}
