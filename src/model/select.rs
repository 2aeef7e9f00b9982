//! Sets of vertices or cells, by place, number or data array.

use std::borrow::Cow;

use crate::error::suggest::nearest;
use crate::mesh::{DataArray, Group};
use crate::scene::Selection;

/// The selected items in ascending order, each once. `places` are the rest positions of vertices or the centres of
/// cells, `arrays` their data, and `of` says which of the two they are: "vertex" or "cell".
///
/// An empty result is not an error here. Errors are numbers beyond the mesh, and arrays that it does not have.
pub fn select(
    selection: &Selection,
    places: &[[f64; 3]],
    arrays: &[DataArray],
    of: &str,
) -> Result<Vec<u32>, String> {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let from = |x: [f64; 3], origin: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| x[i] - origin[i]) };
    let squared = |x: [f64; 3], origin: [f64; 3]| dot(from(x, origin), from(x, origin));
    match selection {
        Selection::All => Ok(filter(places, |_| true)),
        Selection::Box { min, max } => {
            Ok(filter(places, |x| (0..3).all(|i| min[i] <= x[i] && x[i] <= max[i])))
        }
        Selection::Sphere { center, radius } => {
            Ok(filter(places, |x| squared(x, *center) <= radius * radius))
        }
        Selection::Plane { point, normal } => Ok(filter(places, |x| dot(from(x, *point), *normal) >= 0.0)),
        Selection::Ids(ids) => by_number(ids, places.len(), of),
        Selection::Group(_) if of == "cell" => {
            Err("groups select vertices, not cells; select by place or by an array".into())
        }
        Selection::Group(name) => Err(format!("the mesh has no group '{name}'")),
        Selection::Array { name, above } => {
            let array = find_array(name, 1, places.len(), arrays, of)?;
            Ok((0u32..).zip(&array.values).filter(|(_, value)| **value > *above).map(|(i, _)| i).collect())
        }
        Selection::Nearest { point, count } => {
            let distances: Vec<f64> = places.iter().map(|x| squared(*x, *point)).collect();
            by_distance(&distances, *count, of)
        }
    }
}

fn filter(places: &[[f64; 3]], inside: impl Fn([f64; 3]) -> bool) -> Vec<u32> {
    (0u32..).zip(places).filter(|(_, x)| inside(**x)).map(|(i, _)| i).collect()
}

fn plural(of: &str) -> &str {
    if of == "vertex" { "vertices" } else { "cells" }
}

fn by_number(ids: &[u32], count: usize, of: &str) -> Result<Vec<u32>, String> {
    if let Some(id) = ids.iter().find(|&&id| id as usize >= count) {
        let all = plural(of);
        return Err(format!("{of} {id} does not exist: the mesh has {count} {all}, counted from 0"));
    }
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    Ok(sorted)
}

/// A group of vertices as a selection by number; other selections as they are.
pub fn by_group<'a>(selection: &'a Selection, groups: &[Group]) -> Result<Cow<'a, Selection>, String> {
    let Selection::Group(name) = selection else { return Ok(Cow::Borrowed(selection)) };
    let own = groups.iter().filter(|group| group.names.contains(name));
    let points: Vec<u32> = own.flat_map(|group| group.points.iter().copied()).collect();
    if !points.is_empty() {
        return Ok(Cow::Owned(Selection::Ids(points)));
    }
    let mut names: Vec<&str> = groups.iter().flat_map(|g| g.names.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None if names.is_empty() => "it has none; only those of OBJ files are read".to_owned(),
        None => format!("it has: {}", names[..names.len().min(20)].join(", ")),
    };
    Err(format!("the mesh has no group '{name}' ({hint})"))
}

/// The array with this name and number of components for `count` items.
pub fn find_array<'a>(
    name: &str,
    components: usize,
    count: usize,
    arrays: &'a [DataArray],
    of: &str,
) -> Result<&'a DataArray, String> {
    let kind = if of == "vertex" { "point" } else { "cell" };
    let Some(array) = arrays.iter().find(|array| array.name == name) else {
        let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None if names.is_empty() => "it has none".to_owned(),
            None => format!("it has: {}", names.join(", ")),
        };
        return Err(format!("the mesh has no {kind} array '{name}' ({hint})"));
    };
    if array.components != components {
        let has = array.components;
        return Err(format!("{kind} array '{name}' has {has} components, {components} are wanted"));
    }
    if array.values.len() != components * count {
        let values = array.values.len();
        return Err(format!("{kind} array '{name}' has {values} values for {count} {}", plural(of)));
    }
    Ok(array)
}

fn by_distance(distances: &[f64], count: usize, of: &str) -> Result<Vec<u32>, String> {
    if count > distances.len() {
        let all = plural(of);
        return Err(format!("the {count} nearest {all} are wanted, the mesh has {}", distances.len()));
    }
    let mut order: Vec<u32> = (0u32..).zip(distances).map(|(i, _)| i).collect();
    order.sort_by(|&a, &b| distances[a as usize].total_cmp(&distances[b as usize]).then(a.cmp(&b)));
    order.truncate(count);
    order.sort_unstable();
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    /// Five vertices along x, with a scalar and a vector array.
    fn line() -> Mesh {
        let points: Vec<[f64; 3]> = (0..5).map(|i| [f64::from(i), 0.0, 0.0]).collect();
        let array = |name: &str, components| DataArray {
            name: name.into(),
            components,
            values: (0..5 * components).map(|i| i as f64).collect(),
        };
        Mesh { points, point_data: vec![array("weight", 1), array("normal", 3)], ..Mesh::default() }
    }

    fn ids(selection: Selection) -> Result<Vec<u32>, String> {
        let mesh = line();
        select(&selection, &mesh.points, &mesh.point_data, "vertex")
    }

    #[test]
    fn regions_include_their_boundary() {
        let array = |name: &str| Selection::Array { name: name.into(), above: 2.0 };
        for (selection, expected) in [
            (Selection::All, vec![0, 1, 2, 3, 4]),
            (Selection::Box { min: [1.0, 0.0, 0.0], max: [2.0, 0.0, 0.0] }, vec![1, 2]),
            (Selection::Box { min: [9.0; 3], max: [9.0; 3] }, vec![]),
            (Selection::Sphere { center: [2.0, 0.0, 0.0], radius: 1.0 }, vec![1, 2, 3]),
            (Selection::Plane { point: [3.0, 1.0, 0.0], normal: [5.0, 0.0, 0.0] }, vec![3, 4]),
            (Selection::Plane { point: [1.0, 1.0, 0.0], normal: [-0.1, 0.0, 0.0] }, vec![0, 1]),
            (Selection::Ids(vec![4, 0, 4]), vec![0, 4]),
            (array("weight"), vec![3, 4]),
        ] {
            assert_eq!(ids(selection.clone()), Ok(expected), "{selection:?}");
        }
    }

    #[test]
    fn of_equally_near_vertices_the_lower_number_comes_first() {
        for (count, expected) in [(1, vec![2]), (2, vec![1, 2]), (4, vec![0, 1, 2, 3])] {
            assert_eq!(ids(Selection::Nearest { point: [2.0, 0.0, 0.0], count }), Ok(expected));
        }
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let array = |name: &str| Selection::Array { name: name.into(), above: 0.0 };
        for (selection, reason) in [
            (Selection::Ids(vec![1, 5]), "vertex 5 does not exist: the mesh has 5 vertices, counted from 0"),
            (array("wieght"), "the mesh has no point array 'wieght' (did you mean 'weight'?)"),
            (array("x"), "the mesh has no point array 'x' (it has: weight, normal)"),
            (array("normal"), "point array 'normal' has 3 components, 1 are wanted"),
            (
                Selection::Nearest { point: [0.0; 3], count: 6 },
                "the 6 nearest vertices are wanted, the mesh has 5",
            ),
        ] {
            assert_eq!(ids(selection), Err(reason.to_owned()));
        }
    }
}
