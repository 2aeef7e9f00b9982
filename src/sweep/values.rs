//! Values of cases in names of directories and in tables.

/// The longest name of a case.
const LONGEST: usize = 80;

/// `young-1e6`: the last part of a key and its values.
pub(super) fn name_of(key: &str, values: &[String]) -> String {
    let last = key.rsplit('.').find(|part| part.parse::<usize>().is_err()).unwrap_or(key);
    let values: Vec<String> = values.iter().map(|value| short(value)).collect();
    plain(&format!("{last}-{}", values.join("-")))
}

/// A value in few letters: numbers in their shortest form, texts without quotes.
fn short(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if number != 0.0 && !(1e-3..1e5).contains(&number.abs()) => format!("{number:e}"),
        Ok(number) => number.to_string(),
        Err(_) => value.trim_matches(['"', '\'']).to_owned(),
    }
}

/// Only letters, digits and `-_.+`, which need no quotes anywhere, and no dot at the start.
fn plain(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '-' });
    kept.collect::<String>().replace("..", "-")
}

/// A name that is not too long; the rest of a long one is a hash of the values.
pub(super) fn shorter(name: String, values: &[String]) -> String {
    if name.len() <= LONGEST { name } else { distinct(&name, values) }
}

/// A name that ends with a hash of the values.
pub(super) fn distinct(name: &str, values: &[String]) -> String {
    let hash = blake3::hash(values.join("\n").as_bytes()).to_hex();
    format!("{}-{}", &name[..name.len().min(LONGEST - 20)], &hash[..12])
}

/// A field of a CSV file.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
