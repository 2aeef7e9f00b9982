"""The contact energy of a run as ipctk has it, with our barrier b(d) = -dhat (s - 1)^2 ln s, s = d/dhat.

`by_pairs` sums over all pairs of a point and a triangle or a line's edge, and of two edges, with ipctk's distances and
mollifier and the areas that docs/contact.md tells: for everything but planes, which have a formula.
`by_potential` leaves pairs and areas to ipctk as well: for solids and sheets with each other and with themselves.
"""

import ipctk
import numpy as np
from check_run import check

# Pairs of one body with a range below this part of dhat are left out.
LEAST_RANGE = 1e-6


def barrier(d, dhat):
    """The barrier and its slope."""
    s = d / dhat
    return -dhat * (s - 1) ** 2 * np.log(s), -(2 * (s - 1) * np.log(s) + (s - 1) ** 2 / s)


class OfSquare(ipctk.Barrier):
    """Our barrier as ipctk wants it: a function of d^2 - dmin^2, whose range is dhat^2 + 2 dmin dhat."""

    def __init__(self, dmin):
        super().__init__()
        self.dmin = dmin

    def gap(self, square):
        return np.sqrt(square + self.dmin**2) - self.dmin

    def __call__(self, d, dhat):
        return barrier(self.gap(d), self.gap(dhat))[0] if d < dhat else 0.0

    def first_derivative(self, d, dhat):
        return barrier(self.gap(d), self.gap(dhat))[1] / (2 * (self.gap(d) + self.dmin)) if d < dhat else 0.0

    def second_derivative(self, d, dhat):
        raise NotImplementedError

    def units(self, dhat):
        return 1.0


def stiffness(run, part):
    """Young's modulus of a body, or what the config says for all."""
    entry = part.entry
    if part.is_obstacle:
        return np.inf
    if "stiffness" in run.contact:
        return run.contact["stiffness"]
    return entry["line"]["young"] if part.is_line else entry["material"]["young"]


def near(low, high, below, above, reach):
    """The pairs of boxes that are closer than `reach` along every axis."""
    apart = np.maximum(low[:, None] - above[None], below[None] - high[:, None])
    return np.argwhere((apart < reach).all(axis=2))


class Pieces:
    """Points, edges and triangles of a part with their areas at rest, in numbers of the extended points."""

    def __init__(self, run, part, rest, core):
        self.part, self.triangles, self.edges = part, part.triangles, part.edges
        self.points = part.vertices
        if part.shape:
            self.points, self.triangles = core, np.empty((0, 3), int)
            self.edges = core[None] if len(core) == 2 else np.empty((0, 2), int)
        self.is_line = len(self.edges) > 0
        corners = self.edges if self.is_line else self.triangles
        if self.is_line:
            lengths = np.linalg.norm(rest[corners[:, 1]] - rest[corners[:, 0]], axis=1)
            self.areas = lengths * max(2 * part.radius, run.distance)
            self.edge_areas = self.areas
        elif len(corners):
            a, b, c = (rest[corners[:, k]] for k in range(3))
            self.areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
            sides = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
            self.edges, place = np.unique(sides, axis=0, return_inverse=True)
            self.edge_areas = np.bincount(place.ravel(), np.tile(self.areas, 3) / 3)
        self.vertex_areas = np.zeros(len(rest))
        for k in range(corners.shape[1] if len(corners) else 0):
            np.add.at(self.vertex_areas, corners[:, k], self.areas / corners.shape[1])
        self.faces = self.edges if self.is_line else self.triangles


class Oracle:
    """Energy, forces and least gaps of the contacts of a run."""

    def __init__(self, run):
        self.run = run
        count, self.cores = len(run.rest), []
        for part in run.parts:
            size = {"sphere": 1, "capsule": 2}.get(part.shape, 0)
            self.cores.append(np.arange(count, count + size))
            count += size
        self.rest = self.extended(run.rest)
        self.pieces = [Pieces(run, part, self.rest, core) for part, core in zip(run.parts, self.cores)]
        self.twos = [(a, b) for a in range(len(run.parts)) for b in range(a, len(run.parts)) if run.touch(a, b)]
        # Pairs of one body that are nearer at rest than the barrier reaches, as seen so far.
        self.narrowed = set()

    def extended(self, x):
        """The points with the centres of spheres and the ends of capsules behind them."""
        exact = [point for part in self.run.parts if part.shape in ("sphere", "capsule") for point in part.core(x)]
        return np.concatenate([x, exact]) if exact else x

    def by_pairs(self, frame, twos):
        """Energy in J, forces in N on the points, least gaps and number of pairs of every two parts in `twos`."""
        x = self.extended(frame.x)
        free = np.zeros(len(x), bool)
        for part in self.run.parts:
            free[part.vertices] = not part.is_obstacle
        free[: len(frame.pinned)] &= ~frame.pinned
        total = Sum(len(x), self.run.distance)
        for a, b in twos:
            if self.run.parts[b].shape == "plane":
                self.above_plane(a, b, x, total)
                continue
            for kind, corners, area in self.pairs(a, b, x, self.reach(a, b)):
                if free[corners].any():
                    self.add(kind, corners, area, a, b, x, total)
        return total

    def reach(self, a, b):
        return self.run.distance + self.run.parts[a].radius + self.run.parts[b].radius

    def pairs(self, a, b, x, reach):
        """All pairs of pieces of two parts that may be closer than `reach`."""
        one, other = self.pieces[a], self.pieces[b]
        boxes = lambda cells: (x[cells].min(axis=1), x[cells].max(axis=1))
        for p, q in ((one, other),) if a == b else ((one, other), (other, one)):
            if len(q.faces):
                for i, j in near(x[p.points], x[p.points], *boxes(q.faces), reach):
                    v = p.points[i]
                    if v not in q.faces[j]:
                        kind = "point-edge" if q.is_line else "point-triangle"
                        yield kind, [v, *q.faces[j]], self.point_area(p, q, v, j)
        if len(one.edges) and len(other.edges):
            for i, j in near(*boxes(one.edges), *boxes(other.edges), reach):
                corners = [*one.edges[i], *other.edges[j]]
                if len(set(corners)) == 4 and (a != b or i < j):
                    yield "edge-edge", corners, self.edge_area(one, other, i, j)

    @staticmethod
    def point_area(p, q, vertex, face):
        if p.part.is_obstacle:
            return (1 if p.part.shape == "sphere" else 0.5) * q.areas[face]
        return (0.5 if q.part.is_obstacle else 0.25) * p.vertex_areas[vertex]

    @staticmethod
    def edge_area(p, q, i, j):
        if q.part.is_obstacle:
            return 0.5 * p.edge_areas[i]
        return 0.25 * (p.edge_areas[i] + q.edge_areas[j])

    def add(self, kind, corners, area, a, b, x, total):
        name = kind.replace("-", "_") + "_distance"
        distance, gradient = getattr(ipctk, name), getattr(ipctk, name + "_gradient")
        offset, dhat = self.reach(a, b) - self.run.distance, self.run.distance
        d = np.sqrt(distance(*x[corners]))
        if d - offset >= dhat:
            return
        if a == b:
            apart = np.sqrt(distance(*self.rest[corners]))
            if apart - offset < dhat:
                self.narrowed.add(tuple(corners))
                offset = min(offset, 0.5 * apart)
                dhat = min(dhat, 0.5 * (apart - offset))
            if d - offset >= dhat or dhat < LEAST_RANGE * self.run.distance:
                return
        value, slope = barrier(d - offset, dhat)
        mollifier, mollifier_gradient = 1.0, 0.0
        if kind == "edge-edge":
            limit = ipctk.edge_edge_mollifier_threshold(*self.rest[corners])
            mollifier = ipctk.edge_edge_mollifier(*x[corners], limit)
            mollifier_gradient = ipctk.edge_edge_mollifier_gradient(*x[corners], limit).reshape(4, 3)
        rates = gradient(*x[corners]).reshape(-1, 3) / (2 * d)
        strength = area * min(stiffness(self.run, self.run.parts[n]) for n in (a, b))
        total.add(corners, strength * mollifier * value, strength * (mollifier * slope * rates + value * mollifier_gradient), d - offset)

    def above_plane(self, a, b, x, total):
        body, piece = self.run.parts[a], self.pieces[a]
        point, normal = self.run.parts[b].plane(x)
        for v in body.vertices:
            gap = (x[v] - point) @ normal - body.radius
            if gap < self.run.distance:
                value, slope = barrier(gap, self.run.distance)
                strength = piece.vertex_areas[v] * stiffness(self.run, body)
                total.add([v], strength * value, strength * slope * normal[None], gap)

    def by_potential(self, frame, a, b):
        """Energy and forces between two bodies that are not lines, or within one, by ipctk's own pairs and areas."""
        run = self.run
        mesh, ids = run.mesh(sorted({a, b}))
        if a != b:
            mesh.can_collide = ipctk.make_vertex_patches_filter(run.part_of[ids].astype(np.int32))
        places = np.asfortranarray(frame.x[ids])
        dmin = run.parts[a].radius + run.parts[b].radius
        pairs = ipctk.NormalCollisions()
        pairs.use_area_weighting = True
        pairs.collision_set_type = ipctk.NormalCollisions.IPC
        pairs.build(mesh, places, run.distance, dmin)
        kappa = min(stiffness(run, run.parts[n]) for n in (a, b))
        # ipctk keeps no reference to the barrier.
        ours = OfSquare(dmin)
        potential = ipctk.BarrierPotential(ours, run.distance, kappa)
        forces = np.zeros_like(frame.x)
        forces[ids] = -potential.gradient(pairs, mesh, places).reshape(-1, 3)
        return potential(pairs, mesh, places), forces


class Sum:
    """What pairs add up to."""

    def __init__(self, count, dhat):
        self.energy, self.pairs = 0.0, 0
        self.forces, self.gaps = np.zeros((count, 3)), np.full(count, dhat)

    def add(self, corners, energy, gradient, gap):
        check(gap > 0, f"a gap of {gap:.3g} m at the points {corners}")
        self.energy += energy
        self.pairs += 1
        self.forces[corners] -= gradient
        self.gaps[corners] = np.minimum(self.gaps[corners], gap)
