"""From Blender's scene to a config with meshes, which `pliant simulate` runs with or without Blender."""

import json
import re
from pathlib import Path

import bpy
import numpy as np

from . import files, shapes
from .files import Trouble

CONFIG = "scene.toml"
RUN = "run"
# A vertex is held where its weight in the group of pins is above this.
HELD = 0.5
# What moves less than this part of its size does not move.
STILL = 1e-7


class Thing:
    """An object that takes part, with what is written of it."""

    def __init__(self, thing, body):
        self.thing, self.own, self.body = thing, thing.pliant, body
        self.points = self.faces = self.edges = None
        self.weights, self.frames = {}, []

    @property
    def is_body(self):
        """True unless it is an obstacle."""
        return self.own.role != "OBSTACLE"

    @property
    def follows(self):
        """True if its vertices are needed in every frame, since it or its pins may move."""
        is_held = self.own.is_following and bool(self.weights)
        return shapes.is_animated(self.thing) and (is_held or not self.is_body)

    @property
    def moves(self):
        """True if it has moved."""
        if len(self.frames) < 2:
            return False
        frames = np.array(self.frames)
        return np.ptp(frames, axis=0).max() > STILL * max(1e-30, np.ptp(frames[0], axis=0).max())


def directory_of(scene):
    """Where the config goes."""
    told = scene.pliant.directory
    if not told and not bpy.data.filepath:
        raise Trouble("save the file first, or choose a directory in the properties of the scene: pliant's files go there")
    if not told:
        told = f"//{Path(bpy.data.filepath).stem}-pliant"
    elif told.startswith("//") and not bpy.data.filepath:
        raise Trouble(f"the directory '{told}' is relative to the .blend file, which has no name: save it first")
    return Path(bpy.path.abspath(told)).resolve()


def name_for(thing, taken):
    """A name that no other object has, and that any system can have as a file's."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", thing.name).strip("_.-") or "object"
    if re.match(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)", name):
        name = f"o_{name}"
    free, number = name[:80], 2
    while free.lower() in taken:
        free, number = f"{name[:80]}-{number}", number + 1
    taken.add(free.lower())
    return free


def taking_part(context):
    """The objects that take part, those that the viewport shows, each with its name in the config."""
    scene, taken = context.scene, {"floor"}
    things = [t for t in scene.objects if t.pliant.role != "NONE" and t.visible_get(view_layer=context.view_layer)]
    if not any(t.pliant.role != "OBSTACLE" for t in things):
        raise Trouble("nothing is soft: choose a type under Physics > Pliant for an object that the viewport shows")
    for thing in things:
        wanted = ("MESH", "CURVE") if thing.pliant.role == "ROPE" else ("MESH",)
        if thing.pliant.role == "OBSTACLE":
            continue
        if thing.type not in wanted:
            raise Trouble(f"'{thing.name}' is no mesh: convert it with Object > Convert > Mesh")
        if thing.library:
            raise Trouble(f"'{thing.name}' is linked from another file: make it local with Object > Relations > Make Local")
    return [Thing(thing, name_for(thing, taken)) for thing in things]


def look_at(item, unit):
    """Takes down the shape of an object in the first frame."""
    thing, own = item.thing, item.own
    if thing.mode == "EDIT":
        thing.update_from_editmode()
    item.points = shapes.to_pliant(shapes.points_now(thing), unit)
    item.faces, item.edges = shapes.cells_of(thing)
    count = len(item.points)
    wants_edges = own.role == "ROPE"
    if not (item.edges if wants_edges else item.faces):
        raise Trouble(f"'{thing.name}' has no {'edges' if wants_edges else 'faces'}")
    if wants_edges and item.faces:
        raise Trouble(f"'{thing.name}' has faces: a rope is a mesh of edges alone; as a sheet or soft body it may have them")
    if not item.is_body:
        return
    if abs(np.linalg.det(shapes.matrix_of(thing)[:3, :3])) < 1e-18:
        raise Trouble(f"'{thing.name}' is scaled to nothing along an axis: apply or change its scale")
    if thing.type == "MESH" and count != len(thing.data.vertices):
        own_count = len(thing.data.vertices)
        raise Trouble(f"'{thing.name}': its first modifiers change the number of vertices from {own_count} to {count}")
    if thing.type == "CURVE":
        item.weights = {"pin": shapes.ends_of(thing, count)} if own.ends != "NONE" else {}
        return
    for name, group in (("pin", own.pin_group), ("goal", own.goal_group)):
        if group:
            item.weights[name] = shapes.weights_of(thing, group, count)
    if own.pin_group and item.weights["pin"].max(initial=0) <= HELD:
        raise Trouble(f"'{thing.name}': no vertex of the group '{own.pin_group}' has a weight above {HELD}")


def look(context, things):
    """Takes down all shapes, in all frames where they move; the frame of the scene stays."""
    scene = context.scene
    unit, now = scene.unit_settings.scale_length, (scene.frame_current, scene.frame_subframe)
    try:
        with shapes.bare([item.thing for item in things if item.is_body]):
            scene.frame_set(scene.frame_start)
            for item in things:
                look_at(item, unit)
            followers = [item for item in things if item.follows]
            for frame in range(scene.frame_start, scene.frame_end + 1 if followers else scene.frame_start):
                scene.frame_set(frame)
                for item in followers:
                    item.frames.append(shapes.to_pliant(shapes.points_now(item.thing), unit))
                    if len(item.frames[-1]) != len(item.points):
                        raise Trouble(
                            f"'{item.thing.name}' has {len(item.frames[-1])} vertices in frame {frame} and {len(item.points)} in "
                            "the first one: its modifiers must keep them"
                        )
    finally:
        scene.frame_set(now[0], subframe=now[1])


def number(value):
    """A number of a property, which has single precision."""
    return f"{value:.7g}"


def text(value):
    """A string of TOML."""
    return json.dumps(value, ensure_ascii=False)


def vector(values):
    """Three numbers of TOML."""
    return "[" + ", ".join(number(v + 0.0) for v in values) + "]"


def matter(item):
    """The lines of what a body is made of."""
    own, mesh = item.own, f"meshes/{item.body}.ply"
    if own.role == "SOFT":
        material = f'model = "stable-neo-hookean", young = {number(own.young)}, poisson = {number(own.poisson)}'
        lines = [f"surface = {text(mesh)}", f"tetrahedralize = {{ cells = {own.cells} }}"]
        lines += ['element = "quadratic"'] if own.is_quadratic else []
        return [*lines, f"density = {number(own.density)}", f"material = {{ {material} }}"]
    if own.role == "SHEET":
        material = f'model = "arap", young = {number(own.sheet_young)}, poisson = 0.3'
        lines = [f"mesh = {text(mesh)}", f"thickness = {number(own.thickness)}", f"density = {number(own.sheet_density)}"]
        lines += [f"bending = {{ stiffness = {number(own.bending)} }}"] if own.bending > 0 else []
        return [*lines, f"material = {{ {material} }}"]
    line = f'kind = "rope", young = {number(own.rope_young)}'
    radius, density = f"radius = {number(own.radius)}", f"density = {number(own.rope_density)}"
    return [f"mesh = {text(mesh)}", radius, density, f"line = {{ {line} }}"]


def body_table(item, fps):
    """The table of a body."""
    own = item.own
    lines = ["[[body]]", f"name = {text(item.body)}", *matter(item)]
    lines += [f"damping = {{ mass = {number(own.damping)} }}"] if own.damping > 0 else []
    lines.append(f"contact = {{ friction = {number(own.friction)} }}")
    motion = f'motion = {{ file = "meshes/{item.body}.pc2", fps = {fps!r} }}'
    for name in item.weights:
        kind = {"pin": "\"hard\"", "goal": f'{{ soft = {{ array = "goal", scale = {number(own.goal_stiffness)} }} }}'}[name]
        select = {"pin": f'{{ array = {{ name = "pin", above = {HELD} }} }}', "goal": '"all"'}[name]
        lines += ["", "[[body.pin]]", f"select = {select}", f"kind = {kind}", *([motion] if item.moves else [])]
    return lines


def obstacle_table(item, fps):
    """The table of an obstacle."""
    lines = ["[[obstacle]]", f"name = {text(item.body)}", f"friction = {number(item.own.friction)}"]
    lines.append(f'shape = {{ mesh = "meshes/{item.body}.ply" }}')
    return lines + ([f'sequence = {{ files = "meshes/{item.body}.pc2", fps = {fps!r} }}'] if item.moves else [])


def config(scene, things):
    """The text of the config."""
    own, render, unit = scene.pliant, scene.render, scene.unit_settings.scale_length
    rate = render.fps * own.substeps
    is_whole = render.fps_base == 1.0
    step = text(f"1/{rate}") if is_whole else repr(render.fps_base / rate)
    fps = render.fps if is_whole else render.fps / render.fps_base
    gravity = shapes.to_pliant([scene.gravity if scene.use_gravity else (0, 0, 0)], 1.0)[0]
    lines = [f"# Written by Pliant's add-on for Blender; outside of it: pliant simulate {CONFIG}", f"name = {text(RUN)}", ""]
    lines += ["[time]", f"step = {step}", f"substeps = {own.substeps}", f"frames = {scene.frame_end - scene.frame_start}", ""]
    lines += ["[solver]", f"kind = {text(own.solver)}", f"iterations = {own.iterations}", f"tolerance = {number(own.tolerance)}", ""]
    lines += ["[world]", f"gravity = {vector(gravity)}", ""]
    has_obstacles = own.has_floor or any(not item.is_body for item in things)
    if own.has_contact or has_obstacles:
        lines += ["[contact]"] + ([] if own.has_contact else ["bodies = false", "self = false"])
        lines += [f"distance = {number(unit * own.distance)}"] if own.distance > 0 else []
        lines += ['start = "exclude"', ""] if own.may_overlap else [""]
    for item in things:
        lines += [*(body_table(item, fps) if item.is_body else obstacle_table(item, fps)), ""]
    if own.has_floor:
        lines += ["[[obstacle]]", 'name = "floor"', f"friction = {number(own.floor_friction)}"]
        lines += [f"shape = {{ plane = {{ point = {vector((0, unit * own.floor, 0))}, normal = [0, 1, 0] }} }}", ""]
    formats = '["pc2", "vtu"]' if own.has_vtu else '["pc2"]'
    lines += ["[output]", f"dir = {text(RUN)}", f"formats = {formats}", f"start_frame = {scene.frame_start}", f"fps = {fps!r}"]
    return "\n".join(lines) + "\n"


def write(context):
    """Writes the config and its meshes; returns the directory and the objects that take part."""
    scene = context.scene
    if scene.frame_end <= scene.frame_start:
        raise Trouble("the scene has one frame: set an end after its start")
    directory, things = directory_of(scene), taking_part(context)
    look(context, things)
    for item in things:
        mesh = directory / "meshes" / item.body
        files.put(mesh.with_name(f"{item.body}.ply"), files.ply(item.points, item.faces, item.edges, item.weights))
        if item.moves:
            files.put(mesh.with_name(f"{item.body}.pc2"), files.pc2(item.frames, scene.frame_start))
        if item.is_body:
            item.own.body = item.body
    files.put(directory / CONFIG, config(scene, things))
    return directory, things
