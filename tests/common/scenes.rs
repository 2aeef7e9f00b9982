//! Scenes and materials that several tests have in common, as the texts of configs.

use std::sync::LazyLock;

use elements::energy::material::MODELS;
use pliant::run::{FORMATS, Making};

/// A pin of the side at x = 0, for a body that begins there. Keys that follow belong to the pin.
pub const HELD: &str = "[[body.pin]]\nselect = { box = { min = [-1, -1, -1], max = [1e-6, 9, 9] } }";

/// A soft material for scenes in which it does not matter.
pub const RUBBER: &str = "{ model = \"stable-neo-hookean\", young = 1e5, poisson = 0.4 }";

/// For `--set`: frames in all formats.
pub fn formats() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let names: Vec<&str> = FORMATS.iter().map(|(format, _)| format.name()).collect();
        format!("output.formats={names:?}")
    });
    &TEXT
}

/// The directories of the formats that have files for every frame.
pub fn frame_directories() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter_map(|(_, making)| match making {
        Making::Frames { directory, .. } => Some(*directory),
        Making::Animation { .. } => None,
    })
}

/// A body more for a scene: a sheet of 25 vertices and 32 triangles, 2 m above the origin.
pub const CLOTH: &str = "[[body]]\nname = \"cloth\"\ngenerate = { shape = \"cloth\", size = [1, 1], cells = [4, 4] }\n\
                         transform = { translate = [0, 2, 0] }\nsprings = { stiffness = 10 }\n";

/// All material models, with parameters that make them about as stiff as E = `young` (Pa), ν = 0.3.
pub fn materials(young: f64) -> Vec<(&'static str, String)> {
    let point = |x: f64, stress: f64| format!("[{x}, {:e}]", stress * young);
    let spline = [point(0.0, -2.0), point(0.5, -0.6), point(1.0, 0.0), point(1.5, 0.6), point(2.0, 2.0)];
    let volume = [point(0.0, -0.6), point(1.0, 0.0), point(2.0, 0.6)];
    let parameters = |model: &str| match model {
        "polynomial" => format!("mu = {young:e}"),
        "spline" => format!("a = [{}], c = [{}]", spline.join(", "), volume.join(", ")),
        _ => format!("young = {young:e}, poisson = 0.3"),
    };
    let table = |model: &str| format!("{{ model = \"{model}\", {} }}", parameters(model));
    MODELS.iter().map(|model| (model.name, table(model.name))).collect()
}

/// The parameters of one of [`materials`].
pub fn material(name: &str, young: f64) -> String {
    materials(young).into_iter().find(|(n, _)| *n == name).expect("a known material").1
}

/// A bending beam named `bar`; `extra` goes into the `[solver]` table, `material` is a TOML table.
pub fn beam(cells: [u32; 3], frames: u32, extra: &str, material: &str) -> String {
    let size = cells.map(|c| f64::from(c) * 0.1);
    format!(
        "name = \"beam\"\n[time]\nstep = \"1/30\"\nframes = {frames}\n[solver]\n{extra}\n[[body]]\nname = \"bar\"\n\
         element = \"linear\"\n\
         generate = {{ shape = \"beam\", size = {size:?}, cells = {cells:?} }}\nmaterial = {material}\n\
         [[body.pin]]\nselect = {{ box = {{ min = [-1, -1, -1], max = [0.001, 9, 9] }} }}\n\
         motion = {{ shake = {{ amplitude = [0, 0.1, 0], frequency = 2 }} }}\n"
    )
}

/// A bar of 2×0.5×0.5 m in 8×2×2 cells, held at one end, with one iteration a step of 1/30 s. `solver` has its kind
/// and options.
pub fn held_bar(solver: &str, material: &str) -> String {
    format!(
        r#"
        [time]
        step = "1/30"
        frames = 1
        [solver]
        iterations = 1
        {solver}
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [2, 0.5, 0.5], cells = [8, 2, 2] }}
        material = {material}
        {HELD}
        "#
    )
}

/// A body without gravity; the arguments are the contents of `[time]`, `[solver]` and `[[body]]`.
pub fn weightless(time: &str, solver: &str, body: &str) -> String {
    format!("[time]\n{time}\n[solver]\n{solver}\n[world]\ngravity = [0, 0, 0]\n[[body]]\n{body}\n")
}

/// A body without gravity in steps of 100 s by Newton, beside which its own time is nothing: they end in equilibrium.
/// `solver` has the bounds of iterations.
pub fn equilibrium(solver: &str, body: &str) -> String {
    weightless("step = 100\nframes = 1", &format!("kind = \"newton\"\n{solver}"), body)
}

/// The free beam of \[Ledwon2024, 5.5\], let go from a twist by half a turn.
pub fn untwisting_beam(step: f64, material: &str) -> String {
    let body = format!(
        r#"
        element = "linear"
        generate = {{ shape = "beam", size = [4, 1, 1], cells = [16, 4, 4] }}
        material = {material}
        deform = {{ twist = {{ axis = "x", degrees = 180 }} }}
        "#
    );
    weightless(&format!("step = {step}\nframes = 1"), "", &body)
}
