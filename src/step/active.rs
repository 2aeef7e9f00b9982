//! Terms whose elements change between iterations: contacts, and other terms that depend on where vertices are.
//!
//! The fixed terms of an objective keep their elements for a whole run, and with them the system matrix, its factor,
//! and the places where gradients are gathered. An active term has other elements in every state, and finds them itself.
//! Its energy and gradient are functions of the positions, like those of any other term, and so are the squares that its
//! Hessian is made of.

use elements::math::lanes::Vec4;

/// A vector v with entries at up to four vertices, of which v vᵀ is a part of a Hessian, in √(N/m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Square {
    /// The vertices; one may stand there several times.
    pub corners: [u32; 4],
    /// The entries of v at these vertices, to be added up.
    pub vectors: [[f64; 3]; 4],
    /// By how much v·d may be off for a motion d, in √J: for a contact, v times a part of its gap.
    pub harmless: f64,
}

/// A unilateral constraint for solvers of positions: the gap of two pieces, linear in the positions, is at least a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// What tells it from others in a step.
    pub key: (u8, [u32; 4]),
    /// The vertices; one may stand there several times.
    pub corners: [u32; 4],
    /// The factors f of a motion δ of the vertices: the second piece moves by Σ f δ relative to the first.
    pub factors: [f64; 4],
    /// The unit vector from the first piece to the second.
    pub normal: [f64; 3],
    /// The gap in m where it is linear.
    pub gap: f64,
    /// The least gap in m that is wanted.
    pub bound: f64,
    /// The compliance in m/N.
    pub compliance: f64,
    /// The coefficient μ of friction.
    pub friction: f64,
    /// By how much the second piece has moved relative to the first since the step began, in m.
    pub slid: [f64; 3],
}

/// What a solver does about contact in its paper (see `contact::published`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedWay {
    /// Springs push vertices out that are inside of others.
    Springs,
    /// Vertices are put out after every iteration; with `rub`, friction acts then, otherwise at the end of the step.
    Projections {
        /// Friction acts after every iteration.
        rub: bool,
    },
    /// Forces of the step's start push vertices out.
    Forces,
    /// Every vertex has a copy that is outside.
    Copies,
}

/// What touches in a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touching {
    /// The contact force on each vertex in N, internal numbering.
    pub forces: Vec<[f64; 3]>,
    /// The friction on each vertex in N.
    pub friction: Vec<[f64; 3]>,
    /// The least gap in m of the pieces that have a vertex; `range` if it is larger.
    pub gaps: Vec<f64>,
    /// The gap in m from which on nothing is felt.
    pub range: f64,
    /// The least of all gaps in m; `range` if it is larger.
    pub least: f64,
    /// The number of pairs that feel each other.
    pub pairs: usize,
    /// The work of friction in the last step in J, negative where it brakes: its forces at the end times the motions of
    /// what rubs relative to each other.
    pub friction_work: f64,
    /// The number of pairs that are left out because they intersect.
    pub excluded: usize,
    /// The sums between bodies and obstacles that feel each other.
    pub between: Vec<Between>,
}

impl Touching {
    /// Nothing touches, for so many vertices, and nothing is felt from the gap `range` in m on.
    pub fn nothing(vertices: usize, range: f64) -> Touching {
        Touching {
            forces: vec![[0.0; 3]; vertices],
            friction: vec![[0.0; 3]; vertices],
            gaps: vec![range; vertices],
            range,
            least: range,
            ..Touching::default()
        }
    }
}

/// The forces between two bodies, or a body and an obstacle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Between {
    /// The names of the two; the forces are those on the first.
    pub names: [String; 2],
    /// The sum of the contact forces in N.
    pub normal: [f64; 3],
    /// The sum of the friction in N.
    pub friction: [f64; 3],
}

/// A term that has other elements in every state.
pub trait Active: Send + Sync {
    /// The name of the term for messages.
    fn name(&self) -> String;

    /// The numbers of the bodies whose vertices it moves, ascending.
    fn bodies(&self) -> &[usize];

    /// Adds the gradient at `x` to that of the unknowns, in N; returns the energy in J. Both depend on `x` alone, and on
    /// what [`Active::begin_step`] and [`Active::lag`] hold fixed.
    fn add_gradient(&self, x: &[Vec4], gradient: &mut [Vec4]) -> f64;

    /// Appends the vectors v of which Σ v vᵀ is the Hessian at `x`, without what has negative eigenvalues.
    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>);

    /// The largest safe part of the straight motion of all vertices from `from` to `to`, above 0 and up to 1.
    fn longest_part(&self, _from: &[Vec4], _to: &[Vec4]) -> f64 {
        1.0
    }

    /// True if [`Active::approaches`] tells all that the energy does. Solvers of positions refuse other terms, which they would
    /// not feel.
    fn constrains(&self) -> bool {
        false
    }

    /// Appends constraints for what comes near each other in the motion from `from` to `to`, linear about `from`.
    fn approaches(&self, _from: &[Vec4], _to: &[Vec4], _out: &mut Vec<Approach>) {}

    /// Lowers `parts`, one for each vertex, until it is safe that each vertex moves by its part of the straight way from
    /// `from` to `to`.
    fn apart(&self, from: &[Vec4], to: &[Vec4], parts: &mut [f64]) {
        let longest = self.longest_part(from, to);
        parts.iter_mut().for_each(|part| *part *= longest);
    }

    /// The pairs of bodies that may feel each other in the motion from `from` to `to`; `None` stands for obstacles. A body
    /// may be there with itself.
    fn meeting(&self, _from: &[Vec4], _to: &[Vec4]) -> Vec<[Option<usize>; 2]> {
        vec![]
    }

    /// Adds the energy in J that each body has a share in, one for each body: what is stored at `x` less the work of
    /// friction since the step began.
    fn add_shares(&self, _x: &[Vec4], _out: &mut [f64]) {}

    /// True if motions are bounded by it, and its Hessian belongs into directions.
    fn is_bounding(&self) -> bool {
        true
    }

    /// True if solvers move unknowns by [`Active::project`], which no energy tells of.
    fn projects(&self) -> bool {
        false
    }

    /// Moves unknowns, vertices 0 … `free`−1, to where they are allowed to be, after an iteration.
    fn project(&self, _x: &mut [Vec4], _free: usize) {}

    /// The same at the end of a step.
    fn finish(&self, _x: &mut [Vec4], _free: usize) {}

    /// Adds forces in N on all vertices that stay the same over a step, which starts at `x`.
    fn add_forces(&self, _x: &[Vec4], _out: &mut [Vec4]) {}

    /// From now on friction is in what [`Active::approaches`] tells, and not in the energy.
    fn become_positional(&mut self) {}

    /// The names of the two parts that bound the motion from `from` to `to` the most; `None` if nothing bounds it.
    fn bounding(&self, _from: &[Vec4], _to: &[Vec4]) -> Option<[String; 2]> {
        None
    }

    /// The time that it took to find its elements in all evaluations so far, in ns.
    fn searched(&self) -> u64 {
        0
    }

    /// What touches at `x`; `None` for terms that are not contact.
    fn touching(&self, _x: &[Vec4]) -> Option<Touching> {
        None
    }

    /// The names of two parts that intersect at `x`, by an exact test; `None` if nothing does.
    fn intersection(&self, _x: &[Vec4]) -> Option<[String; 2]> {
        None
    }

    /// Sets quantities that depend on time to their values at `time` in seconds, the end of the step that begins.
    fn set_time(&mut self, _time: f64) {}

    /// Is called when a step begins with vertices at `x`.
    fn begin_step(&mut self, _x: &[Vec4]) {}

    /// Takes anew from `x` what is held fixed in a minimization; true if it changed, so that one more is needed.
    fn lag(&mut self, _x: &[Vec4]) -> bool {
        false
    }

    /// Is called when a step has ended with vertices at `x`.
    fn end_step(&mut self, _x: &[Vec4]) {}

    /// The state that a resumed run needs beyond positions and velocities.
    fn save(&self) -> Vec<u8> {
        vec![]
    }

    /// Restores what [`Active::save`] returned; false if the bytes are not valid.
    fn restore(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty()
    }
}
