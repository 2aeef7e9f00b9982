//! The vertices that pins and loads of a body select.
//!
//! Where the tets of a body were made here, from surfaces, their numbers mean nothing to the user: `ids`, groups and point arrays are
//! those of the surface file. A selected point p = Σ w x of the surface follows up to four vertices of the tets (see
//! `mesh::embedding`), and these are selected in its place, so that holding them holds the point. Where the user gave the tets,
//! `ids` are theirs, and an array or a group is looked for in them first and in the surfaces next.

use super::embedded::Embedded;
use super::select::{by_group, select};
use crate::error::{Error, Result};
use crate::mesh::{Mesh, quadratic};
use crate::scene::Selection;

/// Vertices with a smaller weight do not move a point.
const NOTHING: f64 = 1e-9;

/// A body as selections see it.
pub(super) struct Chooser<'a> {
    /// The body's mesh at rest.
    pub mesh: &'a Mesh,
    /// How many of its vertices the user gave; the others were made in the middles of edges.
    pub given: usize,
    /// Vertices in no cell.
    pub orphans: &'a [bool],
    /// The surfaces that follow the mesh, and their files.
    pub surfaces: Vec<(&'a Embedded, &'a Mesh)>,
    /// True if the tets were made here.
    pub is_hidden: bool,
    /// The name of the body in errors and notes.
    pub subject: &'a str,
}

impl Chooser<'_> {
    /// The vertices that `owner` selects, ascending, at least one; orphans are left out.
    pub(super) fn choose(
        &self,
        selection: &Selection,
        owner: &str,
        notes: &mut Vec<String>,
    ) -> Result<Vec<u32>> {
        let selected = self.select(selection).map_err(|reason| {
            let subject = self.subject.to_owned();
            Error::Mesh { subject, reason: format!("{owner}: {reason}"), hint: String::new() }
        })?;
        let kept: Vec<u32> = selected.iter().copied().filter(|v| !self.orphans[*v as usize]).collect();
        if kept.is_empty() {
            let [low, high] = self.mesh.bounds().unwrap_or_default();
            return Err(Error::Mesh {
                subject: self.subject.into(),
                reason: format!("{owner} selects no vertex; the rest state spans {low:?} to {high:?}"),
                hint: "change its 'select'".into(),
            });
        }
        if kept.len() < selected.len() {
            let orphans = selected.len() - kept.len();
            notes.push(format!("{}: {owner}: {orphans} vertices in no cell left out", self.subject));
        }
        Ok(kept)
    }

    /// What numbers or arrays of the user's own vertices select, and with them the middles between two of these.
    fn select_given(&self, selection: &Selection) -> Result<Vec<u32>, String> {
        let mesh = self.mesh;
        let mut found = match selection {
            Selection::Ids(_) => select(selection, &mesh.points[..self.given], &[], "vertex")?,
            _ => select(selection, &mesh.points, &mesh.point_data, "vertex")?,
        };
        found.retain(|v| (*v as usize) < self.given);
        let is_found = |v: &u32| found.binary_search(v).is_ok();
        let middles = (self.given as u32..).zip(quadratic::ends(&mesh.tets, &mesh.middles, self.given));
        let between: Vec<u32> =
            middles.filter(|(_, ends)| ends.iter().all(is_found)).map(|(middle, _)| middle).collect();
        found.extend(between);
        Ok(found)
    }

    fn select(&self, selection: &Selection) -> Result<Vec<u32>, String> {
        let own = || match selection {
            Selection::Ids(_) | Selection::Array { .. } if self.given < self.mesh.points.len() => {
                self.select_given(selection)
            }
            _ => select(selection, &self.mesh.points, &self.mesh.point_data, "vertex"),
        };
        match selection {
            Selection::Ids(_) if self.is_hidden => match &self.surfaces[..] {
                [(surface, file)] => on_surface(selection, surface, file),
                several => Err(format!(
                    "'ids' could be of any of its {} surfaces; select by place or by an array instead",
                    several.len()
                )),
            },
            Selection::Group(_) if self.surfaces.is_empty() => {
                self.select(by_group(selection, &self.mesh.groups)?.as_ref())
            }
            Selection::Array { name, .. } | Selection::Group(name) if !self.surfaces.is_empty() => {
                let is_group = matches!(selection, Selection::Group(_));
                let has = |mesh: &Mesh| match is_group {
                    true => mesh.groups.iter().any(|group| group.names.contains(name)),
                    false => mesh.point_data.iter().any(|array| array.name == *name),
                };
                if !self.is_hidden && has(self.mesh) {
                    return if is_group {
                        self.select(by_group(selection, &self.mesh.groups)?.as_ref())
                    } else {
                        own()
                    };
                }
                let mut painted: Vec<_> = self.surfaces.iter().filter(|(_, file)| has(file)).collect();
                if painted.is_empty() {
                    // It tells what it has instead.
                    painted.push(&self.surfaces[0]);
                }
                let mut found = vec![];
                for (surface, file) in painted {
                    found.extend(on_surface(selection, surface, file)?);
                }
                found.sort_unstable();
                found.dedup();
                Ok(found)
            }
            _ => own(),
        }
    }
}

/// The vertices of the tets that the selected points of a surface follow.
fn on_surface(selection: &Selection, surface: &Embedded, file: &Mesh) -> Result<Vec<u32>, String> {
    let embedding = &surface.embedding;
    let selection = by_group(selection, &file.groups)?;
    // Selections by number and by array do not look at places.
    let points = vec![[0.0; 3]; embedding.corners.len()];
    let mut out = vec![];
    for point in select(&selection, &points, &file.point_data, "vertex")? {
        let carriers = embedding.carriers(point as usize).into_iter();
        out.extend(carriers.filter(|(_, weight)| weight.abs() > NOTHING).map(|(vertex, _)| vertex));
    }
    out.sort_unstable();
    out.dedup();
    Ok(out)
}
