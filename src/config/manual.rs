//! The keys of a config as plain text for a terminal, from the same schema as the tables in `docs/`.

use serde_json::Value;

use super::reference::{Key, keys, resolved, variants};
use crate::error::suggest::nearest;

/// How deep tables are looked into; no key of a config is deeper.
const DEEPEST: usize = 6;
/// The width of a line of text.
const WIDTH: usize = 96;
/// The column at which the meanings of keys begin in a list.
const COLUMN: usize = 34;

/// A key with the tables around it.
struct Entry {
    /// Its path without numbers, such as `body.material.young`.
    path: String,
    key: Key,
}

/// All keys in the order of their tables: a table comes before its keys.
fn entries(schema: &Value) -> Vec<Entry> {
    let mut out = vec![];
    add(schema, schema, "", 0, &mut out);
    out
}

fn add(schema: &Value, table: &Value, above: &str, depth: usize, out: &mut Vec<Entry>) {
    let all = keys(schema, table);
    // A choice such as { box = … } is described as a whole.
    let whole = table["description"].as_str().filter(|_| all.len() == 1);
    for mut key in all {
        if key.meaning.is_empty() {
            key.meaning = whole.unwrap_or_default().to_owned();
        }
        let path = if above.is_empty() { key.name.clone() } else { format!("{above}.{}", key.name) };
        // A key that several tables of a choice have is told once.
        if out.iter().any(|entry| entry.path == path) {
            continue;
        }
        let node = table["properties"][&key.name].clone();
        out.push(Entry { path: path.clone(), key });
        if depth < DEEPEST {
            let mut inner = vec![];
            tables(schema, &node, &mut inner);
            inner.into_iter().for_each(|table| add(schema, table, &path, depth + 1, out));
        }
    }
}

/// The tables that a value may be, or be an array of.
fn tables<'a>(schema: &'a Value, node: &Value, out: &mut Vec<&'a Value>) {
    // Only what is in the schema itself lives long enough: choices are named definitions there.
    let place = node["$ref"].as_str().and_then(|name| schema.pointer(name.trim_start_matches('#')));
    let Some(definition) = place else {
        node["items"].as_object().map(|_| tables(schema, &node["items"], out)).unwrap_or_default();
        variants(node).iter().for_each(|variant| tables(schema, variant, out));
        return;
    };
    collect(schema, resolved(schema, definition), out);
}

/// The tables that a definition is, or chooses from.
fn collect<'a>(schema: &'a Value, definition: &'a Value, out: &mut Vec<&'a Value>) {
    if definition["properties"].is_object() {
        out.push(definition);
    }
    for part in variants(definition).iter().chain(definition.get("items")) {
        let inner = resolved(schema, part);
        if inner["properties"].is_object() || !variants(inner).is_empty() || inner.get("items").is_some() {
            collect(schema, inner, out);
        }
    }
}

/// A list of all keys of the outer tables, each with the first sentence of its meaning.
pub fn overview(schema: &Value) -> String {
    let mut out = String::from(
        "Keys of a config (TOML). More of one: pliant help config KEY, such as material.young\n",
    );
    let mut table = None;
    for entry in entries(schema).iter().filter(|entry| entry.path.split('.').count() <= 2) {
        let above = entry.path.rsplit_once('.').map_or("", |(above, _)| above);
        let is_table = entries_below(schema, &entry.path);
        if above.is_empty() && is_table {
            continue;
        }
        if table.replace(above.to_owned()).as_deref() != Some(above) {
            out += &if above.is_empty() { "\n".to_owned() } else { format!("\n{above}\n") };
        }
        out += &line(&entry.key.name, &first_sentence(&entry.key.meaning));
    }
    out
}

fn entries_below(schema: &Value, path: &str) -> bool {
    let start = format!("{path}.");
    entries(schema).iter().any(|entry| entry.path.starts_with(&start))
}

/// Everything about a key: its type, default, meaning and, of a table, its keys. `key` is the end of a path, with or without the
/// numbers of array elements. The error names the key that was probably meant.
pub fn explain(schema: &Value, key: &str) -> Result<String, String> {
    let is_name = |segment: &&str| !segment.bytes().all(|b| b.is_ascii_digit());
    let wanted = key.split('.').filter(is_name).collect::<Vec<_>>().join(".");
    let all = entries(schema);
    let ends_so = |path: &str| path == wanted || path.ends_with(&format!(".{wanted}"));
    let found: Vec<&Entry> = match all.iter().find(|entry| entry.path == wanted) {
        Some(exact) => vec![exact],
        None => all.iter().filter(|entry| ends_so(&entry.path)).collect(),
    };
    if found.is_empty() {
        let last = wanted.rsplit('.').next().unwrap_or_default();
        let near = nearest(last, all.iter().map(|entry| entry.key.name.as_str()));
        return Err(
            near.map_or("pliant help config lists all".into(), |near| format!("did you mean '{near}'?"))
        );
    }
    Ok(found.iter().map(|entry| of(entry, &all)).collect::<Vec<_>>().join("\n"))
}

/// The text about one key.
fn of(entry: &Entry, all: &[Entry]) -> String {
    let Key { kind, default, meaning, .. } = &entry.key;
    let mut values = plain(kind);
    if !default.is_empty() {
        values += &format!("; default: {}", plain(default).replace('*', ""));
    }
    let mut out = format!("{}\n{}", entry.path, wrapped(&values, "  "));
    for part in meaning.split("<br>") {
        out += &wrapped(&plain(part), "  ");
    }
    let start = format!("{}.", entry.path);
    let below =
        all.iter().filter(|other| other.path.strip_prefix(&start).is_some_and(|rest| !rest.contains('.')));
    below
        .map(|other| line(&other.key.name, &first_sentence(&other.key.meaning)))
        .fold(out, |out, line| out + &line)
}

/// A key and its meaning in two columns.
fn line(name: &str, meaning: &str) -> String {
    let text = wrapped(meaning, &" ".repeat(COLUMN));
    let first = format!("    {name}");
    if text.is_empty() {
        return first + "\n";
    }
    if first.len() + 2 > COLUMN {
        format!("{first}\n{text}")
    } else {
        format!("{first:<COLUMN$}{}", text.trim_start())
    }
}

/// The first sentence of a meaning, without the meanings of single values.
fn first_sentence(meaning: &str) -> String {
    let text = plain(meaning.split("<br>").next().unwrap_or_default());
    text.find(". ").map_or(text.clone(), |end| text[..=end].to_owned())
}

/// Markdown without links and marks of code.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("](") {
        let open = before.rfind('[').unwrap_or(before.len());
        let shown = before.get(open + 1..).unwrap_or_default();
        out += &before[..open];
        out += shown;
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    (out + rest).replace('`', "")
}

/// Lines of at most [`WIDTH`], each with an indent.
fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent.len() + line.chars().count() + 1 + word.chars().count() > WIDTH {
            out += &format!("{indent}{line}\n");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    if line.is_empty() { out } else { out + &format!("{indent}{line}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_the_end_of_their_path_and_with_numbers() {
        let schema = super::super::schema();
        let young = explain(&schema, "material.young").unwrap();
        assert!(
            young.starts_with("body.material.young\n") && young.contains("Young's modulus in Pa"),
            "{young}"
        );
        assert_eq!(explain(&schema, "body.0.material.young").unwrap(), young);
        let step = explain(&schema, "time.step").unwrap();
        assert!(step.contains("default: \"1/30\""), "{step}");
        let shake = explain(&schema, "body.pin.motion.shake").unwrap();
        assert!(shake.contains("amplitude") && shake.contains("frequency"), "{shake}");
        let select = explain(&schema, "pin.select").unwrap();
        assert!(select.contains("\n    sphere                        Inside or on a sphere.\n"), "{select}");
        assert!(explain(&schema, "solver.history").unwrap().contains("quasi-newton"));
        assert_eq!(explain(&schema, "body.yuong").unwrap_err(), "did you mean 'young'?");
    }

    #[test]
    fn the_overview_has_every_outer_table_and_no_marks() {
        let text = overview(&super::super::schema());
        for table in
            ["time", "solver", "world", "output", "body", "contact", "obstacle", "probe", "comparison"]
        {
            assert!(text.contains(&format!("\n{table}\n")), "{table}: {text}");
        }
        assert!(!text.contains('`') && !text.contains("<br>") && !text.contains("]("), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
