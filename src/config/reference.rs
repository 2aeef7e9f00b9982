//! Tables of config keys in Markdown, made from the JSON schema.
//!
//! The descriptions of the schema are the doc comments of [`super::raw`]. A key is therefore documented once,
//! beside its declaration, and editors, `pliant schema` and the pages in `docs/` say the same. A page marks
//! where a table belongs:
//!
//! ```text
//! <!-- keys: Time -->
//! <!-- end -->
//! ```
//!
//! [`update`] fills these places in; `tests/program/reference.rs` checks the pages. A description ends with the default
//! of its key: `Default 5.` for a value, `Default: real time.` for words, or `Required.`.

use serde_json::{Map, Value};

/// Definitions that a page explains once, with the link that replaces their parts in the type column.
const EXPLAINED: [(&str, &str); 3] = [
    ("Quantity", "[quantity](config.md#quantities)"),
    ("Directions", "[direction](config.md#directions)"),
    ("Select", "[selection](config.md#selections)"),
];

/// The beginning of the names of definitions that are a value or its keys over time, and the link to their explanation.
const ANIMATED: (&str, &str) = ("Animated_", "[animated](config.md#animated-values)");

/// A table with more keys than this is not written out in the row of a key that refers to it.
const MOST_KEYS: usize = 4;

/// The Markdown table of one entry of `$defs`, or of the root for "".
///
/// A table of keys has the columns key, type, default and meaning, required keys first; a choice has value and meaning.
/// The text is empty if the schema has no such entry.
///
/// ```
/// let schema = serde_json::json!({ "$defs": { "Time": { "properties": {
///     "frames": { "type": "integer", "minimum": 0, "description": "Frames after the first. Default 120." },
/// } } } });
/// let table = pliant::config::reference::table(&schema, "Time");
/// assert_eq!(table.lines().last(), Some("| `frames` | integer ≥ 0 | `120` | Frames after the first. |"));
/// ```
pub fn table(schema: &Value, definition: &str) -> String {
    let entry = if definition.is_empty() { Some(schema) } else { schema["$defs"].get(definition) };
    let Some(entry) = entry else { return String::new() };
    if entry.get("properties").is_some_and(Value::is_object) {
        return key_table(schema, entry);
    }
    let mut out = String::from("| value | meaning |\n|---|---|\n");
    for variant in variants(entry) {
        out += &row(&[type_name(schema, variant), description(variant)]);
    }
    out
}

/// The text with the table of NAME between every line `<!-- keys: NAME -->` and the `<!-- end -->` after it.
///
/// A marker without an end is left as it is.
pub fn update(text: &str, schema: &Value) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::with_capacity(text.len());
    let mut next = 0;
    while next < lines.len() {
        out += lines[next];
        out.push('\n');
        let end = lines[next + 1..].iter().position(|line| line.starts_with("<!-- ")).map(|i| next + 1 + i);
        next += 1;
        let Some(name) = marked(lines[next - 1]) else { continue };
        let Some(end) = end.filter(|&end| lines[end].trim_end() == "<!-- end -->") else { continue };
        out += &format!("\n{}\n", table(schema, name));
        next = end;
    }
    out
}

/// The NAME of a line `<!-- keys: NAME -->`.
fn marked(line: &str) -> Option<&str> {
    Some(line.trim_end().strip_prefix("<!-- keys:")?.strip_suffix("-->")?.trim())
}

/// A key of a table, described in Markdown.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The name of the key.
    pub name: String,
    /// Which values it takes.
    pub kind: String,
    /// Its default; empty if nothing is said of it.
    pub default: String,
    /// What it means, with the meanings of its values.
    pub meaning: String,
}

/// The keys of an entry that has properties, required ones first.
pub fn keys(schema: &Value, entry: &Value) -> Vec<Key> {
    let Some(properties) = entry.get("properties").and_then(Value::as_object) else { return vec![] };
    let required = required_keys(entry);
    let describe = |name: &str| {
        let property = &properties[name];
        let text = description(property);
        let (meaning, default) = split_default(&text);
        let is_required = required.contains(&name);
        let default =
            default.unwrap_or_else(|| if is_required { "*required*".into() } else { String::new() });
        let choices = choices(schema, property);
        let is_string = !choices.is_empty() && !choices.contains("`{");
        let kind = if is_string { "string".to_owned() } else { type_name(schema, property) };
        Key { name: name.to_owned(), kind, default, meaning: meaning.to_owned() + &choices }
    };
    keys_in_order(entry).into_iter().map(describe).collect()
}

/// The table of an entry that has properties.
fn key_table(schema: &Value, entry: &Value) -> String {
    let mut out = String::from("| key | type | default | meaning |\n|---|---|---|---|\n");
    for Key { name, kind, default, meaning } in keys(schema, entry) {
        out += &row(&[format!("`{name}`"), kind, default, meaning]);
    }
    out
}

/// The keys that a table must have, in the order of their declaration.
fn required_keys(table: &Value) -> Vec<&str> {
    table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The keys of a table: required ones in the order of their declaration, then the others.
fn keys_in_order(table: &Value) -> Vec<&str> {
    let mut keys = required_keys(table);
    let others = table["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str);
    let others: Vec<&str> = others.filter(|key| !keys.contains(key)).collect();
    keys.extend(others);
    keys
}

/// A row; bars within cells are escaped.
fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// The description on one line; "" if there is none.
fn description(node: &Value) -> String {
    let text = node["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A description without its last sentence, and the default that this sentence gives.
fn split_default(text: &str) -> (&str, Option<String>) {
    let begins = |word: &str| match text.rfind(&format!(". {word}")) {
        Some(dot) => Some(dot + 2),
        None => text.starts_with(word).then_some(0),
    };
    let Some(start) = begins("Default").max(begins("Required")) else { return (text, None) };
    let last = text[start..].strip_suffix('.').unwrap_or(&text[start..]);
    let default = match last.split_once(' ') {
        Some(("Default", value)) => format!("`{value}`"),
        Some(("Default:", words)) => words.to_owned(),
        Some(("Required", words)) => format!("*required* {words}"),
        None if last == "Required" => "*required*".to_owned(),
        _ => return (text, None),
    };
    (text[..start].trim_end(), Some(default))
}

/// The parts of a choice; empty for anything else.
pub(super) fn variants(node: &Value) -> &[Value] {
    let list = node.get("oneOf").or_else(|| node.get("anyOf")).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// The name of the definition that a node refers to.
fn reference(node: &Value) -> Option<&str> {
    node["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// The definition that a node refers to, or the node itself.
pub(super) fn resolved<'a>(schema: &'a Value, node: &'a Value) -> &'a Value {
    reference(node).and_then(|name| schema["$defs"].get(name)).unwrap_or(node)
}

/// The meaning of each value of a choice among constants, one on a line.
fn choices(schema: &Value, property: &Value) -> String {
    if reference(property).is_some_and(|name| EXPLAINED.iter().any(|(explained, _)| *explained == name)) {
        return String::new();
    }
    let variants = variants(resolved(schema, property));
    let has_names = variants.iter().any(|variant| variant.get("const").is_some());
    if !has_names || variants.iter().any(|variant| variant.get("description").is_none()) {
        return String::new();
    }
    let line = |variant: &Value| format!("<br>{}: {}", type_name(schema, variant), description(variant));
    variants.iter().map(line).collect()
}

/// The type of a value: words such as "integer ≥ 1", or constants and keys as code.
fn type_name(schema: &Value, node: &Value) -> String {
    if let Some(name) = reference(node) {
        if let Some((_, link)) = EXPLAINED.iter().find(|(explained, _)| *explained == name) {
            return (*link).to_owned();
        }
        let definition = resolved(schema, node);
        let (prefix, link) = ANIMATED;
        return match variants(definition).first() {
            Some(constant) if name.starts_with(prefix) => format!("{}, {link}", type_name(schema, constant)),
            _ => type_name(schema, definition),
        };
    }
    if let Some(constant) = node.get("const") {
        return format!("`{constant}`");
    }
    if !variants(node).is_empty() {
        let mut names: Vec<String> =
            variants(node).iter().map(|variant| type_name(schema, variant)).collect();
        names.dedup();
        return joined(&names);
    }
    match node["type"].as_str() {
        Some("array") => array_name(schema, node),
        Some("object") => table_name(schema, node),
        Some(name) => name.to_owned() + &range(node),
        None => "value".to_owned(),
    }
}

/// A list in words, such as "a, b or c".
fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The type of an array: two and three numbers by their places, others by the type of their items.
fn array_name(schema: &Value, node: &Value) -> String {
    let items = type_name(schema, &node["items"]);
    let (least, most) = (node["minItems"].as_u64(), node["maxItems"].as_u64());
    match (least == most).then_some(most).flatten() {
        Some(2) if items == "number" => "`[a, b]`".to_owned(),
        Some(3) if items == "number" => "`[x, y, z]`".to_owned(),
        Some(count) => format!("{count} times {items}"),
        None => format!("array of {}", plural(&items)),
    }
}

/// The plural "numbers ≥ 0" of "number ≥ 0"; code and links stay as they are.
fn plural(name: &str) -> String {
    let end = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
    if end == 0 { name.to_owned() } else { format!("{}s{}", &name[..end], &name[end..]) }
}

/// The type of a table: a single key with its type, a few keys by their names (required ones
/// first), or the word "table".
fn table_name(schema: &Value, node: &Value) -> String {
    let Some(properties) = node["properties"].as_object() else { return "table".to_owned() };
    let keys = keys_in_order(node);
    match keys.as_slice() {
        [only] if node.get("required").is_some() => {
            let value = type_name(schema, &properties[*only]);
            let value = match value.trim_matches('`') {
                inner if inner.starts_with('{') || inner.starts_with('[') => inner.to_owned(),
                _ => "…".to_owned(),
            };
            format!("`{{ {only} = {value} }}`")
        }
        keys if keys.len() <= MOST_KEYS => format!("`{{ {} }}`", keys.join(", ")),
        _ => "table".to_owned(),
    }
}

/// The bounds of a number.
fn range(node: &Value) -> String {
    let bound = |key: &str| node.get(key).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum"), bound("exclusiveMinimum")) {
        (Some(least), Some(most), _) => format!(", {least} to {most}"),
        (Some(least), None, _) => format!(" ≥ {least}"),
        (None, _, Some(least)) => format!(" > {least}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        let numbers = json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 });
        json!({
            "properties": { "pin": {
                "type": "array",
                "items": { "$ref": "#/$defs/Pin" },
                "description": "What is\nheld. Default: none.",
            } },
            "$defs": {
                "Pin": {
                    "type": "object",
                    "required": ["select"],
                    "properties": {
                        "kind": { "$ref": "#/$defs/Kind", "description": "How. Default \"hard\"." },
                        "motion": { "$ref": "#/$defs/Animated_double", "description": "Where. Default [0, -9.81, 0]." },
                        "part": { "type": "number", "minimum": 0.0, "maximum": 1.0, "description": "A | B." },
                        "select": { "$ref": "#/$defs/Select", "description": "Which." },
                        "step": { "oneOf": [{ "type": "number", "exclusiveMinimum": 0 }, { "type": "string" }] },
                        "young": { "type": "number", "description": "E. Required for \"spring\". Default 1e7." },
                        "file": { "type": "string", "description": "Required unless there is `kind`." },
                    },
                },
                "Kind": { "oneOf": [
                    { "const": "hard", "description": "Exactly." },
                    {
                        "type": "object",
                        "description": "By springs.",
                        "properties": { "soft": { "type": "number" } },
                        "required": ["soft"],
                    },
                ] },
                "Select": { "oneOf": [
                    { "const": "all", "description": "All." },
                    {
                        "type": "object",
                        "description": "Inside.",
                        "properties": { "box": { "$ref": "#/$defs/Box" } },
                        "required": ["box"],
                    },
                ] },
                "Box": {
                    "type": "object",
                    "properties": { "max": numbers, "min": numbers, "at": numbers },
                    "required": ["min", "max"],
                },
                "Animated_double": { "anyOf": [{ "type": "number" }, { "$ref": "#/$defs/Box" }] },
            },
        })
    }

    #[test]
    fn a_table_has_required_keys_first_and_defaults_in_their_column() {
        let table = table(&schema(), "Pin");
        let expected = [
            "| key | type | default | meaning |",
            "|---|---|---|---|",
            "| `select` | [selection](config.md#selections) | *required* | Which. |",
            "| `file` | string | *required* unless there is `kind` |  |",
            "| `kind` | `\"hard\"` or `{ soft = … }` | `\"hard\"` | How.<br>`\"hard\"`: Exactly.<br>`{ soft = … }`: By springs. |",
            "| `motion` | number, [animated](config.md#animated-values) | `[0, -9.81, 0]` | Where. |",
            "| `part` | number, 0 to 1 |  | A \\| B. |",
            "| `step` | number > 0 or string |  |  |",
            "| `young` | number | `1e7` | E. Required for \"spring\". |",
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_root_has_no_name_and_choices_have_a_table_of_values() {
        let root = table(&schema(), "");
        assert_eq!(root.lines().last(), Some("| `pin` | array of tables | none | What is held. |"));
        let select = table(&schema(), "Select");
        let expected = "| value | meaning |\n|---|---|\n| `\"all\"` | All. |\n| `{ box = { min, max, at } }` | Inside. |\n";
        assert_eq!(select, expected);
        assert_eq!(table(&schema(), "Nothing"), "");
    }

    #[test]
    fn an_update_replaces_what_stands_between_markers_and_is_idempotent() {
        let page = "# Page\n<!-- keys: Box -->\nold\n<!-- end -->\nrest\n";
        let once = update(page, &schema());
        assert!(once.starts_with("# Page\n<!-- keys: Box -->\n\n| key | type"), "{once}");
        assert!(once.contains("\n\n<!-- end -->\nrest\n"), "{once}");
        assert!(!once.contains("old"));
        assert_eq!(update(&once, &schema()), once);
        let open = "<!-- keys: Box -->\nno end\n<!-- keys: Pin -->\nnor here\n";
        assert_eq!(update(open, &schema()), open);
    }

    #[test]
    fn every_key_and_value_of_the_config_has_a_type_and_a_meaning() {
        let schema = super::super::schema();
        for name in schema["$defs"].as_object().unwrap().keys().map(String::as_str).chain([""]) {
            let table = table(&schema, name);
            let is_of_keys = table.starts_with("| key");
            for line in table.lines().skip(2) {
                let cells: Vec<&str> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
                let meaning = cells.last().unwrap();
                assert!(
                    !is_of_keys || !meaning.is_empty() || cells[2].contains("required"),
                    "{name}: {line}"
                );
                assert!(!is_of_keys || cells[1] != "value", "{name}: {line}");
            }
        }
    }
}
