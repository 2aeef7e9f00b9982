//! USD as text: one file, or value clips if that would be large.
//!
//! ```text
//! <name>.usda                       topology, texture coordinates; small animations: positions over time too
//! clips/<name>_0000.usda …          large ones: the positions of one frame each
//! clips/<name>.manifest.usda        which attributes the clips have
//! ```
//!
//! One time code is one frame, since Blender ignores the frame rate of USD files and takes time codes for
//! frames. Lengths are metres, y is up. Surfaces are meshes without subdivision, lines are linear curves.
//! Velocities are in m/s. Normals are written if they were asked for. Texture coordinates are the primvar `st`,
//! with the seams of the user's file.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Making;
use super::animation::{Animation, Moving, Record};
use super::scripts::colour;
use crate::error::Result;
use crate::fs::write_atomically;
use crate::mesh::surface::area_vector;

/// How the format is made.
pub const MAKING: Making = Making::Animation {
    files: &[
        "blender/.{surface}.frames",
        "blender/{run}.usda",
        "blender/clips/{run}.manifest.usda",
        "blender/clips/{run}_{frame}.usda",
    ],
    write,
};

/// If the text has more bytes than this, positions go into clips.
const LARGE: usize = 64 << 20;

/// Writes the files of an animation.
pub fn write(animation: &Animation) -> Result<()> {
    let vertices: usize = animation.surfaces.iter().map(|s| s.vertices.len()).sum();
    let numbers = if animation.normals { 9 } else { 6 };
    let is_large = vertices * animation.frames.len() * numbers * 11 > LARGE;
    write_as(animation, is_large)
}

fn write_as(animation: &Animation, clips: bool) -> Result<()> {
    let prims = prims(animation);
    if clips {
        write_clips(animation, &prims)?;
    }
    write_atomically(&animation.dir.join(format!("{}.usda", animation.name)), |out| {
        let (first, count) = (animation.start_frame, animation.frames.len() as i64);
        let rate = animation.fps;
        write!(
            out,
            "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    doc = \"pliant\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    \
             startTimeCode = {first}\n    endTimeCode = {}\n    timeCodesPerSecond = {rate}\n    \
             framesPerSecond = {rate}\n)\n\ndef Xform \"scene\"",
            first + count - 1
        )?;
        if clips {
            out.write_all(clip_metadata(animation).as_bytes())?;
        }
        writeln!(out, "\n{{")?;
        for prim in &prims {
            prim.write(animation, !clips, out)?;
        }
        writeln!(out, "}}")
    })
}

/// Type and name of an attribute, and its values in one frame.
type Attribute = (&'static str, Vec<[f32; 3]>);

/// A surface with its name in the file.
struct Prim<'a> {
    name: String,
    surface: &'a Moving,
    /// For a line: the order of points along its curves, and the number of points of each curve.
    curves: Option<(Vec<u32>, Vec<usize>)>,
}

fn prims<'a>(animation: &Animation<'a>) -> Vec<Prim<'a>> {
    let mut out: Vec<Prim> = vec![];
    for surface in animation.surfaces {
        let mut name: String =
            surface.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        while out.iter().any(|prim| prim.name == name) {
            name.push('_');
        }
        let curves = (!surface.edges.is_empty()).then(|| chains(&surface.edges));
        out.push(Prim { name, surface, curves });
    }
    out
}

/// The edges as curves: the vertices along each, and how many vertices each has.
fn chains(edges: &[[u32; 2]]) -> (Vec<u32>, Vec<usize>) {
    let (mut order, mut counts): (Vec<u32>, Vec<usize>) = (vec![], vec![]);
    for [a, b] in edges {
        if order.last() == Some(a) {
            *counts.last_mut().expect("a curve that ends here") += 1;
        } else {
            order.push(*a);
            counts.push(2);
        }
        order.push(*b);
    }
    (order, counts)
}

impl Prim<'_> {
    /// The values in the order of the prim's points.
    fn order(&self, values: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
        match &self.curves {
            Some((order, _)) => order.iter().map(|v| values[*v as usize]).collect(),
            None => values,
        }
    }

    fn record(&self, index: usize) -> io::Result<Record> {
        let Record { points, velocities } = self.surface.record(index)?;
        Ok(Record { points: self.order(points), velocities: self.order(velocities) })
    }

    /// The attributes that change, each with its values in one frame.
    fn attributes(&self, index: usize, normals: bool) -> io::Result<Vec<Attribute>> {
        let Record { points, velocities } = self.record(index)?;
        let mut extent = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for p in &points {
            for k in 0..3 {
                extent[0][k] = extent[0][k].min(p[k]);
                extent[1][k] = extent[1][k].max(p[k]);
            }
        }
        let mut out = vec![("float3[] extent", extent.to_vec())];
        if normals && self.curves.is_none() {
            out.push(("normal3f[] normals", self.normals(&points)));
        }
        out.push(("point3f[] points", points));
        out.push(("vector3f[] velocities", velocities));
        Ok(out)
    }

    /// The unit normals of the vertices; faces are weighted by area.
    fn normals(&self, points: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let mut sums = vec![[0.0; 3]; points.len()];
        for face in self.surface.faces.faces() {
            let corners = &self.surface.faces.vertices[face];
            let at: Vec<[f64; 3]> = corners.iter().map(|v| points[*v as usize].map(f64::from)).collect();
            let mut area = [0.0; 3];
            for k in 1..corners.len() as u32 - 1 {
                let part = area_vector(&at, [0, k, k + 1]);
                area = std::array::from_fn(|i| area[i] + part[i]);
            }
            for v in corners {
                let sum = &mut sums[*v as usize];
                *sum = std::array::from_fn(|i| sum[i] + area[i]);
            }
        }
        let unit = |n: [f64; 3]| {
            let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 { n.map(|x| (x / length) as f32) } else { [0.0, 1.0, 0.0] }
        };
        sums.into_iter().map(unit).collect()
    }

    fn write(&self, animation: &Animation, animated: bool, out: &mut impl Write) -> io::Result<()> {
        let kind = if self.curves.is_some() { "BasisCurves" } else { "Mesh" };
        writeln!(out, "    def {kind} \"{}\"\n    {{", self.name)?;
        match &self.curves {
            Some((_, counts)) => {
                let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                writeln!(out, "        int[] curveVertexCounts = [{}]", counts.join(", "))?;
                writeln!(out, "        uniform token type = \"linear\"")?;
                writeln!(
                    out,
                    "        float[] widths = [0.01] (\n            interpolation = \"constant\"\n        )"
                )?;
            }
            None => self.write_faces(out)?,
        }
        let [r, g, b] = colour(self.surface.body);
        writeln!(out, "        color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
        if animated {
            // The text is kept in memory, attribute by attribute, because the file is smaller than `LARGE`.
            let mut samples: Vec<(&str, String)> = vec![];
            for index in 0..animation.frames.len() {
                let code = animation.start_frame + index as i64;
                for (i, (name, values)) in self.attributes(index, animation.normals)?.iter().enumerate() {
                    if index == 0 {
                        samples.push((name, String::new()));
                    }
                    samples[i].1 += &format!("            {code}: {},\n", tuples(values));
                }
            }
            for (name, text) in samples {
                write!(out, "        {name}.timeSamples = {{\n{text}        }}\n")?;
            }
        } else {
            // The attributes have no values here: those would take precedence over the clips'.
            for (name, _) in self.attributes(0, animation.normals)? {
                writeln!(out, "        {name}")?;
            }
        }
        writeln!(out, "    }}")
    }

    fn write_faces(&self, out: &mut impl Write) -> io::Result<()> {
        let faces = &self.surface.faces;
        let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        writeln!(out, "        int[] faceVertexCounts = [{}]", list(&faces.counts))?;
        writeln!(out, "        int[] faceVertexIndices = [{}]", list(&faces.vertices))?;
        writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
        writeln!(out, "        uniform bool doubleSided = 1")?;
        if !faces.uv_corners.is_empty() {
            let uv: Vec<String> =
                faces.uv.iter().map(|[u, v]| format!("({}, {})", *u as f32, *v as f32)).collect();
            let varying = "(\n            interpolation = \"faceVarying\"\n        )";
            writeln!(out, "        texCoord2f[] primvars:st = [{}] {varying}", uv.join(", "))?;
            writeln!(out, "        int[] primvars:st:indices = [{}]", list(&faces.uv_corners))?;
        }
        Ok(())
    }
}

/// `[(x, y, z), …]` with the shortest decimals that read back to the same bits.
fn tuples(values: &[[f32; 3]]) -> String {
    let mut out = String::with_capacity(32 * values.len() + 2);
    out.push('[');
    for (i, [x, y, z]) in values.iter().enumerate() {
        out.push_str(if i == 0 { "(" } else { ", (" });
        for (k, v) in [x, y, z].into_iter().enumerate() {
            let gap = if k == 0 { "" } else { ", " };
            // Small numbers have long decimals without an exponent.
            let is_long = *v != 0.0 && !(1e-5..1e9).contains(&v.abs());
            let written = if is_long { write!(out, "{gap}{v:e}") } else { write!(out, "{gap}{v}") };
            written.expect("text takes all");
        }
        out.push(')');
    }
    out.push(']');
    out
}

fn clip_file(animation: &Animation, index: usize) -> String {
    format!("{}_{:04}.usda", animation.name, animation.frames[index])
}

fn clip_metadata(animation: &Animation) -> String {
    let code = |index: usize| animation.start_frame + index as i64;
    let list = |entry: &dyn Fn(usize) -> String| {
        (0..animation.frames.len()).map(entry).collect::<Vec<_>>().join(", ")
    };
    format!(
        " (\n    clips = {{\n        dictionary default = {{\n            double2[] active = [{}]\n            \
         asset[] assetPaths = [{}]\n            asset manifestAssetPath = @./clips/{}.manifest.usda@\n            \
         string primPath = \"/scene\"\n            double2[] times = [{}]\n        }}\n    }}\n)",
        list(&|i| format!("({}, {i})", code(i))),
        list(&|i| format!("@./clips/{}@", clip_file(animation, i))),
        animation.name,
        list(&|i| format!("({}, {})", code(i), code(i))),
    )
}

fn write_clips(animation: &Animation, prims: &[Prim]) -> Result<()> {
    let dir = animation.dir.join("clips");
    std::fs::create_dir_all(&dir)
        .map_err(|e| crate::Error::io(crate::error::Action::CreateDirectory, &dir, e))?;
    let scene = |out: &mut dyn Write, values: &dyn Fn(&mut dyn Write, &Prim) -> io::Result<()>| {
        write!(out, "#usda 1.0\n\nover \"scene\"\n{{\n")?;
        for prim in prims {
            writeln!(out, "    over \"{}\"\n    {{", prim.name)?;
            values(out, prim)?;
            writeln!(out, "    }}")?;
        }
        writeln!(out, "}}")
    };
    write_atomically(&dir.join(format!("{}.manifest.usda", animation.name)), |out| {
        scene(out, &|out, prim| {
            let mut attributes = prim.attributes(0, animation.normals)?.into_iter();
            attributes.try_for_each(|(name, _)| writeln!(out, "        {name}"))
        })
    })?;
    for index in 0..animation.frames.len() {
        let code = animation.start_frame + index as i64;
        write_atomically(&dir.join(clip_file(animation, index)), |out| {
            scene(out, &|out, prim| {
                let mut attributes = prim.attributes(index, animation.normals)?.into_iter();
                attributes.try_for_each(|(name, values)| {
                    let values = tuples(&values);
                    writeln!(
                        out,
                        "        {name}.timeSamples = {{\n            {code}: {values},\n        }}"
                    )
                })
            })
        })?;
    }
    Ok(())
}
