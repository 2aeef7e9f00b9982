"""The simulated motion on the user's own objects, by a Mesh Cache modifier; nothing else of them changes."""

import bpy
import numpy as np

from . import files, shapes
from .files import Trouble
from .scene import RUN, directory_of

# The directory of the files that the modifiers play, in the spaces of the objects.
PLAY = "play"


def bodies_of(scene):
    """The objects of a scene that were simulated."""
    return [t for t in scene.objects if t.pliant.role not in ("NONE", "OBSTACLE") and t.pliant.body]


def used_vertices(thing, count):
    """The numbers of the vertices that a run has: all of a soft body, and those in faces or edges of others."""
    if thing.pliant.role == "SOFT" or thing.type == "CURVE":
        return np.arange(count)
    cells = [p.vertices for p in thing.data.polygons] or [e.vertices for e in thing.data.edges]
    return np.unique(np.concatenate([np.array(c) for c in cells])) if cells else np.arange(0)


def local_rest(thing):
    """The positions of an object's own vertices in its own space."""
    return shapes.spline_points(thing)[0] if thing.type == "CURVE" else shapes.positions(thing.data)


def matrices(scene, things, count):
    """The places in the world of each object in the frames of the run."""
    found = {thing: [shapes.matrix_of(thing)] for thing in things}
    moving = [thing for thing in things if shapes.is_animated(thing)]
    if not moving:
        return found
    now = (scene.frame_current, scene.frame_subframe)
    try:
        for thing in moving:
            found[thing] = []
        for frame in range(count):
            scene.frame_set(scene.frame_start + frame)
            for thing in moving:
                found[thing].append(shapes.matrix_of(thing))
    finally:
        scene.frame_set(now[0], subframe=now[1])
    return found


def into_space(points, places):
    """World positions, frame by frame, in the space of an object."""
    try:
        inverse = np.linalg.inv(np.array(places))
    except np.linalg.LinAlgError as error:
        raise Trouble("an object is scaled to nothing in some frame: a motion cannot be shown on it") from error
    return np.einsum("fij,fvj->fvi", inverse[:, :3, :3], points) + inverse[:, None, :3, 3]


def name_beside(path):
    """The name of a file as seen from the .blend file, so that both can be moved; whole where that cannot be."""
    try:
        return bpy.path.relpath(str(path)) if bpy.data.filepath else str(path)
    except ValueError:
        # On another drive.
        return str(path)


def play(thing, path, start):
    """Lets an object play a file, by the modifier that it has for this or a new one behind those that move vertices."""
    cache = thing.modifiers.get(shapes.PLAYER)
    if cache is None or cache.type != "MESH_CACHE":
        index = shapes.place_of_player(thing)
        cache = thing.modifiers.new(shapes.PLAYER, "MESH_CACHE")
        thing.modifiers.move(len(thing.modifiers) - 1, index)
    cache.cache_format = "PC2"
    cache.filepath = name_beside(path)
    cache.frame_start = start
    cache.interpolation = "LINEAR"
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
    cache.use_apply_on_spline = thing.type == "CURVE"
    cache.show_viewport = cache.show_render = True
    thing.update_tag()


def load(context):
    """Puts the motion of the run on its objects; returns how many, and the number of frames."""
    scene = context.scene
    directory, unit, things = directory_of(scene), scene.unit_settings.scale_length, bodies_of(scene)
    if not things:
        raise Trouble("no object has been simulated yet: press Simulate")
    runs = {t: files.read_pc2(directory / RUN / "blender" / f"{t.pliant.body}.pc2") for t in things}
    count = max(len(run) for run in runs.values())
    places = matrices(scene, things, count)
    for thing, run in runs.items():
        rest = local_rest(thing)
        used = used_vertices(thing, len(rest))
        if len(used) != run.shape[1]:
            raise Trouble(
                f"'{thing.name}' has {len(used)} vertices in cells, the run {run.shape[1]}: it has changed since; simulate again"
            )
        shown = np.repeat(rest[None], len(run), axis=0)
        shown[:, used] = into_space(shapes.to_blender(run, unit), places[thing][:len(run)])
        path = directory / PLAY / f"{thing.pliant.body}.pc2"
        files.put(path, files.pc2(shown, scene.frame_start))
        play(thing, path, scene.frame_start)
    return len(things), count


def clear(scene):
    """Takes the motion away from all objects of a scene; files stay. Returns from how many."""
    count = 0
    for thing in scene.objects:
        cache = thing.modifiers.get(shapes.PLAYER)
        if cache is not None and cache.type == "MESH_CACHE":
            thing.modifiers.remove(cache)
            count += 1
    return count
