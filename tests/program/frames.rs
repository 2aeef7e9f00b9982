//! Frames in all formats: whole, of the chosen bodies, the same after an interruption, and what a full disk does to them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::program::{Place, assert_equal_content, content};
use crate::common::scenes::{CLOTH, RUBBER, beam, formats, frame_directories};

/// A beam, and a sheet beside it.
fn scene(frames: u32) -> String {
    beam([6, 2, 2], frames, "", RUBBER) + CLOTH
}

#[test]
fn every_format_has_its_files_for_every_frame() {
    let place = Place::new();
    place.write("scene.toml", &scene(5));
    place.succeed(&["simulate", "scene.toml", "--set", formats(), "--set", "output.every=2", "-o", "run"]);
    let files = content(&place.path("run"));
    for frame in [0, 2, 4, 5] {
        for directory in frame_directories() {
            // Grids have all bodies in one file.
            let is_grid = ["vtu", "vtk"].contains(&directory);
            for name in if is_grid { &["beam"][..] } else { &["bar", "cloth"] } {
                let file = format!("{directory}/{name}_{frame:04}.{directory}");
                assert!(files.contains_key(&file), "{file} is not there");
            }
        }
    }
    for file in ["bar.obj", "bar.pc2", "cloth.mdd", "beam.usda", "import_blender.py"] {
        assert!(files.contains_key(&format!("blender/{file}")), "{file} is not there");
    }
    for file in ["beam.pvd", "beam.vtk.series", "maps/bar.csv", "import_blender.py", "view_paraview.py"] {
        assert!(files.contains_key(file), "{file} is not there");
    }
    let cache = &files["blender/bar.pc2"];
    let number = |at: usize| i32::from_le_bytes(cache[at..at + 4].try_into().unwrap());
    let surface = String::from_utf8(files["maps/bar.csv"].clone()).unwrap().lines().count() - 1;
    assert_eq!((number(16), number(28)), (surface as i32, 4));
    assert_eq!(cache.len(), 32 + 4 * 12 * surface);

    place.succeed(&["simulate", "scene.toml", "--force", "--frames", "1", "-o", "run"]);
    let left: Vec<String> = content(&place.path("run")).into_keys().collect();
    let strange: Vec<&String> = left
        .iter()
        .filter(|f| !["vtu/", "ply/", "maps/"].iter().any(|d| f.starts_with(d)) && f.contains('/'))
        .collect();
    assert!(strange.is_empty(), "of the replaced run are left: {strange:?}");
}

#[test]
fn a_killed_or_lengthened_run_has_the_same_animations() {
    let place = Place::new();
    place.write("scene.toml", &scene(40));
    let simulate = |extra: &[&'static str]| {
        [&["simulate", "scene.toml", "--set", formats(), "--set", "output.every=3"], extra].concat()
    };
    place.succeed(&simulate(&["-o", "unbroken"]));
    let mut child = place.pliant(&simulate(&["-o", "broken"])).stderr(Stdio::null()).spawn().unwrap();
    while !place.path("broken/vtu/beam_0009.vtu").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    place.succeed(&simulate(&["-o", "broken", "--resume"]));
    assert_equal_content(&place.path("unbroken"), &place.path("broken"));

    place.succeed(&simulate(&["-o", "longer", "--frames", "20"]));
    place.succeed(&simulate(&["-o", "longer", "--resume"]));
    assert_equal_content(&place.path("unbroken"), &place.path("longer"));
}

#[test]
fn chosen_bodies_are_written_as_if_there_were_no_others() {
    let place = Place::new();
    place.write("scene.toml", &scene(2));
    let chosen =
        ["simulate", "scene.toml", "--set", formats(), "--set", "output.bodies=[\"cloth\"]", "-o", "one"];
    place.succeed(&chosen);
    place.succeed(&["simulate", "scene.toml", "--set", formats(), "-o", "all"]);
    let (one, all) = (content(&place.path("one")), content(&place.path("all")));
    assert!(one.keys().all(|file| !file.contains("bar")), "{:?}", one.keys());
    for file in ["ply/cloth_0002.ply", "stl/cloth_0001.stl", "blender/cloth.pc2", "maps/cloth.csv"] {
        assert!(one[file] == all[file], "{file} differs");
    }
    let mesh = pliant::io::read(&place.path("one/vtu/beam_0002.vtu")).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets.len(), mesh.triangles.len()), (25, 0, 32));
    let bodies = mesh.cell_data.iter().find(|array| array.name == "body_id").unwrap();
    assert!(bodies.values.iter().all(|id| *id == 1.0), "bodies keep their numbers");
}

#[test]
fn compressed_frames_hold_the_same_numbers() {
    let place = Place::new();
    place.write("scene.toml", &beam([12, 4, 4], 2, "", RUBBER));
    let read = |run: &str| pliant::io::read(&place.path(&format!("{run}/vtu/beam_0002.vtu"))).unwrap();
    let size = |run: &str| std::fs::metadata(place.path(&format!("{run}/vtu/beam_0002.vtu"))).unwrap().len();
    for kind in ["none", "lz4", "zlib"] {
        let set = format!("output.compression=\"{kind}\"");
        place.succeed(&["simulate", "scene.toml", "--set", &set, "-o", kind]);
        assert_eq!(read(kind), read("none"));
    }
    assert!(size("zlib") < size("lz4") && size("lz4") < size("none"));
}

/// A small file system of its own, if this process may make one.
struct SmallDisk<'a>(&'a Path);

impl SmallDisk<'_> {
    fn mount(at: &Path, kib: u32) -> Option<SmallDisk<'_>> {
        std::fs::create_dir_all(at).unwrap();
        let size = format!("size={kib}k");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then_some(SmallDisk(at))
    }

    fn grow(&self, kib: u32) {
        let size = format!("remount,size={kib}k");
        assert!(Command::new("mount").args(["-o", &size]).arg(self.0).status().unwrap().success());
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// No half file and no half row is left behind, and no temporary file.
fn assert_whole(run: &Path) {
    for (name, bytes) in content(run) {
        match name.rsplit('.').next() {
            Some("vtu") => assert!(pliant::io::read(&run.join(&name)).is_ok(), "{name} is cut"),
            Some("pvd") => assert!(bytes.ends_with(b"</VTKFile>\n"), "{name} is cut"),
            Some("tmp") => panic!("{name} is left behind"),
            _ => {}
        }
    }
    let rows = std::fs::read_to_string(run.join("metrics.csv")).unwrap();
    assert!(rows.ends_with('\n') && rows.lines().all(|row| row.split(',').count() == 26), "a half row");
}

#[test]
fn a_full_disk_ends_the_run_with_whole_files_and_it_resumes_once_there_is_space() {
    let place = Place::new();
    let disk = place.path("disk");
    let Some(small) = SmallDisk::mount(&disk, 1500) else {
        eprintln!("skipped: this process may not mount a small file system");
        return;
    };
    place.write("scene.toml", &beam([12, 4, 4], 20, "", RUBBER));
    let formats = "output.formats=[\"vtu\",\"ply\",\"pc2\"]";
    let message = place.fail(1, &["simulate", "scene.toml", "--set", formats, "-o", "disk/run"]);
    assert!(message.contains("cannot write") && message.contains("No space left on device"), "{message}");
    assert!(message.contains("--resume"), "the way out is not told: {message}");
    let run = disk.join("run");
    assert!(run.join("vtu/beam_0001.vtu").exists() && !run.join("summary.json").exists());
    assert_whole(&run);
    small.grow(20_000);
    place.succeed(&["simulate", "scene.toml", "--set", formats, "-o", "disk/run", "--resume"]);
    place.succeed(&["simulate", "scene.toml", "--set", formats, "-o", "unbroken"]);
    assert_equal_content(&place.path("unbroken"), &run);
}
