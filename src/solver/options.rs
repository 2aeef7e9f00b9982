//! The declaration of a kind of solver: its name, its options, and what it cannot simulate.
//!
//! A solver's file has a struct of options: the keys of `[solver]` that only this kind takes, with their types, their
//! meaning (doc comments are the descriptions that users read) and their ranges. The config, the JSON schema,
//! `compare`, `solvers` and the manual's tables all read them from there. Options that are left out are `None`: some
//! options make sense only beside others, and to check that, one has to know which were given.

use std::fmt::{self, Debug, Display};

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml::Table;

use super::{Method, Solver};
use elements::energy::Energy;
use elements::energy::material::{Fault, Material};

/// The options of one kind of solver.
pub trait Options: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema {
    /// The name of the kind in configs.
    const NAME: &'static str;
    /// One line that says what the solver is and what it is good for.
    const ABOUT: &'static str;
    /// True for solvers that keep the constraints of the objective.
    const CONSERVES: bool = false;
    /// False for solvers whose iterations do not approach the minimum of g, so that no gradient tells when to stop.
    const MINIMIZES: bool = true;

    /// Refuses values out of range, and options that have no meaning beside the other ones.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Why a solver of this kind cannot work on a term; `None` if it can.
    fn refuses(&self, _term: &dyn Energy) -> Option<Refusal> {
        None
    }

    /// Why a solver of this kind cannot work on a material, asked before a term is made of it.
    fn refuses_material(_material: &Material) -> Option<Refusal> {
        None
    }

    /// Makes a solver from checked options. `tolerance` is that of the settings.
    fn build(&self, tolerance: f64) -> Box<dyn Solver>;
}

/// Why a solver cannot work on a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The energy is not a squared distance from a set.
    NotProjective,
    /// The energy has no proximal operator.
    NoProximal,
    /// The energy removes motion, which no constraint can do.
    Damping,
    /// The energy removes motion, and this solver cannot account for the energy that is lost.
    UnbookedDamping,
    /// The energy has no lower bound, so that it cannot be written as constraints.
    Unbounded,
    /// The energy cannot be minimized vertex by vertex.
    NotVertexwise,
}

/// Tells the reason, and what to do about it.
impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NotProjective => {
                "it needs a projective energy; use material model 'arap', or solver 'quasi-newton'"
            }
            Refusal::NoProximal => "it has no proximal operator; use solver 'quasi-newton'",
            Refusal::Damping => {
                "damping is not a constraint; leave 'damping' out, or use solver 'quasi-newton'"
            }
            Refusal::UnbookedDamping => {
                "it keeps energy; use damping of body.control instead, or solver 'quasi-newton'"
            }
            Refusal::Unbounded => {
                "its energy has no lower bound, as that of 'stable-neo-hookean' with lambda = 0; give a lambda \
                 above 0, or use solver 'quasi-newton'"
            }
            Refusal::NotVertexwise => {
                "its energy is not known as a function of one vertex; use solver 'quasi-newton'"
            }
        })
    }
}

/// Why a table does not hold options: the key, and serde's message about it.
pub type ReadError = serde_path_to_error::Error<toml::de::Error>;

/// One kind of solver, as registries and messages see it.
pub struct Kind {
    /// The name of the kind in configs.
    pub name: &'static str,
    /// A description of one line for listings.
    pub about: &'static str,
    /// True for solvers that keep the constraints of the objective.
    pub conserves: bool,
    /// False for solvers whose iterations do not approach the minimum of g.
    pub minimizes: bool,
    /// Why the solver cannot simulate a material; `None` if it can.
    pub refuses_material: fn(&Material) -> Option<Refusal>,
    read: fn(Table) -> Result<Method, ReadError>,
    schema: fn() -> Value,
}

impl Kind {
    pub(super) const fn of<O: Options + Into<Method>>() -> Kind {
        Kind {
            name: O::NAME,
            about: O::ABOUT,
            conserves: O::CONSERVES,
            minimizes: O::MINIMIZES,
            refuses_material: O::refuses_material,
            read: |table| serde_path_to_error::deserialize::<_, O>(table).map(Into::into),
            schema: || SchemaGenerator::default().into_root_schema_for::<O>().to_value(),
        }
    }

    /// The method with the options of a table. They are read but not checked.
    pub fn read(&self, options: Table) -> Result<Method, ReadError> {
        (self.read)(options)
    }

    /// The JSON schema of its options, each with its description.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// The keys of its options, in the order of their declaration if the schema keeps it.
    pub fn keys(&self) -> Vec<String> {
        let schema = self.schema();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.map(Map::keys).into_iter().flatten().cloned().collect()
    }
}

/// The operations on options that [`Method`] needs for every kind.
pub(super) trait Chosen {
    fn name(&self) -> &'static str;
    fn check(&self) -> Result<(), Fault>;
    fn refuses(&self, term: &dyn Energy) -> Option<Refusal>;
    fn build(&self, tolerance: f64) -> Box<dyn Solver>;
    fn to_table(&self) -> Table;
}

impl<O: Options> Chosen for O {
    fn name(&self) -> &'static str {
        O::NAME
    }

    fn check(&self) -> Result<(), Fault> {
        Options::check(self)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        Options::refuses(self, term)
    }

    fn build(&self, tolerance: f64) -> Box<dyn Solver> {
        Options::build(self, tolerance)
    }

    fn to_table(&self) -> Table {
        // Options are numbers, names and flags, all of which TOML can hold.
        Table::try_from(self).expect("options are TOML")
    }
}

/// A fault of the key, unless the condition is `met`.
pub(super) fn demand(met: bool, key: &str, reason: &str) -> Result<(), Fault> {
    if met { Ok(()) } else { Err(Fault::new(key, reason)) }
}

/// Refuses a spectral radius for Chebyshev acceleration out of [0, 1).
pub(super) fn check_rho(rho: Option<f64>) -> Result<(), Fault> {
    demand(rho.is_none_or(|rho| (0.0..1.0).contains(&rho)), "rho", "must be at least 0 and below 1")
}

/// Refuses a relaxation out of (0, 2).
pub(super) fn check_relaxation(relaxation: Option<f64>) -> Result<(), Fault> {
    let met = relaxation.is_none_or(|factor| factor > 0.0 && factor < 2.0);
    demand(met, "relaxation", "must be above 0 and below 2")
}

/// Refuses a factor that is not above 0.
pub(super) fn check_positive(key: &str, factor: Option<f64>) -> Result<(), Fault> {
    demand(factor.is_none_or(|factor| factor > 0.0 && factor.is_finite()), key, "must be above 0")
}
