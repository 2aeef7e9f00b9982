"""Writes knot.obj: a tube along a trefoil knot, as quads with texture coordinates."""

from math import cos, pi, sin, sqrt

AROUND, ALONG, RADIUS = 12, 120, 0.09


def centre(t):
    return [
        (sin(t) + 2 * sin(2 * t)) / 4,
        (cos(t) - 2 * cos(2 * t)) / 4,
        -sin(3 * t) / 4,
    ]


def unit(v):
    length = sqrt(sum(c * c for c in v))
    return [c / length for c in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


with open("knot.obj", "w") as out:
    out.write("# a tube along a trefoil knot, made by make_knot.py\no knot\n")
    for i in range(ALONG):
        t = 2 * pi * i / ALONG
        ahead, behind = centre(t + 1e-4), centre(t - 1e-4)
        along = unit([a - b for a, b in zip(ahead, behind)])
        # The knot winds about the z axis, which is never along it.
        side = unit(cross(along, [0, 0, 1]))
        up = cross(side, along)
        for j in range(AROUND):
            a = 2 * pi * j / AROUND
            p = [c + RADIUS * (cos(a) * s + sin(a) * u) for c, s, u in zip(centre(t), side, up)]
            out.write("v {:.6f} {:.6f} {:.6f}\n".format(*p))
    for i in range(ALONG + 1):
        for j in range(AROUND + 1):
            out.write(f"vt {8 * i / ALONG:.4f} {j / AROUND:.4f}\n")
    for i in range(ALONG):
        for j in range(AROUND):
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            vertex = [(a % ALONG) * AROUND + b % AROUND + 1 for a, b in corners]
            texture = [a * (AROUND + 1) + b + 1 for a, b in corners]
            out.write("f " + " ".join(f"{v}/{t}" for v, t in zip(vertex, texture)) + "\n")
