//! The constant system matrix A = M/h² + Σ w DᵀD of the unknowns, and its cached factor.

use crate::cache::{Array, Cache, Cached, Key, Outcome};
use crate::error::{Error, Result};
use crate::math::lanes::Vec4;
use crate::objective::{Iterate, Objective};
use crate::sparse::cholesky::Cholesky;
use crate::sparse::matrix::SymmetricMatrix;
use crate::sparse::panels::Panels;

/// A factor of A, ready to solve.
pub struct System {
    panels: Panels,
    work: Vec<Vec4>,
}

impl System {
    /// Loads the factor from the cache, or assembles A, factorizes it and stores the factor.
    pub fn prepare(objective: &Objective, cache: &Cache) -> Result<(System, Outcome)> {
        System::prepare_scaled(objective, 1.0, cache)
    }

    /// Likewise with all weights multiplied by `scale`: M/h² + scale Σ w DᵀD.
    pub fn prepare_scaled(objective: &Objective, scale: f64, cache: &Cache) -> Result<(System, Outcome)> {
        let key = key(objective, scale);
        let (panels, outcome) = cache.fetch(&key, || factorize(&assemble(objective, scale)))?;
        Ok((System { panels, work: vec![] }, outcome))
    }

    /// `x = A⁻¹ b` on the unknowns.
    pub fn solve(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        self.panels.solve(b, x, &mut self.work);
    }

    /// Entries of the factor, padding included.
    pub fn entries(&self) -> usize {
        self.panels.len()
    }

    /// The packed factor.
    pub fn panels(&self) -> &Panels {
        &self.panels
    }
}

/// M/h² + scale Σ w DᵀD in the objective's numbering, which is its order of elimination; A where `scale` is 1.
pub fn assemble(objective: &Objective, scale: f64) -> SymmetricMatrix {
    let free = objective.free as u32;
    let per_step = 1.0 / (objective.step * objective.step);
    let mut triplets: Vec<(u32, u32, f64)> =
        (0..free).map(|v| (v, v, objective.mass[v as usize] * per_step)).collect();
    for term in &objective.terms {
        term.add_system(&mut |row, column, value| {
            if row <= column && column < free {
                triplets.push((row, column, scale * value));
            }
        });
    }
    SymmetricMatrix::from_triplets(free as usize, &triplets)
}

/// A hash of all that determines the matrix, cheaper than the matrix itself: with a hit, nothing is assembled.
pub fn key(objective: &Objective, scale: f64) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"pliant system factor");
    hasher.update(&(objective.free as u64).to_le_bytes());
    hasher.update(&objective.step.to_le_bytes());
    hasher.update(bytemuck::cast_slice(&objective.mass[..objective.free]));
    for term in &objective.terms {
        term.hash_system(&mut hasher);
    }
    if scale != 1.0 {
        hasher.update(b"weights");
        hasher.update(&scale.to_le_bytes());
    }
    hasher.finalize()
}

/// A hash of the matrix and of a step's start, for what is measured there in a way that the label tells.
pub(super) fn start_key(objective: &Objective, start: &Iterate, label: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"pliant rho");
    hasher.update(key(objective, 1.0).as_bytes());
    hasher.update(label.as_bytes());
    for place in start.x.iter().chain(&objective.inertial) {
        hasher.update(bytemuck::cast_slice(&place.0));
    }
    hasher.finalize()
}

fn factorize(matrix: &SymmetricMatrix) -> Result<Panels> {
    let mut cholesky = Cholesky::analyse(matrix)?;
    if !cholesky.factorize(&matrix.values) {
        return Err(Error::Failed {
            what: "the system matrix is not positive definite in double precision".into(),
            hint: "the mesh has extremely bad elements or the stiffness is extreme; try repair = true, \
                   a smaller step or a softer material"
                .into(),
        });
    }
    Ok(cholesky.pack())
}

impl Cached for Panels {
    const KIND: &'static str = "factor";
    const VERSION: u32 = 1;

    fn to_arrays(&self) -> Vec<Array> {
        vec![
            Array::U64(vec![self.size as u64]),
            Array::U64(self.nodes.iter().flatten().copied().collect()),
            Array::U32(self.rows.clone()),
            Array::F64(self.values.clone()),
        ]
    }

    fn from_arrays(arrays: Vec<Array>) -> Option<Self> {
        let [Array::U64(size), Array::U64(nodes), Array::U32(rows), Array::F64(values)] =
            <[Array; 4]>::try_from(arrays).ok()?
        else {
            return None;
        };
        let nodes = nodes.chunks_exact(5).map(|n| [n[0], n[1], n[2], n[3], n[4]]).collect();
        let panels = Panels { size: *size.first()? as usize, nodes, rows, values };
        panels.is_consistent().then_some(panels)
    }
}
