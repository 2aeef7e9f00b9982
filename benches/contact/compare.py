"""Three scenes with contact, here and with newton, in turns in one run: milliseconds a frame, and what they buy.

python compare.py --pliant BINARY [--python PYTHON] [--scenes s1,s2,s3] [--frames N] [--runs N] [--threads N] [--limit S]

PYTHON is one that can import `newton` 1.8 and `warp-lang` (python -m venv; pip install newton==1.8.0 warp-lang ipctk); without it
only ours run. Each frame counts with its best time of all runs, so that others on the machine matter less. A run of ours that
takes longer than the limit (120 s) is stopped, and its frames until then count, beside all of newton's.

Size, mass, Young's modulus, Poisson's ratio, friction, time step and number of frames are equal. These differ:
- Ours ends a step when the gradient is a thousandth of its first value, with 300 iterations at most; newton does 10 sweeps and
  does not say how far it is from the minimum.
- Ours computes in double precision and with all threads unless told otherwise; newton in single precision with one thread.
- Both solids are neo-Hookean with the same moduli at rest, but not the same energies under large strain. Cloths are matched
  in stretch, shear and in bending along the axes; newton's bends 0.7 times as hard along one diagonal.
- Contact begins at 2 mm in newton, at 1/1000 of the scene's diagonal (1.4 to 2.4 mm) here. There it is a spring for each vertex,
  here a barrier on areas.
- newton holds back what moves faster than the distance at which it looks for contact: in s3 its cloth falls too slowly. The
  heights of the centres of mass tell. "deepest" is how far its vertices are inside the floor or the ball; negative is a gap.
- Friction of newton is smoothed and creeps; ours sticks.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PARTS = ["collision_ms", "local_ms", "global_ms", "line_search_ms"]


def run_ours(arguments, scene, frames, out):
    """The rows of metrics.csv and the summary of one run; None for the summary of one that was stopped."""
    command = [arguments.pliant, "-q", "simulate", HERE / f"{scene}.toml", "-o", out, "--force", "--frames", str(frames)]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    try:
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=arguments.limit)
        summary = json.loads((out / "summary.json").read_text())
    except subprocess.TimeoutExpired:
        summary = None
    with open(out / "metrics.csv") as rows:
        # The last row of a run that was stopped may be cut off.
        steps = [row for row in csv.DictReader(rows) if row["truncated"]]
    return steps, summary


def run_theirs(arguments, scene, frames):
    command = [arguments.python, HERE / "newton_scenes.py", scene, "--frames", str(frames)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


def best(runs):
    """The mean over frames of the best time of each."""
    return sum(map(min, zip(*runs))) / len(runs[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pliant", required=True)
    parser.add_argument("--python")
    parser.add_argument("--scenes", default="s1,s2,s3")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--limit", type=float, default=120)
    arguments = parser.parse_args()
    print("scene |  ours ms | newton ms | ratio | its mean/max | worst ‖∇g‖ | clean ours/newton | centre ours/newton | " + " / ".join(PARTS))
    for scene in arguments.scenes.split(","):
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(arguments.runs):
                steps, summary = run_ours(arguments, scene, arguments.frames, pathlib.Path(folder) / scene)
                ours.append(steps)
                if arguments.python:
                    theirs.append(run_theirs(arguments, scene, arguments.frames))
        ms = best([[float(step["total_ms"]) for step in run] for run in ours])
        iterations = [int(step["iterations"]) for step in ours[0]]
        parts = " / ".join(f"{best([[float(step[part]) for step in run] for run in ours]):.2f}" for part in PARTS)
        other, ratio, clean, height = "-", "-", "-", "-"
        if theirs:
            newton = best([run["ms"] for run in theirs])
            other, ratio = f"{newton:.1f}", f"{newton / ms:.2f}"
            last = theirs[-1]
            meets = {None: "not tested", True: "intersects", False: "clean"}[last["intersects"]]
            here = float(ours[-1][-1]["potential"]) / (9.81 * last["mass"])
            height = f"{here:.3f} / {last['centers'][len(ours[-1]) - 1]:.3f} m"
            clean = f"{meets}, deepest {1e3 * last['deepest']:.2f} mm"
        state = f"stopped after {len(ours[-1])} frames | -"
        if summary:
            state = f"{summary['convergence']['worst']:.1e} of the first | {summary['contact']['intersection_free']}"
        print(
            f"{scene:5} | {ms:8.1f} | {other:>9} | {ratio:>5} | {sum(iterations) / len(iterations):.1f} / {max(iterations)} | "
            f"{state} / {clean} | {height} | {parts}"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
