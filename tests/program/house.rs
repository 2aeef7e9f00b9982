//! The modules of the library depend one way: no cycle between those at the top of `src/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// For each module, the modules that it uses, each with a place where it does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// The part of a source file before its unit tests.
fn without_tests(text: &str) -> &str {
    let tests = text.match_indices("#[cfg(test)]").find(|(at, _)| {
        let behind = text[*at..].lines().nth(1).unwrap_or_default();
        behind.starts_with("mod ") && behind.ends_with('{')
    });
    tests.map_or(text, |(at, _)| &text[..at])
}

/// The modules named as `crate::NAME` in a line of code.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// Adds what the files of a module use.
fn read(path: &Path, module: &str, modules: &BTreeSet<String>, uses: &mut Uses) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            read(&entry.unwrap().path(), module, modules, uses);
        }
        return;
    }
    let name = path.file_name().unwrap().to_string_lossy();
    if !name.ends_with(".rs") || name.ends_with("tests.rs") || path.parent().unwrap().ends_with("tests") {
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    for (number, line) in without_tests(&text).lines().enumerate() {
        for other in named(line).filter(|other| *other != module && modules.contains(*other)) {
            let place = format!("{}:{}", path.display(), number + 1);
            uses.entry(module.into()).or_default().entry(other.into()).or_insert(place);
        }
    }
}

/// A cycle as the list of its modules, if there is one.
fn cycle(uses: &Uses) -> Option<Vec<String>> {
    fn visit(
        at: &str,
        uses: &Uses,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(first) = path.iter().position(|module| module == at) {
            return Some(path[first..].to_vec());
        }
        if done.contains(at) {
            return None;
        }
        path.push(at.into());
        let found = uses.get(at).into_iter().flatten().find_map(|(next, _)| visit(next, uses, path, done));
        path.pop();
        done.insert(at.into());
        found
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|module| visit(module, uses, &mut vec![], &mut done))
}

#[test]
fn modules_form_no_cycle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries: Vec<_> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let modules: BTreeSet<String> = entries.iter().map(|path| name(path)).collect();
    let mut uses = Uses::new();
    for path in entries.iter().filter(|path| !["lib", "main"].contains(&name(path).as_str())) {
        read(path, &name(path), &modules, &mut uses);
    }
    assert!(uses.len() > 10 && uses["model"].contains_key("scene"), "the sources were not read: {uses:?}");
    if let Some(cycle) = cycle(&uses) {
        let places = cycle
            .iter()
            .zip(cycle.iter().cycle().skip(1))
            .map(|(a, b)| format!("  {a} uses {b}: {}", uses[a][b]));
        panic!("modules form a cycle:\n{}", places.collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn a_cycle_is_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for (a, b) in pairs {
            uses.entry((*a).into()).or_default().insert((*b).into(), String::new());
        }
        uses
    };
    assert_eq!(cycle(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = cycle(&uses(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])).unwrap();
    assert_eq!(found, ["b", "c", "d"]);
    let line = "use crate::mesh::{Kind, Mesh}; // crate::config";
    assert_eq!(named(line).collect::<Vec<_>>(), ["mesh"]);
    assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {\nb"), "a\n");
}
