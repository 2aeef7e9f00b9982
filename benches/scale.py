#!/usr/bin/env python3
"""What a run takes, by its number of tets: formulas fitted to some sizes and held against others.

    python3 benches/scale.py --pliant target/release/pliant [--csv scale.csv]

A beam of 4 x 1 x 1 with k cells across, quasi-newton with 10 iterations, one thread. Four sizes are fitted, three others are
predicted. Times are seconds of the processor, of the whole command less those of one that ends before the first step; sizes on disk
are those of the files. Each formula is a sum of powers with coefficients of 0 or more, found by least squares of the
relative errors. n is the number of nodes, in thousands: of linear tets there are 5 times as many, of quadratic ones 0.6 times.

Needs numpy and scipy. Exit code 1 if a prediction is off by more than a fifth.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

SCENE = """
name = "beam"
[time]
step = "1/60"
frames = 1
[solver]
kind = "quasi-newton"
iterations = 10
{solver}
[output]
formats = ["vtu"]
[[body]]
element = "{element}"
generate = {{ shape = "beam", size = [4, 1, 1], cells = [{long}, {k}, {k}], split = 5 }}
material = {{ model = "stable-neo-hookean", young = 1e6, poisson = 0.4 }}
[[body.pin]]
select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 2, 2] }} }}
"""

# What is measured: its unit and the powers of its formula. Factors of nested dissection have n^(4/3) entries and take n^2;
# without a factor only the ordering grows a little faster than n.
FORMULAS = {
    "prepare": ("s, of the processor, with an empty cache", [0, 1, 4 / 3, 2]),
    "load": ("s, of the processor, with a full cache", [0, 1, 4 / 3]),
    "iteration": ("ms, of the processor", [1, 4 / 3]),
    "memory": ("MB at the peak, with an empty cache", [0, 1, 4 / 3]),
    "cache": ("MB in the cache", [1, 4 / 3]),
    "frame": ("MB a frame", [0, 1]),
}


def run(command, env):
    """Seconds of the processor that a command takes."""
    process = subprocess.Popen(command, env=env)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command} failed")
    return usage.ru_utime + usage.ru_stime


def measure(pliant, element, solver, k, frames=6, tries=3):
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        text = SCENE.format(element=element, solver=solver, long=4 * k, k=k)
        (work / "beam.toml").write_text(text)
        env = {**os.environ, "PLIANT_CACHE_DIR": str(work / "cache")}

        def simulate(name, count):
            command = [pliant, "-q", "simulate", work / "beam.toml", "--threads", "1", "--frames", str(count)]
            seconds = run(command + ["-o", work / name, "--force"], env)
            return seconds, json.loads((work / name / "summary.json").read_text())

        cold, summary = simulate("cold", 0)
        # Other processes disturb by adding.
        load = min(simulate("warm", 0)[0] for _ in range(tries))
        whole, summary_whole = min((simulate("whole", frames) for _ in range(tries)), key=lambda pair: pair[0])
        sizes = [path.stat().st_size for path in (work / "whole" / "vtu").iterdir()]
        cache = sum(path.stat().st_size for path in (work / "cache").iterdir())
        return {
            "nodes": summary["vertices"] / 1e3,
            "tets": summary["tets"],
            "prepare": cold,
            "load": load,
            "iteration": 1e3 * (whole - load) / (10 * frames),
            "memory": max(summary["machine"]["peak_bytes"], summary_whole["machine"]["peak_bytes"]) / 1e6,
            "cache": cache / 1e6,
            "frame": sum(sizes) / len(sizes) / 1e6,
        }


def fit(sizes, values, powers):
    """Coefficients that make the relative errors small."""
    matrix = np.array([[n**p for p in powers] for n in sizes]) / np.array(values)[:, None]
    return nnls(matrix, np.ones(len(values)))[0]


def written(coefficients, powers):
    def term(c, p):
        return {0: f"{c:.3g}", 1: f"{c:.3g} n"}.get(p, f"{c:.3g} n^{'4/3' if p == 4 / 3 else p}")

    return " + ".join(term(c, p) for c, p in zip(coefficients, powers) if c > 0)


def study(pliant, name, element, solver, fitted, predicted):
    known = [measure(pliant, element, solver, k) for k in fitted]
    others = [measure(pliant, element, solver, k) for k in predicted]
    print(f"\n{name}: fitted to {[m['tets'] for m in known]} tets, held against {[m['tets'] for m in others]}")
    rows, worst = [], 0.0
    for what, (unit, powers) in FORMULAS.items():
        coefficients = fit([m["nodes"] for m in known], [m[what] for m in known], powers)
        at = lambda n: sum(c * n**p for c, p in zip(coefficients, powers))
        off = [at(m["nodes"]) / m[what] - 1 for m in others]
        worst = max(worst, max(map(abs, off)))
        shown = ", ".join(f"{o:+.0%}" for o in off)
        print(f"  {what} = {written(coefficients, powers)}  [{unit}]: {shown}", flush=True)
        rows += [f"{name},{what},{m['tets']},{m['nodes']},{m[what]},{at(m['nodes'])}" for m in known + others]
    return rows, worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pliant", required=True, type=Path)
    parser.add_argument("--csv", type=Path)
    flags = parser.parse_args()
    pliant = flags.pliant.resolve()
    table, worst = ["study,what,tets,thousand_nodes,measured,formula"], 0.0
    for study_of in [
        ("linear tets, factor", "linear", "", [6, 11, 17, 25], [8, 14, 21]),
        ("quadratic tets, factor", "quadratic", "", [4, 6, 9, 13], [5, 7, 11]),
        ("linear tets, cg", "linear", 'linear = "cg"', [6, 11, 17, 25], [8, 14, 21]),
    ]:
        rows, off = study(pliant, *study_of)
        table += rows
        worst = max(worst, off)
    if flags.csv:
        flags.csv.write_text("\n".join(table) + "\n")
    print(f"\nworst prediction: off by {worst:.0%}")
    sys.exit(1 if worst > 0.2 else 0)


if __name__ == "__main__":
    main()
