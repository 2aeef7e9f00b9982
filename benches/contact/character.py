"""A cloth of 40,000 triangles falls on a walking character of 20,000: time a frame, memory, and whether all frames are clean.

python character.py DIR [--pliant BINARY] [--frames N] [--cells N] [--friction F] [--solver KIND] [--threads N]

Writes 100 frames of the walk to DIR as OBJ files, and character.toml; with --pliant it simulates them. The character is one closed
surface: a grid of smoothly joined capsules, whose vertices follow the bones of a walk. With --friction 0 the cloth slides off by frame
45. It needs numpy. Peak memory is that of the program alone.
"""

import argparse
import csv
import json
import pathlib
import resource
import subprocess
import sys

import numpy as np

SPACING = 0.0168  # of the grid in m: 20,000 triangles
WALK, FPS = 100, 30
# Bones: their parent, the ends in the rest pose in m, the radius of the flesh.
BONES = {
    "torso": (None, (0, 0.95, 0), (0, 1.38, 0), 0.15),
    "head": ("torso", (0, 1.45, 0), (0, 1.66, 0), 0.105),
}
for side, x in (("left", 1), ("right", -1)):
    BONES[f"{side} arm"] = ("torso", (0.17 * x, 1.38, 0), (0.36 * x, 1.18, 0), 0.062)
    BONES[f"{side} forearm"] = (f"{side} arm", (0.36 * x, 1.18, 0), (0.54 * x, 0.99, 0), 0.052)
    BONES[f"{side} thigh"] = ("torso", (0.105 * x, 0.9, 0), (0.125 * x, 0.5, 0), 0.085)
    BONES[f"{side} shin"] = (f"{side} thigh", (0.125 * x, 0.5, 0), (0.135 * x, 0.08, 0), 0.068)


def to_bone(p, bone):
    """The distance of points to the middle line of a bone."""
    _, a, b, _ = BONES[bone]
    a, b = np.array(a, float), np.array(b, float)
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(p - a - t[..., None] * (b - a), axis=-1)


def distance(p):
    """Negative inside of the character: capsules joined smoothly."""
    joined = None
    for bone, (_, _, _, radius) in BONES.items():
        d = to_bone(p, bone) - radius
        if joined is None:
            joined = d
            continue
        k = 0.05
        t = np.clip(0.5 + 0.5 * (d - joined) / k, 0, 1)
        joined = d * (1 - t) + joined * t - k * t * (1 - t)
    return joined


def surface():
    """The surface where the distance is 0, by surface nets: a vertex in each cell that it passes, a quad for each edge it cuts."""
    low, high = np.array([-0.7, -0.08, -0.3]), np.array([0.7, 1.86, 0.3])
    counts = np.ceil((high - low) / SPACING).astype(int)
    axes = [low[k] + SPACING * np.arange(counts[k] + 1) for k in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    value = distance(grid)
    inside = value < 0
    total, cuts = np.zeros((*counts, 3)), np.zeros(tuple(counts), int)
    cell = lambda array, offset: array[tuple(slice(o, o + n) for o, n in zip(offset, counts))]
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    for a in corners:
        for axis in range(3):
            b = tuple(a[k] + (k == axis) for k in range(3))
            if max(b) > 1:
                continue
            va, vb = cell(value, a), cell(value, b)
            cut = (va < 0) != (vb < 0)
            t = np.where(cut, va / np.where(cut, va - vb, 1), 0)[..., None]
            point = cell(grid, a) * (1 - t) + cell(grid, b) * t
            total += np.where(cut[..., None], point, 0)
            cuts += cut
    used = cuts > 0
    number = np.full(tuple(counts), -1)
    number[used] = np.arange(used.sum())
    points = total[used] / cuts[used][:, None]
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        ahead = np.roll(inside, -1, axis)
        where = np.argwhere(inside != ahead)
        where = where[(where[:, axis] < counts[axis]) & (where[:, u] > 0) & (where[:, v] > 0)]
        step = np.eye(3, dtype=int)
        quad = [where - step[u] - step[v], where - step[v], where, where - step[u]]
        quad = np.stack([number[tuple(q.T)] for q in quad], axis=1)
        out = inside[tuple(where.T)]  # the outside is ahead
        quad[~out] = quad[~out][:, ::-1]
        triangles += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    return points, np.concatenate(triangles)


def turn(angle):
    """The rotation about the x axis, from y to z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def pose(frame):
    """The rotation and the place of each bone, by which its points x go to R (x − start) + place."""
    time = frame / FPS
    ease = min(1.0, time / 0.5)
    phase = 2 * np.pi * 0.9 * time
    bones = {}
    for bone, (parent, start, _, _) in BONES.items():
        swing = np.sin(phase) * (1 if bone.startswith("left") else -1)
        bent = 0.5 + 0.5 * np.cos(phase) * (1 if bone.startswith("left") else -1)
        angle = {"arm": 0.45 * swing, "forearm": -0.35, "thigh": -0.45 * swing, "shin": 0.7 * bent}.get(bone.split()[-1], 0.0)
        start = np.array(start, float)
        if parent is None:
            bones[bone] = (np.eye(3), start + [0, 0.015 * ease * np.cos(2 * phase), 0.35 * ease * time])
            continue
        rotation, place = bones[parent]
        joint = rotation @ (start - np.array(BONES[parent][1], float)) + place
        bones[bone] = (rotation @ turn(ease * angle), joint)
    return bones


def skin(points):
    """How much each vertex follows each bone: flesh near joints follows both."""
    away = np.stack([np.maximum(to_bone(points, bone) - 0.6 * BONES[bone][3], 1e-3) for bone in BONES], axis=1)
    weights = away**-4.0
    return weights / weights.sum(axis=1, keepdims=True)


def write(folder):
    points, triangles = surface()
    weights = skin(points)
    faces = "".join(f"f {a} {b} {c}\n" for a, b, c in triangles + 1)
    for frame in range(WALK):
        bones = pose(frame)
        at = np.zeros_like(points)
        for column, (bone, (rotation, place)) in zip(weights.T, bones.items()):
            at += column[:, None] * ((points - np.array(BONES[bone][1], float)) @ rotation.T + place)
        text = "".join(f"v {x:.6f} {y:.6f} {z:.6f}\n" for x, y, z in at)
        (folder / f"walk_{frame + 1:04}.obj").write_text(text + faces)
    return len(points), len(triangles)


SCENE = """name = "character"
[time]
step = "1/60"
substeps = 2
frames = {frames}
[solver]
kind = "{solver}"
iterations = 30
tolerance = 1e-2
[contact]
distance = 0.003
friction = {friction}
self = true
[[obstacle]]
name = "floor"
shape = {{ plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }} }}
[[obstacle]]
name = "walker"
sequence = {{ files = "walk_####.obj", fps = {fps} }}
[[body]]
name = "cloth"
generate = {{ shape = "cloth", size = [1.8, 1.8], cells = [{cells}, {cells}] }}
thickness = 0.001
density = 300
material = {{ model = "arap", young = 1e5, poisson = 0.3 }}
bending = {{ stiffness = 1e-4 }}
transform = {{ translate = [-0.9, 1.79, -0.85] }}
[output]
formats = ["ply"]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pliant")
    parser.add_argument("--frames", type=int, default=WALK - 1)
    parser.add_argument("--cells", type=int, default=142)
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--solver", default="quasi-newton")
    parser.add_argument("--threads")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print("character: %d vertices, %d triangles" % write(options.folder))
    scene = SCENE.format(fps=FPS, **{k: getattr(options, k) for k in ("frames", "solver", "friction", "cells")})
    (options.folder / "character.toml").write_text(scene)
    if options.pliant is None:
        return
    run = options.folder / "run"
    command = [options.pliant, "simulate", options.folder / "character.toml", "-o", run, "--force"]
    subprocess.run(command + (["--threads", options.threads] if options.threads else []), check=True)
    report(run)


def report(run):
    rows = list(csv.DictReader((run / "metrics.csv").open()))
    frames = int(rows[-1]["frame"])
    touching = {row["frame"] for row in rows if int(row["contacts"]) > 0}
    of = lambda key, rows: sum(float(row[key]) for row in rows)
    late = [row for row in rows if row["frame"] in touching]
    print(f"{frames} frames, {len(touching)} of them with contacts, at most {max(int(r['contacts']) for r in rows)}")
    for name, rows, count in (("all", rows, frames), ("with contacts", late, max(1, len(touching)))):
        parts = ", ".join(f"{key} {of(key + '_ms', rows) / count:.0f}" for key in ("total", "local", "global", "collision"))
        print(f"ms a frame, {name}: {parts}; iterations a frame {of('iterations', rows) / count:.0f}")
    print("free of intersections:", json.loads((run / "summary.json").read_text())["contact"]["intersection_free"])
    print(f"peak memory {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
