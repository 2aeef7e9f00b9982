//! Formats with a whole animation in one file: positions are gathered during the run and assembled at its end.
//!
//! ```text
//! blender/.<surface>.frames:   for every written frame, 3n positions, then 3n velocities, Float32, little-endian
//! ```
//!
//! The place of a record follows from its frame, so a resumed run writes over the old records. The file stays when the
//! run is complete, because a run can be made longer, and PC2, MDD and USD files cannot be appended to.

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::surfaces::{moved, seen};
use super::{Cast, Frame, FrameSink, Request, Schedule};
use crate::error::{Action, Error, Result};
use crate::fs::{open_regular, write_atomically};
use crate::io::obj_faces::Polygons;
use crate::io::obj_frame::Template;
use crate::io::single;
use crate::mesh::surface::SurfaceMap;
use crate::model::BodyModel;

/// The directory of the assembled files.
pub const DIRECTORY: &str = "blender";

/// The ending of the names of files with gathered frames.
pub const GATHERED: &str = ".frames";

/// A surface that moves; its vertices always have the same order.
pub struct Moving {
    /// The name of its files.
    pub name: String,
    /// The number of its body in the config; below 0 for obstacles.
    pub body: i32,
    /// Its vertices, by their numbers among the visible points of the body.
    pub vertices: Vec<u32>,
    /// Its faces as polygons of vertices.
    pub faces: Polygons,
    /// Its edges as pairs of vertices, if it is a line.
    pub edges: Vec<[u32; 2]>,
    /// The user's file, if it is an OBJ file with exactly these vertices.
    template: Option<Template>,
    records: PathBuf,
}

/// One surface in one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The positions of its vertices in m.
    pub points: Vec<[f32; 3]>,
    /// The velocities of its vertices in m/s.
    pub velocities: Vec<[f32; 3]>,
}

/// The data that an animated file may need.
pub struct Animation<'a> {
    /// The name of the run.
    pub name: &'a str,
    /// The directory for the files.
    pub dir: &'a Path,
    /// The surfaces that move.
    pub surfaces: &'a [Moving],
    /// The numbers of the frames that were written, ascending.
    pub frames: Vec<u64>,
    /// The times of these frames in s.
    pub times: Vec<f64>,
    /// The number of frames per second when it is played.
    pub fps: f64,
    /// The number of the first frame when it is played.
    pub start_frame: i64,
    /// True if normals are wanted.
    pub normals: bool,
}

impl Moving {
    fn all_of(body: &BodyModel, number: i32, dir: &Path) -> Result<Vec<Moving>> {
        let records = |name: &str| dir.join(format!(".{name}{GATHERED}"));
        if body.embedded.is_empty() {
            let SurfaceMap { triangles, edges, vertices } = &body.surface;
            return Ok(vec![Moving {
                name: body.name.clone(),
                body: number,
                vertices: vertices.clone(),
                faces: Polygons::of_triangles(triangles),
                edges: edges.clone(),
                template: None,
                records: records(&body.name),
            }]);
        }
        let own = |embedded: &crate::model::embedded::Embedded| {
            let text =
                std::fs::read(&embedded.source).map_err(|e| Error::io(Action::Read, &embedded.source, e))?;
            let count = embedded.surface.vertices.len();
            let mut faces = Polygons::of_obj(&text, count)
                .unwrap_or_else(|| Polygons::of_triangles(&embedded.surface.triangles));
            // Blender's importer drops vertices without faces, and then refuses a cache that has them.
            let vertices = faces.compact();
            let template = Template::new(text, count).filter(|_| vertices.len() == count);
            let records = records(&embedded.name);
            let (name, edges) = (embedded.name.clone(), vec![]);
            Ok(Moving { name, body: number, vertices, faces, edges, template, records })
        };
        body.embedded.iter().map(own).collect()
    }

    /// The size of a record in bytes.
    fn size(&self) -> u64 {
        24 * self.vertices.len() as u64
    }

    fn put(&self, index: u64, points: &[[f64; 3]], velocities: &[[f64; 3]]) -> Result<()> {
        let mut bytes = Vec::with_capacity(self.size() as usize);
        for values in [points, velocities] {
            single::check(self.vertices.iter().flat_map(|v| values[*v as usize]))
                .map_err(|e| Error::io(Action::Write, &self.records, e))?;
            for v in &self.vertices {
                bytes.extend(values[*v as usize].iter().flat_map(|x| (*x as f32).to_le_bytes()));
            }
        }
        let options = OpenOptions::new().write(true).create(true).truncate(false).clone();
        let open = open_regular(&self.records, &options);
        let mut file = open.map_err(|e| Error::io(Action::Write, &self.records, e))?;
        let length = file.metadata().map_or(0, |m| m.len());
        if length < index * self.size() {
            return Err(Error::Run {
                path: self.records.clone(),
                reason: "the frames before this one are not in it".into(),
                hint: "start anew with --force, or make the animation of other frames with `pliant export`"
                    .into(),
            });
        }
        file.seek(SeekFrom::Start(index * self.size()))
            .and_then(|_| file.write_all(&bytes))
            .map_err(|e| Error::io(Action::Write, &self.records, e))
    }

    /// The number of whole records.
    fn count(&self) -> u64 {
        std::fs::metadata(&self.records).map_or(0, |m| m.len() / self.size().max(1))
    }

    /// The record with this index.
    pub fn record(&self, index: usize) -> io::Result<Record> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = open_regular(&self.records, OpenOptions::new().read(true))?;
            file.seek(SeekFrom::Start(index as u64 * self.size()))?;
            let mut bytes = vec![0; self.size() as usize];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        let bytes =
            read().map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", self.records.display())))?;
        let number = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("four bytes"));
        let all: Vec<[f32; 3]> =
            bytes.chunks_exact(12).map(|v| [number(&v[..4]), number(&v[4..8]), number(&v[8..])]).collect();
        let (points, velocities) = all.split_at(self.vertices.len());
        Ok(Record { points: points.to_vec(), velocities: velocities.to_vec() })
    }

    /// Writes `<name>.obj`: the first frame, with the vertices in the order of the animation.
    pub fn write_obj(&self, dir: &Path) -> Result<()> {
        write_atomically(&dir.join(format!("{}.obj", self.name)), |out| {
            let points: Vec<[f64; 3]> = self.record(0)?.points.iter().map(|p| p.map(f64::from)).collect();
            match &self.template {
                Some(template) => template.write_points(&points, out),
                None => self.write_plain(&points, out),
            }
        })
    }

    fn write_plain(&self, points: &[[f64; 3]], out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "# pliant")?;
        points.iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))?;
        self.faces.uv.iter().try_for_each(|[u, v]| writeln!(out, "vt {u} {v}"))?;
        for face in self.faces.faces() {
            write!(out, "f")?;
            for corner in face {
                write!(out, " {}", self.faces.vertices[corner] + 1)?;
                if let Some(uv) = self.faces.uv_corners.get(corner) {
                    write!(out, "/{}", uv + 1)?;
                }
            }
            writeln!(out)?;
        }
        self.edges.iter().try_for_each(|[a, b]| writeln!(out, "l {} {}", a + 1, b + 1))
    }
}

/// The sink that gathers frames and, at the end, lets every animated format write its files.
pub struct AnimationSink {
    scene: Arc<Cast>,
    surfaces: Vec<Moving>,
    schedule: Schedule,
    name: String,
    dir: PathBuf,
    fps: f64,
    start_frame: i64,
    normals: bool,
    formats: Vec<fn(&Animation) -> Result<()>>,
    written: Option<u64>,
}

impl AnimationSink {
    /// Makes the sink and its directory.
    pub fn new(request: &Request, formats: Vec<fn(&Animation) -> Result<()>>) -> Result<AnimationSink> {
        let dir = request.directory.subdirectory(DIRECTORY)?;
        let mut surfaces = vec![];
        for (number, body) in request.scene.numbers.iter().zip(&request.scene.bodies) {
            surfaces.extend(Moving::all_of(body, *number, &dir)?);
        }
        Ok(AnimationSink {
            scene: request.scene.clone(),
            surfaces,
            schedule: request.schedule,
            name: request.directory.name().to_owned(),
            dir,
            fps: request.output.fps,
            start_frame: request.output.start_frame,
            normals: request.output.normals,
            formats,
            written: None,
        })
    }
}

impl FrameSink for AnimationSink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        let index = self.schedule.index(frame.number);
        let mut surfaces = self.surfaces.iter();
        for body in &self.scene.bodies {
            for (seen, velocity) in seen(body, frame).iter().zip(moved(body, &frame.v)) {
                let surface = surfaces.next().expect("a surface for everything that is seen");
                surface.put(index, &seen.points, &velocity)?;
            }
        }
        self.written = Some(index);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let there = || self.surfaces.iter().map(Moving::count).min().unwrap_or(0);
        let count = self.written.map_or_else(there, |last| last + 1);
        if count == 0 {
            return Ok(());
        }
        let frames: Vec<u64> = (0..count).map(|index| self.schedule.frame(index)).collect();
        let animation = Animation {
            name: &self.name,
            dir: &self.dir,
            surfaces: &self.surfaces,
            times: frames.iter().map(|frame| self.schedule.time(*frame)).collect(),
            frames,
            fps: self.fps,
            start_frame: self.start_frame,
            normals: self.normals,
        };
        self.formats.iter().try_for_each(|write| write(&animation))
    }
}
