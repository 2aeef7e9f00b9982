//! Positions over time that files hold: those of pinned vertices, and of the vertices of obstacles.
//!
//! All frames are read when the model is built, since a step may need any of them, and stay in memory: 24 bytes for a
//! vertex and frame. Every frame must be the mesh of the body or obstacle in another shape. Polygons that bend may be cut
//! into other triangles in another frame, which is the same mesh all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::carried::carried;
use super::embedded::Embedded;
use super::held::Held;
use super::motion::Course;
use super::notes::Notes;
use super::transform::apply;
use crate::error::{Error, Result};
use crate::io;
use crate::io::point_cache::{self, PointCache, Times};
use crate::mesh::{Mesh, quadratic};
use crate::scene::{Body, MeshSource, Scene, Sequence, Transform};
use elements::math::vec3::{norm, sub};

/// The part of a body's diagonal from which on a jump of pins at the start is worth a warning.
const JUMP: f64 = 1e-4;

/// The positions of all vertices of a mesh.
pub(super) type Positions = Vec<[f64; 3]>;

/// What the files of a sequence hold.
pub(super) struct Frames {
    /// Seconds since the first frame, ascending from 0.
    pub times: Vec<f64>,
    /// The positions of each frame, in the files' unit.
    pub points: Vec<Positions>,
}

/// The places of some vertices over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// Seconds since the first frame, ascending from 0.
    times: Vec<f64>,
    /// The vertices, by ascending numbers within their body or obstacle.
    vertices: Vec<u32>,
    /// Their places in m, frame by frame.
    points: Vec<[f64; 3]>,
}

impl Places {
    /// Those of `vertices` in frames of all vertices, which are placed by a transform.
    pub(super) fn new(frames: &Frames, vertices: Vec<u32>, by: &Transform) -> Places {
        let place = |points: &Positions, v: &u32| apply(by, points[*v as usize]);
        let of = |points| vertices.iter().map(move |v| place(points, v));
        let points = frames.points.iter().flat_map(of).collect();
        Places { times: frames.times.clone(), vertices, points }
    }

    /// The same places under other numbers, ascending as those before.
    pub(super) fn renumbered(mut self, vertices: Vec<u32>) -> Places {
        self.vertices = vertices;
        self
    }

    /// The place of a vertex so many seconds after the first frame, linear between frames and constant outside; `None` if
    /// the vertex is not among them.
    pub fn at(&self, vertex: u32, elapsed: f64) -> Option<[f64; 3]> {
        let number = self.vertices.binary_search(&vertex).ok()?;
        let place = |frame: usize| self.points[frame * self.vertices.len() + number];
        // The first frame after the time.
        let next = self.times.partition_point(|time| *time <= elapsed);
        if next == 0 || next == self.times.len() {
            return Some(place(next.saturating_sub(1)));
        }
        let (before, after) = (self.times[next - 1], self.times[next]);
        let part = (elapsed - before) / (after - before);
        let (a, b) = (place(next - 1), place(next));
        Some(std::array::from_fn(|k| a[k] + part * (b[k] - a[k])))
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// The time from the first to the last frame in s.
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// False if a place is infinite, by a transform that is too large.
    pub(super) fn is_finite(&self) -> bool {
        self.points.as_flattened().iter().all(|x| x.is_finite())
    }
}

/// Reads all frames, each with the positions of all vertices in the files' unit. They must have as many vertices as `mesh` and,
/// with `cells`, the same cells.
pub(super) fn read(sequence: &Sequence, mesh: &Mesh, cells: bool, subject: &str) -> Result<Frames> {
    if let Some((key, reason)) = sequence.refusals().first() {
        return Err(Error::Usage { what: format!("{subject}: {key}: {reason}"), hint: String::new() });
    }
    let (times, points): (Vec<f64>, _) = match sequence.point_cache() {
        Some(path) => {
            let cache = point_cache::read(path)?;
            check_cache(&cache, path, sequence.fps, mesh, subject)?;
            let frames = (0..cache.frames).map(|frame| cache.points(frame)).collect();
            (seconds(&cache, sequence.fps), frames)
        }
        None => {
            let fps = sequence.fps.unwrap_or(1.0);
            let all = sequence.files.iter().enumerate();
            let frames = all.map(|(frame, path)| points(path, frame, mesh, cells, subject));
            let times = (0..sequence.files.len()).map(|frame| frame as f64 / fps).collect();
            (times, frames.collect::<Result<_>>()?)
        }
    };
    let rises = times.windows(2).all(|pair| pair[0] < pair[1]);
    if !rises || !times.iter().all(|time| time.is_finite()) {
        let reason = "the times of its frames do not ascend".into();
        return Err(Error::Mesh { subject: subject.into(), reason, hint: "give another fps".into() });
    }
    Ok(Frames { times, points })
}

/// The times of the frames of a point cache in s since the first.
fn seconds(cache: &PointCache, fps: Option<f64>) -> Vec<f64> {
    let even = |frames: f64| (0..cache.frames).map(|k| k as f64 * frames / fps.unwrap_or(1.0)).collect();
    match &cache.times {
        Times::Seconds(times) if fps.is_none() => times.iter().map(|time| time - times[0]).collect(),
        Times::Seconds(_) => even(1.0),
        Times::Frames(rate) => even(*rate),
    }
}

/// Refuses a point cache for another mesh, and one without times where the scene has none either.
fn check_cache(cache: &PointCache, path: &Path, fps: Option<f64>, mesh: &Mesh, subject: &str) -> Result<()> {
    let refuse = |reason: String, hint: &str| {
        Err(Error::Mesh {
            subject: subject.into(),
            reason: format!("{} {reason}", path.display()),
            hint: hint.into(),
        })
    };
    if cache.vertices != mesh.points.len() {
        let reason =
            format!("has {} vertices in each frame, the mesh has {}", cache.vertices, mesh.points.len());
        let hint = "write the mesh and the point cache from the same object, with the same modifiers";
        return refuse(reason, hint);
    }
    if fps.is_none() && matches!(cache.times, Times::Frames(_)) {
        return refuse("is a PC2 file, which has no times".into(), "give 'fps'");
    }
    Ok(())
}

/// The points of one file of a sequence.
fn points(path: &Path, frame: usize, mesh: &Mesh, cells: bool, subject: &str) -> Result<Positions> {
    let refuse = |reason: String, hint: &str| {
        let reason = format!("{} (frame {frame}) {reason}", path.display());
        Err(Error::Mesh { subject: subject.into(), reason, hint: hint.into() })
    };
    let read = io::read(path)?;
    if read.points.len() != mesh.points.len() {
        let reason = format!("has {} vertices, the mesh has {}", read.points.len(), mesh.points.len());
        return refuse(reason, ONE_MESH);
    }
    if cells && read.triangles.len() != mesh.triangles.len() {
        let reason =
            format!("has {} triangles, the first frame {}", read.triangles.len(), mesh.triangles.len());
        return refuse(reason, ONE_MESH);
    }
    if cells && (read.tets != mesh.tets || !same_surface(&read.triangles, &mesh.triangles)) {
        let reason =
            format!("connects its {} vertices to other cells than the first frame", read.points.len());
        return refuse(reason, ONE_MESH);
    }
    match read.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        Some(v) => refuse(format!("has coordinates that are not finite at vertex {v}"), "write it anew"),
        None => Ok(read.points),
    }
}

const ONE_MESH: &str =
    "all files of a sequence are one mesh in different shapes: leave out what changes its vertices or faces";

/// True if two lists of as many triangles are the same but for polygons that are cut in other ways: where they differ, n
/// triangles in a row have the same n + 2 corners and the same border, which makes them one polygon.
fn same_surface(a: &[[u32; 3]], b: &[[u32; 3]]) -> bool {
    let mut border: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    let mut corners = [BTreeSet::new(), BTreeSet::new()];
    let mut count = 0;
    for (a, b) in a.iter().zip(b) {
        if a == b && border.is_empty() {
            continue;
        }
        count += 1;
        for (own, (t, sign)) in corners.iter_mut().zip([(a, 1), (b, -1)]) {
            own.extend(*t);
            for [from, to] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                // An edge there and one back cancel.
                let (key, sign) = if from < to { ([from, to], sign) } else { ([to, from], -sign) };
                let times = border.entry(key).or_default();
                *times += sign;
                if *times == 0 {
                    border.remove(&key);
                }
            }
        }
        if border.is_empty() {
            if corners[0] != corners[1] || corners[0].len() != count + 2 {
                return false;
            }
            corners.iter_mut().for_each(BTreeSet::clear);
            count = 0;
        }
    }
    border.is_empty()
}

/// The places of vertices of tets that files hold by the surface that the tets were made from.
fn of_surface(
    sequence: &Sequence,
    held: &Held,
    surface: &Embedded,
    (body, mesh): (&Body, &Mesh),
    owner: &str,
) -> Result<Places> {
    let points = surface.embedding.apply(&mesh.points);
    let triangles = surface.surface.triangles.clone();
    let own = Mesh { points, triangles, ..Mesh::default() };
    let mut frames = read(sequence, &own, false, owner)?;
    frames.points.iter_mut().flatten().for_each(|point| *point = apply(&body.transform, *point));
    let rest: Positions = held.vertices.iter().map(|v| mesh.points[*v as usize]).collect();
    let Some(points) = carried(&rest, (&own.points, &own.triangles), &frames.points) else {
        return Err(Error::Mesh {
            subject: owner.into(),
            reason: "its surface has no triangle that could carry vertices".into(),
            hint: "write the surface anew".into(),
        });
    };
    Ok(Places { times: frames.times, vertices: held.vertices.clone(), points: points.concat() })
}

/// The places of each pin of a body that follows files; `None` for other pins. `mesh` is the body's at rest, of which files have
/// the `given` first vertices, the others being the middles of edges, or the vertices of the surface from which it was made;
/// `initial` where it starts.
pub(super) fn of_pins(
    body: &Body,
    pins: &[Held],
    (mesh, given): (&Mesh, usize),
    surfaces: &[Embedded],
    initial: &[[f64; 3]],
    subject: &str,
    notes: &mut Notes,
) -> Result<Vec<Option<Arc<Places>>>> {
    let mut out = vec![];
    for (i, (pin, held)) in body.pins.iter().zip(pins).enumerate() {
        let Some((motion, sequence)) = pin.motion.as_ref().and_then(|m| Some((m, m.sequence()?))) else {
            out.push(None);
            continue;
        };
        let owner = format!("{subject}: pin {i}");
        let refuse = |reason: &str, hint: &str| {
            Err(Error::Mesh { subject: owner.clone(), reason: reason.into(), hint: hint.into() })
        };
        let places = if matches!(body.mesh, MeshSource::Surface { .. }) {
            let [surface] = surfaces else {
                return refuse(
                    "files move the vertices of one surface, but the body has several",
                    "write them into one file, or write the tets with 'pliant mesh' and give them as 'mesh'",
                );
            };
            of_surface(sequence, held, surface, (body, mesh), &owner)?
        } else {
            let own = Mesh { points: mesh.points[..given].to_vec(), ..Mesh::default() };
            let mut frames = read(sequence, &own, false, &owner)?;
            let ends = quadratic::ends(&mesh.tets, &mesh.middles, given);
            frames.points.iter_mut().for_each(|points| quadratic::extend(points, &ends));
            Places::new(&frames, held.vertices.clone(), &body.transform)
        };
        if !places.is_finite() {
            return refuse("its places are not finite", "use smaller numbers in 'transform'");
        }
        // A pin that begins later takes from files by how much its vertices move, and nothing jumps.
        if pin.active.is_none_or(|active| active.from <= 0.0) {
            let told = jump(&places, motion.elapsed(0.0), mesh, initial);
            notes.warnings.extend(told.map(|text| format!("{owner}: {text}")));
        }
        out.push(Some(Arc::new(places)));
    }
    Ok(out)
}

/// Tells if vertices start elsewhere than where files have them.
fn jump(places: &Places, elapsed: f64, mesh: &Mesh, initial: &[[f64; 3]]) -> Option<String> {
    let way = |v: &u32| Some((norm(sub(places.at(*v, elapsed)?, initial[*v as usize])), *v));
    let (longest, vertex) = places.vertices.iter().filter_map(way).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let [low, high] = mesh.bounds().unwrap_or_default();
    (longest > JUMP * norm(sub(high, low))).then(|| {
        format!(
            "its files begin elsewhere than the body: vertex {vertex} goes {longest:.3e} m to its place in the first step \
             (give the body the first frame as its mesh, or as deform = {{ file = … }})"
        )
    })
}

/// For each motion of the model, what it moves: the pins of all bodies, then obstacles.
pub fn owners(scene: &Scene) -> Vec<String> {
    let mut out = vec![];
    for body in &scene.bodies {
        let moving = body.pins.iter().enumerate().filter(|(_, pin)| pin.motion.is_some());
        out.extend(moving.map(|(i, _)| format!("body '{}': pin {i}", body.name)));
    }
    let moving = scene.obstacles.iter().filter(|obstacle| obstacle.motion.is_some());
    out.extend(moving.map(|obstacle| format!("obstacle '{}'", obstacle.name)));
    out
}

/// Notes about files that end before the run does.
pub(super) fn notes(scene: &Scene, motions: &[Course]) -> Vec<String> {
    let end = scene.time.step * scene.time.frames as f64 * scene.time.substeps as f64;
    let told = |(owner, course): (String, &Course)| {
        let last = course.motion.from + course.places.as_ref()?.duration();
        // Half a step is rounding.
        (last + 0.5 * scene.time.step < end.min(course.motion.until)).then(|| {
            format!(
                "{owner} stands still from {last:.6} s on, where its files end; the run ends at {end:.6} s"
            )
        })
    };
    owners(scene).into_iter().zip(motions).filter_map(told).collect()
}

#[cfg(test)]
mod tests;
