#!/usr/bin/env python3
"""Makes dress.vtu: a dress without sleeves, a tube of triangles about the y axis, wider from the waist down. Needs numpy, meshio.

    make_dress.py [FILE [AROUND ROWS]]        72 vertices around and 52 rows by default; 180 and 90 are as many as in Wang 2015
"""

import sys

import meshio
import numpy as np

# Heights in m from the top down, and the radii there.
PROFILE = [(1.40, 0.19), (1.25, 0.21), (1.05, 0.17), (0.90, 0.22), (0.35, 0.48)]


def main(path="dress.vtu", around=72, rows=52):
    around, rows = int(around), int(rows)
    heights, radii = np.array(PROFILE).T
    length = np.concatenate([[0], np.cumsum(np.hypot(np.diff(heights), np.diff(radii)))])
    at = np.linspace(0, length[-1], rows)
    y, r = np.interp(at, length, heights), np.interp(at, length, radii)
    points, triangles = [], []
    for k in range(rows):
        for i in range(around):
            angle = 2 * np.pi * (i + 0.5 * (k % 2)) / around
            points.append([r[k] * np.cos(angle), y[k], r[k] * np.sin(angle)])
    for k in range(rows - 1):
        for i in range(around):
            a, b = k * around + i, k * around + (i + 1) % around
            c, d = a + around, b + around
            triangles += [[a, b, c], [b, d, c]] if k % 2 == 0 else [[a, b, d], [a, d, c]]
    mesh = meshio.Mesh(np.array(points), [("triangle", np.array(triangles, np.int32))])
    mesh.write(path, compression="zlib", header_type="UInt32")
    print(len(points), "vertices,", len(triangles), "triangles")


if __name__ == "__main__":
    main(*sys.argv[1:])
