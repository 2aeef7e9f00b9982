//! Surfaces to tets: the interface of all methods, and the list of methods.
//!
//! A new method is one file with a [`Method`] and one line in [`METHODS`].

mod lattice;
pub mod tetgen;

use std::time::Duration;

use crate::cache::{Array, Cache, Cached, Check, Key, Outcome};
use crate::error::{Error, Result};
use crate::mesh::quality::{DEGENERATE, shape_ratio};
use crate::mesh::{Kind, Mesh};

/// A way to fill a surface with tets.
#[derive(Debug)]
pub struct Method {
    /// The name of the method on the command line.
    pub name: &'static str,
    /// A description of one line.
    pub summary: &'static str,
    /// Fills a surface with finite points, corners in range and at least one triangle.
    pub(super) fill: fn(&Mesh, &Options) -> Result<Filling, Refusal>,
    /// True if it can keep the surface and accepts a quality.
    pub(super) conforms: bool,
    /// True if it can hold parts together that do not touch.
    pub(super) joins: bool,
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name == other.name
    }
}

/// All methods; the first is the default.
pub static METHODS: [Method; 2] = [lattice::METHOD, tetgen::METHOD];

/// The wanted fineness of the tets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Size {
    /// The method chooses the number of tets.
    #[default]
    Automatic,
    /// About this many tets.
    Cells(u64),
    /// No tet larger than this volume, in the cubed unit of the file.
    MaxVolume(f64),
}

/// How far apart the shells of a surface may be to be held together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Join {
    /// They are not held together.
    Never,
    /// As far as a cell is wide.
    #[default]
    Cell,
    /// This far, in the unit of the file.
    Within(f64),
}

/// The requirements on a filling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The wanted fineness of the tets.
    pub size: Size,
    /// If true, all vertices of the surface must be vertices of the tets, with the same numbers, and
    /// all its triangles faces.
    pub keep_surface: bool,
    /// The largest ratio of a tet's circumradius to its shortest edge, at least 1; the method's
    /// default if none is given.
    pub quality: Option<f64>,
    /// Whether shells that touch or nearly do are held together.
    pub join: Join,
    /// How long a method in a process of its own may take. The result does not depend on it.
    pub time_limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            size: Size::Automatic,
            keep_surface: false,
            quality: None,
            join: Join::default(),
            time_limit: Duration::from_secs(120),
        }
    }
}

impl From<Size> for Options {
    fn from(size: Size) -> Self {
        Options { size, ..Options::default() }
    }
}

/// A surface filled with tets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filling {
    /// The tets, all positive; no triangles and no data.
    pub mesh: Mesh,
    /// The volume that the surface encloses, for comparison with that of the tets.
    pub surface_volume: f64,
    /// Warnings for the user, a sentence each: parts that are missing, places that are not manifold.
    pub warnings: Vec<String>,
}

/// Why a surface cannot be filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The defect of the surface.
    pub reason: String,
    /// A way to avoid it.
    pub hint: String,
}

/// The method with this name.
pub fn method(name: &str) -> Result<&'static Method> {
    METHODS.iter().find(|method| method.name == name).ok_or_else(|| {
        let known: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
        Error::Usage {
            what: format!("there is no method '{name}'"),
            hint: format!("known: {}", known.join(", ")),
        }
    })
}

/// Fills a surface with tets, or finds them in the cache. `subject` names the surface in errors.
///
/// The result depends on the points, the triangles, the method and the options alone, for any number of threads.
pub fn tetrahedralize(
    surface: &Mesh,
    subject: &str,
    method: &Method,
    options: impl Into<Options>,
    cache: &Cache,
) -> Result<(Filling, Outcome)> {
    let options = options.into();
    let refuse = |Refusal { reason, hint }| Error::Mesh { subject: subject.into(), reason, hint };
    check(surface, subject)?;
    check_options(method, &options).map_err(refuse)?;
    let fits = |filling: &Filling| !options.keep_surface || filling.mesh.points.len() >= surface.points.len();
    cache.fetch(&key(surface, method, &options), fits, || (method.fill)(surface, &options).map_err(refuse))
}

/// A hash of everything that determines a filling.
fn key(surface: &Mesh, method: &Method, options: &Options) -> Key {
    let size = match options.size {
        Size::Automatic => [0, 0],
        Size::Cells(cells) => [1, cells],
        Size::MaxVolume(volume) => [2, volume.to_bits()],
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"pliant filling").update(method.name.as_bytes()).update(b"\0");
    hasher.update(bytemuck::cast_slice(&size));
    let quality = options.quality.map_or(0, f64::to_bits);
    let join = match options.join {
        Join::Never => [0, 0],
        Join::Cell => [1, 0],
        Join::Within(distance) => [2, distance.to_bits()],
    };
    hasher.update(bytemuck::cast_slice(&join));
    hasher.update(bytemuck::cast_slice(&[u64::from(options.keep_surface), quality]));
    hasher.update(&(surface.points.len() as u64).to_le_bytes());
    hasher.update(bytemuck::cast_slice(&surface.points));
    hasher.update(bytemuck::cast_slice(&surface.triangles));
    hasher.finalize()
}

/// The check of tets in the cache.
pub const CHECK: Check = Check::of::<Filling>();

impl Cached for Filling {
    const KIND: &'static str = "tets";
    const VERSION: u32 = 2;

    fn to_arrays(&self) -> Vec<Array> {
        let text = self.warnings.join("\n");
        vec![
            Array::F64(self.mesh.points.as_flattened().to_vec()),
            Array::U32(self.mesh.tets.as_flattened().to_vec()),
            Array::F64(vec![self.surface_volume]),
            Array::U32(text.chars().map(u32::from).collect()),
        ]
    }

    fn from_arrays(arrays: Vec<Array>) -> Option<Self> {
        let [Array::F64(points), Array::U32(tets), Array::F64(volume), Array::U32(text)] =
            <[Array; 4]>::try_from(arrays).ok()?
        else {
            return None;
        };
        let (points, rest) = points.as_chunks::<3>();
        let (tets, left) = tets.as_chunks::<4>();
        let in_range = tets.as_flattened().iter().all(|&v| (v as usize) < points.len());
        let text: String = text.into_iter().map(char::from_u32).collect::<Option<_>>()?;
        let &[surface_volume] = &*volume else { return None };
        let finite = points.as_flattened().iter().all(|x| x.is_finite()) && !surface_volume.is_nan();
        let whole = rest.is_empty() && left.is_empty() && in_range && finite && !tets.is_empty();
        (whole && tets.iter().all(|&tet| shape_ratio(points, tet) > DEGENERATE)).then(|| Filling {
            mesh: Mesh { points: points.to_vec(), tets: tets.to_vec(), ..Mesh::default() },
            surface_volume,
            warnings: text.lines().map(String::from).collect(),
        })
    }
}

/// Refuses meshes that are not surfaces of triangles with finite coordinates. Call it before a repair.
pub fn check(surface: &Mesh, subject: &str) -> Result<()> {
    let refuse =
        |reason: String, hint: &str| Err(Error::Mesh { subject: subject.into(), reason, hint: hint.into() });
    match surface.kind() {
        Some(Kind::Sheet) => {}
        Some(Kind::Solid) => return refuse("it consists of tets already".into(), "simulate it as it is"),
        _ => return refuse("it has no triangles".into(), "a surface is wanted"),
    }
    let corners = surface.triangles.as_flattened();
    if let Some(v) = corners.iter().find(|&&v| v as usize >= surface.points.len()) {
        return refuse(format!("a triangle uses vertex {v}, which does not exist"), "");
    }
    if let Some(v) = surface.points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return refuse(format!("vertex {v} is not finite"), "write the file anew without it");
    }
    Ok(())
}

fn check_options(method: &Method, options: &Options) -> Result<(), Refusal> {
    let refuse = |reason: String, hint: &str| Err(Refusal { reason, hint: hint.into() });
    if !method.conforms && (options.keep_surface || options.quality.is_some()) {
        let what = if options.keep_surface { "keeps no surface" } else { "takes no quality" };
        return refuse(format!("the method '{}' {what}", method.name), "--method tetgen does");
    }
    if let Some(quality) = options.quality.filter(|q| !(*q >= 1.0 && q.is_finite())) {
        let hint = "it is a ratio of a radius and an edge, 1 or more";
        return refuse(format!("the quality cannot be {quality}"), hint);
    }
    if !method.joins && options.join != Join::Cell {
        return refuse(format!("the method '{}' joins nothing", method.name), "--method lattice does");
    }
    if let Join::Within(distance) = options.join
        && !(distance > 0.0 && distance.is_finite())
    {
        return refuse(format!("parts cannot be joined within {distance}"), "it is a distance above 0");
    }
    match options.size {
        Size::Cells(0) => refuse("0 cells were asked for".into(), "ask for 1000 or more"),
        Size::MaxVolume(v) if !(v > 0.0 && v.is_finite()) => {
            refuse(format!("the largest volume of a tet cannot be {v}"), "it must be positive")
        }
        _ => Ok(()),
    }
}
