//! The text of a first config, with comments that say what was chosen and what could be changed.

use std::fmt::Write;

use super::facts::Role;
use super::pins::Hold;
use super::{DENSITY, POISSON, Plan, RATE, size};
use crate::scene::preset;
use crate::simulate::estimate::Estimate;

/// A number with five digits, which is enough for a place and short enough to read.
pub fn tidy(x: f64) -> f64 {
    format!("{x:.4e}").parse::<f64>().unwrap_or(x) + 0.0
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}

fn place(x: [f64; 3]) -> String {
    let [x, y, z] = x.map(tidy);
    format!("[{x}, {y}, {z}]")
}

/// What nobody would write by hand begins a comment in a column of its own.
fn noted(line: &str, comment: &str) -> String {
    format!("{line:<38}  # {comment}\n")
}

impl Plan<'_> {
    /// The whole config.
    pub fn text(&self) -> String {
        [self.head(), self.time(), self.body(), self.pin(), self.surroundings(), self.output()].join("\n")
    }

    fn head(&self) -> String {
        let [low, high] = self.bounds;
        let mut text = format!(
            "# {}: {}.\n# From {} to {} m, {:.3e} kg.\n",
            self.name,
            self.facts.about,
            place(low),
            place(high),
            self.mass
        );
        match &self.estimate {
            Estimate::Held { sag, frequency } => {
                let part = 100.0 * sag / size(&self.bounds);
                let _ = writeln!(
                    text,
                    "# Held as below it sags by about {sag:.2e} m ({part:.1} % of its size); its slowest vibration has {frequency:.2} Hz."
                );
            }
            Estimate::None(reason) => {
                let _ = writeln!(text, "# There is no estimate of how it sags: {reason}.");
            }
        }
        text + "# All keys: pliant help config, or docs/config.md. Units are SI: m, kg, s, N, Pa.\n"
            + &format!("name = {}\n", quoted(&self.name))
    }

    fn time(&self) -> String {
        let rate = RATE as u64 * self.substeps;
        let mut text = String::from("[time]\n");
        text += &noted(&format!("step = \"1/{rate}\""), "s; smaller steps damp less and cost more");
        text += &noted(&format!("substeps = {}", self.substeps), "steps per frame: 30 frames a second");
        text += &noted("frames = 90", "3 s");
        text + "\n[solver]\n"
            + &noted(
                &format!("kind = {}", quoted(self.solver())),
                "steps end by a tolerance: tolerance = 0.01",
            )
    }

    fn body(&self) -> String {
        let mut text = format!("[[body]]\nname = {}\n", quoted(&self.name));
        let path = quoted(self.path);
        match self.facts.role {
            Role::Filled => {
                text += &noted(
                    &format!("surface = {path}"),
                    "filled with tets; every frame has its own vertices",
                );
                text += "# tetrahedralize = { cells = 40000 }    # finer; by default about 20,000 tets\n";
                text += &noted("element = \"linear\"", "quick; \"quadratic\" tets bend as they should");
            }
            Role::Solid => text += &format!("mesh = {path}\n"),
            Role::Sheet => {
                text += &noted(&format!("mesh = {path}"), "a sheet; surface = … would fill it with tets");
            }
            Role::Line => text += &noted(&format!("mesh = {path}"), "edges: a rope"),
        }
        if self.facts.is_degenerate && self.facts.role != Role::Filled {
            text += &noted("repair = true", "drops cells without volume, area or length");
        }
        if self.scale != 1.0 {
            text += &noted(
                &format!("transform = {{ scale = {} }}", self.scale),
                "the file's unit is taken as mm; 1 is m",
            );
        }
        text + &self.material()
    }

    fn material(&self) -> String {
        let known = |bodies: &str| preset::names_for(bodies).join(", ");
        if let Some(preset) = self.preset {
            return format!(
                "material = {{ preset = \"{}\" }}\n# {}: {}.\n# Source: {}.\n# Presets for {}: {}.\n",
                preset.name,
                preset.about,
                preset.numbers(),
                preset.source,
                preset.bodies(),
                known(preset.bodies())
            );
        }
        let density = noted(&format!("density = {DENSITY:?}"), "kg/m³");
        if self.facts.role == Role::Line {
            let radius = tidy(size(&self.bounds) / 200.0);
            return density
                + &noted(&format!("radius = {radius}"), "m, of the cross-section")
                + &noted("line = { kind = \"rope\" }", "gives way under compression; \"rod\" does not")
                + &format!(
                    "# Instead of these: material = {{ preset = \"rope\" }}; presets for lines: {}.\n",
                    known("lines")
                );
        }
        density
            + &format!(
                "material = {{ model = \"stable-neo-hookean\", young = {:e}, poisson = {POISSON} }}\n",
                self.young
            )
            + "# young (Pa) is chosen such that it sags by about 5 % of its size. Real materials bring their density:\n"
            + &format!("# material = {{ preset = \"rubber\" }}; presets for solids: {}.\n", known("solids"))
    }

    fn pin(&self) -> String {
        let Some(hold) = &self.hold else {
            return "# Nothing holds it. Pins: [[body.pin]] with select = { plane = { point = …, normal = … } }.\n".into();
        };
        let mut text = String::from("[[body.pin]]\n");
        match hold {
            Hold::Slab { side, axis, is_upper, from, vertices, of } => {
                let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
                point[*axis] = *from;
                normal[*axis] = if *is_upper { 1.0 } else { -1.0 };
                let select = format!(
                    "select = {{ plane = {{ point = {}, normal = {} }} }}",
                    place(point),
                    place(normal)
                );
                text += &format!("{select}  # the {side}: {vertices} of {of} vertices\n");
            }
            Hold::Array { name, above } => {
                let _ =
                    writeln!(text, "select = {{ array = {{ name = {}, above = {above} }} }}", quoted(name));
            }
        }
        let amplitude = tidy(0.05 * size(&self.bounds));
        let motion = |axis: usize| {
            let mut along = [0.0; 3];
            along[axis] = amplitude;
            format!(
                "motion = {{ shake = {{ amplitude = {}, frequency = {} }} }}",
                place(along),
                self.frequency
            )
        };
        match self.shake {
            Some(axis) => text + &motion(axis) + "\n",
            None => format!("{text}# {}  # m and Hz\n", motion(0)),
        }
    }

    /// The floor, or how to add one.
    fn surroundings(&self) -> String {
        let [low, high] = self.bounds;
        let height = tidy(low[1] - 0.25 * (high[1] - low[1]).max(0.2 * size(&self.bounds)));
        let floor = format!(
            "[[obstacle]]\nname = \"floor\"\nshape = {{ plane = {{ point = [0, {height}, 0], normal = [0, 1, 0] }} }}\nfriction = 0.5\n"
        );
        let contact = "[contact]\n".to_owned()
            + &noted("self = false", "true: it touches itself too, which takes longer");
        if self.floor {
            return contact + "\n" + &floor;
        }
        let lines: String = (contact + &floor).lines().map(|line| format!("# {line}\n")).collect();
        format!("# A floor:\n{lines}")
    }

    fn output(&self) -> String {
        "[output]\n".to_owned()
            + &noted("formats = [\"vtu\", \"pc2\"]", "ParaView, Blender; also obj, ply, stl, usd, mdd, vtk")
    }
}
