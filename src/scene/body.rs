//! One body: its data, and its defaults in code.

use std::path::PathBuf;

use super::{
    Bending, BodyContact, Control, Damping, Deform, Fiber, Limits, Line, Load, MaterialPart, MeshSource,
    Motion, Period, Pin, PinKind, Probe, Quantity, Selection, Springs, Transform, Velocity,
};
use elements::energy::material::Material;
use elements::math::track::Track;

/// How the tets of a solid deform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Each tet has one deformation gradient. Bodies that bend, or hardly change their volume, come out too stiff.
    Linear,
    /// Tets have nodes in the middles of their edges too, and bend.
    Quadratic,
}

/// One elastic body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique name, usable as a file name.
    pub name: String,
    /// Where the mesh comes from.
    pub mesh: MeshSource,
    /// Surfaces that follow it and are written in its place, absolute paths.
    pub surfaces: Vec<PathBuf>,
    /// How tets deform; `None`: quadratic where the mesh has ten-node tets, else linear.
    pub element: Option<Element>,
    /// Drop degenerate cells instead of refusing the mesh.
    pub repair: bool,
    /// Mass density in kg/m³, > 0.
    pub density: Quantity,
    /// Thickness in m of a sheet (a mesh of triangles), > 0.
    pub thickness: Quantity,
    /// Radius in m of the cross-section of a line (a mesh of edges), > 0.
    pub radius: f64,
    /// The materials, later ones win; solids have one at least, sheets may have springs instead, lines have none.
    pub materials: Vec<MaterialPart>,
    /// Springs along the edges of a sheet.
    pub springs: Option<Springs>,
    /// Resistance of a sheet to bending.
    pub bending: Option<Bending>,
    /// Bounds on stretches.
    pub limits: Option<Limits>,
    /// What the edges of a line do; lines have it, other bodies do not.
    pub line: Option<Line>,
    /// Families of fibres in a solid.
    pub fibers: Vec<Fiber>,
    /// Rayleigh damping.
    pub damping: Damping,
    /// Factor on all stiffness over time, > 0; `None`: 1.
    pub stiffness_scale: Option<Track<1>>,
    /// Applied to the mesh; the result is the rest state.
    pub transform: Transform,
    /// Initial velocity.
    pub velocity: Velocity,
    /// Applied about the centre of the rest bounding box; the result is the initial state.
    pub deform: Vec<Deform>,
    /// Sets of vertices that are held or moved.
    pub pins: Vec<Pin>,
    /// Forces on sets of vertices.
    pub loads: Vec<Load>,
    /// Pressure inside the closed surface above that outside, in Pa, over time.
    pub pressure: Option<Track<1>>,
    /// What differs in its contact from that of the scene.
    pub contact: BodyContact,
    /// What its momenta and energy should be.
    pub control: Control,
    /// What is measured of it after every step.
    pub probes: Vec<Probe>,
}

impl Body {
    /// A body of a mesh, of 1000 kg/m³, without a material.
    pub fn new(name: &str, mesh: impl Into<MeshSource>) -> Body {
        Body {
            name: name.into(),
            mesh: mesh.into(),
            surfaces: vec![],
            element: None,
            repair: false,
            density: Quantity::Constant(1000.0),
            thickness: Quantity::Constant(0.001),
            radius: 0.005,
            materials: vec![],
            springs: None,
            bending: None,
            limits: None,
            line: None,
            fibers: vec![],
            damping: Damping::default(),
            stiffness_scale: None,
            transform: Transform::default(),
            velocity: Velocity::default(),
            deform: vec![],
            pins: vec![],
            loads: vec![],
            pressure: None,
            contact: BodyContact::default(),
            control: Control::default(),
            probes: vec![],
        }
    }

    /// Gives all cells a material, in place of earlier ones.
    pub fn material(mut self, material: Material) -> Body {
        self.materials = vec![MaterialPart { select: Selection::All, material, varying: vec![] }];
        self
    }

    /// Says how its tets deform.
    pub fn element(mut self, element: Element) -> Body {
        self.element = Some(element);
        self
    }

    /// Sets the density in kg/m³.
    pub fn density(mut self, density: f64) -> Body {
        self.density = Quantity::Constant(density);
        self
    }

    /// Holds vertices where they are.
    pub fn pin(self, select: Selection) -> Body {
        self.pin_moving(select, None)
    }

    /// Holds vertices and moves them.
    pub fn pin_moving(mut self, select: Selection, motion: Option<Motion>) -> Body {
        self.pins.push(Pin { select, kind: PinKind::Hard, motion, active: None });
        self
    }

    /// Holds vertices, and moves them, from a time in s until another, which may be infinite. Then they fly on.
    pub fn pin_between(mut self, select: Selection, motion: Option<Motion>, [from, until]: [f64; 2]) -> Body {
        let active = Some(Period { from, until });
        self.pins.push(Pin { select, kind: PinKind::Hard, motion, active });
        self
    }

    /// Sets the initial velocity in m/s.
    pub fn velocity(mut self, linear: [f64; 3]) -> Body {
        self.velocity.linear = linear;
        self
    }

    /// Cross-section of a line in m².
    pub fn section(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius
    }
}
