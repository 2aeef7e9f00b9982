//! How an iteration, memory and start-up grow with the mesh: 1,000 to 455,000 tets.
//!
//! Beams, and the armadillo of 455,000 tets where the folder `../shared/meshes` is at hand (else a beam of that size).
//! quasi-newton on arap, 10 iterations a frame.

use std::path::PathBuf;
use std::time::Instant;

use elements::par;
use pliant::cache::Cache;
use pliant::scene::Scene;
use pliant::simulate::Simulation;
use pliant::view::plot::{self, Axis, Chart, Format, Panel, Series, Theme};

use crate::{ALLOCATOR, beam, directory, scene_of, write_csv};

/// One size.
struct Row {
    tets: f64,
    unknowns: usize,
    entries: usize,
    /// Per iteration, with one thread and with two.
    ms: [f64; 2],
    local: f64,
    global: f64,
    /// Memory that the running simulation holds, over tets.
    bytes: f64,
    /// From nothing, and from a full cache, to the first step.
    start: [f64; 2],
}

/// Bytes that are allocated and not yet freed.
fn held() -> f64 {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated as f64 - stats.bytes_deallocated as f64
}

fn measure(config: &Scene) -> Row {
    let folder = std::env::temp_dir().join(format!("pliant-bench-{}", std::process::id()));
    let cache = Cache::at(&folder);
    let begun = Instant::now();
    let (simulation, _) = Simulation::new(config, &cache).expect("a body");
    let miss = begun.elapsed().as_secs_f64();
    drop(simulation);
    let before = held();
    let begun = Instant::now();
    let (mut simulation, report) = Simulation::new(config, &cache).expect("a body");
    let hit = begun.elapsed().as_secs_f64();
    std::fs::remove_dir_all(&folder).expect("the cache was written");
    let tets = simulation.model.tets.len() as f64;
    let mut best = [f64::INFINITY; 4];
    for threads in [1, 2] {
        par::with_threads(threads, || {
            for _ in 0..if tets > 200_000.0 { 2 } else { 8 } {
                let m = simulation.advance().expect("a step");
                let per = 1e3 / m.iterations.max(1) as f64;
                let [all, local, global] =
                    [m.total, m.cost.local, m.cost.global].map(|d| d.as_secs_f64() * per);
                if threads == 1 {
                    best = [best[0].min(all), best[1], best[2].min(local), best[3].min(global)];
                } else {
                    best[1] = best[1].min(all);
                }
            }
        });
    }
    let bytes = (held() - before) / tets;
    Row {
        tets,
        unknowns: simulation.objective.free,
        entries: report.solver.factor_entries,
        ms: [best[0], best[1]],
        local: best[2],
        global: best[3],
        bytes,
        start: [miss, hit],
    }
}

fn configs() -> Vec<Scene> {
    let mut all: Vec<Scene> = [[10, 5, 4], [20, 10, 5], [40, 10, 10], [68, 17, 17]]
        .map(|cells| beam(cells, "quasi-newton", "arap"))
        .into();
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/meshes/tet/armadillo_101k_tetgen.vtu")
        .canonicalize();
    all.push(match file {
        Ok(path) => {
            let body = format!("mesh = {path:?}\ndeform = {{ stretch = [1.1, 1, 1] }}");
            scene_of(&body, "quasi-newton", "arap")
        }
        Err(_) => beam([112, 29, 28], "quasi-newton", "arap"),
    });
    all
}

pub fn run() {
    println!(
        "{:<10}{:>10}{:>12}{:>10}{:>9}{:>9}{:>10}{:>7}{:>10}{:>10}{:>11}",
        "tets",
        "unknowns",
        "entries",
        "ms/iter",
        "local",
        "global",
        "2 threads",
        "gain",
        "bytes/tet",
        "start s",
        "cached s"
    );
    let mut rows = vec![];
    for config in configs() {
        let row = measure(&config);
        let [one, two] = row.ms;
        println!(
            "{:<10}{:>10}{:>12}{one:>10.3}{:>9.3}{:>9.3}{two:>10.3}{:>7.2}{:>10.0}{:>10.2}{:>11.3}",
            row.tets,
            row.unknowns,
            row.entries,
            row.local,
            row.global,
            one / two,
            row.bytes,
            row.start[0],
            row.start[1]
        );
        rows.push(row);
    }
    let line = |r: &Row| {
        let [one, two] = r.ms;
        let [miss, hit] = r.start;
        format!(
            "{},{},{},{one},{},{},{two},{},{miss},{hit}",
            r.tets, r.unknowns, r.entries, r.local, r.global, r.bytes
        )
    };
    let header =
        "tets,unknowns,entries,ms,local_ms,global_ms,two_threads_ms,bytes_per_tet,start_s,cached_start_s";
    write_csv("growth.csv", header, &rows.iter().map(line).collect::<Vec<_>>());
    draw(&rows);
}

fn draw(rows: &[Row]) {
    let curve = |name: &str, look: usize, of: &dyn Fn(&Row) -> f64| {
        Series::line(name, look, rows.iter().map(|r| [r.tets, of(r)]).collect())
    };
    let time = vec![
        curve("iteration", 0, &|r| r.ms[0]),
        curve("iteration, two threads", 1, &|r| r.ms[1]),
        curve("local step", 2, &|r| r.local),
        curve("global step", 3, &|r| r.global),
    ];
    let start = vec![curve("from nothing", 4, &|r| r.start[0]), curve("from the cache", 5, &|r| r.start[1])];
    let chart = Chart {
        title: "quasi-newton on arap".into(),
        x: Axis::log("tets", ""),
        panels: vec![
            Panel { y: Axis::log("time", "ms"), series: time },
            Panel { y: Axis::log("start-up", "s"), series: start },
        ],
    };
    let path = directory().join("growth.png");
    plot::write(&chart, &path, Format::Png, Theme::default()).expect("target/bench can be written");
    println!("→ {}", path.display());
}
