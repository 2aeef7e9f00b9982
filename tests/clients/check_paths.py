#!/usr/bin/env python3
"""Looks for crossings along the paths that steps with contact took, with ipctk's continuous collision detection.

    PLIANT_PATHS=DIR cargo test --release --test numerics paths_are_written -- --ignored
    .venv/bin/python tests/clients/check_paths.py DIR

A test of frames does not see what passed through something between them, and the straight line from frame to frame is not
the way that was taken. So every straight motion from one accepted place of a step to the next is tested: triangles and
lines by `is_step_collision_free`; planes, spheres and capsules by their gaps, which change no faster than the vertices
move. Then motions are broken on purpose, once for everything that a body of a scene may touch, and each time the same test
has to notice. Prints one line for each folder of DIR; exit code 0 if all is well.
"""

import json
import sys
from pathlib import Path

import ipctk
import numpy as np
from check_contact import between_segments, is_pierced, to_segments, to_triangles
from check_run import check

# The default one demands a fifth of the gap, and flags clean motions.
CCD = ipctk.TightInclusionCCD(1e-9, 10_000_000, 0.9999)
# How often a motion is halved until its gap is known to stay positive.
HALVINGS = 40


class Part:
    """What can touch: a body, or an obstacle of triangles, or one that is exact."""

    def __init__(self, entry, place):
        self.name, self.kind, self.radius = entry["name"], entry["kind"], entry["radius"]
        numbers = lambda key, width: place[np.array(entry.get(key, []), dtype=int).reshape(-1, width)]
        self.triangles, self.edges = numbers("triangles", 3), numbers("edges", 2)
        self.core = numbers("core", 1).ravel()
        self.is_exact = self.kind in ("plane", "sphere", "capsule")
        self.vertices = np.unique(np.concatenate([self.triangles.ravel(), self.edges.ravel()]))
        sides = [self.triangles[:, [k, (k + 1) % 3]] for k in range(3)]
        self.sides = np.unique(np.sort(np.concatenate([*sides, self.edges]), axis=1), axis=0)


class Paths:
    """The places of one folder."""

    def __init__(self, folder):
        about = json.loads((folder / "paths.json").read_text())
        ids = np.array(about["vertices"])
        place = np.full(ids.max() + 1, -1)
        place[ids] = np.arange(len(ids))
        self.parts = [Part(entry, place) for entry in about["parts"]]
        self.touch = np.array(about["touch"])
        self.x = np.fromfile(folder / "places.f64", "<f8").reshape(about["places"], len(ids), 3)
        begins = set(about["begins"])
        self.motions = [(k - 1, k) for k in range(1, len(self.x)) if k not in begins]
        numbers = range(len(self.parts))
        self.bodies = [n for n in numbers if self.parts[n].kind == "body"]
        self.exact = [n for n in numbers if self.parts[n].is_exact]
        self.mesh, self.ids = self.make_mesh([n for n in numbers if n not in self.exact])

    def make_mesh(self, numbers):
        """ipctk's mesh of the parts that have triangles or lines."""
        parts = [self.parts[n] for n in numbers]
        ids = np.unique(np.concatenate([part.vertices for part in parts]))
        own = lambda arrays, width: np.searchsorted(ids, np.concatenate(arrays)).astype(np.int32).reshape(-1, width)
        edges, faces = own([part.sides for part in parts], 2), own([part.triangles for part in parts], 3)
        fortran = np.asfortranarray
        mesh = ipctk.CollisionMesh(fortran(self.x[0][ids]), fortran(edges), fortran(faces))
        if not self.touch[np.ix_(numbers, numbers)].all():
            owner = np.zeros(len(ids), dtype=int)
            for n in numbers:
                owner[np.searchsorted(ids, self.parts[n].vertices)] = n
            owner, table = owner.tolist(), self.touch.tolist()
            # Python functions that ipctk calls back must be called by the thread that called it.
            ipctk.set_num_threads(1)
            mesh.can_collide = ipctk.CollisionFilter(lambda i, j: table[owner[i]][owner[j]])
        return mesh, ids

    def judge(self, a, b, name):
        """Asserts that the straight motion from `a` to `b` crosses nothing."""
        ends = [np.asfortranarray(x[self.ids]) for x in (a, b)]
        is_free = ipctk.is_step_collision_free(self.mesh, *ends, narrow_phase_ccd=CCD)
        check(is_free, f"{name}: ipctk finds a crossing")
        for n in self.exact:
            for m in self.bodies:
                if self.touch[n, m]:
                    gap = lowest_gap(self.parts[m], self.parts[n], a, b)
                    check(gap > 0, f"{name}: {self.parts[m].name} comes {-gap:.3g} m into {self.parts[n].name}")


def lowest_gap(body, obstacle, a, b):
    """A gap in m that is positive if none is ever less than 0 while all vertices move from `a` to `b`."""
    if obstacle.kind == "plane":
        return min(height(body, obstacle, a), height(body, obstacle, b), turn(obstacle, a, b))
    pieces = body.triangles if len(body.triangles) else body.edges
    way = np.linalg.norm(b - a, axis=1)
    speed = way[pieces].max(axis=1) + way[obstacle.core].max()
    ranges, left = [(0.0, 1.0)], HALVINGS * 1000
    while ranges:
        start, end = ranges.pop()
        gaps = [piece_gaps(body, obstacle, pieces, a + t * (b - a)) for t in (start, end)]
        lowest = min(gaps[0].min(), gaps[1].min())
        left -= 1
        if lowest <= 0 or left == 0:
            return min(lowest, 0)
        # A gap changes no faster than its pieces move.
        unknown = gaps[0] + gaps[1] <= speed * (end - start)
        if unknown.any():
            pieces, speed = (pieces[unknown], speed[unknown]) if not ranges else (pieces, speed)
            middle = 0.5 * (start + end)
            ranges += [(middle, end), (start, middle)]
    return np.inf


def height(body, plane, x):
    """The least height of a body's vertices above a plane."""
    p, q, r = x[plane.core]
    normal = np.cross(q - p, r - p)
    return ((x[body.vertices] - p) @ normal).min() / np.linalg.norm(normal) - body.radius


def turn(plane, a, b):
    """Positive if a plane does not turn: then heights above it are linear, and least at the ends."""
    moves = b[plane.core] - a[plane.core]
    return np.inf if np.allclose(moves, moves[0], rtol=0, atol=1e-12) else -np.inf


def piece_gaps(body, obstacle, pieces, x):
    """The gaps between triangles or edges and a sphere or a capsule."""
    core, corners = x[obstacle.core], [x[pieces[:, k]] for k in range(pieces.shape[1])]
    count = pieces.shape[1]
    to_core = (lambda p: to_triangles(p, corners)) if count == 3 else (lambda p: to_segments(p, *corners))
    distances = [to_core(p) for p in core]
    if len(core) == 2:
        sides = [(corners[k], corners[(k + 1) % count]) for k in range(count if count == 3 else 1)]
        distances += [between_segments(*core, *side) for side in sides]
        if count == 3 and is_pierced(*core, corners):
            distances.append(np.zeros(len(pieces)))
    return np.min(distances, axis=0) - body.radius - obstacle.radius


def broken(paths, body, other):
    """A motion at whose end a vertex of a body is inside or beyond another part, or a body beyond a line."""
    body, other, a = paths.parts[body], paths.parts[other], paths.x[-1]
    b = a.copy()
    vertex = body.vertices[0]
    if other.kind == "plane":
        p, q, r = a[other.core]
        normal = np.cross(q - p, r - p)
        b[vertex] -= 2 * ((a[vertex] - p) @ normal) / (normal @ normal) * normal
        return a, b
    if other.is_exact:
        target = a[other.core].mean(axis=0)
    elif len(other.triangles):
        apart = ~np.isin(other.triangles, body.triangles[(body.triangles == vertex).any(axis=1)]).any(axis=1)
        faces = a[other.triangles[apart]]
        target = faces[np.argmin(np.linalg.norm(faces.mean(axis=1) - a[vertex], axis=1))].mean(axis=0)
    else:
        # All of the body passes the line.
        target = a[other.edges[len(other.edges) // 2]].mean(axis=0)
        nearest = body.vertices[np.argmin(np.linalg.norm(a[body.vertices] - target, axis=1))]
        b[body.vertices] += 2 * (target - a[nearest])
        return a, b
    b[vertex] += 2 * (target - a[vertex])
    return a, b


def check_paths(paths):
    """Holds every motion against ipctk and formulas."""
    check(not ipctk.has_intersections(paths.mesh, np.asfortranarray(paths.x[0][paths.ids])), "the first place intersects")
    for first, second in paths.motions:
        paths.judge(paths.x[first], paths.x[second], f"motion to place {second} of {len(paths.x)}")
    return f"nothing crosses in {len(paths.motions)} motions"


def check_judge(paths):
    """Breaks motions, which has to be noticed."""
    noticed = 0
    for body in paths.bodies:
        for other in range(len(paths.parts)):
            if not paths.touch[body, other] or (body == other and not len(paths.parts[body].triangles)):
                continue
            try:
                paths.judge(*broken(paths, body, other), "broken")
            except AssertionError:
                noticed += 1
                continue
            names = " through ".join(paths.parts[n].name for n in (body, other))
            raise AssertionError(f"a motion of {names} is not noticed")
    return f"; {noticed} broken ones noticed"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed, scenes = False, set()
    folders = sorted(path.parent for path in Path(sys.argv[1]).glob("*/paths.json"))
    check(folders, f"{sys.argv[1]} holds no paths")
    for folder in folders:
        try:
            paths = Paths(folder)
            text = check_paths(paths)
            # Variants of a scene have the same parts.
            scene = tuple(part.name for part in paths.parts)
            text += "" if scene in scenes else check_judge(paths)
            scenes.add(scene)
            print(f"{folder.name}: {text}", flush=True)
        except AssertionError as error:
            print(f"{folder.name}: FAILED: {error}", flush=True)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
