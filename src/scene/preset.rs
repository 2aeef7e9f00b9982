//! Presets: known materials with the numbers that a body made of them has, and where these numbers come from.
//!
//! The registry is [`PRESETS`]. Configs, the schema, messages and the table in `docs/materials.md` take them from there. Rubber,
//! gels and flesh hardly change their volume; their presets have Poisson's ratio 0.45 nevertheless, because linear tets become
//! far too stiff above it.

/// A known material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name in configs.
    pub name: &'static str,
    /// What it stands for, in a few words.
    pub about: &'static str,
    /// Its density in kg/m³, > 0.
    pub density: f64,
    /// What else a body made of it has.
    pub kind: PresetKind,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// The numbers of a preset, by the kind of body that it is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PresetKind {
    /// A material of solids, which sheets may have too.
    Solid {
        /// The material model.
        model: &'static str,
        /// Young's modulus in Pa.
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// A fabric.
    Sheet {
        /// Young's modulus in Pa, in plane stress.
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
        /// Thickness in m.
        thickness: f64,
        /// Flexural rigidity in N·m.
        bending: f64,
    },
    /// A rope.
    Line {
        /// Young's modulus in Pa.
        young: f64,
        /// Radius of the cross-section in m.
        radius: f64,
    },
}

/// The material model of sheets that have a preset: it takes any rotation, and its stretches are those of a spring.
pub const SHEET_MODEL: &str = "corotated";

impl Preset {
    /// What it is for: `solids`, `sheets` or `lines`.
    pub fn bodies(&self) -> &'static str {
        match self.kind {
            PresetKind::Solid { .. } => "solids",
            PresetKind::Sheet { .. } => "sheets",
            PresetKind::Line { .. } => "lines",
        }
    }

    /// Its numbers as keys of a config, in words.
    pub fn numbers(&self) -> String {
        let density = self.density;
        match self.kind {
            PresetKind::Solid { young, poisson, .. } => {
                format!("density {density}, young {young:e}, poisson {poisson}")
            }
            PresetKind::Sheet { young, poisson, thickness, bending } => format!(
                "density {density}, thickness {thickness}, young {young:e}, poisson {poisson}, bending {bending:e}"
            ),
            PresetKind::Line { young, radius } => {
                format!("density {density}, radius {radius}, young {young:e}")
            }
        }
    }
}

/// Looks a preset up by its name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The names of the presets for some kind of bodies: `solids`, `sheets` or `lines`.
pub fn names_for(bodies: &str) -> Vec<&'static str> {
    PRESETS.iter().filter(|preset| preset.bodies() == bodies).map(|preset| preset.name).collect()
}

const fn solid(young: f64, poisson: f64) -> PresetKind {
    PresetKind::Solid { model: "stable-neo-hookean", young, poisson }
}

/// All presets: those of solids from soft to stiff, then those of sheets and of lines.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "jelly",
        about: "a dessert that sags by a quarter when it leaves its mould",
        density: 1300.0,
        kind: solid(1.2e3, 0.45),
        source: "pectin gel of 150° SAG: G' = 0.38 to 0.43 kPa, E = 3 G' (Nielsen, Marr and Hvidt, Carbohydrate Polymers 45, \
                 2001); density of its 65 % sugar solution",
    },
    Preset {
        name: "gelatin",
        about: "a firm gel, as phantoms of tissue are made of",
        density: 1000.0,
        kind: solid(1e4, 0.45),
        source: "order of magnitude of the phantoms of Hall, Bilgen, Insana and Krouskop (IEEE Trans. UFFC 44, 1997); density \
                 of water",
    },
    Preset {
        name: "flesh",
        about: "skin and fat at rest",
        density: 1000.0,
        kind: solid(2.6e4, 0.45),
        source: "subcutaneous tissue under 1 N: 26 ± 19 kPa (Isogai et al., J. Phys. Ther. Sci. 34, 2022); density of water",
    },
    Preset {
        name: "foam",
        about: "soft upholstery foam of polyurethane",
        density: 30.0,
        kind: solid(2.8e4, 0.33),
        source: "E = E_s (ρ/ρ_s)² with E_s = 45 MPa, ρ_s = 1200 kg/m³ (Gibson and Ashby, Cellular Solids, 1997, flexible \
                 polyurethane)",
    },
    Preset {
        name: "muscle",
        about: "muscle that is relaxed and pressed",
        density: 1060.0,
        kind: solid(6.2e4, 0.45),
        source: "gluteal muscle under 5 N: 62 ± 10 kPa (Isogai et al., J. Phys. Ther. Sci. 34, 2022); density of Mendez and Keys \
                 (Metabolism 9, 1960)",
    },
    Preset {
        name: "rubber",
        about: "vulcanized natural rubber, as in rubber bands",
        density: 930.0,
        kind: solid(1.2e6, 0.45),
        source: "G = 0.4 MPa, E = 3 G (Treloar, The Physics of Rubber Elasticity, 1975)",
    },
    Preset {
        name: "cork",
        about: "bottle cork across the grain; its Poisson's ratio is small",
        density: 170.0,
        kind: solid(1.3e7, 0.1),
        source: "Gibson, Easterling and Ashby, The Structure and Mechanics of Cork (Proc. R. Soc. A 377, 1981)",
    },
    Preset {
        name: "silk",
        about: "a light dress fabric of 16 momme",
        density: 230.0,
        kind: PresetKind::Sheet { young: 6.7e6, poisson: 0.3, thickness: 3e-4, bending: 3e-6 },
        source: "16 momme of 4.34 g/m²; order of magnitude of light dress fabrics (Kawabata, The Standardization and Analysis of \
                 Hand Evaluation, 1980)",
    },
    Preset {
        name: "cotton",
        about: "a shirt fabric, 228 g/m²",
        density: 456.0,
        kind: PresetKind::Sheet { young: 4.6e5, poisson: 0.3, thickness: 5e-4, bending: 9e-5 },
        source: "means over strains and directions of \"Pink Ribbon Brown\" (Wang, O'Brien and Ramamoorthi, Data-Driven Elastic \
                 Models for Cloth, 2011)",
    },
    Preset {
        name: "denim",
        about: "jeans, 324 g/m²",
        density: 405.0,
        kind: PresetKind::Sheet { young: 6.1e5, poisson: 0.1, thickness: 8e-4, bending: 6.5e-5 },
        source: "means over strains and directions of \"11oz Black Denim\" (Wang, O'Brien and Ramamoorthi, Data-Driven Elastic \
                 Models for Cloth, 2011)",
    },
    Preset {
        name: "paper",
        about: "office paper, 80 g/m²",
        density: 800.0,
        kind: PresetKind::Sheet { young: 3e9, poisson: 0.3, thickness: 1e-4, bending: 2.7e-4 },
        source: "a few GPa (Alava and Niskanen, The Physics of Paper, Rep. Prog. Phys. 69, 2006); bending E t³/(12 (1 − ν²))",
    },
    Preset {
        name: "bungee",
        about: "a cord of natural rubber, 10 mm thick",
        density: 930.0,
        kind: PresetKind::Line { young: 1.2e6, radius: 0.005 },
        source: "as `rubber`",
    },
    Preset {
        name: "rope",
        about: "braided nylon, 10 mm thick",
        density: 760.0,
        kind: PresetKind::Line { young: 1e9, radius: 0.005 },
        source: "E A = 529 kN at 25.4 mm (Unified Facilities Criteria 4-159-03, 2005, table 6-8); 97 g/m at 12.7 mm",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use elements::energy::material::{self, Material, Parameters};

    #[test]
    fn names_are_unique_and_all_numbers_make_a_material() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..i].iter().all(|other| other.name != preset.name), "{}", preset.name);
            assert!(preset.density > 0.0 && !preset.source.is_empty() && !preset.about.is_empty());
            let (model, young, poisson, sheet) = match preset.kind {
                PresetKind::Solid { model, young, poisson } => (model, young, poisson, false),
                PresetKind::Sheet { young, poisson, thickness, bending } => {
                    assert!(thickness > 0.0 && bending > 0.0, "{}", preset.name);
                    (SHEET_MODEL, young, poisson, true)
                }
                PresetKind::Line { young, radius } => {
                    assert!(young > 0.0 && radius > 0.0, "{}", preset.name);
                    continue;
                }
            };
            assert!(material::find(model).is_some());
            let given =
                Parameters { young: Some(young), poisson: Some(poisson), sheet, ..Default::default() };
            Material::new(model, given).unwrap();
        }
    }

    #[test]
    fn fabrics_weigh_what_their_sources_say() {
        for (name, weight) in [("silk", 16.0 * 4.34e-3), ("cotton", 0.228), ("denim", 0.324), ("paper", 0.08)]
        {
            let preset = find(name).unwrap();
            let PresetKind::Sheet { thickness, .. } = preset.kind else { panic!("{name} is no sheet") };
            assert!((preset.density * thickness / weight - 1.0).abs() < 0.01, "{name}");
        }
    }

    #[test]
    fn the_rope_has_the_stiffness_of_its_table() {
        let PresetKind::Line { young, .. } = find("rope").unwrap().kind else { panic!("a rope is a line") };
        let section = std::f64::consts::PI * 0.0127 * 0.0127;
        assert!((young * section / 529e3 - 1.0).abs() < 0.05);
    }
}
