//! VTU frames, all bodies in one grid, and the PVD that lists them for ParaView.
//!
//! The PVD is rewritten after every frame, so that a running simulation can be watched; beyond a thousand
//! entries only after every tenth and at the end, since its cost grows with the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::directory::RunDirectory;
use super::{Frame, FrameSink, Schedule};
use crate::config::resolved::Output;
use crate::error::Result;
use crate::io::atomic::write_atomically;
use crate::io::pvd::write_pvd;
use crate::io::vtu_write::{Array, Data, VtuFrame};
use crate::model::{BodyModel, Model};

/// PVD entries up to which it is rewritten after every frame.
const PROMPT: u64 = 1000;

/// Writes `vtu/<name>_0000.vtu` … and `<name>.pvd`.
pub struct VtuSink {
    model: Arc<Model>,
    schedule: Schedule,
    float32: bool,
    name: String,
    vtu_dir: PathBuf,
    pvd: PathBuf,
    pinned: Vec<u8>,
    vertex_ids: Vec<i32>,
    body_ids: Vec<i32>,
    material_ids: Vec<i32>,
}

impl VtuSink {
    /// Creates its directory.
    pub fn new(
        output: &Output,
        schedule: Schedule,
        directory: &RunDirectory,
        model: &Arc<Model>,
    ) -> Result<VtuSink> {
        let mut ids = (vec![], vec![]);
        for body in &model.bodies {
            ids.0.extend(0..body.vertices.len() as i32);
        }
        let kinds: [fn(&BodyModel) -> usize; 3] =
            [|b| b.tets.len(), |b| b.triangles.len(), |b| b.edges.len()];
        for cells in kinds {
            for (number, body) in model.bodies.iter().enumerate() {
                ids.1.extend(std::iter::repeat_n(number as i32, cells(body)));
            }
        }
        Ok(VtuSink {
            model: model.clone(),
            schedule,
            float32: output.float32,
            name: directory.name().to_owned(),
            vtu_dir: directory.subdirectory("vtu")?,
            pvd: directory.path(&format!("{}.pvd", directory.name())),
            pinned: model.pinned.iter().map(|p| u8::from(*p != 0)).collect(),
            vertex_ids: ids.0,
            body_ids: ids.1,
            material_ids: model.material_ids.iter().map(|m| *m as i32).collect(),
        })
    }

    fn file(&self, number: u64) -> String {
        format!("{}_{number:04}.vtu", self.name)
    }

    fn write_series(&self, last: u64) -> Result<()> {
        let entries = (0..=last).filter(|f| self.schedule.includes(*f));
        let series: Vec<(f64, String)> =
            entries.map(|f| (self.schedule.time(f), format!("vtu/{}", self.file(f)))).collect();
        write_pvd(&self.pvd, &series)
    }
}

impl FrameSink for VtuSink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        let displacement: Vec<f64> = frame
            .x
            .iter()
            .zip(&self.model.rest)
            .flat_map(|(x, r)| [x[0] - r[0], x[1] - r[1], x[2] - r[2]])
            .collect();
        let column = |f: fn(&crate::energy::ElementState) -> f64| -> Vec<f64> {
            frame.elements.iter().map(f).collect()
        };
        let (energy, mises, det) =
            (column(|e| e.energy_density), column(|e| e.von_mises), column(|e| e.det_f));
        let array = |name, components, data| Array { name, components, data };
        let grid = VtuFrame {
            points: &frame.x,
            tets: &self.model.tets,
            triangles: &self.model.triangles,
            edges: &self.model.edges,
            point_arrays: &[
                array("displacement", 3, Data::F64(&displacement)),
                array("velocity", 3, Data::F64(frame.v.as_flattened())),
                array("pinned", 1, Data::U8(&self.pinned)),
                array("vertex_id", 1, Data::I32(&self.vertex_ids)),
            ],
            cell_arrays: &[
                array("body_id", 1, Data::I32(&self.body_ids)),
                array("material_id", 1, Data::I32(&self.material_ids)),
                array("energy_density", 1, Data::F64(&energy)),
                array("von_mises", 1, Data::F64(&mises)),
                array("det_f", 1, Data::F64(&det)),
            ],
            time: Some(frame.time),
            float32: self.float32,
        };
        write_atomically(&self.vtu_dir.join(self.file(frame.number)), |out| grid.write(out))?;
        let entries = frame.number / self.schedule.every;
        if entries < PROMPT || entries.is_multiple_of(10) || frame.number == self.schedule.last {
            self.write_series(frame.number)?;
        }
        Ok(())
    }
}
