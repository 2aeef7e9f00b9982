//! The disk cache through the real binary: hits, damage, several processes at once.

use std::path::PathBuf;
use std::process::Stdio;

use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::{RUBBER, beam};

fn entries(place: &Place, kind: &str) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(place.path("cache")).unwrap();
    let mut files: Vec<_> = listing.map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.file_name().unwrap().to_string_lossy().starts_with(kind));
    files
}

#[test]
fn a_hit_a_miss_and_a_damaged_entry_give_equal_bytes() {
    let place = Place::new();
    place.write("scene.toml", &beam([8, 3, 3], 3, "", RUBBER));
    let simulate = |out: &str| place.succeed(&["simulate", "scene.toml", "-o", out]);
    assert!(simulate("miss").contains("cache miss"));
    let hit = simulate("hit");
    assert!(hit.contains("cache hit") && !hit.contains("cache miss"), "{hit}");
    assert_equal_content(&place.path("miss"), &place.path("hit"));
    type Damage = fn(&mut Vec<u8>);
    let damage: [(&str, Damage); 4] = [
        ("flipped", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }),
        ("truncated", |bytes| bytes.truncate(bytes.len() * 2 / 3)),
        ("version", |bytes| bytes[24] ^= 0xff),
        ("foreign", |bytes| *bytes = b"not a cache file at all".to_vec()),
    ];
    for kind in ["factor", "ordering"] {
        for (name, change) in &damage {
            let path = entries(&place, kind).pop().unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            change(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
            let out = format!("{kind}-{name}");
            let messages = simulate(&out);
            assert!(messages.contains("computing it anew"), "{out}: {messages}");
            assert_equal_content(&place.path("miss"), &place.path(&out));
            let again = simulate(&format!("{out}-again"));
            assert!(
                !again.contains("anew") && again.contains("cache hit"),
                "{out} was not replaced: {again}"
            );
        }
    }
    let verified = place.run(&["cache", "verify"]);
    assert!(verified.status.success() && String::from_utf8_lossy(&verified.stdout).contains("sound"));
    place.succeed(&["cache", "clear"]);
    assert!(entries(&place, "").is_empty());
}

#[test]
fn precompute_fills_what_simulate_then_finds() {
    let place = Place::new();
    place.write("scene.toml", &beam([8, 3, 3], 2, "", RUBBER));
    place.succeed(&["precompute", "scene.toml"]);
    // A farm may mount the cache read-only: a hit must not need to write.
    assert!(place.succeed(&["simulate", "scene.toml"]).contains("cache hit, written"));
}

#[test]
fn four_processes_at_once_do_no_harm() {
    let place = Place::new();
    place.write("scene.toml", &beam([24, 8, 8], 2, "", RUBBER));
    let start = |i: usize| {
        let out = format!("run{i}");
        place.pliant(&["simulate", "scene.toml", "-o", &out]).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !messages.contains("WARN"), "{messages}");
    }
    for i in 1..4 {
        assert_equal_content(&place.path("run0"), &place.path(&format!("run{i}")));
    }
    assert_eq!((entries(&place, "factor").len(), entries(&place, "ordering").len()), (1, 1));
    assert!(entries(&place, ".").is_empty(), "temporary files are left");
}

/// 36k vertices: loading ordering and factor takes under a tenth of computing them.
#[test]
#[ignore = "a release build and half a minute"]
fn a_hit_costs_under_a_tenth_of_the_first_preparation() {
    let place = Place::new();
    place.write("scene.toml", &beam([80, 20, 20], 1, "iterations = 1", RUBBER));
    let preparation = |out: &str| -> f64 {
        place.succeed(&["simulate", "scene.toml", "-o", out, "--set", "output.formats=[]"]);
        let text = std::fs::read_to_string(place.path(out).join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        println!("{out}: {}", summary["seconds"]);
        summary["seconds"]["solver"].as_f64().unwrap() + summary["seconds"]["ordering"].as_f64().unwrap()
    };
    let miss = preparation("miss");
    let hit = (0..12).map(|i| preparation(&format!("hit{i}"))).fold(f64::INFINITY, f64::min);
    println!("preparation: miss {miss:.3} s, hit {hit:.3} s, ratio {:.3}", hit / miss);
    assert!(hit < 0.1 * miss, "hit {hit} s, miss {miss} s");
}
