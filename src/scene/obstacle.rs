//! Obstacles: what bodies touch and do not move.

use super::contact::{Refusal, failed, friction_refusals, is_positive};
use super::{MeshSource, Motion, Path, Sequence, Transform};

/// A shape that stands or moves as it is told, whatever touches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// A name that no body and no other obstacle has, usable as a file name.
    pub name: String,
    /// Its shape.
    pub shape: ObstacleShape,
    /// Applied to the shape; the result is where the obstacle starts.
    pub transform: Transform,
    /// Where it goes over time; `None`: it stays.
    pub motion: Option<Motion>,
    /// Coefficient of friction, ≥ 0; `None`: that of the scene.
    pub friction: Option<f64>,
}

/// The shape of an obstacle, in m. Planes, spheres and capsules are exact, the others are made of triangles.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// A half-space, solid on the side that the normal points away from.
    Plane {
        /// A point of the plane.
        point: [f64; 3],
        /// Points to the free side; need not have length 1.
        normal: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its centre.
        center: [f64; 3],
        /// Its radius, > 0.
        radius: f64,
    },
    /// All points within a distance of a segment.
    Capsule {
        /// One end of the segment.
        from: [f64; 3],
        /// The other end.
        to: [f64; 3],
        /// The distance, > 0.
        radius: f64,
    },
    /// A box parallel to the axes.
    Box {
        /// The corner with the lowest coordinates.
        min: [f64; 3],
        /// The corner with the highest coordinates, each above that of `min`.
        max: [f64; 3],
    },
    /// A closed cylinder with flat ends.
    Cylinder {
        /// The centre of one end.
        from: [f64; 3],
        /// The centre of the other.
        to: [f64; 3],
        /// Its radius, > 0.
        radius: f64,
    },
    /// A ring.
    Torus {
        /// Its centre.
        center: [f64; 3],
        /// The axis around which it runs; need not have length 1.
        axis: [f64; 3],
        /// Distance from the centre to the centre line of the tube, > 0.
        major: f64,
        /// Radius of the tube, > 0 and below `major`.
        minor: f64,
    },
    /// The triangles of a mesh, or the boundary of its tets. It may be open.
    Mesh(MeshSource),
}

impl Obstacle {
    /// An obstacle that stands still.
    pub fn new(name: &str, shape: ObstacleShape) -> Obstacle {
        Obstacle { name: name.into(), shape, transform: Transform::default(), motion: None, friction: None }
    }

    /// A plane through a point; its normal points to where bodies are.
    pub fn plane(name: &str, point: [f64; 3], normal: [f64; 3]) -> Obstacle {
        Obstacle::new(name, ObstacleShape::Plane { point, normal })
    }

    /// A ball.
    pub fn sphere(name: &str, center: [f64; 3], radius: f64) -> Obstacle {
        Obstacle::new(name, ObstacleShape::Sphere { center, radius })
    }

    /// The surface of a mesh.
    pub fn mesh(name: &str, mesh: impl Into<MeshSource>) -> Obstacle {
        Obstacle::new(name, ObstacleShape::Mesh(mesh.into()))
    }

    /// Places it: the shape is scaled, then rotated about the origin, then moved.
    pub fn transform(mut self, transform: Transform) -> Obstacle {
        self.transform = transform;
        self
    }

    /// Moves it by a path from the start on.
    pub fn moving(mut self, path: Path) -> Obstacle {
        self.motion = Some(Motion { path, from: 0.0, until: f64::INFINITY });
        self
    }

    /// Lets the vertices of a mesh go where files have them, from the start on.
    pub fn following(self, sequence: Sequence) -> Obstacle {
        self.moving(Path::Sequence(sequence))
    }

    /// Sets its coefficient of friction.
    pub fn friction(mut self, friction: f64) -> Obstacle {
        self.friction = Some(friction);
        self
    }

    /// The files that it follows, if it does.
    pub fn sequence(&self) -> Option<&Sequence> {
        self.motion.as_ref().and_then(Motion::sequence)
    }

    /// What is out of range, besides motions without files.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let Transform { translate, rotate: (axis, angle), scale } = self.transform;
        let mut refusals = failed([
            (is_positive(scale), "transform.scale", "must be above 0"),
            (is_somewhere(translate), "transform.translate", FINITE),
            (has_direction(axis) && angle.is_finite(), "transform.rotate", FINITE),
        ]);
        refusals.extend(friction_refusals(self.friction));
        refusals.extend(self.shape.refusals());
        if let Some(sequence) = self.sequence() {
            let is_mesh = matches!(self.shape, ObstacleShape::Mesh(_));
            let reason = "only a mesh has vertices that follow a sequence";
            refusals.extend(failed([(is_mesh, "sequence", reason)]));
            refusals.extend(sequence.refusals().into_iter().map(|(key, reason)| match key {
                "fps" => ("sequence.fps", reason),
                _ => ("sequence.files", reason),
            }));
        }
        refusals
    }
}

/// Refusals in the words of configs.
const POSITIVE: &str = "must be above 0";
const FINITE: &str = "must be finite numbers";
const DIRECTION: &str = "must not be the zero vector";
const DIFFERENT: &str = "must not be the same point as from";

impl ObstacleShape {
    /// Its name in configs.
    pub fn name(&self) -> &'static str {
        match self {
            ObstacleShape::Plane { .. } => "plane",
            ObstacleShape::Sphere { .. } => "sphere",
            ObstacleShape::Capsule { .. } => "capsule",
            ObstacleShape::Box { .. } => "box",
            ObstacleShape::Cylinder { .. } => "cylinder",
            ObstacleShape::Torus { .. } => "torus",
            ObstacleShape::Mesh(_) => "mesh",
        }
    }

    /// What is out of range, by keys below the obstacle.
    fn refusals(&self) -> Vec<Refusal> {
        match *self {
            ObstacleShape::Plane { point, normal } => failed([
                (is_somewhere(point), "shape.plane.point", FINITE),
                (has_direction(normal), "shape.plane.normal", DIRECTION),
            ]),
            ObstacleShape::Sphere { center, radius } => failed([
                (is_somewhere(center), "shape.sphere.center", FINITE),
                (is_positive(radius), "shape.sphere.radius", POSITIVE),
            ]),
            ObstacleShape::Capsule { from, to, radius } => failed([
                (is_somewhere(from), "shape.capsule.from", FINITE),
                (is_somewhere(to), "shape.capsule.to", FINITE),
                (from != to, "shape.capsule.to", DIFFERENT),
                (is_positive(radius), "shape.capsule.radius", POSITIVE),
            ]),
            ObstacleShape::Box { min, max } => failed([
                (is_somewhere(min), "shape.box.min", FINITE),
                (is_somewhere(max), "shape.box.max", FINITE),
                ((0..3).all(|i| min[i] < max[i]), "shape.box.max", "must be above min along x, y and z"),
            ]),
            ObstacleShape::Cylinder { from, to, radius } => failed([
                (is_somewhere(from), "shape.cylinder.from", FINITE),
                (is_somewhere(to), "shape.cylinder.to", FINITE),
                (from != to, "shape.cylinder.to", DIFFERENT),
                (is_positive(radius), "shape.cylinder.radius", POSITIVE),
            ]),
            ObstacleShape::Torus { center, axis, major, minor } => failed([
                (is_somewhere(center), "shape.torus.center", FINITE),
                (has_direction(axis), "shape.torus.axis", DIRECTION),
                (is_positive(major), "shape.torus.major", POSITIVE),
                (is_positive(minor), "shape.torus.minor", POSITIVE),
                (
                    minor < major || !is_positive(major) || !is_positive(minor),
                    "shape.torus.minor",
                    "must be less than major",
                ),
            ]),
            ObstacleShape::Mesh(ref source) => {
                let is_given = !matches!(source, MeshSource::Surface { .. });
                failed([(is_given, "shape.mesh", "an obstacle is not filled with tets: give its mesh")])
            }
        }
    }
}

fn is_somewhere(point: [f64; 3]) -> bool {
    point.iter().all(|x| x.is_finite())
}

fn has_direction(vector: [f64; 3]) -> bool {
    is_somewhere(vector) && vector != [0.0; 3]
}
