#!/usr/bin/env python3
"""Ten scenes with linear and with quadratic tets: which of both is the sooner within 5 and 1 % of the converged motion.

    python3 benches/elements/scenes.py --pliant target/release/pliant [--only sag,twist] [--csv scenes.csv]

The first scenes are generated, with the numbers of cells told below; the others are surfaces that are filled with tets, here of
a sphere, a torus and the knot of meshes/. The error is the root mean square, over all frames, of the distances of points
from those on the finest quadratic mesh, relative to how far they move from frame 0. The points are the surface's own
vertices or, for generated bodies, the vertices of the coarsest linear mesh, which all others have too. Every step converges
to 1e-4 of its first gradient, or to 1e-3 with contact. Times are seconds of the processor for the whole command, from a
cold cache, in one thread. Needs numpy.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from compare import seconds_to

ROOT = Path(__file__).resolve().parents[2]

HEAD = """
name = "scene"
[time]
step = "1/60"
frames = 45
[solver]
kind = "quasi-newton"
iterations = 600
tolerance = {tolerance}
[output]
formats = ["pc2"]
"""
CLAMP = "[[body.pin]]\nselect = { box = { min = [-1, -1, -1], max = [1e-6, 9, 9] } }\n"
OTHER_END = "[[body.pin]]\nselect = { box = { min = [1.999999, -1, -1], max = [9, 9, 9] } }\n"
TURN = 'motion = { rotate = { axis = [1, 0, 0], origin = [0, 0.25, 0.25], degrees_per_second = 120 } }\n'
FLOOR = """[contact]
distance = 0.005
[[obstacle]]
name = "floor"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
"""


def solid(young, poisson, model="stable-neo-hookean", more=""):
    return f'density = 1000\nmaterial = {{ model = "{model}", young = {young}, poisson = {poisson} }}\n{more}'


def block(size, cells, text, tolerance=1e-4, head=""):
    """A generated block: cells of the coarsest quadratic mesh."""

    def scene(level, element):
        count = [level * c for c in cells]
        body = f'[[body]]\nname = "b"\ngenerate = {{ shape = "box", size = {size}, cells = {count}, split = 6 }}\n'
        return HEAD.format(tolerance=tolerance) + head + body + f'element = "{element}"\n' + text

    return {"scene": scene, "linear": [2, 4, 8, 16], "quadratic": [1, 2, 4], "finest": 6, "matched": True}


def filled(surface, text, tolerance=1e-4, head="", linear=(1000, 4000, 16000, 48000), quadratic=(500, 1000, 4000), finest=12000):
    """A surface that is filled with about so many tets."""

    def scene(level, element):
        body = f'[[body]]\nname = "b"\nsurface = "{surface}"\ntetrahedralize = {{ method = "lattice", cells = {level} }}\n'
        return HEAD.format(tolerance=tolerance) + head + body + f'element = "{element}"\n' + text

    return {"scene": scene, "linear": list(linear), "quadratic": list(quadratic), "finest": finest, "matched": False}


TOP = '[[body.pin]]\nselect = { box = { min = [-9, 0.4, -9], max = [9, 9, 9] } }\n'
SHAKE = "motion = { shake = { amplitude = [0.2, 0, 0], frequency = 2 } }\n"
LIFT = "transform = { translate = [0, 0.55, 0] }\n"

SCENES = {
    "sag": block([4, 1, 1], [4, 1, 1], solid(1e6, 0.3) + CLAMP),
    "sag of rubber": block([4, 1, 1], [4, 1, 1], solid(1e6, 0.45) + CLAMP),
    "twist": block([2, 0.5, 0.5], [4, 1, 1], solid(1e6, 0.4) + CLAMP + OTHER_END + TURN),
    "stretched cube": block(
        [1, 1, 1], [2, 2, 2], "deform = { stretch = [1.5, 0.8, 0.8] }\n" + solid(1e5, 0.3, "corotated")
    ),
    "shaken bar": block([2, 0.5, 0.5], [4, 1, 1], solid(3e5, 0.35, "arap") + CLAMP + SHAKE),
    "cube on floor": block([1, 1, 1], [2, 2, 2], solid(1e5, 0.4, more=LIFT), 1e-3, FLOOR),
    "ball on floor": filled("ball.ply", solid(1e5, 0.45, more=LIFT), 1e-3, FLOOR),
    "ball from its top": filled("ball.ply", solid(3e4, 0.4) + TOP),
    "torus shaken": filled("torus.ply", solid(1e5, 0.4) + TOP + SHAKE),
    "hanging knot": filled(ROOT / "meshes/knot.obj", solid(2e5, 0.45) + TOP, 1e-4, "", (4000, 12000, 48000), (3000, 8000), 24000),
}


def points(path):
    """The places of a body in a PC2 file: frames, vertices, coordinates."""
    data = path.read_bytes()
    vertices, frames = int.from_bytes(data[16:20], "little"), int.from_bytes(data[28:32], "little")
    return np.frombuffer(data, "<f4", offset=32).reshape(frames, vertices, 3).astype(float)


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(pliant, work, text):
    """The places over time, and the seconds of the processor."""
    (work / "scene.toml").write_text(text)
    before = spent()
    command = [pliant, "-qq", "--cache-dir", work / "cache", "simulate", work / "scene.toml", "--force", "--threads", "1"]
    subprocess.run([*command, "-o", work / "run"], check=True)
    seconds = spent() - before
    subprocess.run([pliant, "-qq", "--cache-dir", work / "cache", "cache", "clear"], check=True, stdout=subprocess.DEVNULL)
    (file,) = (work / "run").glob("blender/b*.pc2")
    return points(file), seconds


def pick(path, places):
    """The vertices of a path that start at the given places."""
    chosen = []
    for p in places:
        distance = np.linalg.norm(path[0] - p, axis=1)
        assert distance.min() < 1e-5, "a point is not in the mesh"
        chosen.append(distance.argmin())
    return path[:, chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pliant", required=True)
    parser.add_argument("--only", default=",".join(SCENES))
    parser.add_argument("--csv")
    args = parser.parse_args()
    pliant = Path(args.pliant).resolve()
    lines = ["scene,element,level,error,seconds"]
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for command in (["sphere", "--radius", "0.5", "--cells", "8"], ["torus", "--major", "0.5", "--minor", "0.18", "--cells", "16"]):
            name = {"sphere": "ball", "torus": "torus"}[command[0]]
            subprocess.run([pliant, "-qq", "generate", *command, "-o", work / f"{name}.ply"], check=True)
        for name in args.only.split(","):
            scene = SCENES[name]
            whole = {}
            for element, levels in (("quadratic", [scene["finest"]]), ("linear", scene["linear"]), ("quadratic", scene["quadratic"])):
                for level in levels:
                    whole[element, level] = run(pliant, work, scene["scene"](level, element))
                    print(name, element, level, f"{whole[element, level][1]:.1f} s", file=sys.stderr, flush=True)
            reference = whole.pop(("quadratic", scene["finest"]))[0]
            if scene["matched"]:
                places = whole["linear", scene["linear"][0]][0][0]
                reference = pick(reference, places)
            moved = np.sqrt(((reference - reference[0]) ** 2).sum(axis=2).mean())
            rows = {"linear": [], "quadratic": []}
            for (element, level), (path, seconds) in whole.items():
                own = pick(path, places) if scene["matched"] else path
                error = np.sqrt(((own - reference) ** 2).sum(axis=2).mean()) / moved
                rows[element].append((error, seconds))
                lines.append(f"{name},{element},{level},{error:.5f},{seconds:.2f}")
                print(f"{name:<18} {element:<9} {level:>6}: error {100 * error:7.2f} %, {seconds:7.2f} s", flush=True)
            for bound in (0.05, 0.01):
                told = []
                for element in ("linear", "quadratic"):
                    seconds, how = seconds_to(rows[element], bound)
                    told.append(f"{element} not reached" if how.startswith("extra") else f"{element} {how}{seconds:.3g} s")
                print(f"{name:<18} to {100 * bound:.0f} %: {', '.join(told)}", flush=True)
    if args.csv:
        Path(args.csv).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
