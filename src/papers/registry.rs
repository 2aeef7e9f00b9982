//! The files of `papers/`, which are part of the program: one line for each.

use std::path::{Path, PathBuf};

use crate::error::{Action, Error, Result};

macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/papers/", $folder, $name, ".toml")))),*]
    };
}

/// The rows, each with its key, in the order of the report.
pub const SPECS: &[(&str, &str)] = files! { "":
    "liu2017-table1-thin-sheet",
    "liu2017-table1-sphere-a",
    "liu2017-table1-sphere-b",
    "liu2017-table1-shaking-bar",
    "liu2017-table1-ditto",
    "liu2017-table1-hippo",
    "liu2017-table1-twisting-bar",
    "liu2017-table1-cloth",
    "liu2017-table1-big-bunny",
    "liu2017-table1-squirrel",
    "liu2017-table1-large-squirrel",
    "liu2017-table2",
    "liu2017-fig3",
    "liu2017-fig7",
    "liu2017-fig8",
    "liu2017-fig9",
    "liu2017-fig10",
    "liu2017-fig12",
    "liu2017-fig13",
    "liu2017-fig14",
    "liu2017-fig15",
    "liu2017-fig16",
    "liu2017-fig17",
    "liu2017-fig18",
    "wang2015-fig4",
    "narain2016-fig2",
    "narain2016-fig6",
    "kee2021-table1-cube",
    "kee2021-table1-torus",
    "kee2021-table1-t-pipe",
    "kee2021-table1-hippo",
    "kee2021-fig7",
    "kee2021-fig8",
    "ledwon2024-table5-1",
    "ledwon2024-table5-2",
    "ledwon2024-table5-3",
    "ledwon2024-table5-4",
    "ledwon2024-table5-5",
    "ledwon2024-table5-6",
    "ledwon2024-fig5-3",
    "ledwon2024-fig5-11",
    "ledwon2024-fig5-14",
    "beyond-admm-weights",
};

/// The configs that rows are measured on.
pub const SCENES: &[(&str, &str)] = files! { "scenes/":
    "kee-collision",
    "kee-hippo",
    "kee-t-pipe",
    "kee-torus",
    "ledwon-neo-hookean",
    "ledwon-twisting",
    "ledwon-untwisting",
    "liu-bunny",
    "liu-cloth",
    "liu-ditto",
    "liu-hippo",
    "liu-shaking-bar",
    "liu-sphere-a",
    "liu-sphere-b",
    "liu-squirrel",
    "liu-squirrel-large",
    "liu-thin-sheet",
    "liu-turned-cube",
    "liu-twisting-bar",
    "narain-box",
    "wang-tablecloth",
    "../../configs/kee-bouncing-ball",
    "../../configs/spinning-cube",
};

/// The rows, each with its key and its text: those of the program, or those of a folder.
pub fn specs(folder: Option<&Path>) -> Result<Vec<(String, String)>> {
    let Some(folder) = folder else {
        return Ok(SPECS.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect());
    };
    let listed = std::fs::read_dir(folder).map_err(|e| Error::io(Action::List, folder, e))?;
    let mut paths: Vec<PathBuf> = listed
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(Action::Read, path, e))?;
        Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), text))
    };
    paths.iter().map(read).collect()
}

/// The text of a config.
pub fn scene(folder: Option<&Path>, name: &str) -> Result<String> {
    if let Some(folder) = folder {
        let path = folder.join("scenes").join(format!("{name}.toml"));
        return std::fs::read_to_string(&path).map_err(|e| Error::io(Action::Read, &path, e));
    }
    let found = SCENES.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| Error::Failed {
        what: format!("papers/scenes has no '{name}'"),
        hint: "a row names it, and the registry of the program does not".into(),
    })
}
