//! Whether the tets of a body are linear or quadratic, and that quadratic ones can be simulated.

use super::embedded::Surfaces;
use crate::error::{Error, Result};
use crate::mesh::curved::move_onto;
use crate::mesh::{Mesh, quadratic};
use crate::scene::{Body, Element, MeshSource};
use elements::energy::quadratic::least_volume;

/// Gives the tets of a body ten nodes if it asks for that, and takes the further ones away if it asks for linear tets; what
/// is not asked for stays as the mesh has it.
///
/// The boundary of tets that fill the surfaces of the body is bent, so that it meets them.
pub(super) fn choose(
    body: &Body,
    mesh: &mut Mesh,
    surfaces: &Surfaces,
    orphans: &mut Vec<bool>,
    subject: &str,
) -> Result<()> {
    match body.element {
        Some(Element::Linear) => {
            mesh.middles.clear();
            *orphans = mesh.orphans();
        }
        Some(Element::Quadratic) if mesh.middles.is_empty() => {
            quadratic::promote(mesh);
            orphans.resize(mesh.points.len(), false);
            if matches!(body.mesh, MeshSource::Surface { .. }) {
                let (points, triangles) = surfaces.placed(body);
                move_onto(mesh, &points, &triangles);
            }
        }
        _ => {}
    }
    let refuse = |reason: String| {
        let hint = "set element = \"linear\" to use the corners of the tets alone, or \"quadratic\" with a mesh of linear tets";
        Err(Error::Mesh { subject: subject.into(), reason, hint: hint.into() })
    };
    for (t, (tet, middles)) in mesh.tets.iter().zip(&mesh.middles).enumerate() {
        if least_volume(&quadratic::nodes(*tet, *middles), &mesh.points) <= 0.0 {
            return refuse(format!(
                "the edges of tet {t} are bent so far that it is turned inside out somewhere"
            ));
        }
    }
    match quadratic::torn_edge(mesh) {
        Some(([a, b], [one, other])) => refuse(format!(
            "the edge between the vertices {a} and {b} has vertex {one} in its middle in one tet and {other} in another: they \
             would come apart"
        )),
        None => Ok(()),
    }
}
