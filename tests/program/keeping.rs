//! What users have is kept: their files in run directories, runs that are there, and what a failed command would replace.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::program::{Place, assert_equal_content, content};
use crate::common::scenes::{CLOTH, RUBBER, beam, formats};

/// A place with a scene of a beam.
fn place(frames: u32) -> Place {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], frames, "iterations = 3", RUBBER));
    place
}

/// Files of a user, none of them a run's: all names end like files of a run.
const MINE: [&str; 9] = [
    "notes.pvd",
    "mine.vtk.series",
    "ply/scan_0001.ply",
    "vtu/beam_9999.vtu",
    "maps/mydata.csv",
    "blender/scene.usda",
    "blender/own.obj",
    "blender/clips/other_0001.usda",
    "vtu/.half.7-1-0.tmp",
];

fn put_mine(run: &Path) {
    for file in MINE {
        let path = run.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "mine").unwrap();
    }
}

fn assert_mine(run: &Path) {
    for file in MINE {
        assert_eq!(std::fs::read(run.join(file)).unwrap_or_default(), b"mine", "{file} is lost");
    }
}

/// Runs the binary with no file above `blocks` of 512 bytes.
#[cfg(unix)]
pub fn limited(place: &Place, blocks: u64, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_pliant")]);
    command.args(arguments).current_dir(place.dir.path()).env("PLIANT_CACHE_DIR", place.path("cache"));
    command.output().expect("a shell")
}

/// Every file below a directory, whatever it is, with its bytes.
fn all(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let bytes = std::fs::read(dir.join(&name)).unwrap();
        (name, bytes)
    };
    content(dir).into_keys().chain(["config.toml".into(), "summary.json".into()]).map(read).collect()
}

/// One of two processes prepares for long: if it looked before it locked, it would replace what the other has done meanwhile.
#[test]
fn two_processes_that_start_together_make_one_run() {
    let place = place(3);
    let slow = beam([48, 16, 16], 1, "iterations = 1", RUBBER);
    place.write("slow.toml", &slow.replace("\"bar\"", "\"slow\""));
    for round in 0..4 {
        let run = format!("run{round}");
        let start =
            |scene| place.pliant(&["simulate", scene, "-o", &run]).stderr(Stdio::piped()).spawn().unwrap();
        let ended = [start("slow.toml"), start("scene.toml")].map(|child| child.wait_with_output().unwrap());
        let codes = ended.each_ref().map(|output| output.status.code());
        let said = ended.each_ref().map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        assert!([[Some(0), Some(2)], [Some(2), Some(0)]].contains(&codes), "{codes:?} {said:?}");
        let told = |text: &String| text.contains("another process") || text.contains("holds a run already");
        assert!(said.iter().any(told), "{said:?}");
        let winner = if codes[0] == Some(0) { "slow" } else { "bar" };
        assert!(place.path(&format!("{run}/ply/{winner}_0001.ply")).exists());
    }
}

#[test]
fn a_run_that_is_being_written_is_left_alone() {
    let place = place(100_000);
    let arguments = ["simulate", "scene.toml", "-o", "run"];
    let mut child = place.pliant(&arguments).stderr(Stdio::null()).spawn().unwrap();
    while !place.path("run/checkpoint.bin").exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for more in [&[][..], &["--force"], &["--resume"]] {
        let refused = place.fail(2, &[&arguments, more].concat());
        assert!(refused.contains("another process is writing"), "{refused}");
    }
    let refused = place.fail(2, &["export", "run", "--format", "obj"]);
    assert!(refused.contains("another process is writing"), "{refused}");
    place.succeed(&["export", "run", "--format", "obj", "-o", "elsewhere"]);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_is_refused_and_not_followed() {
    let place = place(1);
    let precious = place.write("precious", "text");
    std::fs::create_dir(place.path("run")).unwrap();
    std::os::unix::fs::symlink(&precious, place.path("run/.lock")).unwrap();
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run"]);
    assert!(refused.contains("cannot lock") && refused.contains("symbolic link"), "{refused}");
    assert_eq!(std::fs::read(&precious).unwrap(), b"text");
}

#[test]
fn force_removes_what_the_run_wrote_and_nothing_else() {
    let place = Place::new();
    place.write("scene.toml", &(beam([4, 2, 2], 6, "iterations = 3", RUBBER) + CLOTH));
    let simulate = |run: &str, more: &[&str]| {
        place.succeed(&[&["simulate", "scene.toml", "-o", run], more].concat());
    };
    simulate("run", &["--set", formats()]);
    put_mine(&place.path("run"));
    simulate("run", &["--force", "--frames", "2"]);
    assert_mine(&place.path("run"));
    simulate("fresh", &["--frames", "2"]);
    put_mine(&place.path("fresh"));
    assert_equal_content(&place.path("fresh"), &place.path("run"));
}

#[test]
fn what_is_in_the_way_of_a_run_is_not_written_over() {
    let place = place(2);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    put_mine(&place.path("run"));
    let before = all(&place.path("run"));
    let renamed = ["simulate", "scene.toml", "-o", "run", "--force", "--set", "body.0.name=\"scan\""];
    let refused = place.fail(2, &renamed);
    assert!(refused.contains("ply/scan_0001.ply: is in the way") && refused.contains("move it"), "{refused}");
    assert_eq!(before, all(&place.path("run")));
    // A directory with the name of a file is not the run's either.
    std::fs::remove_file(place.path("run/metrics.csv")).unwrap();
    std::fs::create_dir(place.path("run/metrics.csv")).unwrap();
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", "--force"]);
    assert!(refused.contains("metrics.csv: is in the way"), "{refused}");
    // Longer runs too.
    std::fs::remove_dir(place.path("run/metrics.csv")).unwrap();
    place.write("run/vtu/beam_0004.vtu", "mine");
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", "--resume", "--frames", "5"]);
    assert!(refused.contains("beam_0004.vtu: is in the way"), "{refused}");
}

#[cfg(unix)]
#[test]
fn links_are_never_followed_out_of_the_directory() {
    let place = place(2);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    std::fs::rename(place.path("run/vtu"), place.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("run/vtu")).unwrap();
    let before = content(&place.path("elsewhere"));
    for more in ["--force", "--resume"] {
        let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", more]);
        assert!(refused.contains("run/vtu: is in the way"), "{refused}");
        assert_eq!(before, content(&place.path("elsewhere")));
    }
    // A link to nowhere is no directory either.
    std::fs::remove_dir_all(place.path("elsewhere")).unwrap();
    place.fail(2, &["simulate", "scene.toml", "-o", "run", "--force"]);
    std::fs::remove_file(place.path("run/vtu")).unwrap();
    place.succeed(&["simulate", "scene.toml", "-o", "run", "--force"]);
}

#[test]
fn runs_of_earlier_versions_are_continued_but_not_replaced() {
    let place = place(2);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    std::fs::remove_file(place.path("run/files.json")).unwrap();
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", "--force"]);
    assert!(refused.contains("no files.json") && refused.contains("delete the directory"), "{refused}");
    place.succeed(&["simulate", "scene.toml", "-o", "run", "--resume", "--frames", "4"]);
    place.succeed(&["simulate", "scene.toml", "-o", "fresh", "--frames", "4"]);
    assert_equal_content(&place.path("fresh"), &place.path("run"));
    place.succeed(&["simulate", "scene.toml", "-o", "run", "--force"]);
    // A folder of the user's own configs is no run.
    std::fs::create_dir(place.path("own")).unwrap();
    std::fs::copy(place.path("scene.toml"), place.path("own/config.toml")).unwrap();
    let refused = place.fail(2, &["simulate", "own/config.toml", "-o", "own", "--force"]);
    assert!(refused.contains("no run of pliant"), "{refused}");
    assert!(place.path("own/config.toml").exists());
}

#[test]
fn a_run_without_its_checkpoint_is_not_begun_anew() {
    let place = place(4);
    let resume = ["simulate", "scene.toml", "-o", "run", "--resume"];
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    std::fs::remove_file(place.path("run/checkpoint.bin")).unwrap();
    let before = all(&place.path("run"));
    for more in [&[][..], &["--set", "body.0.density=500"]] {
        let refused = place.fail(2, &[&resume, more].concat());
        assert!(refused.contains("checkpoint.bin is not there") && refused.contains("--force"), "{refused}");
        assert_eq!(before, all(&place.path("run")));
    }
    // A run that was killed before its first frame was whole has nothing to lose.
    for file in ["summary.json", "metrics.csv", "vtu/beam_0001.vtu", "vtu/beam_0002.vtu"] {
        place.fail(2, &resume);
        std::fs::remove_file(place.path("run").join(file)).unwrap();
    }
    for frame in 1..=4 {
        let _ = std::fs::remove_file(place.path(&format!("run/vtu/beam_{frame:04}.vtu")));
        std::fs::remove_file(place.path(&format!("run/ply/bar_{frame:04}.ply"))).unwrap();
    }
    let refused = place.fail(2, &[&resume[..], &["--set", "body.0.density=500"]].concat());
    assert!(refused.contains("body.0.density (1000.0 there, 500.0 now)"), "{refused}");
    place.succeed(&resume);
    place.succeed(&["simulate", "scene.toml", "-o", "fresh"]);
    assert_equal_content(&place.path("fresh"), &place.path("run"));
}

#[test]
fn a_run_that_has_lost_frames_is_not_complete() {
    let place = place(4);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    let frame = place.path("run/vtu/beam_0002.vtu");
    let bytes = std::fs::read(&frame).unwrap();
    std::fs::remove_file(&frame).unwrap();
    let before = all(&place.path("run"));
    for frames in ["4", "6"] {
        let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", "--resume", "--frames", frames]);
        assert!(refused.contains("vtu/beam_0002.vtu") && refused.contains("--force"), "{refused}");
        assert_eq!(before, all(&place.path("run")));
    }
    // After a loss of power, a file may be there and empty.
    std::fs::write(&frame, "").unwrap();
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", "--resume"]);
    assert!(refused.contains("not there or empty, such as vtu/beam_0002.vtu"), "{refused}");
    std::fs::write(&frame, bytes).unwrap();
    let rows = std::fs::read_to_string(place.path("run/metrics.csv")).unwrap();
    place.write("run/metrics.csv", rows.lines().next().unwrap());
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run", "--resume"]);
    assert!(refused.contains("metrics.csv: does not have the rows"), "{refused}");
    place.write("run/metrics.csv", &rows);
    place.succeed(&["simulate", "scene.toml", "-o", "run", "--resume"]);
}

#[test]
fn a_synced_run_has_the_same_files() {
    let place = place(6);
    for (run, more) in [("plain", &[][..]), ("synced", &["--sync"])] {
        place.succeed(&[&["simulate", "scene.toml", "--set", formats(), "-o", run], more].concat());
    }
    assert_equal_content(&place.path("plain"), &place.path("synced"));
}

#[test]
fn resuming_another_config_names_the_keys_that_differ() {
    let place = place(2);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    let resume = ["simulate", "scene.toml", "-o", "run", "--resume", "--frames", "3"];
    let other = ["--set", "time.step=0.01", "--set", "body.0.material.young=2e5"];
    let refused = place.fail(2, &[&resume[..], &other].concat());
    assert!(refused.contains("body.0.material.young (100000.0 there, 200000.0 now)"), "{refused}");
    assert!(refused.contains("time.step (") && !refused.contains("frames ("), "{refused}");
    place.succeed(&resume);
}

#[test]
fn exported_frames_belong_to_the_run() {
    let place = place(3);
    let simulate = ["simulate", "scene.toml", "-o", "run"];
    place.succeed(&[&simulate[..], &["--set", "output.formats=[\"vtu\"]"]].concat());
    place.write("run/mine.obj", "mine");
    place.succeed(&["export", "run", "--format", "ply", "--format", "pc2", "--every", "2"]);
    place.succeed(&[&simulate[..], &["--force", "--frames", "1"]].concat());
    assert!(!place.path("run/blender").exists() && !place.path("run/ply/bar_0002.ply").exists());
    assert!(place.path("run/ply/bar_0001.ply").exists() && place.path("run/mine.obj").exists());
}

#[test]
fn bodies_that_would_share_files_are_refused() {
    let place = Place::new();
    place.succeed(&["generate", "sphere", "--radius", "0.4", "--cells", "2", "-o", "ball.vtu"]);
    place.succeed(&["convert", "ball.vtu", "x.obj"]);
    place.succeed(&["convert", "ball.vtu", "y.obj"]);
    let two = format!(
        "[[body]]\nname = \"BAR\"\nmesh = \"ball.vtu\"\nsurface = [\"x.obj\", \"y.obj\"]\nmaterial = {RUBBER}\n"
    );
    let scene = beam([4, 2, 2], 1, "", RUBBER).replace("\"bar\"", "\"bar-x\"") + &two;
    place.write("scene.toml", &scene);
    let refused = place.fail(2, &["simulate", "scene.toml", "-o", "run"]);
    assert!(refused.contains("same name 'BAR-x'") && !place.path("run").exists(), "{refused}");
    place.succeed(&["simulate", "scene.toml", "-o", "run", "--set", "output.bodies=[\"BAR\"]"]);
}

#[cfg(unix)]
#[test]
fn a_pair_of_files_appears_together_or_not_at_all() {
    let place = Place::new();
    place.succeed(&["generate", "sphere", "--radius", "1", "--cells", "5", "-o", "ball.vtu"]);
    place.succeed(&["convert", "ball.vtu", "whole.node"]);
    let size = |name: &str| std::fs::metadata(place.path(name)).unwrap().len();
    let blocks = (size("whole.ele") - 1) / 512;
    assert!(size("whole.node") < 512 * blocks);
    for more in [&[][..], &["--force"]] {
        if !more.is_empty() {
            place.write("half.node", "old points");
            place.write("half.ele", "old tets");
        }
        let output = limited(&place, blocks, &[&["convert", "ball.vtu", "half.node"], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("cannot write half.ele") && said.contains("too large"), "{said}");
        let left = std::fs::read_dir(place.dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("half")).collect();
        assert_eq!(left.len(), 2 * more.len(), "{left:?}");
    }
    assert_eq!(std::fs::read(place.path("half.node")).unwrap(), b"old points");
    // The second file counts as well as the first.
    std::fs::remove_file(place.path("half.node")).unwrap();
    let refused = place.fail(2, &["convert", "ball.vtu", "half.node"]);
    assert!(refused.contains("half.ele exists"), "{refused}");
}

#[cfg(unix)]
#[test]
fn pictures_of_all_frames_appear_together_or_not_at_all() {
    let place = place(6);
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    place.succeed(&["preview", "run", "--size", "160x120", "--png", "all"]);
    let sizes: Vec<u64> = std::fs::read_dir(place.path("all"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    let blocks = (sizes.iter().max().unwrap() - 1) / 512;
    let output = limited(&place, blocks, &["preview", "run", "--size", "160x120", "--png", "some"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(place.path("some")).map_or(0, Iterator::count), 0, "half of them are left");
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_ends_a_run_with_an_error_and_it_resumes() {
    let place = place(12);
    let simulate = ["simulate", "scene.toml", "--set", formats(), "-o"];
    place.succeed(&[&simulate[..], &["unbroken"]].concat());
    let gathered = std::fs::metadata(place.path("unbroken/blender/.bar.frames")).unwrap().len();
    let output = limited(&place, gathered / 1024, &[&simulate[..], &["run"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot write") && said.contains("ulimit -f") && said.contains("--resume"),
        "{said}"
    );
    assert!(!place.path("run/summary.json").exists());
    place.succeed(&[&simulate[..], &["run", "--resume"]].concat());
    assert_equal_content(&place.path("unbroken"), &place.path("run"));
}

#[test]
fn a_run_goes_on_when_nobody_reads_its_messages() {
    let place = place(3);
    let mut child = place
        .pliant(&["simulate", "scene.toml", "-o", "run", "-vv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(place.path("run/summary.json").exists());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_in_a_run_directory_does_no_harm() {
    let place = place(3);
    let simulate = ["simulate", "scene.toml", "-o", "run"];
    place.succeed(&simulate);
    let fifo = |name: &str| {
        let path = place.path("run").join(name);
        let _ = std::fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    fifo("vtu/beam_0002.vtu");
    let said = place.succeed(&["preview", "run", "-o", "page.html"]);
    assert!(said.contains("1 frames are missing: 2"), "{said}");
    for name in ["metrics.csv", "checkpoint.bin", "files.json", ".lock"] {
        let path = place.path("run").join(name);
        let bytes = std::fs::read(&path).unwrap_or_default();
        fifo(name);
        let refused = place.fail(2, &[&simulate[..], &["--resume"]].concat());
        assert!(refused.contains(name) && refused.contains("not a regular file"), "{refused}");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    std::os::unix::fs::symlink("nowhere", place.path("run/ply/link_0001.ply")).unwrap();
    std::fs::remove_file(place.path("run/config.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("run/config.toml")).unwrap();
    fifo("summary.json");
    place.succeed(&[&simulate[..], &["--force"]].concat());
    assert!(place.path("run/config.toml").is_file() && place.path("run/summary.json").is_file());
    assert!(std::fs::symlink_metadata(place.path("run/ply/link_0001.ply")).is_ok());
}
