#!/usr/bin/env python3
"""Holds every frame of runs with contact against ipctk: nothing intersects, and nothing is closer than its thickness.

    .venv/bin/python tests/clients/check_contact.py RUN_DIR...

Triangles and lines by ipctk's exact tests and distances; planes, spheres and capsules, which are exact in a run, by their
formulas. Then the last frame is broken on purpose, once for everything that a body may touch, and each time the same
test has to notice. Prints one line for each run; exit code 0 if all is well.
"""

import ipctk
import numpy as np
from check_run import check
from contact_run import main


def to_segments(p, a, b):
    """The distances of points from segments, row by row."""
    way = b - a
    t = np.clip(np.sum((p - a) * way, axis=-1) / np.sum(way * way, axis=-1), 0, 1)
    return np.linalg.norm(a + t[:, None] * way - p, axis=-1)


def to_triangles(p, corners):
    """The distances of a point from triangles."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    square = np.sum(normal * normal, axis=1)
    v = np.sum(np.cross(p - a, c - a) * normal, axis=1) / square
    w = np.sum(np.cross(b - a, p - a) * normal, axis=1) / square
    sides = np.min([to_segments(p, *side) for side in ((a, b), (b, c), (c, a))], axis=0)
    height = np.abs(np.sum((p - a) * normal, axis=1)) / np.sqrt(square)
    return np.where((v >= 0) & (w >= 0) & (v + w <= 1), height, sides)


def between_segments(a, b, c, d):
    """The distances of a segment from segments c to d."""
    u, v, w = b - a, d - c, c - a
    normal = np.cross(u, v)
    square = np.sum(normal * normal, axis=1)
    ends = np.min([to_segments(a, c, d), to_segments(b, c, d), to_segments(c, a, b), to_segments(d, a, b)], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.sum(np.cross(w, v) * normal, axis=1) / square
        t = np.sum(np.cross(w, u) * normal, axis=1) / square
        height = np.abs(np.sum(w * normal, axis=1)) / np.sqrt(square)
    return np.where((s >= 0) & (s <= 1) & (t >= 0) & (t <= 1), height, ends)


def is_pierced(a, b, corners):
    """Whether a segment goes through one of some triangles."""
    p, q, r = corners
    normal = np.cross(q - p, r - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sum((p - a) * normal, axis=1) / ((b - a) @ normal.T)
        at = a + t[:, None] * (b - a)
        signs = [np.sum(np.cross(w - v, at - v) * normal, axis=1) for v, w in ((p, q), (q, r), (r, p))]
    return ((t >= 0) & (t <= 1) & (np.min(signs, axis=0) >= 0)).any()


def gap_to_exact(body, obstacle, x):
    """The gap in m between a body and a plane, a sphere or a capsule."""
    if obstacle.shape == "plane":
        point, normal = obstacle.plane(x)
        return ((x[body.vertices] - point) @ normal).min() - body.radius
    core = obstacle.core(x)
    triangles = [x[body.triangles[:, k]] for k in range(3)]
    distances = [to_triangles(p, triangles) for p in core] if len(body.triangles) else []
    edges = [body.edges] if body.is_line else [body.triangles[:, [0, 1]], body.triangles[:, [1, 2]], body.triangles[:, [2, 0]]]
    ends = [(x[e[:, 0]], x[e[:, 1]]) for e in edges]
    if len(core) == 2:
        if is_pierced(*core, triangles):
            return -obstacle.radius
        distances += [between_segments(*core, *side) for side in ends]
    else:
        distances += [to_segments(core[0], *side) for side in ends]
    return np.concatenate(distances).min() - body.radius - obstacle.radius


class Judge:
    """Tells whether positions are free of intersections."""

    def __init__(self, run):
        self.run = run
        numbers = range(len(run.parts))
        self.bodies = [n for n in numbers if not run.parts[n].is_obstacle]
        self.exact = [n for n in numbers if run.parts[n].shape]
        self.mesh, self.ids = run.mesh([n for n in numbers if n not in self.exact])
        self.owner = run.part_of[self.ids]
        widest = max(run.parts[n].radius for n in self.bodies)
        self.thickest = widest + max(run.parts[n].radius for n in numbers if n not in self.exact)

    def judge(self, x, name):
        run, places = self.run, np.asfortranarray(x[self.ids])
        check(not ipctk.has_intersections(self.mesh, places), f"{name}: ipctk finds an intersection")
        for a in self.exact:
            for b in self.bodies:
                if run.touch(a, b):
                    gap = gap_to_exact(run.parts[b], run.parts[a], x)
                    check(gap > 0, f"{name}: {run.parts[b].name} is {-gap:.3g} m inside {run.parts[a].name}")
        if self.thickest > 0:
            self.judge_thickness(places, name)

    def judge_thickness(self, places, name):
        """Surfaces of different parts are further apart than half of their thicknesses."""
        for pair, distance in self.near(places):
            wanted = sum(self.run.parts[n].radius for n in pair)
            names = " and ".join(self.run.parts[n].name for n in pair)
            check(distance > wanted, f"{name}: {names} are {distance:.6g} m apart, less than their thickness, {wanted:.6g} m")

    def near(self, places):
        """Numbers of different parts, with a distance of theirs that is less than any two are thick."""
        found = ipctk.NormalCollisions()
        found.build(self.mesh, places, self.thickest)
        edges, faces, out = np.asarray(self.mesh.edges), np.asarray(self.mesh.faces), []
        for kind in (found.vv_collisions, found.ev_collisions, found.ee_collisions, found.fv_collisions):
            for collision in kind:
                ids = [v for v in collision.vertex_ids(edges, faces) if v >= 0]
                pair = sorted({self.owner[v] for v in ids})
                if len(pair) == 2:
                    out.append((pair, np.sqrt(collision.compute_distance(places[ids].ravel()))))
        return out


def broken(run, x, body, other):
    """Positions with one vertex of a body where it must not be: inside or beyond another part."""
    body, other, x = run.parts[body], run.parts[other], x.copy()
    end, start = body.edges[0] if body.is_line else body.triangles[0][:2]
    if other.shape == "plane":
        point, normal = other.plane(x)
        x[end] -= ((x[end] - point) @ normal + run.distance) * normal
    elif other.shape:
        x[end] = other.core(x)[0]
    elif len(other.triangles):
        apart = ~np.isin(other.triangles, [start, end]).any(axis=1)
        middle = x[other.triangles[apart][-1]].mean(axis=0)
        x[end] = middle + 0.5 * (middle - x[start])
    else:
        edge = other.edges[-1]
        x[end] = x[edge].mean(axis=0) + 0.1 * other.radius
    return x


def check_run(run):
    judge, count = Judge(run), 0
    for frame in run.frames():
        judge.judge(frame.x, f"frame {frame.number}")
        count += 1
    noticed = 0
    for body in judge.bodies:
        for other in range(len(run.parts)):
            itself = body == other and run.parts[body].is_line
            if not run.touch(body, other) or itself:
                continue
            try:
                judge.judge(broken(run, frame.x, body, other), "broken")
            except AssertionError:
                noticed += 1
                continue
            raise AssertionError(f"{run.parts[body].name} inside {run.parts[other].name} is not noticed")
    return f"no intersections in {count} frames of {len(judge.bodies)} bodies; {noticed} broken ones noticed"


if __name__ == "__main__":
    main(check_run, __doc__)
