use std::collections::BTreeSet;

use super::*;

#[test]
fn every_file_of_the_folder_is_a_row_or_a_scene_of_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
    let stems = |folder: &Path| -> BTreeSet<String> {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = paths.filter(|path| path.extension().is_some_and(|e| e == "toml"));
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    let known = |files: &[(&str, &str)]| -> BTreeSet<String> {
        files.iter().map(|(name, _)| (*name).to_owned()).collect()
    };
    assert_eq!(stems(&root), known(registry::SPECS));
    let own: Vec<_> = registry::SCENES.iter().filter(|(name, _)| !name.contains('/')).copied().collect();
    assert_eq!(stems(&root.join("scenes")), known(&own));
    let rows = rows(None).unwrap_or_else(|e| panic!("{e}"));
    for (name, _) in registry::SCENES {
        assert!(rows.iter().any(|row| row.spec.scene == *name), "no row has the scene {name}");
    }
}

#[test]
fn keys_name_rows_and_groups_of_rows() {
    let keys = |names: &[&str]| -> Vec<String> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        chosen(&names, None).unwrap().into_iter().map(|row| row.key).collect()
    };
    assert_eq!(keys(&["ledwon2024-table5-1"]), ["ledwon2024-table5-1"]);
    assert_eq!(keys(&[]).len(), registry::SPECS.len());
    assert!(keys(&["ledwon2024"]).contains(&"ledwon2024-table5-1".to_owned()));
    assert!(keys(&["ledwon2024-table5"]).len() > 3);
    let error = chosen(&["ledwon2024-tab".into()], None).unwrap_err().to_string();
    assert!(
        error.contains("there is no row 'ledwon2024-tab'") && error.contains("pliant paper list"),
        "{error}"
    );
}

#[test]
fn a_row_without_a_rule_is_refused() {
    let text = |cell: &str| {
        format!(
            "title = 'a'\nclaim = 'b'\nchosen = 'c'\nscene = 'd'\nmeasure = {{ kind = 'step', solvers = ['pd'] }}\n\
             [[cell]]\nname = 'e'\nvalue = {{ of = 'error', solver = 'pd' }}\n{cell}"
        )
    };
    for (cell, expected) in [
        ("", "cell 'e': has neither a paper's figure nor a bound"),
        ("at_most = 1\nwithin = 0.1", "cell 'e': within, near and better need a paper's figure and no bound"),
        ("paper = 1\nfull = true", "has no cell that the quick form measures"),
        ("papre = 1", "line 9: unknown field `papre`"),
    ] {
        let error = Spec::parse("x", &text(cell)).unwrap_err().to_string();
        assert!(error.starts_with("papers/x.toml") && error.contains(expected), "{error}");
    }
    assert!(Spec::parse("x", &text("paper = 1")).is_ok());
}
