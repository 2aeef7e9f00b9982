#!/usr/bin/env python3
"""Makes head.vtu: a cartoon head with ears, cheeks and teeth, as tets. Needs numpy and meshio.

A lattice of cubes, each cut into five tets of alternating parity, is kept where the shape is, and the vertices of its
border are drawn onto the shape's surface. The cell array `part` is 0 for the head, 1 for the teeth, 2 for the ears.
"""

import itertools
import sys

import meshio
import numpy as np

H = 0.075


def ellipsoid(p, center, radii):
    q = (p - np.array(center)) / np.array(radii)
    return (np.linalg.norm(q, axis=-1) - 1.0) * min(radii)


def parts(p):
    head = ellipsoid(p, (0, 0, 0), (0.45, 0.42, 0.42))
    for side in (-1, 1):
        head = smooth_union(head, ellipsoid(p, (0.22 * side, -0.16, 0.24), (0.22, 0.2, 0.2)))
    head = smooth_union(head, ellipsoid(p, (0, -0.5, -0.08), (0.2, 0.3, 0.2)))
    ears = np.minimum(*(ellipsoid(p, (0.27 * s, 0.52, -0.05), (0.13, 0.3, 0.11)) for s in (-1, 1)))
    teeth = ellipsoid(p, (0, -0.3, 0.42), (0.11, 0.15, 0.08))
    return head, teeth, ears


def smooth_union(a, b, k=0.08):
    t = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
    return b * (1 - t) + a * t - k * t * (1 - t)


def distance(p):
    head, teeth, ears = parts(p)
    return smooth_union(smooth_union(head, teeth, 0.03), ears, 0.05)


def main(path):
    n = 24
    grid = {}
    cubes = []
    for cell in itertools.product(range(-n, n), repeat=3):
        if distance((np.array(cell) + 0.5) * H) < 0:
            cubes.append(cell)
    points, tets = [], []

    def vertex(key):
        if key not in grid:
            grid[key] = len(points)
            points.append(np.array(key, float) * H)
        return grid[key]

    even = [(0, 1, 3, 4), (1, 2, 3, 6), (1, 4, 5, 6), (3, 4, 6, 7), (1, 3, 4, 6)]
    odd = [(0, 1, 2, 5), (0, 2, 3, 7), (0, 4, 5, 7), (2, 5, 6, 7), (0, 2, 5, 7)]
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    for cell in cubes:
        v = [vertex(tuple(c + o for c, o in zip(cell, offset))) for offset in corners]
        for t in odd if sum(cell) % 2 else even:
            tets.append([v[i] for i in t])
    points, tets = np.array(points), np.array(tets)
    negative = volumes(points, tets) < 0
    tets[negative] = tets[negative][:, [0, 1, 3, 2]]
    faces = np.sort(np.concatenate([tets[:, f] for f in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])]), axis=1)
    unique, counts = np.unique(faces, axis=0, return_counts=True)
    border = np.unique(unique[counts == 1])
    for _ in range(20):  # towards the surface along the gradient, no further than the tets allow
        p = points[border]
        eps = 1e-4
        g = np.stack([(distance(p + e) - distance(p - e)) / (2 * eps) for e in np.eye(3) * eps], axis=1)
        g /= np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-9)
        step = -0.3 * distance(p)[:, None] * g
        moved = points.copy()
        moved[border] += step
        bad = volumes(moved, tets) < 0.25 * H**3 / 6
        moved[np.unique(tets[bad])] = points[np.unique(tets[bad])]
        points = moved
    volume = volumes(points, tets)
    assert volume.min() > 0, volume.min()
    head, teeth, ears = parts(points[tets].mean(axis=1))
    part = np.where((teeth < head) & (teeth < 0.02), 1, np.where((ears < head) & (ears < 0.03), 2, 0))
    mesh = meshio.Mesh(points, [("tetra", tets.astype(np.int32))], cell_data={"part": [part.astype(np.int32)]})
    mesh.write(path, compression="zlib", header_type="UInt32")
    print(len(points), "vertices,", len(tets), "tets, parts", np.bincount(part), "smallest volume", volume.min() / (H**3 / 6))


def volumes(points, tets):
    a, b, c, d = (points[tets[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "head.vtu")
