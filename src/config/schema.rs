//! The JSON schema of configs, for editors.

use serde_json::{Value, json};

use super::raw;
use crate::scene::preset::{PRESETS, Preset};
use crate::solver::KINDS;
use elements::energy::material::MODELS;

/// The JSON schema (draft 2020-12) of a config, with the materials and solvers of this version.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(raw::Config).to_value();
    drop_null(&mut schema);
    let models = MODELS.iter().map(|model| (model.name, model.about));
    name_values(&mut schema, "Material", "model", models.collect());
    let presets = PRESETS.iter().map(|preset| (preset.name, preset.about));
    name_values(&mut schema, "Material", "preset", presets.collect());
    let kinds = KINDS.iter().map(|kind| (kind.name, kind.about));
    name_values(&mut schema, "Solver", "kind", kinds.collect());
    add_options(&mut schema);
    schema
}

/// The schema with more definitions, for the manual: `solver common` has the keys that all kinds take, and `solver
/// NAME` the options of one kind, `presets` all presets of materials.
pub fn reference_schema() -> Value {
    let mut schema = schema();
    let raw = schemars::schema_for!(raw::Solver).to_value();
    let mut pages = vec![("solver common".to_owned(), raw), ("presets".to_owned(), presets())];
    pages.extend(KINDS.iter().map(|kind| (format!("solver {}", kind.name), kind.schema())));
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        for (name, mut page) in pages {
            drop_null(&mut page);
            definitions.insert(name, page);
        }
    }
    schema
}

/// All presets as a choice, with their numbers and where these come from.
fn presets() -> Value {
    let page = |preset: &Preset| {
        let text = format!(
            "For {}: {}. {}. Source: {}.",
            preset.bodies(),
            preset.about,
            preset.numbers(),
            preset.source
        );
        json!({ "const": preset.name, "description": text })
    };
    json!({ "oneOf": PRESETS.iter().map(page).collect::<Vec<_>>() })
}

/// Adds the options of every kind of solver to the table `Solver`. Options that several kinds have
/// are described for each.
fn add_options(schema: &mut Value) {
    let mut options: Vec<(String, Value)> = vec![];
    for kind in KINDS {
        let own = kind.schema();
        if let (Some(Value::Object(new)), Some(Value::Object(all))) =
            (own.get("$defs"), schema.get_mut("$defs"))
        {
            all.extend(new.clone());
        }
        for (key, property) in own["properties"].as_object().into_iter().flatten() {
            let text = property["description"].as_str().unwrap_or_default();
            let text = format!("{}: {text}", kind.name);
            match options.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => {
                    known["description"] =
                        json!(format!("{}\n\n{text}", known["description"].as_str().unwrap_or_default()));
                }
                None => {
                    let mut property = property.clone();
                    property["description"] = json!(text);
                    options.push((key.clone(), property));
                }
            }
        }
    }
    let Some(solver) = schema.pointer_mut("/$defs/Solver").and_then(Value::as_object_mut) else { return };
    solver.insert("additionalProperties".into(), json!(false));
    if let Some(Value::Object(properties)) = solver.get_mut("properties") {
        properties.extend(options);
    }
    drop_null(schema);
}

/// Removes null from types: optional keys are left out in TOML, which has no null. `["number",
/// "null"]` becomes `"number"`.
fn drop_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(drop_null),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(variants)) = object.get_mut("anyOf") {
                variants.retain(|variant| variant.get("type") != Some(&json!("null")));
                if let [only] = variants.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    object.extend(only.as_object().cloned().unwrap_or_default());
                }
            }
            object.values_mut().for_each(drop_null);
        }
        _ => {}
    }
}

/// Lists the valid values of a string property with their meanings.
fn name_values(schema: &mut Value, table: &str, key: &str, names: Vec<(&str, &str)>) {
    let place = format!("/$defs/{table}/properties/{key}");
    let Some(property) = schema.pointer_mut(&place).and_then(Value::as_object_mut) else { return };
    let values: Vec<Value> =
        names.iter().map(|(name, about)| json!({ "const": name, "description": about })).collect();
    property.remove("type");
    property.insert("oneOf".into(), Value::Array(values));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_its_draft_describes_every_key_and_knows_no_null() {
        let schema = schema();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let mut tables = vec![&schema];
        tables.extend(schema["$defs"].as_object().unwrap().values());
        for table in tables {
            for (key, property) in table.get("properties").and_then(Value::as_object).into_iter().flatten() {
                assert!(property.get("description").is_some(), "{key} in {table}");
            }
            if table.get("properties").is_some() {
                assert_eq!(table["additionalProperties"], false);
            }
        }
        assert!(!schema.to_string().contains("null"));
    }

    #[test]
    fn models_and_solvers_are_those_of_the_registries() {
        let schema = schema();
        let listed = schema.pointer("/$defs/Material/properties/model/oneOf").unwrap().as_array().unwrap();
        assert_eq!(listed.len(), MODELS.len());
        assert_eq!(schema.pointer("/$defs/Springs/required").unwrap(), &json!(["stiffness"]));
    }
}
