//! `pliant blender-addon`: the add-on for Blender as an archive that Blender installs.

use std::path::PathBuf;

use clap::Args;

use super::archive;
use crate::error::Result;
use crate::fs::write_atomically;

/// The files of the add-on, by their names in the archive.
const FILES: [(&str, &str); 11] = [
    ("blender_manifest.toml", include_str!("../../blender/blender_manifest.toml")),
    ("__init__.py", include_str!("../../blender/__init__.py")),
    ("files.py", include_str!("../../blender/files.py")),
    ("job.py", include_str!("../../blender/job.py")),
    ("materials.py", include_str!("../../blender/materials.py")),
    ("operators.py", include_str!("../../blender/operators.py")),
    ("panels.py", include_str!("../../blender/panels.py")),
    ("properties.py", include_str!("../../blender/properties.py")),
    ("result.py", include_str!("../../blender/result.py")),
    ("scene.py", include_str!("../../blender/scene.py")),
    ("shapes.py", include_str!("../../blender/shapes.py")),
];

/// Arguments of `pliant blender-addon`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant blender-addon -o pliant.zip\n\nIn Blender 4.2 or newer: Edit > Preferences > Add-ons, \
                        the arrow at the top right, Install from Disk."
)]
pub struct BlenderAddonArgs {
    /// The archive to write; an existing one is replaced.
    #[arg(short, long, value_name = "FILE", default_value = "pliant.zip")]
    pub output: PathBuf,
}

impl BlenderAddonArgs {
    /// Writes the archive.
    pub fn run(&self) -> Result<()> {
        write_atomically(&self.output, |out| archive::write(&FILES, out))?;
        let shown = self.output.display();
        tracing::info!(
            "wrote {shown}; in Blender: Edit > Preferences > Add-ons > the arrow at the top right > Install from Disk"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::preset::{PRESETS, PresetKind};

    #[test]
    fn every_file_of_the_add_on_is_packed_and_the_version_is_the_programs() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("blender");
        let listed = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        let mut found: Vec<String> = listed.map(|name| name.to_string_lossy().into_owned()).collect();
        found.retain(|name| name.ends_with(".py") || name.ends_with(".toml"));
        found.sort_unstable();
        let mut packed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        packed.sort_unstable();
        assert_eq!(found, packed);
        let version = format!("\nversion = \"{}\"\n", env!("CARGO_PKG_VERSION"));
        assert!(FILES[0].1.contains(&version), "the manifest has another version than {version}");
    }

    /// The add-on cannot ask the program before it is installed, so it has the numbers of the presets itself.
    #[test]
    fn the_materials_of_the_add_on_are_the_presets_of_solids() {
        let python = FILES.iter().find(|(name, _)| *name == "materials.py").unwrap().1;
        let mut listed = vec![];
        for line in python.lines().filter(|line| line.starts_with("    \"") && line.ends_with("),")) {
            let name = line.split('"').nth(1).unwrap().to_lowercase();
            let fields = line.trim_end_matches("),").rsplit(", ").take(3);
            let numbers: Vec<f64> = fields.map(|field| field.parse().unwrap()).collect();
            listed.push((name, [numbers[2], numbers[1], numbers[0]]));
        }
        let presets = PRESETS.iter().filter_map(|preset| match preset.kind {
            PresetKind::Solid { young, poisson, .. } => {
                Some((preset.name.to_owned(), [young, poisson, preset.density]))
            }
            _ => None,
        });
        assert_eq!(listed, presets.collect::<Vec<_>>());
    }
}
