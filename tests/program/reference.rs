//! The tables of config keys in `docs/` are those of the schema.

use std::path::{Path, PathBuf};

use pliant::config::{reference, reference_schema};

/// The pages of `docs/`, in order.
fn pages() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages
}

/// The names in the markers of a page.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    let names = text.lines().filter_map(|line| line.strip_prefix("<!-- keys:"));
    names.map(|rest| rest.trim_end_matches("-->").trim())
}

#[test]
fn the_tables_of_the_pages_are_those_of_the_schema() {
    let schema = reference_schema();
    let write = std::env::var_os("PLIANT_WRITE_DOCS").is_some();
    let mut stale = vec![];
    let mut tables = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for name in marked(&text) {
            assert!(
                !reference::table(&schema, name).is_empty(),
                "{}: no definition '{name}'",
                page.display()
            );
            tables += 1;
        }
        let updated = reference::update(&text, &schema);
        if updated == text {
            continue;
        }
        if write {
            std::fs::write(&page, updated).unwrap();
        } else {
            stale.push(page.file_name().unwrap().to_owned());
        }
    }
    assert!(tables > 20, "only {tables} tables in docs/");
    assert!(
        stale.is_empty(),
        "{stale:?} differ from the schema: run PLIANT_WRITE_DOCS=1 cargo test --test program reference"
    );
}
