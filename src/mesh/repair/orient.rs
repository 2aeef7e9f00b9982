//! Neighbours that face the same way, and parts that face outward.
//!
//! A patch is a part that is connected by edges of exactly two triangles. Its triangles are turned to agree with its
//! first one, from neighbour to neighbour, or all of them the other way if that turns less area. Outside and inside are
//! decided in [`nesting`](crate::mesh::nesting).

use std::collections::VecDeque;

use crate::mesh::Mesh;
use crate::mesh::nesting::inside_out;
use crate::mesh::surface::{area_vector, half_edges, patches};
use elements::math::vec3::norm;

/// Orients every patch consistently, if it has two sides; returns which triangles were turned.
pub fn consistently(mesh: &mut Mesh) -> Vec<bool> {
    let neighbours = neighbours(&mesh.triangles);
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    for first in 0..mesh.triangles.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let (mut patch, mut queue) = (vec![], VecDeque::from([first]));
        while let Some(t) = queue.pop_front() {
            patch.push(t);
            for &(other, against) in neighbours[t].iter().flatten() {
                if turned[other as usize].is_none() {
                    turned[other as usize] = turned[t].map(|turned| turned ^ against);
                    queue.push_back(other as usize);
                }
            }
        }
        let area = |t: &usize| norm(area_vector(&mesh.points, mesh.triangles[*t]));
        let (turn, stay): (Vec<usize>, Vec<usize>) = patch.iter().partition(|t| turned[**t] == Some(true));
        if turn.iter().map(area).sum::<f64>() > stay.iter().map(area).sum() {
            patch.iter().for_each(|&t| turned[t] = turned[t].map(|turned| !turned));
        }
    }
    turn(mesh, turned.into_iter().map(|turned| turned == Some(true)).collect())
}

/// Turns the patches that are inside out; returns which triangles were turned. Patches must be oriented
/// [`consistently`]. If there are too many within each other to tell, none is turned.
pub fn outward(mesh: &mut Mesh) -> Vec<bool> {
    let patch_of = patches(&mesh.triangles);
    let wrong = inside_out(&mesh.points, &mesh.triangles, &patch_of);
    let is_wrong = |&patch: &u32| wrong.as_ref().is_some_and(|wrong| wrong[patch as usize]);
    turn(mesh, patch_of.iter().map(is_wrong).collect())
}

fn turn(mesh: &mut Mesh, turned: Vec<bool>) -> Vec<bool> {
    mesh.triangles.iter_mut().zip(&turned).filter(|(_, turned)| **turned).for_each(|(t, _)| t.swap(1, 2));
    turned
}

/// The up to three neighbours across edges of exactly two triangles, and whether they are oriented against this one.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut neighbours = vec![[None; 3]; triangles.len()];
    let mut add = |t: usize, other: usize, against: bool| {
        let free = neighbours[t].iter_mut().find(|slot| slot.is_none()).expect("a triangle has three sides");
        *free = Some((other as u32, against));
    };
    for same in half_edges(triangles).chunk_by(|a, b| a.ends == b.ends) {
        if let [a, b] = same {
            let against = a.forward == b.forward;
            add(a.triangle(), b.triangle(), against);
            add(b.triangle(), a.triangle(), against);
        }
    }
    neighbours
}
