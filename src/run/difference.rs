//! The keys in which two configs differ, for messages.

use std::collections::BTreeMap;

use toml::{Table, Value};

/// Keys that may differ between a run and its continuation.
const FREE: [&str; 3] = ["time.frames", "output.dir", "comparison"];

/// The most keys that are named.
const SHOWN: usize = 8;

/// The keys in which two canonical configs differ, with both values; those that a run may change are left out. A config that
/// is no TOML differs from all others.
pub fn of(there: &str, now: &str) -> Option<String> {
    let (Ok(there), Ok(now)) = (there.parse::<Table>(), now.parse::<Table>()) else {
        return Some("config.toml, which is damaged".into());
    };
    let (there, now) = (flat(there), flat(now));
    let keys: BTreeMap<&String, ()> = there.keys().chain(now.keys()).map(|key| (key, ())).collect();
    let is_free = |key: &str| FREE.iter().any(|free| key == *free || key.starts_with(&format!("{free}.")));
    let value =
        |values: &BTreeMap<String, String>, key| values.get(key).map_or("none", String::as_str).to_owned();
    let differing: Vec<String> = keys
        .into_keys()
        .filter(|key| !is_free(key) && there.get(*key) != now.get(*key))
        .map(|key| format!("{key} ({} there, {} now)", value(&there, key), value(&now, key)))
        .collect();
    let more = differing.len().saturating_sub(SHOWN);
    let mut text = differing[..differing.len() - more].join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    (!differing.is_empty()).then_some(text)
}

/// All values by their keys, such as `body.0.material.young`.
pub fn flat(table: Table) -> BTreeMap<String, String> {
    let mut open = vec![(String::new(), Value::Table(table))];
    let mut out = BTreeMap::new();
    while let Some((key, value)) = open.pop() {
        let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
        match value {
            Value::Table(table) => open.extend(table.into_iter().map(|(name, value)| (below(&name), value))),
            Value::Array(list) if list.iter().any(Value::is_table) => {
                open.extend(list.into_iter().enumerate().map(|(i, value)| (below(&i.to_string()), value)));
            }
            value => {
                out.insert(key, value.to_string());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_are_named_with_their_values() {
        let there = "time = { frames = 3, step = 0.1 }\n[[body]]\nname = \"a\"\nsize = [1, 2]";
        assert_eq!(of(there, there), None);
        assert_eq!(of(there, &there.replace("frames = 3", "frames = 9")), None);
        let now = there.replace("0.1", "0.2").replace("[1, 2]", "[1, 3]") + "\nyoung = 5";
        let text = of(there, &now).unwrap();
        assert_eq!(
            text,
            "body.0.size ([1, 2] there, [1, 3] now), body.0.young (none there, 5 now), time.step (0.1 there, 0.2 now)"
        );
        assert!(of("half = ", there).unwrap().contains("damaged"));
        let many: String = (0..20).map(|i| format!("k{i} = 1\n")).collect();
        assert!(of(&many, "").unwrap().ends_with("and 12 more"));
    }
}
