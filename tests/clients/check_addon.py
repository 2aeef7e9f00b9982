#!/usr/bin/env python3
"""Installs Pliant's add-on in Blender (pip's bpy), simulates a user's scene from the panel's operators and looks at it.

    .venv/bin/python tests/clients/check_addon.py PLIANT FOLDER

The scene has two soft bodies with painted goals, one of them carried by an armature, a sheet whose corner follows a handle, a
rope of a curve, an obstacle that an armature turns, one that stands still, and a floor. The command line simulates the config
that the add-on wrote once more, into PLY frames; the evaluated vertices of the user's own objects must be those, upright, to
1e-6. Materials, texture coordinates, vertex groups, modifiers and all else must be as before. A picture is rendered.
"""

import os
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np

from addon_scene import FRAMES, build

# Positions are in single precision in Blender.
TOLERANCE = 1e-6


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def read_ply(path):
    """The vertices of a binary PLY file as pliant writes it."""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    lines = [line.split() for line in data[:end].decode().splitlines()]
    count = next(int(w[2]) for w in lines if w[:2] == ["element", "vertex"])
    kinds = {"float": "<f4", "double": "<f8", "int": "<i4", "uchar": "u1"}
    columns, inside = [], False
    for words in lines:
        if words[0] == "element":
            inside = words[1] == "vertex"
        elif words[0] == "property" and inside:
            columns.append((words[2], kinds[words[1]]))
    table = np.frombuffer(data, np.dtype(columns), count, end)
    return np.stack([table[axis] for axis in "xyz"], axis=1).astype(float)


# What the user has --------------------------------------------------------------------------------------------------


def state(thing):
    """What a user has in an object, less what Pliant may change."""
    data = thing.data
    out = [thing.name, tuple(map(tuple, thing.matrix_world)), thing.type, thing.parent]
    out.append([(m.name, m.type) for m in thing.modifiers if m.name != "Pliant"])
    if thing.type == "MESH":
        out.append([tuple(v.co) for v in data.vertices])
        out.append([tuple((g.group, round(g.weight, 6)) for g in v.groups) for v in data.vertices])
        out.append([(tuple(p.vertices), p.material_index, p.use_smooth) for p in data.polygons])
        out.append([[tuple(d.uv) for d in layer.data] for layer in data.uv_layers])
        out.append([m and m.name for m in data.materials])
        out.append([g.name for g in thing.vertex_groups])
    if thing.type == "CURVE":
        out.append([(tuple(p.co), p.radius) for s in data.splines for p in s.points])
    return out


def whole_state():
    import bpy

    scene = bpy.context.scene
    render = scene.render
    scene.frame_set(scene.frame_current)
    settings = (scene.frame_current, scene.frame_start, scene.frame_end, render.fps, render.engine, render.filepath, scene.camera)
    return {"settings": settings} | {t.name: state(t) for t in scene.objects}


# What is held against it ---------------------------------------------------------------------------------------------


def shown(thing):
    """The evaluated vertices of an object in the world, without what makes vertices."""
    import bpy

    makers = [m for m in thing.modifiers if m.type == "SUBSURF"]
    for modifier in makers:
        modifier.show_viewport = False
    # A curve without thickness has its points as vertices.
    depth = getattr(thing.data, "bevel_depth", None)
    if depth:
        thing.data.bevel_depth = 0
    own = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    local = np.array([tuple(v.co) for v in own.to_mesh().vertices], float)
    own.to_mesh_clear()
    matrix = np.array(own.matrix_world)
    if depth:
        thing.data.bevel_depth = depth
    for modifier in makers:
        modifier.show_viewport = True
    return local @ matrix[:3, :3].T + matrix[:3, 3]


def compare(scene, bodies, frames):
    """The largest distance between what Blender shows and the frames of the command line, in m; and how far things moved."""
    worst, ways, now = 0.0, {}, scene.frame_current
    for index in range(FRAMES):
        scene.frame_set(scene.frame_start + index)
        for thing in bodies:
            x, y, z = read_ply(frames / "ply" / f"{thing.pliant.body}_{index:04}.ply").T
            expected = np.stack([x, -z, y], axis=1)
            found = shown(thing)[: len(expected)]
            off = np.abs(found - expected).max()
            check(off < TOLERANCE, f"{thing.name}, frame {index}: off by {off}")
            worst = max(worst, off)
            ways.setdefault(thing.name, expected)
            if index == FRAMES - 1:
                ways[thing.name] = np.abs(expected - ways[thing.name]).max()
    scene.frame_set(now)
    check(all(way > 0.01 for way in ways.values()), f"something stands still: {ways}")
    return worst, ways


def render(path):
    """A picture of the last frame."""
    import bpy
    from mathutils import Vector

    scene = bpy.context.scene
    scene.frame_set(FRAMES)
    camera = scene.camera
    camera.location = (1.4, -6.8, 3.0)
    bpy.data.objects["Light"].location = (2, -3, 5)
    camera.rotation_euler = (Vector((-0.3, 0, 0.9)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    bpy.ops.mesh.primitive_plane_add(size=12, location=(0, 0, 0))
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 8, False
    scene.render.resolution_x, scene.render.resolution_y = 480, 270
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:]).reshape(-1, 4)[:, :3]
    for name, channel in (("red", 0), ("green", 1), ("blue", 2)):
        others = [k for k in range(3) if k != channel]
        share = (pixels[:, channel] > 1.5 * pixels[:, others].max(axis=1)).mean()
        check(share > 0.002, f"{name} is in {share:.2%} of the picture")


def refusals(module):
    """Errors come as Blender's own, with pliant's message and nothing left running."""
    import bpy

    def fails(act, *words):
        try:
            act()
        except RuntimeError as error:
            check(all(word in str(error) for word in words), f"{words} are not in: {error}")
            return
        raise AssertionError(f"nothing was refused: {words}")

    scene, block = bpy.context.scene, bpy.data.objects["Block"]
    step = bpy.data.objects["Step"]
    place = step.location.copy()
    step.location = (0.3, 0, 1.3)
    fails(bpy.ops.pliant.simulate, "intersect", "Step")
    step.location = place
    block.pliant.goal_group = "nowhere"
    fails(bpy.ops.pliant.simulate, "Block", "nowhere", "'goal'")
    block.pliant.goal_group = "goal"
    rope = bpy.data.objects["Rope"].data.splines[0]
    rope.type = "NURBS"
    fails(bpy.ops.pliant.simulate, "'Rope'", "Set Spline Type > Poly")
    rope.type = "POLY"
    size, block.scale.x = block.scale.x, 0
    fails(bpy.ops.pliant.simulate, "'Block'", "scaled to nothing")
    block.scale.x = size
    end, scene.frame_end = scene.frame_end, scene.frame_start
    fails(bpy.ops.pliant.simulate, "one frame")
    scene.frame_end = end
    told = os.environ.pop("PLIANT"), os.environ["PATH"]
    os.environ["PATH"] = ""
    fails(bpy.ops.pliant.simulate, "not on the path", "Preferences")
    os.environ["PLIANT"], os.environ["PATH"] = told
    check(module.operators.State.job is None, "a run is left")


class Window:
    """As much of a window as an operator sees that runs in the background; this Blender has none."""

    def __init__(self, scene, view_layer):
        self.scene, self.view_layer, self.window, self.screen = scene, view_layer, None, None
        self.window_manager, self.told = self, []

    def event_timer_add(self, _tick, window):
        return "timer"

    def event_timer_remove(self, timer):
        check(timer == "timer", "another timer is removed")

    def modal_handler_add(self, _operator):
        pass

    def progress_begin(self, low, high):
        check((low, high) == (0, 100), "the progress is no percentage")

    def progress_update(self, value):
        self.told.append(value)

    def progress_end(self):
        pass


def in_the_background(module, resume, at_progress=lambda: None):
    """Runs Simulate or Resume as a window would; returns what it ended with, its reports and its progress."""
    import bpy

    reports = []

    class Event:
        type = "TIMER"

    class Operator(module.operators.Runner):
        def report(self, kind, text):
            reports.append((min(kind), text))

    operator, window = Operator(), Window(bpy.context.scene, bpy.context.view_layer)
    operator.resume, module.operators.is_waiting = resume, lambda: False
    check(operator.invoke(window, None) == {"RUNNING_MODAL"}, f"it does not begin: {reports}")
    check(not bpy.ops.pliant.simulate.poll(), "two runs at a time")
    while (found := operator.modal(window, Event())) == {"PASS_THROUGH"}:
        at_progress()
    check(module.operators.State.job is None, "a run is left")
    return found, reports, window.told


def stop_and_go_on(module, bodies):
    """A run that is told to stop shows what it has; Resume makes it whole, with the same bytes."""
    import bpy

    directory = module.scene.directory_of(bpy.context.scene)
    caches = {t: directory / "run" / "blender" / f"{t.pliant.body}.pc2" for t in bodies}
    before = {t: path.read_bytes() for t, path in caches.items()}

    def stop_after_three():
        if module.operators.State.job.done() >= 3:
            bpy.ops.pliant.cancel()

    found, reports, told = in_the_background(module, False, stop_after_three)
    check(found == {"FINISHED"} and told == sorted(told), f"{found}, {reports}, progress {sorted(set(told))}")
    is_stopped = any(kind == "WARNING" and "Resume goes on" in text for kind, text in reports)
    found, reports, told = in_the_background(module, True)
    check(found == {"FINISHED"} and reports[-1] == ("INFO", f"{FRAMES - 1} frames on 4 objects"), f"{found}, {reports}")
    check(all(before[t] == path.read_bytes() for t, path in caches.items()), "a resumed run differs")
    return "stopped and resumed" if is_stopped else "ended before it could be stopped, and resumed"


class Layout:
    """Takes down what a panel shows; every property and operator must exist."""

    def __init__(self, shown):
        self.shown = shown

    def prop(self, own, name, **_):
        check(name in own.bl_rna.properties, f"there is no property {name}")
        self.shown.append(name)

    def prop_search(self, own, name, where, names, **_):
        check(hasattr(where, names), f"there are no {names}")
        self.prop(own, name)

    def operator(self, name, **_):
        import bpy

        check(name.split(".")[1] in dir(bpy.ops.pliant), f"there is no operator {name}")
        self.shown.append(name)

    def label(self, **_):
        pass

    def column(self, **_):
        return Layout(self.shown)

    row = column


def panels(module, things):
    """What the panels show of these objects."""
    import bpy

    class Panel:
        pass

    class Context:
        scene = bpy.context.scene

    shown = {}
    for thing in things:
        panel, context = Panel(), Context()
        panel.layout, context.object = Layout(shown.setdefault(thing.name, [])), thing
        check(module.panels.PLIANT_PT_object.poll(context), f"{thing.name} has no panel")
        module.panels.PLIANT_PT_object.draw(panel, context)
    panel = Panel()
    panel.layout = Layout(shown.setdefault("scene", []))
    module.panels.Simulation.draw(panel, Context())
    check({"young", "goal_group", "goal_stiffness"} <= set(shown["Block"]), f"{shown['Block']}")
    check({"thickness", "pin_group"} <= set(shown["Flag"]) and "ends" in shown["Rope"], f"{shown}")
    check({"pliant.simulate", "pliant.resume", "has_floor", "floor"} <= set(shown["scene"]), f"{shown['scene']}")


def run(pliant, folder):
    """In a process of its own, with a home of its own: Blender's state is global."""
    import bpy

    os.environ["PLIANT"] = pliant
    archive = folder / "pliant.zip"
    subprocess.run([pliant, "-q", "blender-addon", "-o", str(archive)], check=True)
    tool = Path(bpy.utils.resource_path("LOCAL")) / "scripts" / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    subprocess.run([sys.executable, str(tool), "validate", str(archive)], check=True, stdout=subprocess.DEVNULL)
    found = bpy.ops.extensions.package_install_files(filepath=str(archive), repo="user_default", enable_on_install=True)
    check(found == {"FINISHED"}, "the add-on was not installed")
    module = sys.modules["bl_ext.user_default.pliant"]
    bodies = build()
    scene = bpy.context.scene
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    before = whole_state()
    panels(module, bodies)
    bpy.ops.pliant.simulate()
    after = whole_state()
    check(after.keys() == before.keys(), "objects have come or gone")
    changed = [name for name in before if before[name] != after[name]]
    check(not changed, f"what the user had has changed: {changed}")
    for thing in bodies:
        played = [m.name for m in thing.modifiers]
        check(played == {"Ball ä/1": ["Pliant", "Smooth"], "Block": ["Rig", "Pliant"]}.get(thing.name, ["Pliant"]), f"{played}")
    directory = folder / "scene-pliant"
    again = folder / "again"
    command = [pliant, "-q", "simulate", str(directory / "scene.toml"), "--set", 'output.formats=["ply"]', "-o", str(again)]
    subprocess.run(command, check=True)
    worst, ways = compare(scene, bodies, again)
    print(f"evaluated vertices off by {worst:.1e} m at most; ways in m: " + ", ".join(f"{n} {w:.2f}" for n, w in ways.items()))
    print(stop_and_go_on(module, bodies))
    compare(scene, bodies, again)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "scene.blend"))
    bodies = [t for t in bpy.context.scene.objects if t.pliant.role not in ("NONE", "OBSTACLE")]
    worst, _ = compare(bpy.context.scene, bodies, again)
    print(f"saved and opened: off by {worst:.1e} m at most")
    render(folder / "addon.png")
    refusals(sys.modules["bl_ext.user_default.pliant"])
    bpy.ops.pliant.clear()
    check(not any(m.name == "Pliant" for t in bpy.context.scene.objects for m in t.modifiers), "Clear leaves modifiers")


def main():
    pliant, folder = (Path(path).resolve() for path in sys.argv[1:3])
    folder.mkdir(parents=True, exist_ok=True)
    if "PLIANT_CHECK" not in os.environ:
        home = {"PLIANT_CHECK": "1", "BLENDER_USER_RESOURCES": str(folder / "blender")}
        return subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=os.environ | home, timeout=900).returncode
    # A process of bpy that has failed may not end by itself.
    try:
        run(str(pliant), folder)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
