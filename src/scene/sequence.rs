//! Positions over time that files hold: numbered meshes, or a point cache beside a mesh.

use std::path::{Path, PathBuf};

use super::contact::{Refusal, failed, is_positive};
use crate::error::{Error, Result};
use crate::io::{numbered, point_cache};

/// Files with the positions of vertices over time. Positions are linear in time between frames, and constant before the
/// first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// A mesh for every frame, all with the same vertices and triangles, or one point cache; absolute paths, at least one.
    pub files: Vec<PathBuf>,
    /// Frames per second, > 0; `None`: the times of an MDD file.
    pub fps: Option<f64>,
}

impl Sequence {
    /// The files of a name: a point cache (`.pc2`, `.mdd`), or meshes with # for the digits of their numbers, such as
    /// `walk_####.obj`, of which the least number that exists is the first frame. `fps` are the frames per second, which
    /// an MDD file knows itself.
    pub fn open(name: impl AsRef<Path>, fps: Option<f64>) -> Result<Sequence> {
        let name = name.as_ref();
        Sequence::find(name, fps).map_err(|refusal| Error::Usage {
            what: format!("{}: {}", name.display(), refusal.reason),
            hint: refusal.hint,
        })
    }

    /// Likewise, with a refusal that has no place yet. A point cache need not exist.
    pub(crate) fn find(name: &Path, fps: Option<f64>) -> Result<Sequence, numbered::Refusal> {
        let files = match point_cache::is_point_cache(name) {
            true => vec![name.to_owned()],
            false => numbered::files(name)?,
        };
        Ok(Sequence { files, fps })
    }

    /// The point cache, if it is one.
    pub fn point_cache(&self) -> Option<&Path> {
        let only = <&[PathBuf; 1]>::try_from(&self.files[..]).ok();
        only.map(|[path]| path.as_path()).filter(|path| point_cache::is_point_cache(path))
    }

    /// What is out of range, by its keys.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let is_mdd =
            self.point_cache().and_then(Path::extension).is_some_and(|e| e.eq_ignore_ascii_case("mdd"));
        failed([
            (!self.files.is_empty(), "files", "names no file"),
            (self.fps.is_some() || is_mdd, "fps", "missing: only .mdd files know the times of their frames"),
            (self.fps.is_none_or(is_positive), "fps", "must be above 0"),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_files_and_only_mdd_knows_its_times() {
        let dir = tempfile::tempdir().unwrap();
        for number in [7, 8] {
            std::fs::write(dir.path().join(format!("a{number}.obj")), "").unwrap();
        }
        let walk = Sequence::open(dir.path().join("a#.obj"), Some(24.0)).unwrap();
        assert_eq!((walk.files.len(), walk.point_cache(), walk.refusals().len()), (2, None, 0));
        for (name, fps, refused) in [
            ("b.pc2", Some(24.0), 0),
            ("b.pc2", None, 1),
            ("b.MDD", None, 0),
            ("b.mdd", Some(0.0), 1),
            ("b.mdd", Some(f64::INFINITY), 1),
        ] {
            let cache = Sequence::open(name, fps).unwrap();
            assert_eq!((cache.point_cache(), cache.refusals().len()), (Some(Path::new(name)), refused));
        }
        let message = Sequence::open(dir.path().join("b#.obj"), None).unwrap_err().to_string();
        assert!(message.contains("no such files: "), "{message}");
    }
}
