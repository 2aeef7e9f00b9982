//! The material of a body, cell by cell: quantities, directions and materials evaluated on a mesh.
//!
//! Selections look at the centres of cells. If neither a direction nor an array says otherwise, the warp of a sheet
//! runs along x, and in triangles perpendicular to x along z. Only the part in the plane of the triangle counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rotation::rotate;
use super::select::{find_array, select};
use crate::mesh::{DataArray, Kind, Mesh};
use crate::scene::{Body, Directions, MaterialPart, MeshSource, Quantity, Selection};
use elements::energy::Properties;
use elements::energy::material::{Material, Solid};

/// The cells of one material.
pub struct PartCells {
    /// The number of the material among those of the body.
    pub part: usize,
    /// The law, with the constants of one of the cells.
    pub solid: Arc<dyn Solid>,
    /// The numbers of the cells, ascending.
    pub cells: Vec<u32>,
    /// The properties of each of these cells.
    pub properties: Properties,
}

/// A family of fibres, with a direction and a stiffness for each cell.
pub struct FiberCells {
    /// The direction of the fibres in each cell, a unit vector in the rest state.
    pub directions: Vec<[f64; 3]>,
    /// The stiffness κ of the fibres in each cell, in Pa.
    pub stiffness: Vec<f64>,
}

/// Everything that may differ from cell to cell of a body.
pub struct CellData {
    /// The density of each cell in kg/m³.
    pub density: Vec<f64>,
    /// The thickness of each cell in m, for sheets.
    pub thickness: Vec<f64>,
    /// The cells of each material.
    pub parts: Vec<PartCells>,
    /// The stiffness of springs in N/m, if the body has springs.
    pub springs: Option<Vec<f64>>,
    /// The bending stiffness in N·m, if the body resists bending.
    pub bending: Option<Vec<f64>>,
    /// The stiffness of strain limits in Pa, if stretches are limited.
    pub limits: Option<Vec<f64>>,
    /// The directions of the warp, if they are given and the warp is limited.
    pub warp: Option<Vec<[f64; 3]>>,
    /// The families of fibres of the body.
    pub fibers: Vec<FiberCells>,
}

impl CellData {
    /// Evaluates everything on `mesh` in the rest state; errors name the key.
    pub fn new(body: &Body, mesh: &Mesh) -> Result<CellData, String> {
        let cells = Cells::new(body, mesh);
        let optional = |key: &str, quantity: Option<&Quantity>| {
            quantity.map(|quantity| cells.positive(key, quantity)).transpose()
        };
        let fiber = |fiber: &crate::scene::Fiber| {
            Ok(FiberCells {
                directions: cells.directions("fibers: direction", &fiber.direction)?,
                stiffness: cells.positive("fibers: stiffness", &fiber.stiffness)?,
            })
        };
        let warp = body.limits.as_ref().and_then(|limits| limits.direction.as_ref());
        Ok(CellData {
            density: cells.positive("density", &body.density)?,
            thickness: cells.positive("thickness", &body.thickness)?,
            parts: cells.parts(&body.materials)?,
            springs: optional("springs: stiffness", body.springs.as_ref().map(|s| &s.stiffness))?,
            bending: optional("bending: stiffness", body.bending.as_ref().map(|b| &b.stiffness))?,
            limits: optional("limits: stiffness", body.limits.as_ref().map(|l| &l.stiffness))?,
            warp: warp.map(|d| cells.directions("limits: direction", d)).transpose()?,
            fibers: body.fibers.iter().map(fiber).collect::<Result<_, String>>()?,
        })
    }
}

/// A material made of the values in one cell.
struct Made {
    solid: Arc<dyn Solid>,
    stiffness: f64,
    moduli: [f64; 2],
}

/// Lamé's moduli at rest. For a material without stiffness at rest they follow from its fitted stiffness.
fn viscous(material: &Material, stiffness: f64) -> [f64; 2] {
    let [mu, lambda] = material.solid.moduli();
    if mu > 0.0 && 2.0 * mu + 3.0 * lambda >= 0.0 { [mu, lambda] } else { [0.5 * stiffness, 0.0] }
}

/// The cells of a mesh as selections see them.
struct Cells<'a> {
    centers: Vec<[f64; 3]>,
    /// The cell arrays, followed by the point arrays averaged over corners.
    arrays: Vec<DataArray>,
    body: &'a Body,
    is_sheet: bool,
}

impl Cells<'_> {
    fn new<'a>(body: &'a Body, mesh: &Mesh) -> Cells<'a> {
        let is_sheet = mesh.kind() == Some(Kind::Sheet);
        let corners: Vec<&[u32]> = match mesh.kind() {
            Some(Kind::Solid) => mesh.tets.iter().map(|c| c.as_slice()).collect(),
            Some(Kind::Sheet) => mesh.triangles.iter().map(|c| c.as_slice()).collect(),
            _ => mesh.edges.iter().map(|c| c.as_slice()).collect(),
        };
        let mean = |corners: &[u32], value: &dyn Fn(usize) -> f64| {
            corners.iter().map(|v| value(*v as usize)).sum::<f64>() / corners.len() as f64
        };
        let centers =
            corners.iter().map(|c| std::array::from_fn(|k| mean(c, &|v| mesh.points[v][k]))).collect();
        let mut arrays: Vec<DataArray> = mesh.cell_data.clone();
        for array in mesh.point_data.iter().filter(|a| a.values.len() == a.components * mesh.points.len()) {
            if !arrays.iter().any(|other| other.name == array.name) {
                let n = array.components;
                let at = |c: &&[u32], k: usize| mean(c, &|v| array.values[n * v + k]);
                let values = corners.iter().flat_map(|c| (0..n).map(move |k| at(c, k))).collect();
                arrays.push(DataArray { name: array.name.clone(), components: n, values });
            }
        }
        Cells { centers, arrays, body, is_sheet }
    }

    fn select(&self, selection: &Selection) -> Result<Vec<u32>, String> {
        if matches!(selection, Selection::Ids(_)) && matches!(self.body.mesh, MeshSource::Surface { .. }) {
            return Err(
                "the tets are made from surfaces, so 'ids' of them are not known; select by place".into()
            );
        }
        select(selection, &self.centers, &self.arrays, "cell")
    }

    /// One value for each cell.
    fn quantity(&self, quantity: &Quantity) -> Result<Vec<f64>, String> {
        match quantity {
            Quantity::Constant(value) => Ok(vec![*value; self.centers.len()]),
            Quantity::Array(name) => {
                Ok(find_array(name, 1, self.centers.len(), &self.arrays, "cell")?.values.clone())
            }
            Quantity::Selections(places) => {
                let mut values = vec![f64::NAN; self.centers.len()];
                for (selection, value) in places {
                    for cell in self.select(selection)? {
                        values[cell as usize] = *value;
                    }
                }
                match values.iter().position(|value| value.is_nan()) {
                    Some(cell) => Err(format!(
                        "no selection holds cell {cell} at {:?}; let the first one select \"all\"",
                        self.centers[cell]
                    )),
                    None => Ok(values),
                }
            }
        }
    }

    fn positive(&self, key: &str, quantity: &Quantity) -> Result<Vec<f64>, String> {
        let values = self.quantity(quantity).map_err(|reason| format!("{key}: {reason}"))?;
        match values.iter().position(|value| !(*value > 0.0 && value.is_finite())) {
            Some(cell) => Err(format!("{key}: cell {cell} has {}, must be above 0", values[cell])),
            None => Ok(values),
        }
    }

    /// A unit vector for each cell.
    fn directions(&self, key: &str, directions: &Directions) -> Result<Vec<[f64; 3]>, String> {
        let raw: Vec<[f64; 3]> = match directions {
            Directions::Constant(direction) => return Ok(vec![*direction; self.centers.len()]),
            Directions::Array(name) => {
                let array = find_array(name, 3, self.centers.len(), &self.arrays, "cell")
                    .map_err(|reason| format!("{key}: {reason}"))?;
                let (axis, radians) = self.body.transform.rotate;
                let turned = |v: &[f64]| rotate([v[0], v[1], v[2]], axis, [0.0; 3], radians);
                array.values.chunks_exact(3).map(turned).collect()
            }
            Directions::Radial { center, axis } => {
                let away = |c: &[f64; 3]| -> [f64; 3] {
                    let d: [f64; 3] = std::array::from_fn(|k| c[k] - center[k]);
                    let Some(axis) = axis else { return d };
                    let along = d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
                    std::array::from_fn(|k| d[k] - along * axis[k])
                };
                self.centers.iter().map(away).collect()
            }
        };
        let unit = |(cell, v): (usize, &[f64; 3])| {
            let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            if length > 0.0 && length.is_finite() {
                Ok(v.map(|c| c / length))
            } else {
                Err(format!("{key}: cell {cell} at {:?} has no direction", self.centers[cell]))
            }
        };
        raw.iter().enumerate().map(unit).collect()
    }

    /// Cells by material; every cell of a body with materials has one.
    fn parts(&self, parts: &[MaterialPart]) -> Result<Vec<PartCells>, String> {
        let mut part_of = vec![usize::MAX; self.centers.len()];
        for (number, part) in parts.iter().enumerate() {
            let selected = self.select(&part.select).map_err(|reason| format!("material: {reason}"))?;
            if selected.is_empty() {
                return Err(format!("material {number} selects no cell; change its 'select'"));
            }
            for cell in selected {
                part_of[cell as usize] = number;
            }
        }
        if let Some(cell) = part_of.iter().position(|part| *part == usize::MAX).filter(|_| !parts.is_empty())
        {
            let place = self.centers[cell];
            return Err(format!(
                "cell {cell} at {place:?} has no material; let the first one select \"all\""
            ));
        }
        let numbers = (0..parts.len()).map(|number| {
            let cells = (0u32..).zip(&part_of).filter(|(_, part)| **part == number).map(|(c, _)| c).collect();
            self.part(number, &parts[number], cells)
        });
        numbers.filter(|part| part.as_ref().map_or(true, |part| !part.cells.is_empty())).collect()
    }

    fn part(&self, number: usize, part: &MaterialPart, cells: Vec<u32>) -> Result<PartCells, String> {
        let fields: Vec<(&str, Vec<f64>)> = part
            .varying
            .iter()
            .map(|(key, quantity)| {
                let values = self.quantity(quantity).map_err(|reason| format!("material.{key}: {reason}"))?;
                Ok((*key, values))
            })
            .collect::<Result<_, String>>()?;
        let mut known: BTreeMap<Vec<u64>, Made> = BTreeMap::new();
        let mut properties = Properties::default();
        let mut solid = part.material.solid.clone();
        for cell in &cells {
            let values: Vec<u64> = fields.iter().map(|(_, v)| v[*cell as usize].to_bits()).collect();
            if !known.contains_key(&values) {
                let made = self.material(part, &fields, *cell)?;
                let stiffness = made.stiffness();
                let moduli = viscous(&made, stiffness);
                known.insert(values.clone(), Made { solid: made.solid, stiffness, moduli });
            }
            let made = &known[&values];
            properties.constants.push(made.solid.constants());
            properties.stiffness.push(made.stiffness);
            properties.moduli.push(made.moduli);
            solid = made.solid.clone();
        }
        Ok(PartCells { part: number, solid, cells, properties })
    }

    /// The material of one cell.
    fn material(
        &self,
        part: &MaterialPart,
        fields: &[(&str, Vec<f64>)],
        cell: u32,
    ) -> Result<Material, String> {
        let mut parameters = part.material.parameters.clone();
        parameters.sheet = self.is_sheet;
        for (key, values) in fields {
            parameters.set(key, values[cell as usize]);
        }
        Material::new(part.material.model.name, parameters).map_err(|fault| {
            let place = if fields.is_empty() { String::new() } else { format!("cell {cell}: ") };
            let sheet = if self.is_sheet { " (of a sheet; raw moduli may serve)" } else { "" };
            format!("material: {place}{} {}{sheet}", fault.key, fault.reason)
        })
    }
}
