//! The registry of materials, and how a config's parameters become a material.
//!
//! A model is one file with one `static MODEL: Model` and one line in [`MODELS`].

/// Parameters as a config gives them; which ones a model takes stands in [`Model::keys`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Young's modulus in Pa.
    pub young: Option<f64>,
    /// Poisson's ratio.
    pub poisson: Option<f64>,
    /// First raw modulus in Pa.
    pub mu: Option<f64>,
    /// Second raw modulus in Pa.
    pub lambda: Option<f64>,
    /// Raw stiffness of `arap` in Pa.
    pub k: Option<f64>,
    /// First Mooney-Rivlin modulus in Pa.
    pub c1: Option<f64>,
    /// Second Mooney-Rivlin modulus in Pa.
    pub c2: Option<f64>,
    /// Control points `[stretch, a′]` of a spline.
    pub a: Option<Vec<[f64; 2]>>,
    /// Control points `[area stretch, b′]` of a spline.
    pub b: Option<Vec<[f64; 2]>>,
    /// Control points `[volume stretch, c′]` of a spline.
    pub c: Option<Vec<[f64; 2]>>,
    /// What happens to inverted elements, for materials that are infinite there.
    pub inversion: Option<Inversion>,
    /// Stretches over which the stiffness of the system matrix is fitted, default `[0.5, 1.5]`.
    pub fit_interval: Option<[f64; 2]>,
}

/// What a material that is infinite at `det F ≤ 0` does there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inversion {
    /// Infinite: the line search keeps away from it.
    #[default]
    Barrier,
    /// Continued below a small volume by a second-order Taylor polynomial: inverted elements recover.
    Extend,
}

/// Why parameters were refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The key at fault, relative to the `material` table (`young`, `model`, …).
    pub key: String,
    /// The reason, with the way out.
    pub reason: String,
}

/// One material model.
pub struct Model {
    /// The config name.
    pub name: &'static str,
    /// One line for listings.
    pub about: &'static str,
    /// The parameter keys that it takes besides `model`.
    pub keys: &'static [&'static str],
}

/// All models.
pub static MODELS: &[&Model] = &[
    &Model { name: "arap", about: "arap", keys: &["k", "young", "fit_interval"] },
    &Model {
        name: "corotated",
        about: "corotated",
        keys: &["young", "poisson", "mu", "lambda", "fit_interval"],
    },
    &Model { name: "stvk", about: "stvk", keys: &["young", "poisson", "mu", "lambda", "fit_interval"] },
    &Model {
        name: "neo-hookean",
        about: "neo-hookean",
        keys: &["young", "poisson", "mu", "lambda", "inversion", "fit_interval"],
    },
    &Model {
        name: "stable-neo-hookean",
        about: "stable-neo-hookean",
        keys: &["young", "poisson", "mu", "lambda", "fit_interval"],
    },
    &Model {
        name: "mooney-rivlin",
        about: "mooney-rivlin",
        keys: &["c1", "c2", "lambda", "inversion", "fit_interval"],
    },
    &Model { name: "polynomial", about: "polynomial", keys: &["mu", "fit_interval"] },
    &Model { name: "spline", about: "spline", keys: &["a", "b", "c", "inversion", "fit_interval"] },
];

/// A model with its parameters.
#[derive(Clone)]
pub struct Material {
    /// The model.
    pub model: &'static Model,
    /// The parameters as given.
    pub parameters: Parameters,
}

impl std::fmt::Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.model.name, self.parameters)
    }
}

impl PartialEq for Material {
    fn eq(&self, other: &Self) -> bool {
        self.model.name == other.model.name && self.parameters == other.parameters
    }
}

impl Material {
    /// Looks the model up, refuses parameters that it does not take, lacks or cannot be.
    pub fn new(model: &str, parameters: Parameters) -> Result<Material, Fault> {
        let model = MODELS
            .iter()
            .find(|m| m.name == model)
            .ok_or_else(|| Fault { key: "model".into(), reason: format!("unknown material '{model}'") })?;
        let refuse = |key: &str| Err(Fault { key: key.into(), reason: "out of range".into() });
        if parameters.young.is_some_and(|young| young <= 0.0) {
            return refuse("young");
        }
        if parameters.poisson.is_some_and(|poisson| !(-1.0..0.5).contains(&poisson)) {
            return refuse("poisson");
        }
        Ok(Material { model, parameters })
    }
}
