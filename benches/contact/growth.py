"""How contact grows with the scene: time, iterations and memory for stacks of boxes and for a folded cloth.

python growth.py --pliant BINARY [--scenes stack,cloth] [--stacks 1,2,3,4] [--cloths 1,3,10] [--frames N] [--threads N] [--limit S]

Stacks are of n × n × n boxes of 1 m, which almost touch their neighbours on all sides, with friction. The cloth is folded once: its
upper half falls on its lower half, which falls on a floor, so that nearly all of it is in contact at the end; its size is in
thousands of triangles. "power" is p of time ~ n^p from one row to the next, for n tets or triangles: n log n is about 1.1.
A run that takes longer than the limit (300 s) is stopped, and its frames until then count. Frames are steps of 1/60 s.
"""

import argparse
import csv
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HEAD = """
name = "growth"
[time]
step = "1/60"
frames = {frames}
[solver]
kind = "quasi-newton"
iterations = 60
tolerance = 1e-3
[contact]
distance = {distance}
friction = 0.5
[output]
formats = ["pc2"]
[[obstacle]]
name = "floor"
shape = {{ plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }} }}
"""
# The distance between boxes in m, which is less than that at which they feel each other.
APART = 0.0045


def stack(n, frames, folder):
    """A scene of n × n × n boxes, and the number of its tets."""
    text = HEAD.format(frames=frames, distance=0.005)
    for k in range(n**3):
        x, y, z = k % n, k // (n * n), k // n % n
        # Vertices are not above vertices.
        place = [x * (1 + APART) + 0.03 * (y % 2), APART + y * (1 + APART), z * (1 + APART) + 0.02 * (y % 2)]
        text += f'[[body]]\nname = "box{k}"\nelement = "linear"\ngenerate = {{ shape = "box", size = [1, 1, 1], cells = [4, 4, 4] }}\n'
        text += f'material = {{ model = "neo-hookean", young = 1e7, poisson = 0.3 }}\ntransform = {{ translate = {place} }}\n'
    (folder / "scene.toml").write_text(text)
    return n**3 * 4**3 * 5


def cloth(thousands, frames, folder):
    """A scene of a folded cloth of 2 m × 1 m, and the number of its triangles."""
    rows = round(math.sqrt(1000 * thousands / 4))
    columns, radius, half = 2 * rows, 0.004, 1.0
    lines = []
    for i in range(columns + 1):
        along = 2 * half * i / columns - half
        turn = math.pi * radius / 2
        if abs(along) < turn:
            x, y = half + radius * math.cos(along / radius), radius * (1 + math.sin(along / radius))
        else:
            x, y = half + turn - abs(along), radius * (1 + math.copysign(1, along))
        lines += [f"v {x:.9g} {y + 0.0022:.9g} {j / rows:.9g}" for j in range(rows + 1)]
    for i in range(columns):
        for j in range(rows):
            a = i * (rows + 1) + j + 1
            b = a + rows + 1
            lines += [f"f {a} {a + 1} {b}", f"f {a + 1} {b + 1} {b}"]
    (folder / "cloth.obj").write_text("\n".join(lines) + "\n")
    text = HEAD.format(frames=frames, distance=0.002)
    text += '[[body]]\nname = "cloth"\nmesh = "cloth.obj"\nthickness = 0.001\ndensity = 250\n'
    text += 'material = { model = "neo-hookean", young = 1e6, poisson = 0.3 }\nbending = { stiffness = 1e-4 }\n'
    (folder / "scene.toml").write_text(text)
    return 2 * rows * columns


def run(arguments, folder):
    """The steps of a run, its peak memory in MB, and whether it ended by itself."""
    command = [arguments.pliant, "-q", "simulate", folder / "scene.toml", "-o", folder / "run", "--cache-dir", folder / "cache"]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    process, started, ended = subprocess.Popen(command, stderr=subprocess.PIPE, text=True), time.monotonic(), True
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if ended and time.monotonic() - started > arguments.limit:
            ended = False
            process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    if ended and process.returncode:
        sys.exit(process.stderr.read())
    with open(folder / "run" / "metrics.csv") as rows:
        steps = [row for row in csv.DictReader(rows) if row["truncated"]]
    return steps, usage.ru_maxrss / 1024, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pliant", required=True)
    parser.add_argument("--scenes", default="stack,cloth")
    parser.add_argument("--stacks", default="1,2,3,4")
    parser.add_argument("--cloths", default="1,3,10")
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--limit", type=float, default=300)
    arguments = parser.parse_args()
    kinds = {"stack": (stack, arguments.stacks), "cloth": (cloth, arguments.cloths)}
    parts = ["collision_ms", "local_ms", "global_ms", "line_search_ms"]
    print("| scene | elements | frames | ms a frame | power | iterations a frame | ms an iteration | contacts at the end | "
          + " | ".join(part.replace("_", " ") for part in parts) + " | peak MB |")
    for name in arguments.scenes.split(","):
        make, sizes = kinds[name]
        before = None
        for size in map(int, sizes.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                elements = make(size, arguments.frames, pathlib.Path(folder))
                steps, memory, ended = run(arguments, pathlib.Path(folder))
            if not steps:
                print(f"| {name} {size} | {elements} | no frame within {arguments.limit} s |")
                break
            mean = lambda key: sum(float(step[key]) for step in steps) / len(steps)
            ms, iterations = mean("total_ms"), mean("iterations")
            power = f"{math.log(ms / before[1]) / math.log(elements / before[0]):.2f}" if before else "-"
            before = (elements, ms)
            count = f"{size**3} boxes" if name == "stack" else f"{size} thousand triangles"
            print(
                f"| {name} of {count} | {elements} | {len(steps)}{'' if ended else ', stopped'} | {ms:.1f} | {power} | {iterations:.1f} | "
                f"{ms / max(iterations, 1):.2f} | {steps[-1]['contacts']} | "
                + " | ".join(f"{mean(part):.1f}" for part in parts) + f" | {memory:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
