//! Values that may be written in two ways: a step, a number of cells, one table or several, a value or its keys.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time step as it was written: kept as such, so that "1/30" stays readable in a resolved config.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Step {
    /// A number of seconds.
    Seconds(f64),
    /// A fraction such as "1/30", or a number in quotes.
    Fraction(String),
}

impl Step {
    /// The step in seconds, not checked for its range; the reason where it is no number or fraction.
    pub fn seconds(&self) -> Result<f64, String> {
        let text = match self {
            Step::Seconds(seconds) => return Ok(*seconds),
            Step::Fraction(text) => text,
        };
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let seconds = match text.split_once('/') {
            Some((above, below)) => number(above).zip(number(below)).map(|(a, b)| a / b),
            None => number(text),
        };
        seconds.ok_or_else(|| format!("'{text}' is neither a number nor a fraction such as \"1/30\""))
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StepVisitor;
        impl Visitor<'_> for StepVisitor {
            type Value = Step;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seconds or a fraction such as \"1/30\"")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Step, E> {
                Ok(Step::Seconds(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Step, E> {
                Ok(Step::Seconds(value as f64))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Step, E> {
                Ok(Step::Fraction(value.to_owned()))
            }
        }
        deserializer.deserialize_any(StepVisitor)
    }
}

impl JsonSchema for Step {
    fn schema_name() -> Cow<'static, str> {
        "Step".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Seconds, as a number or as a fraction such as \"1/30\".",
            "oneOf": [{ "type": "number", "exclusiveMinimum": 0 }, { "type": "string" }],
        })
    }
}

/// A resolution: one number, or one per axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cells {
    /// One number for the whole shape.
    Across(u64),
    /// One number per axis.
    Along(Vec<u64>),
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellsVisitor;
        impl<'de> Visitor<'de> for CellsVisitor {
            type Value = Cells;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number of cells or an array of them")
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Cells, E> {
                let count = u64::try_from(value);
                count.map(Cells::Across).map_err(|_| E::custom("a number of cells cannot be negative"))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Cells, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Cells::Along)
            }
        }
        deserializer.deserialize_any(CellsVisitor)
    }
}

impl JsonSchema for Cells {
    fn schema_name() -> Cow<'static, str> {
        "Cells".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let count = json_schema!({ "type": "integer", "minimum": 1 });
        json_schema!({
            "description": "A number of cells, or one per axis.",
            "oneOf": [count, { "type": "array", "items": count }],
        })
    }
}

/// A table, or an array of tables.
#[derive(Clone, Debug, PartialEq)]
pub enum OneOrMany<T> {
    /// A single table.
    One(T),
    /// An array of tables.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// All tables, in order.
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(item) => std::slice::from_ref(item),
            OneOrMany::Many(items) => items,
        }
    }

    /// All tables, in order.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            OneOrMany::One(item) => std::slice::from_mut(item),
            OneOrMany::Many(items) => items,
        }
    }
}

/// A path, or an array of paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Paths {
    /// The path of a single file.
    One(String),
    /// The paths of several files.
    Many(Vec<String>),
}

impl Paths {
    /// All paths, in order.
    pub fn as_slice(&self) -> &[String] {
        match self {
            Paths::One(path) => std::slice::from_ref(path),
            Paths::Many(paths) => paths,
        }
    }

    /// All paths, in order.
    pub fn as_mut_slice(&mut self) -> &mut [String] {
        match self {
            Paths::One(path) => std::slice::from_mut(path),
            Paths::Many(paths) => paths,
        }
    }
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OneOrMany::One(item) => item.serialize(serializer),
            OneOrMany::Many(items) => items.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrManyVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
            type Value = OneOrMany<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table or an array of tables")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMany<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneOrMany::One)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OneOrMany<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(OneOrMany::Many)
            }
        }
        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// A value, or keys that it follows over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Animated<T> {
    /// The same at all times.
    Constant(T),
    /// Linear between keys, constant before the first and after the last.
    Keys(Keys<T>),
}

/// The keys of a value over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keys<T> {
    /// The keys with ascending times, at least one; the value is linear between them and constant outside.
    pub keys: Vec<Key<T>>,
}

/// A value at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key<T> {
    /// Seconds since the start of the run.
    pub time: f64,
    /// The value at that time.
    pub value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Animated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnimatedVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for AnimatedVisitor<T> {
            type Value = Animated<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or { keys = [{ time, value }, …] }")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Animated<T>, E> {
                T::deserialize(value.into_deserializer()).map(Animated::Constant)
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Animated<T>, E> {
                T::deserialize(value.into_deserializer()).map(Animated::Constant)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Animated<T>, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(seq)).map(Animated::Constant)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Animated<T>, A::Error> {
                Keys::deserialize(MapAccessDeserializer::new(map)).map(Animated::Keys)
            }
        }
        deserializer.deserialize_any(AnimatedVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Animated<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Animated_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let constant = generator.subschema_for::<T>();
        let keys = generator.subschema_for::<Keys<T>>();
        json_schema!({ "anyOf": [constant, keys] })
    }
}
