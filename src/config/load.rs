//! The stages of a config: text, overrides, raw, defaults, resolved; and back to text.

use std::io::Read;
use std::path::{Path, PathBuf};

use toml::Table;

use super::overrides::{self, Overrides, Refusal};
use super::path::KeyPath;
use super::problem::Report;
use super::resolve::{self, Context};
use super::source::Source;
use super::{raw, read};
use crate::error::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::error::{Action, Error, Result};
use crate::io::Format;
use crate::scene;
use crate::solver::{KINDS, Kind};

/// A config that is ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The validated scene.
    pub scene: scene::Scene,
    /// The same in the user's terms: overrides applied, defaults written out, paths absolute.
    pub raw: raw::Config,
    /// Notes about what is odd but not a fault.
    pub warnings: Vec<String>,
    /// Notes about what is good to know: the numbers of presets, with their sources.
    pub notes: Vec<String>,
}

/// Loads the config at `path` with the overrides of the command line.
///
/// All faults are reported together, as [`Error::Config`].
pub fn load(path: &Path, overrides: &Overrides) -> Result<Loaded> {
    if let Some(format) = Format::of_path(path) {
        let name = path.display();
        return Err(Error::Usage {
            what: format!("{name} is a mesh ({}), and a config is wanted", format.name()),
            hint: format!("'pliant new {name} -o {}' makes one", path.with_extension("toml").display()),
        });
    }
    let bytes = read_limited(path)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = format!("byte {}", error.utf8_error().valid_up_to());
        Error::format(path, place, "not UTF-8 text, as a config must be")
    })?;
    let here =
        std::env::current_dir().map_err(|error| Error::io(Action::FindWorkingDirectory, path, error))?;
    let directory = here.join(path).parent().map_or_else(|| here.clone(), PathBuf::from);
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let context = Context { config_directory: directory, working_directory: here, stem };
    load_text(path, &text, overrides, &context).map_err(Error::Config)
}

/// The largest config in bytes. The parsed text takes a hundred times its size, and long lists belong into mesh files.
const MOST_BYTES: u64 = 2_000_000;

/// The largest number of tables of a config, whose bodies, pins and forces are compared with each other.
const MOST_TABLES: usize = 20_000;
/// The largest number of faults that are shown: to find the place of each takes a walk through the text.
const MOST_FAULTS: usize = 100;

/// The number of tables in a value, itself included.
fn tables(value: &toml::Value) -> usize {
    match value {
        toml::Value::Table(table) => 1 + table.values().map(tables).sum::<usize>(),
        toml::Value::Array(items) => items.iter().map(tables).sum(),
        _ => 0,
    }
}

/// The bytes of a config, without taking more of a file than a config may have.
fn read_limited(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| Error::io(Action::Read, path, error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Error::Format {
            path: path.to_owned(),
            place: String::new(),
            reason: format!("a config may have {} MB at most", MOST_BYTES / 1_000_000),
            hint: "select vertices by a box or by an array of the mesh file instead of long lists".into(),
        });
    }
    Ok(bytes)
}

/// Loads a config from text, as if it stood in a file `scene.toml` of the working directory.
pub fn parse(text: &str) -> Result<Loaded> {
    load_made(Path::new("scene.toml"), text, &Overrides::default())
}

/// Loads a config from text that was made for `file`; its paths are relative to the working directory.
pub fn load_made(file: &Path, text: &str, overrides: &Overrides) -> Result<Loaded> {
    let here = std::env::current_dir()
        .map_err(|error| Error::io(Action::FindWorkingDirectory, Path::new("."), error))?;
    let context = Context { config_directory: here.clone(), working_directory: here, stem: "scene".into() };
    load_text(file, text, overrides, &context).map_err(Error::Config)
}

/// Like [`load`], for text that is taken for the content of `file`.
pub fn load_text(
    file: &Path,
    text: &str,
    overrides: &Overrides,
    context: &Context,
) -> Result<Loaded, Diagnostics> {
    let (mut source, mut values) = Source::parse(file, text)?;
    let whole = |message: String, hint: &str| {
        let (file, key, hint) = (file.to_owned(), String::new(), hint.to_owned());
        Diagnostic { file, place: Place::File, key, message, hint }
    };
    let tables = values.values().map(tables).sum::<usize>();
    if tables > MOST_TABLES {
        let message = format!("it has {tables} tables, and a config may have {MOST_TABLES} at most");
        return Err(Diagnostics(vec![whole(message, "put many parts into one mesh file")]));
    }
    let mut faults = apply_overrides(&mut values, &mut source, file, overrides, &context.working_directory);
    let mut report = Report::default();
    drop_foreign_options(&mut values, &source, overrides, &mut report);
    let (config, removed) = read::read(values, &mut report);
    let mut found = None;
    if let Some(mut config) = config {
        let mut later = Report::default();
        resolve::fill(&mut config, context, &mut later);
        found = resolve::resolve(&config, &mut later).map(|resolved| (resolved, config));
        later.problems.retain(|problem| !removed.explains(&problem.path));
        report.problems.append(&mut later.problems);
        report.warnings.append(&mut later.warnings);
        report.notes.append(&mut later.notes);
    }
    faults.extend(report.problems.iter().take(MOST_FAULTS).map(|problem| source.diagnose(problem)));
    if let Some(more @ 1..) = report.problems.len().checked_sub(MOST_FAULTS) {
        faults.push(whole(format!("{more} more faults are not shown"), ""));
    }
    match found {
        Some((scene, raw)) if faults.is_empty() => {
            Ok(Loaded { scene, raw, warnings: report.warnings, notes: report.notes })
        }
        _ => Err(Diagnostics(in_order(faults))),
    }
}

/// The config as TOML: loading it again gives an equal [`scene::Scene`], whatever the directory and flags.
pub fn to_toml(loaded: &Loaded) -> String {
    // The raw types are strings, numbers, arrays and structs, all of which TOML can hold.
    toml::to_string(&loaded.raw).expect("raw configs are TOML")
}

fn apply_overrides(
    values: &mut Table,
    source: &mut Source<'_>,
    file: &Path,
    overrides: &Overrides,
    working_directory: &Path,
) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let refuse = |Refusal { flag, path, message }| Diagnostic {
        file: file.to_owned(),
        place: Place::Flag(flag),
        key: path.to_string(),
        message,
        hint: String::new(),
    };
    for assignment in overrides.assignments(working_directory) {
        let applied = assignment.and_then(|assignment| {
            overrides::apply(values, &assignment)?;
            Ok(assignment)
        });
        match applied {
            Ok(assignment) => source.set_by_flag(assignment.path, assignment.flag),
            Err(refusal) => faults.push(refuse(refusal)),
        }
    }
    faults
}

/// With `--solver`, the file's options for another kind of solver are not faults: they are dropped with a warning.
fn drop_foreign_options(values: &mut Table, source: &Source<'_>, overrides: &Overrides, report: &mut Report) {
    let wanted = overrides.solver.as_deref();
    let Some(kind) = KINDS.iter().find(|kind| Some(kind.name) == wanted) else { return };
    let Some(toml::Value::Table(solver)) = values.get_mut("solver") else { return };
    let own = kind.keys();
    let others: Vec<String> = KINDS.iter().flat_map(Kind::keys).collect();
    let foreign = |key: &&String| !own.contains(key) && others.contains(key);
    let keys: Vec<String> = solver.keys().filter(foreign).cloned().collect();
    for key in keys {
        if !source.is_flagged(&KeyPath::parse("solver").join(&key)) {
            solver.remove(&key);
            report
                .warnings
                .push(format!("solver.{key} is left out: solver '{}' does not take it", kind.name));
        }
    }
}

/// Sorts faults: flags first, then the file as a whole, then line by line; each fault once.
fn in_order(mut faults: Vec<Diagnostic>) -> Vec<Diagnostic> {
    faults.sort_by_key(|fault| match &fault.place {
        Place::Flag(_) => (0, 0, 0),
        Place::File => (1, 0, 0),
        Place::Line(at) => (2, at.line, at.column),
    });
    faults.dedup();
    faults
}
