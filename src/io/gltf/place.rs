//! Where a node is: an affine map `x ↦ A x + b`.

use super::document::Node;
use elements::math::vec3::{add, cross, dot, norm, scale};

/// The map, with A by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    columns: [[f64; 3]; 3],
    origin: [f64; 3],
}

impl Place {
    /// The map that leaves all as it is.
    pub const IDENTITY: Place =
        Place { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

    /// The place of a node relative to the one above: its matrix, or scale, then rotation, then translation.
    pub fn of(node: &Node) -> Place {
        if let Some(m) = &node.matrix {
            let column = |i: usize| [m[4 * i], m[4 * i + 1], m[4 * i + 2]];
            return Place { columns: [column(0), column(1), column(2)], origin: column(3) };
        }
        let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
            [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
            [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let factors = node.scale.unwrap_or([1.0; 3]);
        Place {
            columns: std::array::from_fn(|i| scale(factors[i], rotation[i])),
            origin: node.translation.unwrap_or_default(),
        }
    }

    /// This map after another one.
    pub fn then(&self, inner: &Place) -> Place {
        Place { columns: inner.columns.map(|column| self.turned(column)), origin: self.apply(inner.origin) }
    }

    fn turned(&self, v: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.columns;
        add(scale(v[0], a), add(scale(v[1], b), scale(v[2], c)))
    }

    /// The place of a point.
    pub fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        add(self.origin, self.turned(p))
    }

    /// True if it turns right hands into left ones.
    pub fn is_mirrored(&self) -> bool {
        let [a, b, c] = self.columns;
        dot(a, cross(b, c)) < 0.0
    }

    /// Turns unit normals, three numbers each, by the inverse transpose of A.
    pub fn turn_normals(&self, values: &mut [f64]) {
        let [a, b, c] = self.columns;
        // The columns of the cofactors, which are the inverse transpose but for the determinant.
        let sign = if self.is_mirrored() { -1.0 } else { 1.0 };
        let cofactors = Place { columns: [cross(b, c), cross(c, a), cross(a, b)], origin: [0.0; 3] };
        for normal in values.as_chunks_mut::<3>().0 {
            let turned = scale(sign, cofactors.turned(*normal));
            let length = norm(turned);
            if length > 0.0 {
                *normal = scale(1.0 / length, turned);
            }
        }
    }
}
