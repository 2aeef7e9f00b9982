//! A frame as one unstructured grid with all bodies, for the VTK formats.

use super::{Cast, Frame};
use crate::io::grid::{Array, Cells, Data, Grid};
use elements::energy::ElementState;

/// The arrays that are the same in every frame.
pub struct Constant {
    vertex_ids: Vec<i32>,
    body_ids: Vec<i32>,
}

impl Constant {
    /// The constant arrays of the bodies that are written.
    pub fn new(scene: &Cast) -> Constant {
        let vertex_ids = scene.bodies.iter().flat_map(|body| 0..body.vertices.len() as i32).collect();
        let mut body_ids = vec![];
        let kinds: [fn(&crate::model::BodyModel) -> usize; 3] =
            [|b| b.tets.len(), |b| b.triangles.len(), |b| b.edges.len()];
        for cells in kinds {
            for (number, body) in scene.numbers.iter().zip(&scene.bodies) {
                body_ids.extend(std::iter::repeat_n(*number, cells(body)));
            }
        }
        Constant { vertex_ids, body_ids }
    }

    /// Calls `write` with the frame as a grid.
    pub fn with_grid<R>(
        &self,
        scene: &Cast,
        frame: &Frame,
        float32: bool,
        write: impl FnOnce(&Grid) -> R,
    ) -> R {
        let displacement: Vec<f64> = frame
            .x
            .iter()
            .zip(&scene.rest)
            .flat_map(|(x, r)| [x[0] - r[0], x[1] - r[1], x[2] - r[2]])
            .collect();
        let column = |f: fn(&ElementState) -> f64| -> Vec<f64> { frame.elements.iter().map(f).collect() };
        let (energy, mises, det) =
            (column(|e| e.energy_density), column(|e| e.von_mises), column(|e| e.det_f));
        let array = |name, components, data| Array { name, components, data };
        let mut point_arrays = vec![
            array("displacement", 3, Data::F64(&displacement)),
            array("velocity", 3, Data::F64(frame.v.as_flattened())),
            array("pinned", 1, Data::U8(&scene.pinned)),
            array("vertex_id", 1, Data::I32(&self.vertex_ids)),
        ];
        if let Some(touched) = &frame.contact {
            point_arrays.push(array("contact_force", 3, Data::F64(touched.forces.as_flattened())));
            point_arrays.push(array("friction_force", 3, Data::F64(touched.friction.as_flattened())));
            point_arrays.push(array("contact_gap", 1, Data::F64(&touched.gaps)));
        }
        write(&Grid {
            points: &frame.x,
            cells: Cells {
                tets: &scene.tets,
                middles: &scene.middles,
                triangles: &scene.triangles,
                edges: &scene.edges,
            },
            point_arrays: &point_arrays,
            cell_arrays: &[
                array("body_id", 1, Data::I32(&self.body_ids)),
                array("material_id", 1, Data::I32(&scene.material_ids)),
                array("energy_density", 1, Data::F64(&energy)),
                array("von_mises", 1, Data::F64(&mises)),
                array("det_f", 1, Data::F64(&det)),
            ],
            time: Some(frame.time),
            float32,
        })
    }
}
