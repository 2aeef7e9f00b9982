#!/usr/bin/env python3
"""Linear against quadratic tets: the time that a run takes, and how far its motion is from the converged one.

    python3 benches/elements/compare.py --pliant target/release/pliant [--chart docs/images/elements.svg]

A beam of 4 x 1 x 1 m (E = 1e6 Pa, neo-Hookean) falls under its weight for a second, held at one end, on meshes of growing
resolution. The error is the root mean square, over all frames, of the distances of the vertices on the beam's middle
line at x = 1, 2, 3 and 4 m from those on the finest quadratic mesh, relative to how far they move. Every step converges to
1e-5 of its first gradient, since with 1e-3 what is left undone shows as 0.8 % of the motion on every mesh. Times are those of all steps, from summary.json, in one thread, one run after the other. Needs numpy and
meshio, and matplotlib for the chart.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import meshio
import numpy as np

SCENE = """
name = "beam"
[time]
step = "1/60"
frames = {frames}
[solver]
kind = "quasi-newton"
iterations = 500
tolerance = 1e-5
[[body]]
name = "beam"
generate = {{ shape = "beam", size = [4, 1, 1], cells = {cells}, split = 6 }}
element = "{element}"
density = 1000
material = {{ model = "stable-neo-hookean", young = 1e6, poisson = {poisson} }}
[[body.pin]]
select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 2, 2] }} }}
[output]
formats = ["vtu"]
"""
LINE = np.array([[x, 0.5, 0.5] for x in (1, 2, 3, 4)])
REFERENCE = 10


def motion(pliant, work, element, across, poisson, frames):
    """The places of the line over time, the seconds of all steps, and the number of unknown vertices."""
    cells = [4 * across, across, across]
    (work / "scene.toml").write_text(SCENE.format(element=element, cells=cells, poisson=poisson, frames=frames))
    run = work / "run"
    subprocess.run([pliant, "-qq", "simulate", work / "scene.toml", "--force", "--threads", "1", "-o", run], check=True)
    summary = json.loads((run / "summary.json").read_text())
    files = sorted((run / "vtu").glob("*.vtu"))
    rest = meshio.read(files[0]).points
    places = [np.argmin(np.linalg.norm(rest - p, axis=1)) for p in LINE]
    assert np.abs(rest[places] - LINE).max() < 1e-9, "the line is not in the mesh"
    path = np.array([meshio.read(file).points[places] for file in files])
    return path, summary["seconds"]["simulate"], summary["unknowns"]


def seconds_to(rows, bound):
    """The seconds of the cheapest run within a bound of the error; by log-log interpolation between runs."""
    for (e0, t0), (e1, t1) in zip(rows, rows[1:]):
        if e0 >= bound >= e1:
            share = np.log(e0 / bound) / np.log(e0 / e1)
            return float(np.exp(np.log(t0) + share * np.log(t1 / t0))), ""
    if rows[0][0] < bound:
        return rows[0][1], "at most "
    (e0, t0), (e1, t1) = rows[-2:]
    share = np.log(e0 / bound) / np.log(e0 / e1)
    return float(np.exp(np.log(t0) + share * np.log(t1 / t0))), "extrapolated: "


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pliant", required=True)
    parser.add_argument("--poisson", type=float, nargs="+", default=[0.3, 0.45, 0.49])
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--linear", type=int, nargs="+", default=[4, 8, 16], help="cells across, even")
    parser.add_argument("--quadratic", type=int, nargs="+", default=[1, 2, 4, 6], help="cells across")
    parser.add_argument("--chart")
    args = parser.parse_args()
    pliant = Path(args.pliant).resolve()
    curves = {}
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for poisson in args.poisson:
            reference, _, _ = motion(pliant, work, "quadratic", REFERENCE, poisson, args.frames)
            moved = np.sqrt(((reference - reference[0]) ** 2).sum(axis=2).mean())
            for element, sizes in [("linear", args.linear), ("quadratic", args.quadratic)]:
                rows = []
                for across in sizes:
                    path, seconds, unknowns = motion(pliant, work, element, across, poisson, args.frames)
                    error = np.sqrt(((path - reference) ** 2).sum(axis=2).mean()) / moved
                    rows.append((error, seconds))
                    print(
                        f"nu {poisson:<4} {element:<9} {across:>2} across, {unknowns:>6} unknown vertices: "
                        f"error {100 * error:7.3f} %, {seconds:8.3f} s",
                        flush=True,
                    )
                curves[poisson, element] = rows
            for bound in (0.05, 0.01):
                (linear, how), (quadratic, other) = (
                    seconds_to(curves[poisson, element], bound) for element in ("linear", "quadratic")
                )
                print(
                    f"nu {poisson:<4} to {100 * bound:.0f} %: linear {how}{linear:.3g} s, quadratic {other}{quadratic:.3g} s, "
                    f"{linear / quadratic:.1f} times as fast",
                    flush=True,
                )
    if args.chart:
        draw(curves, args.chart)


def draw(curves, path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "elements"
    figure, axes = plt.subplots(figsize=(7, 4.2))
    colours = dict(zip(sorted({poisson for poisson, _ in curves}), ("#3b75af", "#c4713b", "#519e3e", "#8d69b8")))
    for (poisson, element), rows in curves.items():
        errors, seconds = zip(*rows)
        style = {"linear": "--o", "quadratic": "-s"}[element]
        axes.loglog(seconds, 100 * np.array(errors), style, color=colours[poisson], label=f"{element}, ν = {poisson}")
    axes.set_xlabel("seconds for one second of motion")
    axes.set_ylabel("error of the motion in %")
    axes.grid(True, which="both", alpha=0.25)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
