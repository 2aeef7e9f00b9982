//! What writing costs: megabytes a second of VTU files, and a run that writes beside one that does not.
//!
//! Files go to a temporary directory, which mostly means the page cache. The run is the beam of `beam.rs`, ten iterations of
//! quasi-newton a frame, with `["vtu", "ply"]` and with no format at all, taking turns; the best of five each counts.
//! `cargo bench --bench output`.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pliant::cache::Cache;
use pliant::config::{Overrides, load};
use pliant::fs::write_atomically;
use pliant::io::grid::{Array, Cells, Data, Grid};
use pliant::io::vtu_write::{Compression, write_compressed};
use pliant::mesh::generate::generate;
use pliant::run::claim::Existing;
use pliant::run::execute::{Progress, Wishes, run};
use pliant::simulate::{PreparationReport, Simulation};

const SCENE: &str = r#"
name = "beam"
[time]
step = "1/30"
frames = 200
[solver]
iterations = 10
[[body]]
element = "linear"
generate = { shape = "beam", size = [2.5, 0.625, 0.625], cells = [40, 10, 10], split = 5 }
material = { model = "neo-hookean", young = 1e6, poisson = 0.3 }
[[body.pin]]
select = { box = { min = [-1, -1, -1], max = [1e-6, 99, 99] } }
"#;

struct Silent;

impl Progress for Silent {
    fn prepared(&mut self, _: &PreparationReport, _: &Simulation, _: u64, _: u64) {}
    fn frame(&mut self, _: u64) {}
}

fn files(directory: &std::path::Path) {
    let shape = pliant::scene::Shape::Block { size: [1.0; 3], cells: [42; 3], split: 5 };
    let mesh = generate(&shape);
    let vectors = vec![0.1234567; 3 * mesh.points.len()];
    let scalars: Vec<f64> = (0..mesh.tets.len()).map(|i| (i as f64).sin()).collect();
    let grid = Grid {
        points: &mesh.points,
        cells: Cells { tets: &mesh.tets, ..Cells::default() },
        point_arrays: &[Array { name: "velocity", components: 3, data: Data::F64(&vectors) }],
        cell_arrays: &[Array { name: "von_mises", components: 1, data: Data::F64(&scalars) }],
        time: Some(0.0),
        float32: false,
    };
    println!("{:<12}{:>10}{:>10}{:>12}", "compression", "MB", "ms", "MB/s");
    for compression in [Compression::None, Compression::Lz4, Compression::Zlib] {
        let path = directory.join("grid.vtu");
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let start = Instant::now();
            write_atomically(&path, |out| write_compressed(&grid, compression, out))
                .expect("space for a file");
            best = best.min(start.elapsed().as_secs_f64());
        }
        let megabytes = std::fs::metadata(&path).expect("a file").len() as f64 * 1e-6;
        println!(
            "{:<12}{megabytes:>10.1}{:>10.1}{:>12.0}",
            format!("{compression:?}"),
            best * 1e3,
            megabytes / best
        );
    }
}

fn runs(directory: &std::path::Path) {
    let path = directory.join("beam.toml");
    std::fs::write(&path, SCENE).expect("a writable directory");
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        for (best, formats) in best.iter_mut().zip(["[]", "[\"vtu\", \"ply\"]"]) {
            let set = vec![format!("output.formats={formats}")];
            let output = Some(directory.join("run"));
            let loaded =
                load(&path, &Overrides { set, output, ..Overrides::default() }).expect("a valid scene");
            let stop = AtomicBool::new(false);
            let wishes = Wishes { existing: Existing::Replace, sync: false, must_converge: false };
            let report = run(&loaded, &Cache::disabled(), wishes, &stop, &mut Silent).expect("a run");
            *best = best.min(report.seconds.per_frame);
        }
    }
    let [nothing, everything] = best.map(|seconds| seconds * 1e3);
    println!("\n{:<24}{:>14}", "frames written", "ms a frame");
    println!("{:<24}{nothing:>14.2}", "none");
    println!(
        "{:<24}{everything:>14.2}{:>+9.1}%",
        "vtu and ply, every one",
        100.0 * (everything / nothing - 1.0)
    );
}

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    files(directory.path());
    runs(directory.path());
}
