//! Comparisons of solvers, as a config holds them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A comparison of solvers on one step of the scene, for `pliant compare`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Names its directory; `--only` picks by it. Default "comparison-1", ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Solvers as "kind" or "kind:key=value:key=value"; the config's own kind keeps the options of
    /// the config. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solvers: Option<Vec<String>>,
    /// Compare on the step after this frame. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_frame: Option<u64>,
    /// Iterations of each solver, at least 1. Default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub iterations: Option<u64>,
    /// Values of the config to go through; several variations give all combinations. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vary: Vec<Variation>,
}

/// Values that keys of the config take in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Keys of the config, such as "body.0.material.young"; all of them take the same value.
    pub keys: Vec<String>,
    /// The values they take in turn, at least one.
    pub values: Vec<Setting>,
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Setting {
    /// A value that is true or false.
    Boolean(bool),
    /// A number in the unit of the key.
    Number(f64),
    /// A text, such as a name or a fraction.
    Text(String),
    /// Numbers, such as an interval or a vector.
    List(Vec<f64>),
}

impl std::fmt::Display for Setting {
    /// As TOML; whole numbers as integers, which every key takes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Setting::Boolean(value) => write!(f, "{value}"),
            Setting::Number(value) if value.fract() == 0.0 && value.abs() < 1e15 => write!(f, "{value:.0}"),
            Setting::Number(value) => write!(f, "{value:?}"),
            Setting::Text(value) => write!(f, "{}", toml::Value::String(value.clone())),
            Setting::List(values) => {
                let values: Vec<String> =
                    values.iter().map(|value| Setting::Number(*value).to_string()).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}
