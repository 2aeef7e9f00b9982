#!/usr/bin/env python3
"""Makes horse.vtu: a toy horse of 2.3 × 1.9 × 0.7 m about its middle, as tets, as make_head.py does. Needs numpy, meshio."""

import sys

import make_head
import numpy as np


def capsule(p, a, b, radius):
    a, b = np.array(a), np.array(b)
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(p - a - t[..., None] * (b - a), axis=-1) - radius


def horse(p):
    shape = make_head.ellipsoid(p, (0, 0, 0), (0.72, 0.34, 0.32))
    limbs = [
        ((0.55, 0.1, 0), (0.85, 0.6, 0), 0.17),  # neck
        ((0.85, 0.62, 0), (1.12, 0.4, 0), 0.14),  # head
        ((-0.6, 0.1, 0), (-1.0, -0.25, 0), 0.1),  # tail
    ]
    limbs += [((x, -0.1, z), (1.15 * x, -0.95, 1.1 * z), 0.12) for x in (0.45, -0.45) for z in (0.2, -0.2)]
    for limb in limbs:
        shape = make_head.smooth_union(shape, capsule(p, *limb))
    return shape


def main(path):
    make_head.H = 0.1
    make_head.distance = horse
    make_head.parts = lambda p: (horse(p), np.full(len(p), 9.0), np.full(len(p), 9.0))
    make_head.main(path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "horse.vtu")
