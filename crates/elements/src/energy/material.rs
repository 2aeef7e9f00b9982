//! Models of materials, and how a config's parameters become a material. The registry is [`MODELS`].

use std::fmt::Debug;
use std::sync::Arc;

use super::cells::Elements;
use super::law::{self, CONSTANTS, Law};
pub use super::materials::MODELS;
use super::quadratic::Quadratic;
use super::tets::TetTerm;
use super::triangles::TriangleTerm;
use super::{Energy, Properties};

/// Parameters as a config gives them; [`Model::keys`] lists those that a model takes.
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
    /// If true, the curves of a spline do not overshoot between their points.
    pub monotone: Option<bool>,
    /// What happens to inverted elements, for materials that are infinite there.
    pub inversion: Option<Inversion>,
    /// Stretches over which the stiffness of the system matrix is fitted, default `[0.5, 1.5]`.
    pub fit_interval: Option<[f64; 2]>,
    /// True for thin sheets, where `young` and `poisson` are meant for plane stress. This is not a key of the config.
    pub sheet: bool,
}

impl Parameters {
    /// The names of the keys that are given.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("young", self.young.is_some()),
            ("poisson", self.poisson.is_some()),
            ("mu", self.mu.is_some()),
            ("lambda", self.lambda.is_some()),
            ("k", self.k.is_some()),
            ("c1", self.c1.is_some()),
            ("c2", self.c2.is_some()),
            ("a", self.a.is_some()),
            ("b", self.b.is_some()),
            ("c", self.c.is_some()),
            ("monotone", self.monotone.is_some()),
            ("inversion", self.inversion.is_some()),
            ("fit_interval", self.fit_interval.is_some()),
        ];
        all.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect()
    }

    /// Sets one of the numbers, by its key.
    ///
    /// # Panics
    ///
    /// If no number has this key.
    pub fn set(&mut self, key: &str, value: f64) {
        let slot = match key {
            "young" => &mut self.young,
            "poisson" => &mut self.poisson,
            "mu" => &mut self.mu,
            "lambda" => &mut self.lambda,
            "k" => &mut self.k,
            "c1" => &mut self.c1,
            "c2" => &mut self.c2,
            _ => panic!("no number has the key '{key}'"),
        };
        *slot = Some(value);
    }

    /// Lamé's (μ, λ) from `young` and `poisson`, or `None` if neither is given.
    pub fn lame(&self) -> Result<Option<(f64, f64)>, Fault> {
        match (self.young, self.poisson) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(Fault::new("poisson", "is missing beside 'young'")),
            (None, Some(_)) => Err(Fault::new("young", "is missing beside 'poisson'")),
            (Some(young), Some(poisson)) => {
                positive("young", young)?;
                if !(poisson > -1.0 && poisson < 0.5) {
                    let reason = format!("must lie between -1 and 0.5 (both excluded), not {poisson}");
                    return Err(Fault::new("poisson", reason));
                }
                let mu = young / (2.0 * (1.0 + poisson));
                // A sheet is free to change its thickness, so λ is that of plane stress.
                let free = if self.sheet { 1.0 - poisson } else { 1.0 - 2.0 * poisson };
                Ok(Some((mu, young * poisson / ((1.0 + poisson) * free))))
            }
        }
    }

    /// The raw moduli (μ, λ), with μ > 0 and λ ≥ 0; `None` if neither is given.
    pub fn raw_pair(&self) -> Result<Option<(f64, f64)>, Fault> {
        match (self.mu, self.lambda) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(Fault::new("lambda", "is missing beside 'mu'")),
            (None, Some(_)) => Err(Fault::new("mu", "is missing beside 'lambda'")),
            (Some(mu), Some(lambda)) => {
                positive("mu", mu)?;
                if !(lambda >= 0.0 && lambda.is_finite()) {
                    return Err(Fault::new("lambda", format!("must not be negative, not {lambda}")));
                }
                Ok(Some((mu, lambda)))
            }
        }
    }

    /// (μ, λ) from one of the two pairs; `from_lame` turns Lamé's pair into the model's own.
    pub fn pair(&self, from_lame: fn(f64, f64) -> (f64, f64)) -> Result<(f64, f64), Fault> {
        match (self.lame()?, self.raw_pair()?) {
            (Some(_), Some(_)) => Err(Fault::new("mu", "give either young and poisson, or mu and lambda")),
            (Some((mu, lambda)), None) => Ok(from_lame(mu, lambda)),
            (None, Some(pair)) => Ok(pair),
            (None, None) => Err(Fault::new("", "needs young and poisson, or mu and lambda")),
        }
    }
}

/// Returns the value, or a fault if it is not a positive number.
pub fn positive(key: &str, value: f64) -> Result<f64, Fault> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Fault::new(key, format!("must be greater than 0, not {value}")))
    }
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
    /// The key at fault, relative to its table (`young`, `model`, …); empty if the whole table is at fault.
    pub key: String,
    /// What is wrong, and how to correct it.
    pub reason: String,
}

impl Fault {
    /// A fault of one key.
    pub fn new(key: &str, reason: impl Into<String>) -> Fault {
        Fault { key: key.into(), reason: reason.into() }
    }
}

/// One material model.
pub struct Model {
    /// The name of the model in the config.
    pub name: &'static str,
    /// A description of one line for listings.
    pub about: &'static str,
    /// The parameter keys that it takes besides `model`.
    pub keys: &'static [&'static str],
    /// Checks the parameters and makes the law.
    pub build: fn(&Parameters) -> Result<Arc<dyn Solid>, Fault>,
}

/// A material law together with its constants, with the type of the law hidden. Solids and sheets both use it.
pub trait Solid: Debug + Send + Sync {
    /// The constants of the law.
    fn constants(&self) -> [f64; CONSTANTS];
    /// Stiffness k of the system matrix in Pa.
    fn stiffness(&self, fit_interval: [f64; 2]) -> f64;
    /// Lamé's moduli (μ, λ) at rest in Pa.
    fn moduli(&self) -> [f64; 2];
    /// See [`Law::is_projective`].
    fn is_projective(&self) -> bool;
    /// ∂Ψ/∂σᵢ in Pa at the principal stretches σ, with the given constants in place of its own.
    fn gradient(&self, stretches: &[f64; 3], constants: &[f64; CONSTANTS]) -> [f64; 3];
    /// The tet term of this law, with the constants of `properties`.
    fn tets(&self, name: String, elements: Elements, properties: Properties) -> Box<dyn Energy>;
    /// The term of quadratic tets of this law, with the constants of `properties`; its stiffness is fitted over an interval.
    fn quadratic(
        &self,
        name: String,
        tets: &Quadratic,
        properties: &Properties,
        fit: [f64; 2],
    ) -> Box<dyn Energy>;
    /// The triangle term of this law, with the constants of `properties`.
    fn triangles(&self, name: String, elements: Elements, properties: Properties) -> Box<dyn Energy>;
}

/// The one implementation of [`Solid`]: a law of known type and its constants.
#[derive(Debug)]
pub struct Uniform<W> {
    /// The material law.
    pub law: W,
    /// The constants of the law, mostly in Pa; the law's own documentation names them.
    pub constants: [f64; CONSTANTS],
}

impl<W: Law> Uniform<W> {
    /// Makes the solid and hides the type of its law.
    pub fn shared(law: W, constants: [f64; CONSTANTS]) -> Arc<dyn Solid> {
        Arc::new(Uniform { law, constants })
    }
}

impl<W: Law> Solid for Uniform<W> {
    fn constants(&self) -> [f64; CONSTANTS] {
        self.constants
    }

    fn stiffness(&self, fit_interval: [f64; 2]) -> f64 {
        law::stiffness(&self.law, &self.constants, fit_interval)
    }

    fn moduli(&self) -> [f64; 2] {
        let (_, _, [[along, lambda, _], ..]) = law::expand_one(&self.law, &[1.0; 3], &self.constants);
        [0.5 * (along - lambda), lambda]
    }

    fn is_projective(&self) -> bool {
        self.law.is_projective()
    }

    fn gradient(&self, stretches: &[f64; 3], constants: &[f64; CONSTANTS]) -> [f64; 3] {
        law::expand_one(&self.law, stretches, constants).1
    }

    fn tets(&self, name: String, elements: Elements, properties: Properties) -> Box<dyn Energy> {
        Box::new(TetTerm::new(name, self.law.clone(), elements, properties))
    }

    fn quadratic(
        &self,
        name: String,
        tets: &Quadratic,
        properties: &Properties,
        fit: [f64; 2],
    ) -> Box<dyn Energy> {
        tets.material(&self.law, name, properties, fit)
    }

    fn triangles(&self, name: String, elements: Elements, properties: Properties) -> Box<dyn Energy> {
        Box::new(TriangleTerm::new(name, self.law.clone(), elements, properties))
    }
}

/// A model with its parameters.
#[derive(Clone)]
pub struct Material {
    /// The model that the config names.
    pub model: &'static Model,
    /// The parameters as the config gives them.
    pub parameters: Parameters,
    /// The law with the constants that follow from the parameters.
    pub solid: Arc<dyn Solid>,
}

impl Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.model.name, self.parameters)
    }
}

impl PartialEq for Material {
    fn eq(&self, other: &Self) -> bool {
        self.model.name == other.model.name && self.parameters == other.parameters
    }
}

/// Looks a model up by its config name.
pub fn find(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|m| m.name == name).copied()
}

impl Material {
    /// Looks the model up and makes the material. Parameters that are missing, unknown to the model or out
    /// of range are refused.
    pub fn new(model: &str, parameters: Parameters) -> Result<Material, Fault> {
        let Some(model) = find(model) else {
            let names: Vec<_> = MODELS.iter().map(|m| m.name).collect();
            let reason = format!("unknown material '{model}', known are {}", names.join(", "));
            return Err(Fault::new("model", reason));
        };
        if let Some(key) = parameters.given().into_iter().find(|key| !model.keys.contains(key)) {
            let reason =
                format!("is not a parameter of {}, which takes {}", model.name, model.keys.join(", "));
            return Err(Fault::new(key, reason));
        }
        if let Some([low, high]) = parameters.fit_interval
            && !(low > 0.0 && low < 1.0 && high > 1.0 && high.is_finite())
        {
            return Err(Fault::new("fit_interval", "must be two stretches, one in (0, 1), one above 1"));
        }
        let solid = (model.build)(&parameters)?;
        let material = Material { model, parameters, solid };
        let k = material.stiffness();
        if !(k > 0.0 && k.is_finite()) {
            let reason = format!("gives no positive stiffness over the fit interval (k = {k})");
            return Err(Fault::new("", reason));
        }
        Ok(material)
    }

    /// A model with Young's modulus in Pa and Poisson's ratio.
    ///
    /// ```
    /// use elements::energy::material::Material;
    ///
    /// let rubber = Material::elastic("neo-hookean", 1e6, 0.45).unwrap();
    /// assert!(rubber.stiffness() > 0.0);
    /// assert!(Material::elastic("neo-hookean", 1e6, 0.5).is_err(), "nothing here is incompressible");
    /// ```
    pub fn elastic(model: &str, young: f64, poisson: f64) -> Result<Material, Fault> {
        Material::new(model, Parameters { young: Some(young), poisson: Some(poisson), ..Default::default() })
    }

    /// The interval of stretches over which the stiffness is fitted.
    pub fn fit_interval(&self) -> [f64; 2] {
        self.parameters.fit_interval.unwrap_or([0.5, 1.5])
    }

    /// Stiffness k of the system matrix in Pa.
    pub fn stiffness(&self) -> f64 {
        self.solid.stiffness(self.fit_interval())
    }
}
