"""Where Blender has the vertices of objects, in pliant's axes and unit, and which modifiers count.

Blender's z points up and its unit is what the scene says; pliant's y points up and its unit is the metre:
(x, y, z) becomes (x, z, -y) times the scale of the unit.

A body is simulated as the modifiers that only move vertices leave it. The first modifier that makes vertices, and all after
it, work on the simulated motion.
"""

from contextlib import contextmanager

import bpy
import numpy as np

from .files import Trouble

# The name of the modifier that plays the motion.
PLAYER = "Pliant"

# Modifiers that keep the vertices as they are and in order.
MOVERS = {
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE",
    "MESH_CACHE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SURFACE_DEFORM", "WARP", "WAVE",
}


def to_pliant(points, unit):
    """World positions of Blender in pliant's axes, in m."""
    x, y, z = np.asarray(points, float).T
    return unit * np.stack([x, z, -y], axis=1)


def to_blender(points, unit):
    """The way back."""
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    return np.stack([x, -z, y], axis=-1) / unit


def place_of_player(thing):
    """The index among the modifiers of an object where the motion is played: after those that only move vertices."""
    for index, modifier in enumerate(thing.modifiers):
        if modifier.name == PLAYER or modifier.type not in MOVERS:
            return index
    return len(thing.modifiers)


@contextmanager
def bare(things):
    """Switches off the motion that is played, and what works on it, and switches it on again afterwards."""
    off = []
    for thing in things:
        for modifier in list(thing.modifiers)[place_of_player(thing):]:
            if modifier.show_viewport:
                modifier.show_viewport = False
                off.append(modifier)
    try:
        yield
    finally:
        for modifier in off:
            modifier.show_viewport = True


def is_animated(thing):
    """True if an object may move or change its shape by itself."""
    data, keys = thing.data, getattr(thing.data, "shape_keys", None)
    own = [thing.animation_data, getattr(data, "animation_data", None), keys and keys.animation_data]
    others = [m for m in thing.modifiers if m.name != PLAYER and m.type != "SUBSURF"]
    moves = any(own) or others or len(thing.constraints) or thing.rigid_body
    return bool(moves) or (thing.parent is not None and (thing.parent_type != "OBJECT" or is_animated(thing.parent)))


def matrix_of(thing):
    """The place of an object in the world, as it is evaluated."""
    graph = bpy.context.evaluated_depsgraph_get()
    return np.array(thing.evaluated_get(graph).matrix_world)


def world(points, matrix):
    """Positions of an object in the world."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def spline_points(thing):
    """The control points of a curve, and the number of points of each of its splines."""
    if any(spline.type != "POLY" for spline in thing.data.splines):
        raise Trouble(
            f"'{thing.name}': a rope is a curve of poly splines: in edit mode, Curve > Set Spline Type > Poly, or convert it to "
            "a mesh"
        )
    counts = [len(spline.points) for spline in thing.data.splines]
    points = [p.co[:3] for spline in thing.data.splines for p in spline.points]
    return np.array(points, float).reshape(-1, 3), counts


def evaluated_mesh(thing, read):
    """What `read` makes of the mesh of an object as it is evaluated."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    try:
        mesh = shown.to_mesh()
    except RuntimeError as error:
        raise Trouble(f"'{thing.name}' has no surface: {error}") from error
    try:
        return read(mesh)
    finally:
        shown.to_mesh_clear()


def positions(mesh):
    """The positions of a mesh in its own space."""
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


def points_now(thing):
    """The world positions of all vertices of an object in this frame."""
    if thing.type == "CURVE" and thing.pliant.role == "ROPE":
        local = spline_points(thing)[0]
    else:
        local = evaluated_mesh(thing, positions)
    return world(local, matrix_of(thing))


def cells_of(thing):
    """The faces and the edges of an object, by its vertices; faces keep looking outward in a mirrored object."""
    if thing.type == "CURVE" and thing.pliant.role == "ROPE":
        edges, first = [], 0
        for spline in thing.data.splines:
            count = len(spline.points)
            edges += [(first + k, first + k + 1) for k in range(count - 1)]
            edges += [(first + count - 1, first)] if spline.use_cyclic_u and count > 2 else []
            first += count
        return [], edges

    def read(mesh):
        faces = [list(face.vertices) for face in mesh.polygons]
        return faces, [] if faces else [tuple(edge.vertices) for edge in mesh.edges]

    faces, edges = evaluated_mesh(thing, read)
    if np.linalg.det(matrix_of(thing)[:3, :3]) < 0:
        faces = [face[::-1] for face in faces]
    return faces, edges


def weights_of(thing, group, count):
    """The weight of each vertex in a vertex group."""
    found = thing.vertex_groups.get(group)
    if found is None:
        names = ", ".join(f"'{g.name}'" for g in thing.vertex_groups) or "none"
        raise Trouble(f"'{thing.name}' has no vertex group '{group}'; there are: {names}")
    weights = np.zeros(count)
    for vertex in thing.data.vertices:
        for own in vertex.groups:
            if own.group == found.index:
                weights[vertex.index] = own.weight
    return weights


def ends_of(thing, count):
    """1 at the ends of a curve that are held, and 0 elsewhere."""
    weights, first = np.zeros(count), 0
    for points in spline_points(thing)[1]:
        if thing.pliant.ends in ("FIRST", "BOTH"):
            weights[first] = 1
        first += points
        if thing.pliant.ends in ("LAST", "BOTH"):
            weights[first - 1] = 1
    return weights
