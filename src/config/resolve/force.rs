//! External forces: values over time, the wind, loads.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::pin;
use crate::scene;
use elements::math::track::{Key, Track};

/// A value over time that stands at `at`; `array` makes it one of N numbers.
pub fn track<T: Copy, const N: usize>(
    value: &raw::Animated<T>,
    array: fn(T) -> [f64; N],
    at: &KeyPath,
    report: &mut Report,
) -> Track<N> {
    let keys = match value {
        raw::Animated::Constant(value) => return Track::constant(array(*value)),
        raw::Animated::Keys(keys) => &keys.keys,
    };
    let times: Vec<f64> = keys.iter().map(|key| key.time).collect();
    check_times(&times, &at.join("keys"), report);
    Track::new(keys.iter().map(|key| Key { time: key.time, value: array(key.value) }).collect())
}

/// Refuses a list of keys that is empty or not ascending in time.
pub fn check_times(times: &[f64], at: &KeyPath, report: &mut Report) {
    report.check(!times.is_empty(), at.clone(), "wants at least one key");
    for (i, pair) in times.windows(2).enumerate() {
        let message = format!("must be after the key before it, at {} s", pair[0]);
        report.check(pair[1] > pair[0], at.join(i + 1).join("time"), message);
    }
}

/// A vector over time; zero if nothing is given.
pub fn vector(value: &Option<raw::Animated<[f64; 3]>>, at: &KeyPath, report: &mut Report) -> Track<3> {
    value.as_ref().map_or(Track::constant([0.0; 3]), |value| track(value, |v| v, at, report))
}

/// Validates the `[world.wind]`.
pub fn wind(wind: &raw::Wind, at: &KeyPath, report: &mut Report) -> scene::Wind {
    let resolved = scene::Wind {
        velocity: vector(&wind.velocity, &at.join("velocity"), report),
        gusts: wind.gusts.unwrap_or(0.0),
        seed: wind.seed.unwrap_or(0),
        gust_length: wind.gust_length.unwrap_or(1.0),
        density: wind.density.unwrap_or(1.0),
        drag: wind.drag.unwrap_or(0.0),
    };
    report.check(resolved.gusts >= 0.0, at.join("gusts"), "must not be negative");
    report.check(resolved.gust_length > 0.0, at.join("gust_length"), "must be above 0");
    report.check(resolved.density > 0.0, at.join("density"), "must be above 0");
    report.check(resolved.drag >= 0.0, at.join("drag"), "must not be negative");
    resolved
}

/// Validates a `[[body.load]]`.
pub fn load(load: &raw::Load, at: KeyPath, report: &mut Report) -> Option<scene::Load> {
    let select = pin::wanted_selection(&load.select, &at, report);
    if load.force.is_none() {
        report.value(at.join("force"), "missing", "such as force = [0, -10, 0]");
    }
    let force = vector(&load.force, &at.join("force"), report);
    Some(scene::Load { select: select?, force })
}

#[cfg(test)]
mod tests {
    use crate::config::{parse, to_toml};

    /// A scene with all forces, over time and not.
    const SCENE: &str = r#"
[world]
gravity = { keys = [{ time = 0, value = [0, -9.81, 0] }, { time = 0.1, value = [0.1, 0, 1e-300] }] }
wind = { velocity = { keys = [{ time = 0.5, value = [3, 0, 0] }] }, gusts = 0.3, seed = 9, gust_length = 0.7, density = 1, drag = 2 }
[[body]]
element = "linear"
generate = { shape = "box", size = [1, 1, 1], cells = [1, 1, 1] }
material = { model = "arap", k = 1e5 }
pressure = { keys = [{ time = 0, value = 1 }, { time = 2, value = 300.5 }] }
load = [{ select = { nearest = { point = [0, 0, 0] } }, force = [1, 2, 3] }]
"#;

    #[test]
    fn forces_are_resolved_and_written_back_to_the_same_bits() {
        let loaded = parse(SCENE).unwrap();
        let config = &loaded.scene;
        assert_eq!(config.gravity.at(0.05), [0.05, -4.905, 5e-301]);
        let wind = config.wind.as_ref().unwrap();
        assert_eq!((wind.velocity.at(9.0), wind.seed, wind.drag), ([3.0, 0.0, 0.0], 9, 2.0));
        assert_eq!(config.bodies[0].pressure.as_ref().unwrap().at(1.0), [150.75]);
        assert_eq!(config.bodies[0].loads[0].force.at(7.0), [1.0, 2.0, 3.0]);
        let text = to_toml(&loaded);
        let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(format!("{config:?}"), format!("{:?}", again.scene));
        assert_eq!(text, to_toml(&again));
    }

    #[test]
    fn still_air_has_defaults_and_without_a_table_there_is_none() {
        let body = SCENE.split_once("[[body]]").unwrap().1;
        let config = parse(&format!("[world.wind]\n[[body]]{body}")).unwrap().scene;
        let wind = config.wind.unwrap();
        assert_eq!(wind.velocity.at(0.0), [0.0; 3]);
        assert_eq!((wind.gusts, wind.gust_length, wind.density, wind.drag), (0.0, 1.0, 1.2, 1.0));
        assert_eq!(parse(&format!("[[body]]{body}")).unwrap().scene.wind, None);
    }

    #[test]
    fn faults_are_reported_at_their_keys() {
        for (from, to, expected) in [
            ("time = 0.1", "time = 0", "world.gravity.keys.1.time: must be after the key before it, at 0 s"),
            (
                "keys = [{ time = 0.5, value = [3, 0, 0] }]",
                "keys = []",
                "world.wind.velocity.keys: wants at least one",
            ),
            (
                "value = [3, 0, 0]",
                "value = [3, 0]",
                "world.wind.velocity.keys.0.value: expected 3 elements, found 2",
            ),
            ("gusts = 0.3", "gusts = -0.3", "world.wind.gusts: must not be negative"),
            ("gust_length = 0.7", "gust_length = 0", "world.wind.gust_length: must be above 0"),
            ("density = 1,", "density = 0,", "world.wind.density: must be above 0"),
            ("drag = 2", "drag = -2", "world.wind.drag: must not be negative"),
            ("seed = 9", "sede = 9", "world.wind.sede: unknown key"),
            ("value = 1 }", "vaule = 1 }", "body.0.pressure.keys.0.vaule: unknown key"),
            ("pressure = {", "pressure = [1, 2]#", "body.0.pressure: expected a number, found an array"),
            ("pressure = {", "pressure = \"high\"#", "body.0.pressure: expected a value or { keys"),
            ("force = [1, 2, 3]", "force = 3", "body.0.load.0.force: expected an array of numbers, found 3"),
            (", force = [1, 2, 3]", "", "body.0.load.0.force: missing"),
            ("select = { nearest = { point = [0, 0, 0] } }, ", "", "body.0.load.0.select: missing"),
        ] {
            assert_eq!(SCENE.matches(from).count(), 1, "{from}");
            let message = parse(&SCENE.replace(from, to)).unwrap_err().to_string();
            assert!(message.contains(expected), "{to}: {message}");
        }
    }
}
