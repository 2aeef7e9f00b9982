//! The JSON of a glTF file, as far as meshes need it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::io::{Fault, Parsed};

/// The whole document.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Option<Asset>,
    pub scene: Option<usize>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<MeshOf>,
    pub materials: Vec<Named>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<View>,
    pub buffers: Vec<Buffer>,
    pub extensions_required: Vec<String>,
    pub animations: Vec<serde::de::IgnoredAny>,
    pub skins: Vec<serde::de::IgnoredAny>,
}

/// What the file is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asset {
    pub version: String,
}

/// The roots of a scene.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub nodes: Vec<usize>,
}

/// A node with its place relative to the one above.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub name: Option<String>,
    pub mesh: Option<usize>,
    pub children: Vec<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}

/// Something with a name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Named {
    pub name: Option<String>,
}

/// A mesh: primitives, each with a material.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MeshOf {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}

/// Cells of one kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Primitive {
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    pub mode: Option<u64>,
    pub targets: Vec<serde::de::IgnoredAny>,
    pub extensions: BTreeMap<String, serde::de::IgnoredAny>,
}

/// An array of numbers, vectors or matrices in a view.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    pub byte_offset: usize,
    pub component_type: u32,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: String,
    pub normalized: bool,
    pub sparse: Option<serde::de::IgnoredAny>,
}

/// A part of a buffer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct View {
    pub buffer: usize,
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

/// Bytes: in the binary chunk, in the JSON or in another file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

/// Extensions that a file may require without a change of what its meshes are.
const HARMLESS: [&str; 4] =
    ["KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_", "KHR_lights_"];

impl Document {
    /// Refuses other versions, and extensions that hide the meshes.
    pub fn check(&self) -> Parsed<()> {
        let Some(asset) = &self.asset else {
            return Err(Fault::new("", "the JSON is no glTF: it has no \"asset\""));
        };
        if !asset.version.starts_with("2.") {
            let reason = format!("version '{}' of glTF cannot be read", asset.version);
            return Err(Fault::new("asset.version", reason).hint("save it as glTF 2.0"));
        }
        let unknown = self
            .extensions_required
            .iter()
            .find(|name| !HARMLESS.iter().any(|known| name.starts_with(known)));
        match unknown {
            Some(name) => Err(compressed(name).within("extensionsRequired")),
            None => Ok(()),
        }
    }

    /// The nodes without one above, of the scene that is shown, or of all nodes if there is none.
    pub fn roots(&self) -> Vec<usize> {
        match self.scenes.get(self.scene.unwrap_or(0)) {
            Some(scene) => scene.nodes.clone(),
            None => {
                let mut is_root = vec![true; self.nodes.len()];
                for child in self.nodes.iter().flat_map(|node| &node.children) {
                    is_root.get_mut(*child).into_iter().for_each(|root| *root = false);
                }
                (0..self.nodes.len()).filter(|n| is_root[*n]).collect()
            }
        }
    }

    /// What of the file a mesh does not hold.
    pub fn notes(&self) -> Vec<String> {
        let has_targets = self.meshes.iter().flat_map(|m| &m.primitives).any(|p| !p.targets.is_empty());
        let kinds = [
            ("animations", !self.animations.is_empty()),
            ("skins", !self.skins.is_empty()),
            ("morph targets", has_targets),
        ];
        let there: Vec<&str> = kinds.iter().filter(|kind| kind.1).map(|kind| kind.0).collect();
        if there.is_empty() { vec![] } else { vec![format!("{} are left out", there.join(", "))] }
    }
}

/// The refusal of an extension.
fn compressed(name: &str) -> Fault {
    Fault::new("", format!("the extension {name} cannot be read")).hint("save it without compression")
}

impl Primitive {
    /// Refuses kinds of cells that there are not, and compressed ones.
    pub fn check(&self) -> Parsed<()> {
        if let Some(name) = self.extensions.keys().find(|name| name.contains("compression")) {
            return Err(compressed(name));
        }
        match self.mode {
            Some(mode @ 7..) => Err(Fault::new("", format!("there is no mode {mode} of primitives"))),
            _ => Ok(()),
        }
    }

    /// The triangles or lines between these corners; none of points.
    pub fn cells(&self, corners: &[u32]) -> (Vec<[u32; 3]>, Vec<[u32; 2]>) {
        let triples = || corners.windows(3).map(|w| [w[0], w[1], w[2]]);
        let pairs = || corners.windows(2).map(|w| [w[0], w[1]]);
        let around = || corners.last().zip(corners.first()).map(|(last, first)| [*last, *first]);
        let triangles: Vec<[u32; 3]> = match self.mode.unwrap_or(4) {
            4 => corners.as_chunks::<3>().0.to_vec(),
            5 => (0usize..)
                .zip(triples())
                .map(|(i, [a, b, c])| if i % 2 == 0 { [a, b, c] } else { [a, c, b] })
                .collect(),
            6 => corners.get(1..).unwrap_or_default().windows(2).map(|w| [corners[0], w[0], w[1]]).collect(),
            _ => vec![],
        };
        let lines: Vec<[u32; 2]> = match self.mode.unwrap_or(4) {
            1 => corners.as_chunks::<2>().0.to_vec(),
            2 => pairs().chain(around()).collect(),
            3 => pairs().collect(),
            _ => vec![],
        };
        // Strips have triangles without area where they turn, and loops of two points a line twice.
        let triangles = triangles.into_iter().filter(|[a, b, c]| a != b && b != c && c != a).collect();
        (triangles, lines.into_iter().filter(|[a, b]| a != b).collect())
    }
}
