//! Legacy VTK frames, all bodies in one grid, and the `.vtk.series` that tells ParaView their times.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::grid::Constant;
use super::vtu::Series;
use super::{Cast, Frame, FrameSink, Making, Request};
use crate::error::Result;
use crate::fs::write_atomically;
use crate::io::legacy_write;

/// How the format is made.
pub const MAKING: Making = Making::Frames {
    directory: "vtk",
    files: &["vtk/{run}_{frame}.vtk", "{run}.vtk.series"],
    build: VtkSink::build,
};

/// The sink that writes `vtk/<name>_0000.vtk` … and `<name>.vtk.series`.
pub struct VtkSink {
    scene: Arc<Cast>,
    constant: Constant,
    series: Series,
    float32: bool,
    list: PathBuf,
}

/// The content of a `.vtk.series`, ParaView's list of files.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct List {
    file_series_version: &'static str,
    files: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    time: f64,
}

impl VtkSink {
    /// Makes the sink and its directory.
    pub fn build(request: &Request) -> Result<Box<dyn FrameSink>> {
        let name = request.directory.name();
        Ok(Box::new(VtkSink {
            constant: Constant::new(&request.scene),
            scene: request.scene.clone(),
            series: Series::new(request, "vtk")?,
            float32: request.output.float32,
            list: request.directory.path(&format!("{name}.vtk.series")),
        }))
    }
}

impl FrameSink for VtkSink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        self.constant.with_grid(&self.scene, frame, self.float32, |grid| {
            write_atomically(&self.series.path(frame.number), |out| legacy_write::write(grid, out))
        })?;
        let Some(entries) = self.series.list(frame.number) else { return Ok(()) };
        let files = entries.into_iter().map(|(time, name)| Entry { name, time }).collect();
        let list = List { file_series_version: "1.0", files };
        write_atomically(&self.list, |out| {
            serde_json::to_writer_pretty(&mut *out, &list)?;
            out.write_all(b"\n")
        })
    }
}
