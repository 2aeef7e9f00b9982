//! glTF 2.0: scenes as JSON with binary buffers (`.gltf`), or both in one file (`.glb`).
//!
//! All triangles and lines of the scene's nodes become one mesh, each node in its place; lines alone make a mesh of edges.
//! Vertices stay as they are in the file, where those on seams of texture coordinates are there several times: the repair of
//! surfaces welds them. Texture coordinates, normals and scalars whose name begins with `_` (painted weights) become point
//! arrays, `uv`, `normal` and the name without its underscore, 0 where a part has none. Nodes, meshes and materials with a name are groups of points, and with
//! several materials the cell array `gltf:material` has their numbers. Animations, skins and morph targets are left out, which
//! is told: the mesh is as it was modelled.

mod buffers;
mod document;
mod place;

use std::path::Path;

use super::budget::Budget;
use super::{Fault, Import, Parsed};
use crate::mesh::{DataArray, Group, Mesh};
use buffers::Buffers;
use document::{Document, Primitive};
use place::Place;

/// The first bytes of a binary file.
const MAGIC: &[u8] = b"glTF";
/// The kinds of the chunks of a binary file.
const JSON: u32 = 0x4e4f_534a;
const BINARY: u32 = 0x004e_4942;

/// The most nodes below each other.
const DEEPEST: usize = 256;

/// True if the first bytes are those of a binary file, or of JSON.
pub(crate) fn is_gltf(bytes: &[u8], text: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || text.starts_with(b"{")
}

/// Parses a whole file. Buffers in other files are looked for in the directory, and refused without one.
pub(crate) fn parse(bytes: &[u8], directory: Option<&Path>) -> Parsed<Import> {
    let (json, binary) = if bytes.starts_with(MAGIC) { chunks(bytes)? } else { (bytes, None) };
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        let reason = error.to_string();
        Fault::new(format!("line {}", error.line()), format!("it is no glTF: {reason}"))
    })?;
    document.check()?;
    let buffers = Buffers::load(&document, binary, directory)?;
    let budget = Budget::of_length(bytes.len() + buffers.other_files());
    let mut reader = Reader { document: &document, buffers, budget, parts: vec![], seen: vec![] };
    reader.seen = vec![false; document.nodes.len()];
    for root in document.roots() {
        reader.node(root, Place::IDENTITY, &mut vec![])?;
    }
    reader.finish()
}

/// The JSON and the binary chunk of a binary file.
fn chunks(bytes: &[u8]) -> Parsed<(&[u8], Option<&[u8]>)> {
    let number = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
        word.map(u32::from_le_bytes)
            .ok_or_else(|| Fault::new(format!("byte {at}"), "the file ends too early"))
    };
    if number(4)? != 2 {
        let reason = format!("version {} of glTF cannot be read", number(4)?);
        return Err(Fault::new("byte 4", reason).hint("save it as glTF 2.0"));
    }
    let (mut json, mut binary, mut at) = (None, None, 12);
    while at < bytes.len() && (json.is_none() || binary.is_none()) {
        let (length, kind) = (number(at)? as usize, number(at + 4)?);
        let chunk = (at + 8).checked_add(length).and_then(|end| bytes.get(at + 8..end));
        let chunk = chunk.ok_or_else(|| {
            Fault::new(format!("byte {at}"), format!("a chunk of {length} bytes is longer than the file"))
        })?;
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BINARY if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + length;
    }
    Ok((json.ok_or_else(|| Fault::new("byte 12", "there is no chunk of JSON"))?, binary))
}

/// A primitive in its place.
struct Part {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
    arrays: Vec<DataArray>,
    names: Vec<String>,
    material: Option<usize>,
}

struct Reader<'a> {
    document: &'a Document,
    buffers: Buffers<'a>,
    budget: Budget,
    parts: Vec<Part>,
    /// The nodes that were met: a node has one parent.
    seen: Vec<bool>,
}

impl Reader<'_> {
    /// Takes the meshes of a node and of all nodes below it.
    fn node(&mut self, number: usize, above: Place, names: &mut Vec<String>) -> Parsed<()> {
        let at = format!("nodes[{number}]");
        let document = self.document;
        let node = document.nodes.get(number).ok_or_else(|| Fault::new(&at, "there is no such node"))?;
        if std::mem::replace(&mut self.seen[number], true) {
            return Err(Fault::new(at, "the node is below two others, or below itself"));
        }
        if names.len() > DEEPEST {
            return Err(Fault::new(at, format!("more than {DEEPEST} nodes are below each other")));
        }
        let place = above.then(&Place::of(node));
        names.push(node.name.clone().unwrap_or_default());
        if let Some(mesh) = node.mesh {
            let found = document.meshes.get(mesh);
            let found = found.ok_or_else(|| Fault::new(&at, format!("there is no mesh {mesh}")))?;
            for (i, primitive) in found.primitives.iter().enumerate() {
                let at = format!("meshes[{mesh}].primitives[{i}]");
                let mut part = self.part(primitive, &at)?;
                part.points.iter_mut().for_each(|p| *p = place.apply(*p));
                if place.is_mirrored() {
                    part.triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                for normals in part.arrays.iter_mut().filter(|array| array.name == "normal") {
                    place.turn_normals(&mut normals.values);
                }
                let material = part.material.and_then(|m| document.materials.get(m)?.name.clone());
                part.names = names.iter().chain(&found.name).chain(&material).cloned().collect();
                self.parts.push(part);
            }
        }
        for child in &node.children {
            self.node(*child, place, names)?;
        }
        names.pop();
        Ok(())
    }

    /// The points and cells of a primitive, as modelled.
    fn part(&self, primitive: &Primitive, at: &str) -> Parsed<Part> {
        let place = |what: &str| format!("{at}.{what}");
        primitive.check().map_err(|fault| fault.within(at))?;
        let Some(position) = primitive.attributes.get("POSITION") else {
            return Err(Fault::new(at, "it has no POSITION"));
        };
        let points =
            self.buffers.vectors::<3>(*position, &self.budget).map_err(|f| f.within(place("POSITION")))?;
        let corners = match primitive.indices {
            Some(indices) => {
                self.buffers.indices(indices, &self.budget).map_err(|f| f.within(place("indices")))?
            }
            None => {
                self.budget.charge_numbers(points.len())?;
                (0..points.len() as u32).collect()
            }
        };
        if let Some(corner) = corners.iter().find(|corner| **corner as usize >= points.len()) {
            let reason = format!("index {corner}, but there are only {} vertices", points.len());
            return Err(Fault::new(place("indices"), reason));
        }
        self.budget.charge(corners.len().saturating_mul(12))?;
        let mut arrays = vec![];
        for (name, accessor) in &primitive.attributes {
            let array = self.array(name, *accessor, points.len()).map_err(|f| f.within(place(name)))?;
            arrays.extend(array);
        }
        let (triangles, lines) = primitive.cells(&corners);
        Ok(Part { points, triangles, lines, arrays, names: vec![], material: primitive.material })
    }

    /// The point array of an attribute; `None` for those that a mesh has no use for.
    fn array(&self, name: &str, accessor: usize, points: usize) -> Parsed<Option<DataArray>> {
        let (name, components, values) = match name {
            "TEXCOORD_0" => ("uv", 2, self.buffers.vectors::<2>(accessor, &self.budget)?.into_flattened()),
            "NORMAL" => ("normal", 3, self.buffers.vectors::<3>(accessor, &self.budget)?.into_flattened()),
            _ => match name.strip_prefix('_') {
                Some(own) if self.buffers.is_scalar(accessor) && !own.is_empty() => {
                    (own, 1, self.buffers.vectors::<1>(accessor, &self.budget)?.into_flattened())
                }
                _ => return Ok(None),
            },
        };
        if values.len() != points * components {
            let reason = format!("{} values for {points} vertices", values.len() / components);
            return Err(Fault::new("", reason));
        }
        Ok(Some(DataArray { name: name.into(), components, values }))
    }

    /// One mesh of all parts.
    fn finish(self) -> Parsed<Import> {
        let mut mesh = Mesh::default();
        let has_triangles = self.parts.iter().any(|part| !part.triangles.is_empty());
        let mut notes = self.document.notes();
        let lines: usize = self.parts.iter().map(|part| part.lines.len()).sum();
        if has_triangles && lines > 0 {
            notes.push(format!("{}: {lines} lines beside triangles", super::CELLS_LEFT_OUT));
        }
        let mut materials = vec![];
        for part in self.parts {
            let (first, own) = (mesh.points.len(), part.points.len());
            self.budget.charge_numbers(own.saturating_mul(mesh.point_data.len() + part.arrays.len()))?;
            let number = |v: u32| first as u32 + v;
            let kept = if has_triangles { part.triangles.len() } else { part.lines.len() };
            if kept == 0 {
                continue;
            }
            mesh.points.extend(part.points);
            mesh.triangles.extend(part.triangles.iter().map(|t| t.map(number)));
            if !has_triangles {
                mesh.edges.extend(part.lines.iter().map(|t| t.map(number)));
            }
            materials.resize(materials.len() + kept, part.material.map_or(-1.0, |m| m as f64));
            self.budget.charge(own.saturating_mul(4 * part.names.len()))?;
            add_arrays(&mut mesh.point_data, part.arrays, first, own);
            add_groups(&mut mesh.groups, &part.names, first as u32..(first + own) as u32);
        }
        if materials.first().is_some_and(|first| materials.iter().any(|other| other != first)) {
            let values = materials;
            mesh.cell_data.push(DataArray { name: "gltf:material".into(), components: 1, values });
        }
        Ok(Import { mesh, notes })
    }
}

/// Appends the arrays of a part of `own` points, 0 where either side has none.
fn add_arrays(all: &mut Vec<DataArray>, arrays: Vec<DataArray>, first: usize, own: usize) {
    for array in arrays {
        let same =
            |other: &&mut DataArray| (&other.name, other.components) == (&array.name, array.components);
        match all.iter_mut().find(same) {
            Some(other) => other.values.extend(array.values),
            None => {
                let mut values = vec![0.0; first * array.components];
                values.extend(array.values);
                all.push(DataArray { values, ..array });
            }
        }
    }
    for array in all {
        array.values.resize((first + own) * array.components, 0.0);
    }
}

/// Adds the points of a part to the groups of its names.
fn add_groups(groups: &mut Vec<Group>, names: &[String], points: std::ops::Range<u32>) {
    for (i, name) in names.iter().enumerate() {
        if name.is_empty() || names[..i].contains(name) {
            continue;
        }
        match groups.iter_mut().find(|group| group.names[0] == *name) {
            Some(group) => group.points.extend(points.clone()),
            None => groups.push(Group { names: vec![name.clone()], points: points.clone().collect() }),
        }
    }
}

#[cfg(test)]
mod tests;
