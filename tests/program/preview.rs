//! `pliant preview`: pages, pictures and moving pictures of runs, through the real binary.

use std::path::Path;

use crate::common::program::Place;
use crate::common::scenes::{RUBBER, beam};
use flate2::read::ZlibDecoder;

/// A run of 9 frames: 0, 1, …, 8.
fn run(output: &str) -> Place {
    let place = Place::new();
    place.write("scene.toml", &(beam([6, 2, 2], 8, "", RUBBER) + "[output]\n" + output));
    place.succeed(&["simulate", "scene.toml", "-o", "run"]);
    place
}

/// What a page knows of its scene.
fn meta(page: &str) -> serde_json::Value {
    let start = page.find("id=\"meta\">").expect("meta data") + 10;
    let end = start + page[start..].find("</script>").expect("an end");
    serde_json::from_str(&page[start..end]).expect("JSON")
}

/// The bytes of one of a page's data elements.
fn data(page: &str, id: &str) -> Option<Vec<u8>> {
    let tag = format!("<script type=\"text/plain\" id=\"{id}\">");
    let start = page.find(&tag)? + tag.len();
    let end = start + page[start..].find("</script>")?;
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(&page[start..end]).ok()
}

/// Width and pixels of a PNG of ours: RGB, one data chunk, no filters.
fn pixels(path: &Path) -> (usize, Vec<[u8; 3]>) {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(&bytes[1..4], b"PNG");
    let (width, height, length) = (number(16), number(20), number(33));
    let mut rows = vec![];
    std::io::Read::read_to_end(&mut ZlibDecoder::new(&bytes[41..41 + length]), &mut rows).unwrap();
    assert_eq!(rows.len(), height * (3 * width + 1));
    (width, rows.chunks(3 * width + 1).flat_map(|row| row[1..].as_chunks().0.to_vec()).collect())
}

/// Pixels with a colour of their own: paper, floor and shadow are nearly grey.
fn coloured(pixels: &[[u8; 3]]) -> usize {
    pixels.iter().filter(|p| p.iter().max().unwrap() - p.iter().min().unwrap() > 24).count()
}

#[test]
fn a_page_holds_every_frame_and_needs_nothing_else() {
    let place = run("");
    let said = place.succeed(&["preview", "run"]);
    assert!(said.contains("9 frames") && said.contains("kB"), "{said}");
    let page = std::fs::read_to_string(place.path("run/preview.html")).unwrap();
    assert!(page.ends_with("</html>\n") && !page.contains("{{"));
    for word in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(word), "the page refers to something else: {word}");
    }
    let meta = meta(&page);
    let count = |name: &str| meta[name].as_u64().unwrap() as usize;
    assert_eq!(meta["frames"], serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7, 8]));
    assert!((meta["times"][6].as_f64().unwrap() - 0.2).abs() < 1e-12);
    // A beam of 6 × 2 × 2 cells has 63 vertices, 5 of them inside; its six sides have 4 · 21 + 2 · 9 corners.
    assert_eq!((count("points"), count("triangles"), count("vertices")), (58, 112, 102));
    let names: Vec<&str> =
        meta["arrays"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["von_mises", "energy_density", "det_f", "displacement", "speed"]);
    assert_eq!(data(&page, "topology").unwrap().len(), 4 * (2 * 102 + 3 * 112));

    // Positions as the PLY frame has them, to the 16 bits of the page.
    let ply = pliant::io::read(&place.path("run/ply/bar_0008.ply")).unwrap();
    let frame = data(&page, "f8").unwrap();
    assert_eq!(frame.len(), 58 * 11);
    for (i, point) in ply.points.iter().enumerate() {
        for k in 0..3 {
            let place = u16::from_le_bytes([frame[6 * i + 2 * k], frame[6 * i + 2 * k + 1]]);
            let bound = |end: usize| meta["bounds"][end][k].as_f64().unwrap();
            let x = bound(0) + f64::from(place) / 65535.0 * (bound(1) - bound(0));
            assert!((x - point[k]).abs() < 2e-5 * (bound(1) - bound(0)) + 1e-7, "{x} {}", point[k]);
        }
    }
    assert!(data(&page, "f9").is_none());

    let args =
        ["preview", "run", "-o", "few.html", "--every", "3", "--color-by", "speed", "--background", "dark"];
    place.succeed(&args);
    let few = self::meta(&std::fs::read_to_string(place.path("few.html")).unwrap());
    assert_eq!(few["frames"], serde_json::json!([0, 3, 6, 8]));
    assert_eq!((few["array"].as_i64(), few["dark"].as_bool()), (Some(4), Some(true)));
}

#[test]
fn pictures_show_the_bodies_and_do_not_depend_on_threads() {
    let place = run("");
    let picture = |name: &str, extra: &[&str]| {
        let path = place.path(name);
        place.succeed(&[&["preview", "run", "--png", name, "--size", "160x120"], extra].concat());
        pixels(&path)
    };
    let (width, last) = picture("last.png", &[]);
    assert_eq!((width, last.len()), (160, 160 * 120));
    let share = coloured(&last) as f64 / last.len() as f64;
    assert!((0.05..0.6).contains(&share), "{share}");
    assert!(!place.path("run/preview.html").exists(), "a page was written too");
    assert_eq!(picture("eighth.png", &["--frame", "8"]).1, last);
    assert_ne!(picture("first.png", &["--frame", "0"]).1, last);
    assert_ne!(picture("wire.png", &["--wireframe"]).1, last);
    assert_ne!(picture("top.png", &["--view", "top"]).1, last);
    assert_eq!(picture("dark.png", &["--background", "#102030"]).1[0], [16, 32, 48]);
    let yellow = |p: &[[u8; 3]]| p.iter().filter(|[r, g, b]| *r > 180 && *g > 160 && *b < 110).count();
    assert!(yellow(&picture("speed.png", &["--color-by", "speed"]).1) > 20 && yellow(&last) == 0);

    place.succeed(&["preview", "run", "--png", "all", "--size", "64x48", "--every", "4"]);
    let mut names: Vec<_> =
        std::fs::read_dir(place.path("all")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["beam_0000.png", "beam_0004.png", "beam_0008.png"]);
    for threads in ["1", "2", "3"] {
        let (png, gif, page) =
            (format!("{threads}.png"), format!("{threads}.gif"), format!("{threads}.html"));
        let files = ["--png", &png, "--gif", &gif, "-o", &page, "--size", "96x64", "--threads", threads];
        place.succeed(&[&["preview", "run", "--color-by", "von_mises"], &files[..]].concat());
        for ending in ["png", "gif", "html"] {
            let read = |n: &str| std::fs::read(place.path(&format!("{n}.{ending}"))).unwrap();
            assert!(read(threads) == read("1"), "{ending} depends on the threads");
        }
    }
}

/// Delays in hundredths of a second and sizes of the frames of a GIF, and how often it plays (0: for ever).
fn gif_frames(bytes: &[u8]) -> (Vec<(u16, [u16; 2])>, Option<u16>) {
    assert_eq!(&bytes[..6], b"GIF89a");
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let mut at = 13 + 3 * 256;
    let (mut frames, mut loops, mut delay) = (vec![], None, 0);
    let skip = |mut at: usize| {
        while bytes[at] != 0 {
            at += 1 + usize::from(bytes[at]);
        }
        at + 1
    };
    loop {
        match (bytes[at], bytes[at + 1..].first()) {
            (0x3b, None) => return (frames, loops),
            (0x21, Some(0xf9)) => {
                delay = number(at + 4);
                at = skip(at + 2);
            }
            (0x21, Some(0xff)) => {
                assert_eq!(&bytes[at + 3..at + 14], b"NETSCAPE2.0");
                loops = Some(number(at + 16));
                at = skip(at + 2);
            }
            (0x2c, _) => {
                frames.push((delay, [number(at + 5), number(at + 7)]));
                at = skip(at + 11);
            }
            other => panic!("a block of kind {other:?} at byte {at}"),
        }
    }
}

#[test]
fn a_moving_picture_has_every_frame_and_plays_for_ever() {
    let place = run("");
    let read = |name: &str| gif_frames(&std::fs::read(place.path(name)).unwrap());
    place.succeed(&["preview", "run", "--gif", "a.gif", "--size", "80x60"]);
    let (frames, loops) = read("a.gif");
    assert_eq!((frames.len(), loops, frames[0].1), (9, Some(0), [80, 60]));
    assert_eq!(frames.iter().map(|f| f.0).sum::<u16>(), 30, "9 frames of 1/30 s");
    assert!(frames[1..].iter().all(|f| f.1[0] > 1), "a frame in which nothing moves: {frames:?}");
    place.succeed(&["preview", "run", "--gif", "b.gif", "--size", "80x60", "--fps", "10", "--every", "2"]);
    assert_eq!(read("b.gif").0.iter().map(|f| f.0).collect::<Vec<_>>(), [10; 5]);
}

#[test]
fn surfaces_alone_are_shown_without_arrays() {
    let place = run("formats = [\"ply\"]");
    place.succeed(&["preview", "run", "--png", "a.png", "--size", "80x60", "-o", "a.html"]);
    assert!(coloured(&pixels(&place.path("a.png")).1) > 200);
    let meta = meta(&std::fs::read_to_string(place.path("a.html")).unwrap());
    assert_eq!((meta["points"].as_u64(), meta["vertices"].as_u64()), (Some(58), Some(102)));
    assert_eq!(meta["arrays"], serde_json::json!([]));
    let refused = place.fail(2, &["preview", "run", "--color-by", "speed"]);
    assert!(refused.contains("speed") && refused.contains("\"vtu\""), "{refused}");
}

#[test]
fn bad_input_is_refused() {
    let place = run("formats = [\"vtu\"]");
    let refused = place.fail(2, &["preview", "run", "-o", "a.PNG"]);
    assert!(refused.contains("HTML") && refused.contains("--png a.PNG"), "{refused}");
    assert!(!place.path("a.PNG").exists());
    let refused = place.fail(2, &["preview", "run", "--png", "a.png", "--frame", "9"]);
    assert!(refused.contains("frames are 0 to 8"), "{refused}");
    let refused = place.fail(2, &["preview", "nowhere"]);
    assert!(refused.contains("is no directory"), "{refused}");
    let refused = place.fail(2, &["preview", "run", "--view", "behind"]);
    assert!(refused.contains("AZIMUTH,ELEVATION"), "{refused}");
    let refused = place.fail(1, &["preview", "run", "--png", "no/such/a.png"]);
    assert!(refused.contains("no/such/a.png"), "{refused}");
    std::fs::write(place.path("run/vtu/beam_0003.vtu"), "<VTKFile").unwrap();
    let refused = place.fail(2, &["preview", "run"]);
    assert!(refused.contains("beam_0003.vtu"), "{refused}");
    assert!(!place.path("run/preview.html").exists());
    std::fs::remove_dir_all(place.path("run/vtu")).unwrap();
    let refused = place.fail(2, &["preview", "run"]);
    assert!(refused.contains("neither vtu nor ply"), "{refused}");
}
