//! The internal numbering of vertices: unknowns first, in the order of elimination.

use crate::cache::{Array, Cache, Cached, Check, Outcome};
use crate::error::Result;
use sparse::ordering::{Graph, is_permutation, order};

/// The maps from input numbers to internal ones and back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbering {
    /// Number of unknowns: internal vertices 0 … `free`−1.
    pub free: usize,
    /// The input number of each internal vertex.
    pub order: Vec<u32>,
    /// The internal number of each input vertex.
    pub position: Vec<u32>,
}

/// A cached fill-reducing permutation.
struct Permutation(Vec<u32>);

impl Cached for Permutation {
    const KIND: &'static str = "ordering";
    const VERSION: u32 = 1;

    fn to_arrays(&self) -> Vec<Array> {
        vec![Array::U32(self.0.clone())]
    }

    fn from_arrays(arrays: Vec<Array>) -> Option<Self> {
        match <[Array; 1]>::try_from(arrays).ok()? {
            [Array::U32(p)] if is_permutation(&p) => Some(Permutation(p)),
            _ => None,
        }
    }
}

/// The check of orderings in the cache.
pub const CHECK: Check = Check::of::<Permutation>();

impl Numbering {
    /// Numbers the vertices. `unknown` is true for those that are free to move; `elements` couple vertices.
    pub fn new(unknown: &[bool], elements: &[[u32; 4]], cache: &Cache) -> Result<(Numbering, Outcome)> {
        let mut free = 0u32;
        let compact: Vec<Option<u32>> = unknown
            .iter()
            .map(|u| {
                u.then(|| {
                    free += 1;
                    free - 1
                })
            })
            .collect();
        let key = {
            let mut hasher = blake3::Hasher::new();
            hasher.update(b"pliant ordering");
            hasher.update(&unknown.iter().map(|u| u8::from(*u)).collect::<Vec<_>>());
            hasher.update(bytemuck::cast_slice(elements));
            hasher.finalize()
        };
        let fits = |found: &Permutation| found.0.len() == free as usize;
        let (permutation, outcome) = cache.fetch(&key, fits, || {
            let cliques = elements.iter().map(|e| e.as_slice());
            let graph = Graph::from_cliques(free as usize, cliques, |v| compact[v as usize]);
            Ok(Permutation(order(&graph)))
        })?;
        let input: Vec<u32> = (0..unknown.len() as u32).filter(|v| unknown[*v as usize]).collect();
        let mut all: Vec<u32> = permutation.0.iter().map(|k| input[*k as usize]).collect();
        all.extend((0..unknown.len() as u32).filter(|v| !unknown[*v as usize]));
        let mut position = vec![0; all.len()];
        for (internal, v) in all.iter().enumerate() {
            position[*v as usize] = internal as u32;
        }
        Ok((Numbering { free: free as usize, order: all, position }, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknowns_come_first_and_the_maps_are_inverse() {
        let unknown = [true, false, true, true, true, false];
        let elements = [[0, 1, 2, 3], [1, 2, 3, 4]];
        let (n, _) = Numbering::new(&unknown, &elements, &Cache::disabled()).unwrap();
        assert_eq!(n.free, 4);
        for (internal, v) in n.order.iter().enumerate() {
            assert_eq!(n.position[*v as usize] as usize, internal);
            assert_eq!(unknown[*v as usize], internal < 4);
        }
        assert_eq!(n.order[4..], [1, 5]);
    }
}
