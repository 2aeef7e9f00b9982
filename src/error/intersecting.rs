//! The surfaces that intersect where a scene starts, to be shown.

/// Triangles and edges that intersect, with what they belong to. Cells are the triangles, then the edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intersecting {
    /// Positions in m.
    pub points: Vec<[f64; 3]>,
    /// Triangles by their points.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of lines and capsules by their points.
    pub edges: Vec<[u32; 2]>,
    /// For each cell, the number of its body in the scene; −1 for the first obstacle, −2 for the second …
    pub body_ids: Vec<i32>,
    /// For each cell, the number of the two parts that intersect there, in the order of the message, from 0 on.
    pub pairs: Vec<i32>,
}
