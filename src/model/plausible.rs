//! Warnings of what is allowed and most likely not meant, found before the work and without much work.

use super::body::BodyData;
use crate::mesh::surface::topology;
use crate::mesh::weld::coinciding;
use crate::scene::{Body, MeshSource, Quantity, Scene};
use elements::math::vec3::norm;

/// A body that is larger than this, in m, is hardly meant in metres.
const LARGE: f64 = 50.0;
/// A part of its own height by which a column is shortened, above which nothing stands.
const TOO_SOFT: f64 = 1.0;
/// The part by which a body sags visibly and keeps its shape.
const FIT: f64 = 0.05;

/// All warnings of a scene whose bodies are loaded.
pub fn warnings(scene: &Scene, bodies: &[BodyData]) -> Vec<String> {
    let mut out: Vec<String> = falling(scene).into_iter().collect();
    let gravity = norm(scene.gravity.at(0.0));
    for (body, data) in scene.bodies.iter().zip(bodies) {
        let found = [hollow(body, data), units(body, data, gravity), softness(scene, body, data)];
        out.extend(found.into_iter().flatten().map(|text| format!("body '{}': {text}", body.name)));
    }
    out
}

/// The bodies that fall for ever: nothing holds them, moves them or is in their way.
fn falling(scene: &Scene) -> Option<String> {
    let touches_held = scene.contact.is_some() && scene.bodies.iter().any(|body| !body.pins.is_empty());
    if norm(scene.gravity.at(0.0)) == 0.0
        || !scene.obstacles.is_empty()
        || touches_held
        || scene.wind.is_some()
    {
        return None;
    }
    let falls = |body: &&Body| {
        let thrown = body.velocity.linear != [0.0; 3] || body.velocity.angular != [0.0; 3];
        body.pins.is_empty() && body.loads.is_empty() && body.pressure.is_none() && !thrown
    };
    let names: Vec<&str> = scene.bodies.iter().filter(falls).map(|body| body.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "nothing holds {} and nothing is below: it falls for ever (pin it with [[body.pin]], add an [[obstacle]], or set \
             world.gravity = [0, 0, 0])",
            names.iter().map(|name| format!("body '{name}'")).collect::<Vec<_>>().join(", ")
        )
    })
}

/// A closed surface that became a sheet, though nothing says that it is one.
fn hollow(body: &Body, data: &BodyData) -> Option<String> {
    let MeshSource::File(path) = &body.mesh else { return None };
    let is_sheet =
        body.pressure.is_some() || body.bending.is_some() || body.springs.is_some() || body.limits.is_some();
    if data.triangles.is_empty() || is_sheet {
        return None;
    }
    let place = coinciding(&data.rest);
    let triangles: Vec<[u32; 3]> = data.triangles.iter().map(|t| t.map(|v| place[v as usize])).collect();
    topology(&triangles).closed().then(|| {
        let thickness = match &body.thickness {
            Quantity::Constant(thickness) => format!(" {thickness} m thick"),
            _ => String::new(),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!(
            "the surface is closed, and with 'mesh' it is a hollow sheet{thickness}: surface = \"{name}\" in place of mesh fills it \
             with tets ('bending' or 'pressure' says that a sheet is meant)"
        )
    })
}

/// The extents of a body at rest in m.
fn extents(data: &BodyData) -> [f64; 3] {
    let used = || data.rest.iter().zip(&data.orphans).filter(|(_, orphan)| !**orphan).map(|(p, _)| p);
    std::array::from_fn(|k| {
        let low = used().fold(f64::INFINITY, |m, p| m.min(p[k]));
        let high = used().fold(f64::NEG_INFINITY, |m, p| m.max(p[k]));
        (high - low).max(0.0)
    })
}

/// A body under gravity that is so large that its file is hardly in metres.
fn units(body: &Body, data: &BodyData, gravity: f64) -> Option<String> {
    let size = norm(extents(data));
    (size > LARGE && gravity > 0.0 && body.transform.scale == 1.0).then(|| {
        format!(
            "it is {size:.0} m large; if its file is in millimetres or centimetres, give the body transform = {{ scale = 0.001 }} or \
             0.01"
        )
    })
}

/// A solid that is held against gravity and too soft to keep any shape: a column of its height would be shortened by more than
/// its height.
fn softness(scene: &Scene, body: &Body, data: &BodyData) -> Option<String> {
    let is_held = !body.pins.is_empty() || !scene.obstacles.is_empty();
    if data.tets.is_empty() || !is_held || body.limits.is_some() || !body.fibers.is_empty() {
        return None;
    }
    let g = scene.gravity.at(0.0);
    let extents = extents(data);
    let strength = norm(g);
    let height = (0..3).map(|k| extents[k] * g[k].abs()).sum::<f64>() / strength.max(f64::MIN_POSITIVE);
    let moduli = data.cells.parts.iter().flat_map(|part| &part.properties.moduli);
    let young = moduli.map(|[mu, lambda]| mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)).fold(0.0, f64::max);
    let volume: f64 = data.tets.iter().map(|t| crate::mesh::quality::volume(&data.rest, *t)).sum();
    let weight = data.mass.iter().sum::<f64>() / volume * strength * height;
    // Some energies have no stiffness at rest at all.
    let is_known = young > 0.0 && young.is_finite() && weight.is_finite();
    (is_known && weight / (2.0 * young) > TOO_SOFT).then(|| {
        format!(
            "it is too soft to keep its shape: a column as high as it, of {young:.1e} Pa, would be shortened by {:.1} times its height; \
             young = {:.1e} sags by 5 %",
            weight / (2.0 * young),
            weight / (2.0 * FIT)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;
    use crate::model::body;
    use crate::scene::{Obstacle, ObstacleShape, Selection, Shape};
    use elements::energy::material::Material;

    fn cube(young: f64) -> Body {
        let shape = Shape::Block { size: [1.0; 3], cells: [2; 3], split: 5 };
        Body::new("cube", shape).material(Material::elastic("corotated", young, 0.3).unwrap())
    }

    fn of(scene: &Scene) -> Vec<String> {
        let bodies: Vec<BodyData> =
            scene.bodies.iter().map(|body| body::load(body, &Cache::disabled()).unwrap()).collect();
        warnings(scene, &bodies)
    }

    fn top() -> Selection {
        Selection::Box { min: [0.0, 0.99, 0.0], max: [1.0; 3] }
    }

    #[test]
    fn what_falls_for_ever_is_told_and_what_is_held_thrown_or_caught_is_not() {
        let found = of(&Scene::new("s").body(cube(1e5)));
        assert!(found.len() == 1 && found[0].contains("nothing holds body 'cube'"), "{found:?}");
        assert_eq!(of(&Scene::new("s").body(cube(1e5).pin(top()))), [""; 0]);
        assert_eq!(of(&Scene::new("s").body(cube(1e5).velocity([1.0, 0.0, 0.0]))), [""; 0]);
        assert_eq!(of(&Scene::new("s").gravity([0.0; 3]).body(cube(1e5))), [""; 0]);
        let plane = ObstacleShape::Plane { point: [0.0, -1.0, 0.0], normal: [0.0, 1.0, 0.0] };
        assert_eq!(of(&Scene::new("s").body(cube(1e5)).obstacle(Obstacle::new("floor", plane))), [""; 0]);
    }

    #[test]
    fn a_body_that_cannot_keep_its_shape_is_told_with_a_modulus_that_can() {
        // ρ g H/2 = 4905 Pa.
        assert_eq!(of(&Scene::new("s").body(cube(5000.0).pin(top()))), [""; 0]);
        let found = of(&Scene::new("s").body(cube(4800.0).pin(top())));
        assert!(found.len() == 1 && found[0].contains("young = 9.8e4"), "{found:?}");
    }

    #[test]
    fn a_body_in_millimetres_is_told() {
        let mut body = cube(1e8).pin(Selection::Nearest { point: [0.0; 3], count: 9 });
        body.transform.scale = 40.0;
        assert_eq!(of(&Scene::new("s").body(body.clone())), [""; 0], "a scale was given");
        let shape = Shape::Block { size: [40.0; 3], cells: [2; 3], split: 5 };
        body.mesh = shape.into();
        body.transform.scale = 1.0;
        let found = of(&Scene::new("s").body(body));
        assert!(found.len() == 1 && found[0].contains("it is 69 m large"), "{found:?}");
    }
}
