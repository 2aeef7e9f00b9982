//! A start in which surfaces intersect: what is said and shown of it.

use std::collections::{BTreeMap, BTreeSet};

use super::contact_numbers::rounded;
use crate::contact::Contact;
use crate::contact::excluded::is_closed;
use crate::contact::overlap::{Meeting, Overlap};
use crate::error::intersecting::Intersecting;
use crate::error::{Error, Result};
use crate::mesh::tree::Tree;
use crate::mesh::winding::Winding;
use crate::scene::{ContactStart, Scene};
use elements::math::lanes::Vec4;

/// How many pairs of parts, and how many places of each, are named.
const NAMED: usize = 3;

/// Refuses a start with intersections, or with parts that are closer than their thickness. Where the scene wants that, they
/// are left out instead, and warnings tell of them.
pub(super) fn check_start(scene: &Scene, contact: &mut Contact, x: &[Vec4]) -> Result<Vec<String>> {
    let overlaps = contact.overlaps(x);
    let groups: Vec<Group> =
        overlaps.chunk_by(|a, b| a.parts == b.parts).map(|found| Group::new(contact, found, x)).collect();
    let settings = scene.contact.clone().unwrap_or_default();
    if groups.is_empty() {
        return Ok(vec![]);
    }
    if settings.start == ContactStart::Exclude {
        let tell = |group: &Group| {
            format!("{}; what does so at the start passes until it is apart (contact.start)", group.text)
        };
        let warnings = groups.iter().map(tell).collect();
        contact.exclude(x);
        return Ok(warnings);
    }
    let named: Vec<&str> = groups.iter().take(NAMED).map(|group| group.text.as_str()).collect();
    let more = match groups.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let worst = groups.iter().map(|group| group.meeting).min().unwrap_or(Meeting::Pierces);
    let what = match worst {
        Meeting::Pierces | Meeting::Behind => "intersect",
        Meeting::Touches => "touch",
        Meeting::TooClose => "are closer than their thickness",
    };
    Err(Error::Intersecting {
        subject: scene.name.clone(),
        reason: format!("surfaces {what} at the start: {}{more}", named.join("; ")),
        hint: hint(contact, &groups),
        found: Box::new(shown(contact, &groups, &overlaps, x)),
    })
}

/// Two parts that intersect.
struct Group {
    parts: [u32; 2],
    /// The worst of how their pieces do.
    meeting: Meeting,
    /// What is said of them.
    text: String,
    /// True if one is wholly behind the other, a plane.
    is_behind: bool,
}

impl Group {
    /// From all overlaps of two parts, of which there is one at least.
    fn new(contact: &Contact, found: &[Overlap], x: &[Vec4]) -> Group {
        let (surfaces, parts) = (contact.surfaces(), found[0].parts);
        let [first, second] = parts.map(|part| &surfaces.parts[part as usize].name);
        let mut meeting = found.iter().map(|overlap| overlap.meeting).min().unwrap_or(Meeting::Pierces);
        if meeting == Meeting::Behind {
            return Group::behind(contact, found, x);
        }
        if meeting == Meeting::Touches && is_inside(contact, parts, x) {
            meeting = Meeting::Pierces;
        }
        let is_own = parts[0] == parts[1];
        let what = match (meeting, is_own) {
            (Meeting::Touches, true) => format!("'{first}' touches itself"),
            (Meeting::Touches, false) => format!("'{first}' and '{second}' touch"),
            (Meeting::TooClose, true) => format!("'{first}' is closer to itself than its thickness"),
            (Meeting::TooClose, false) => {
                format!("'{first}' and '{second}' are closer than their thickness")
            }
            (_, true) => format!("'{first}' intersects itself"),
            (_, false) => format!("'{first}' and '{second}' intersect"),
        };
        let text = format!("{what} {}", places(found, surfaces.range));
        Group { parts, meeting, text, is_behind: false }
    }

    /// From vertices behind a plane.
    fn behind(contact: &Contact, found: &[Overlap], x: &[Vec4]) -> Group {
        let (surfaces, parts) = (contact.surfaces(), found[0].parts);
        let plane = found[0].pieces[1];
        let body = if parts[0] == plane { parts[1] } else { parts[0] };
        let [own, other] = [body, plane].map(|part| &surfaces.parts[part as usize].name);
        let vertices = surfaces.vertices.iter().filter(|(_, part)| *part == body);
        let held: Vec<f64> = vertices
            .filter_map(|(vertex, part)| surfaces.above_plane(*vertex, *part, plane))
            .map(|pair| pair.gap(pair.places(x)).0)
            .collect();
        let deepest = held.iter().map(|gap| -gap).fold(0.0, f64::max);
        let touches = deepest <= 1e-9 * surfaces.range;
        let is_behind = !touches && found.len() == held.len();
        let text = if is_behind {
            format!("'{own}' is wholly behind '{other}' (is its normal reversed?)")
        } else if touches {
            format!("'{own}' and '{other}' touch {}", places(found, surfaces.range))
        } else {
            let count = format!("{} of {} vertices", found.len(), held.len());
            format!("'{own}' and '{other}' intersect: {count} are behind the plane, by up to {deepest:.3e} m")
        };
        let meeting = if touches { Meeting::Touches } else { Meeting::Behind };
        Group { parts, meeting, text, is_behind }
    }
}

/// How many different places there are, with some of them. Places nearer than `range` are the same.
fn places(found: &[Overlap], range: f64) -> String {
    let mut distinct: BTreeMap<[i64; 3], [f64; 3]> = BTreeMap::new();
    for overlap in found {
        distinct.entry(overlap.place.map(|x| (x / range).round() as i64)).or_insert(overlap.place);
    }
    // As many digits as it takes to tell places apart.
    let digits = (1.0 - range.log10()).ceil().clamp(2.0, 9.0) as usize;
    let at = |[x, y, z]: &[f64; 3]| format!("({x:.digits$}, {y:.digits$}, {z:.digits$})");
    let named: Vec<String> = distinct.values().take(NAMED).map(at).collect();
    let more = if distinct.len() > NAMED { ", …" } else { "" };
    match distinct.len() {
        1 => format!("at {}", named[0]),
        count => format!("in {count} places: {}{more}", named.join(", ")),
    }
}

/// True if a vertex of one of two parts is inside the other, although nothing passes through anything: bodies that overlap by
/// layers of equal cells.
fn is_inside(contact: &Contact, parts: [u32; 2], x: &[Vec4]) -> bool {
    let [a, b] = parts.map(|part| &contact.surfaces().parts[part as usize].triangles);
    let points: Vec<[f64; 3]> = x.iter().map(|x| x.xyz()).collect();
    // What is as near as rounding is on the surface, where winding numbers mean nothing.
    let near = 1e-6 * contact.surfaces().range;
    parts[0] != parts[1]
        && [(a, b), (b, a)].into_iter().filter(|(_, other)| is_closed(other, x)).any(|(one, other)| {
            let winding = Winding::new(Tree::new(&points, other));
            let is_in = |p: [f64; 3]| {
                let is_off =
                    winding.tree().nearest(p).is_some_and(|nearest| nearest.distance_squared > near * near);
                is_off && winding.at(p) > 0.5
            };
            let vertices: BTreeSet<u32> = one.iter().flatten().copied().collect();
            vertices.iter().any(|v| is_in(points[*v as usize]))
        })
}

/// What can be done about it.
fn hint(contact: &Contact, groups: &[Group]) -> String {
    let surfaces = contact.surfaces();
    let all = |meeting: Meeting| groups.iter().all(|group| group.meeting == meeting);
    let mut ways: Vec<String> = vec![];
    if groups.iter().any(|group| group.is_behind) {
        ways.push("turn the normal of the plane round".into());
    }
    ways.push(if all(Meeting::Touches) {
        format!("leave a gap of about {} m (contact.distance) between them", rounded(surfaces.range))
    } else {
        "move them apart (transform)".into()
    });
    let thick = groups.iter().flat_map(|group| group.parts).map(|part| &surfaces.parts[part as usize]);
    if let Some(part) = thick.into_iter().find(|part| part.radius > 0.0 && !part.is_obstacle) {
        ways.push(format!("make contact.thickness of '{}' smaller", part.name));
    }
    let [first, second] = groups[0].parts.map(|part| &surfaces.parts[part as usize].name);
    ways.push(format!(
        "leave the pair out with contact.pairs = [{{ between = [{first:?}, {second:?}], contact = false }}]"
    ));
    let last = "let what intersects pass until it is apart with contact.start = \"exclude\"";
    format!("{}, or {last}", ways.join(", "))
}

/// The triangles and edges that intersect, and those with vertices behind planes.
fn shown(contact: &Contact, groups: &[Group], overlaps: &[Overlap], x: &[Vec4]) -> Intersecting {
    let surfaces = contact.surfaces();
    let number = |parts: [u32; 2]| groups.iter().position(|group| group.parts == parts).unwrap_or(0);
    let mut cells: BTreeSet<(usize, u32)> = BTreeSet::new();
    for pair in contact.intersecting(x) {
        let parts = pair.map(|p| surfaces.primitives[p as usize].part);
        cells.extend(pair.map(|p| (number([parts[0].min(parts[1]), parts[0].max(parts[1])]), p)));
    }
    let behind: BTreeSet<(u32, usize)> = (overlaps.iter())
        .filter(|overlap| overlap.meeting == Meeting::Behind)
        .map(|overlap| (overlap.pieces[0], number(overlap.parts)))
        .collect();
    for (p, primitive) in surfaces.primitives.iter().enumerate() {
        for v in primitive.corners {
            let planes = behind.range((v, 0)..=(v, usize::MAX));
            cells.extend(planes.map(|(_, number)| (*number, p as u32)));
        }
    }
    let bodies = surfaces.parts.iter().filter(|part| !part.is_obstacle).count() as i32;
    let mut out = Intersecting::default();
    let mut points: BTreeMap<u32, u32> = BTreeMap::new();
    for count in [3, 2] {
        for (number, p) in &cells {
            let primitive = &surfaces.primitives[*p as usize];
            if primitive.count != count {
                continue;
            }
            let corners = primitive.corners.map(|v| {
                *points.entry(v).or_insert_with(|| {
                    out.points.push(x[v as usize].xyz());
                    out.points.len() as u32 - 1
                })
            });
            if count == 3 {
                out.triangles.push(corners);
            } else {
                out.edges.push([corners[0], corners[1]]);
            }
            let part = primitive.part as i32;
            out.body_ids.push(if part < bodies { part } else { bodies - 1 - part });
            out.pairs.push(*number as i32);
        }
    }
    out
}
