//! The config that a row is measured on, with the paper's mesh where that is there.

use std::path::{Path, PathBuf};

use toml::Table;

use super::Wishes;
use super::registry;
use super::spec::Spec;
use crate::error::{Action, Error, Result};

/// The config of a row.
pub struct Prepared {
    /// The text of the config.
    pub text: String,
    /// Values `key=value` that hold with the paper's mesh.
    pub set: Vec<String>,
    /// Which meshes it has.
    pub meshes: Meshes,
    /// The content of the mesh files, for the mark of the row.
    pub bytes: Vec<u8>,
}

/// Whose meshes a row was measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meshes {
    /// The row has none but those that the paper describes.
    Described,
    /// The paper's own files.
    Own,
    /// Meshes made here, of about the same size.
    Substitutes,
}

/// Reads the row's scene, and puts the paper's meshes into it if the folder has them.
pub fn prepare(spec: &Spec, wishes: &Wishes) -> Result<Prepared> {
    let text = registry::scene(wishes.rows.as_deref(), &spec.scene)?;
    let unchanged = |meshes| Prepared { text: text.clone(), set: vec![], meshes, bytes: vec![] };
    if spec.meshes.is_empty() {
        return Ok(unchanged(Meshes::Described));
    }
    let own = wishes.meshes.as_ref().filter(|_| !(wishes.quick && spec.measure.quick.substitutes));
    let Some(folder) = own else { return Ok(unchanged(Meshes::Substitutes)) };
    let paths: Vec<PathBuf> = spec.meshes.iter().map(|mesh| folder.join(&mesh.file)).collect();
    if !paths.iter().all(|path| path.is_file()) {
        return Ok(unchanged(Meshes::Substitutes));
    }
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
        Error::format(Path::new(&spec.scene), String::new(), error.message().to_owned())
    })?;
    let mut prepared = Prepared { set: vec![], bytes: vec![], text: String::new(), meshes: Meshes::Own };
    for (mesh, path) in spec.meshes.iter().zip(&paths) {
        replace(&mut table, mesh.body, path).ok_or_else(|| Error::Failed {
            what: format!("scene '{}' has no body {}", spec.scene, mesh.body),
            hint: String::new(),
        })?;
        prepared.set.extend(mesh.set.iter().cloned());
        prepared.bytes.extend(std::fs::read(path).map_err(|e| Error::io(Action::Read, path, e))?);
    }
    prepared.text = table.to_string();
    Ok(prepared)
}

/// Gives a body a mesh file in the place of its generated one.
fn replace(config: &mut Table, body: usize, path: &Path) -> Option<()> {
    let absolute = std::path::absolute(path).ok()?;
    let body = config.get_mut("body")?.as_array_mut()?.get_mut(body)?.as_table_mut()?;
    body.remove("generate");
    body.insert("mesh".into(), absolute.to_str()?.into());
    Some(())
}
