#!/usr/bin/env python3
"""Runs a run's import_blender.py in Blender (pip's bpy) and compares what Blender shows with the run.

    .venv/bin/python tests/clients/check_blender.py RUN_DIR [SOURCE ...]

For every source (usd, pc2, mdd, ply, obj; default: those of the run) a process of its own imports the run, evaluates the
vertices of every object at five frames and holds them against the VTU frames, upright: (x, -z, y). Texture coordinates are
kept where the surface has some. One frame is rendered; its pixels must show objects before a background. What was in Blender
before must stay as it was, and a saved scene must move when another process opens it. Objects of the user's own, in several
places, axes and orders of vertices, must move as a body with --onto, and stay as they were otherwise.
Exit code 0 if all is well.
"""

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 300


def script_of(truth, *arguments):
    """The run's script with its arguments, as a dictionary of its functions; nothing of it has run."""
    sys.argv = ["import_blender.py", *arguments]
    # The handler of a sequence must stay while frames are looked at.
    script = runpy.run_path(str(truth.run / "import_blender.py"), run_name="pliant")
    return script, script["options"]()


def state():
    """What a user has in Blender, without what the script has added."""
    import bpy

    scene = bpy.data.scenes["Scene"]
    render = scene.render
    things = [(t.name, tuple(t.location), tuple(t.users_collection)) for t in scene.collection.all_objects if "mine" in t]
    return (
        things, scene.camera, scene.world, scene.frame_current, scene.frame_start, scene.frame_end, render.engine,
        render.resolution_x, render.fps, render.fps_base, render.filepath, scene.view_settings.view_transform,
    )


def child(run, source, picture):
    """In a process of its own: the state of Blender is global."""
    import bpy
    from truth import Truth, check

    truth = Truth(run)
    user = bpy.context.scene
    bpy.data.objects["Cube"].name = next(iter(truth.maps))
    for thing in user.objects:
        thing["mine"] = True
    user.render.fps, user.frame_end, user.render.engine = 60, 77, "BLENDER_WORKBENCH"
    before = state()
    check(len(before[0]) == 3, f"the scene of the user has {len(before[0])} objects")
    script, arguments = script_of(truth, "--source", source)
    # While there are handlers, a process that has failed does not end.
    try:
        script["main"](arguments)
        check(bpy.context.scene == user and state() == before, "what the user had has changed")
        ours = [c for c in user.collection.children if c.name == truth.name]
        check(len(ours) == 1 and len(ours[0].objects) >= len(truth.maps), "the collection of the run")
    finally:
        script["forget_handlers"]()
    size = ["--samples", "4", "--resolution", "240x180"]
    script, arguments = script_of(truth, "--source", source, *size, "--output", picture)
    try:
        script["main"](arguments)
        check(state() == before, "what the user had has changed")
        worst = compare(truth, bpy.context.scene, source)
        check_picture(picture)
        print(f"{truth.name}: {source}: {len(truth.maps)} objects, {len(truth.frames)} frames, off by {worst:.1e} m at most")
    finally:
        script["forget_handlers"]()


def save(run, source, path):
    """Saves the run; what another process opens must move."""
    from truth import Truth

    script, arguments = script_of(Truth(run), "--source", source, "--save", path)
    try:
        script["main"](arguments)
    finally:
        script["forget_handlers"]()


def saved(run, source, path):
    """Opens a saved run."""
    import bpy
    from truth import Truth

    truth = Truth(run)
    bpy.ops.wm.open_mainfile(filepath=path)
    worst = compare(truth, bpy.context.scene, source)
    print(f"{truth.name}: {source}: saved and opened, off by {worst:.1e} m at most")


# How the user's object stood when its mesh was written, and how the file had it: a matrix of the object, and from its place in
# the world, or in its own space, to the file.
TURNED = ((0.3, -0.5, 0.2), (1.1, 0.7, -0.6))
PLAIN = ((0, 0, 0), (1, 1, 1))
WAYS = {
    "y up": (TURNED, "world", "y"), "z up": (TURNED, "world", "z"), "own space": (TURNED, "own", "z"), "plain": (PLAIN, "own", "y"),
}


def own_object(truth, surface, way, order):
    """An object of the user's own from which the mesh of a body may have been written; its place, and what it has besides."""
    import bpy
    import numpy as np
    from mathutils import Euler, Matrix

    (angles, sizes), space, up = WAYS[way]
    matrix = np.array(Matrix.LocRotScale((0.4, -1, 2), Euler(angles), sizes)) if way != "plain" else np.eye(4)
    x, y, z = truth.of(surface, 0).T
    points = np.stack([x, -z, y] if up == "y" else [x, y, z], axis=1)
    if space == "world":
        back = np.linalg.inv(matrix)
        points = points @ back[:3, :3].T + back[:3, 3]
    mesh = bpy.data.meshes.new("mine")
    faces = [[v, v + 1, v + 2] for v in range(0, len(points) - 2, 3)]
    number = np.argsort(order)
    mesh.from_pydata(points[order].tolist(), [], [[int(number[v]) for v in face] for face in faces])
    thing = bpy.data.objects.new(f"mine {way}", mesh)
    thing.matrix_world = Matrix(matrix.tolist())
    bpy.context.scene.collection.objects.link(thing)
    mesh.materials.append(bpy.data.materials.new("my skin"))
    mesh.uv_layers.new(name="my map")
    thing.vertex_groups.new(name="my group").add([0, 2], 0.25, "REPLACE")
    thing.modifiers.new("my smoothing", "SMOOTH").iterations = 0
    thing.modifiers.new("my subdivision", "SUBSURF").levels = 1
    return thing, matrix


def onto(run, source, path):
    """Moves objects of the user's own, saves, opens and looks."""
    import bpy
    import numpy as np
    from mathutils import Vector
    from truth import Truth, check

    truth = Truth(run)
    surface = next(iter(truth.maps))
    count = len(truth.of(surface, 0))
    user = bpy.context.scene
    places, told = {}, []
    first = truth.of(surface, 0)
    # A straight line looks the same with another axis up; then it is y.
    is_straight = np.linalg.matrix_rank(first - first[0], tol=1e-6) < 2
    for k, way in enumerate(["y up"] if is_straight else WAYS):
        order = np.random.default_rng(k).permutation(count) if k % 2 == 0 else np.arange(count)
        thing, matrix = own_object(truth, surface, way, order)
        places[thing.name] = (way, matrix, order)
        told += ["--onto", f"{thing.name}={surface}"]
    user.render.fps, user.frame_end, user.render.engine = 60, 77, "BLENDER_WORKBENCH"
    bpy.context.view_layer.update()

    def mine():
        # Nothing but a modifier may come.
        return {
            t.name: (
                tuple(map(tuple, t.matrix_world)), [m.name for m in t.modifiers if m.name != "pliant"],
                [tuple(v.co) for v in t.data.vertices], [s.name for s in t.material_slots], [u.name for u in t.data.uv_layers],
                [[(g.group, g.weight) for g in v.groups] for v in t.data.vertices],
            )
            for t in user.objects if t.type == "MESH"
        }, len(bpy.data.objects), len(bpy.data.materials), len(bpy.data.scenes), len(bpy.data.collections), state()

    before = mine()
    for _ in range(2):
        script, arguments = script_of(truth, "--source", source, *told, "--save", path)
        script["main"](arguments)
    check(mine() == before, "what the user had has changed")
    bpy.ops.wm.open_mainfile(filepath=path)
    worst = 0.0
    for name, (way, matrix, order) in places.items():
        thing = bpy.data.objects[name]
        names = [m.name for m in thing.modifiers]
        check(names == ["my smoothing", "pliant", "my subdivision"], f"{name}: {names}")
        thing.modifiers["my subdivision"].show_viewport = False
        for index in truth.some_frames():
            bpy.context.scene.frame_set(truth.told["start_frame"] + index)
            shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            found = np.array([tuple(v.co) for v in shown.data.vertices], float)
            _, space, up = WAYS[way]
            if space == "world":
                found = found @ matrix[:3, :3].T + matrix[:3, 3]
            x, y, z = truth.of(surface, index).T
            expected = np.stack([x, -z, y] if up == "y" else [x, y, z], axis=1)[order]
            worst = max(worst, float(np.abs(found - expected).max()))
            check(worst < 1e-6 * max(1, np.abs(expected).max()), f"{way}, frame {index}: off by {worst}")
    bpy.data.objects["mine y up"].data.vertices[0].co += Vector((0.1, 0.2, 0.3))
    script, arguments = script_of(truth, "--source", source, "--onto", f"mine y up={surface}")
    try:
        script["main"](arguments)
        raise AssertionError("another shape was not refused")
    except SystemExit as end:
        check("lie as the" in str(end), str(end))
    print(f"{truth.name}: {source}: on {len(places)} objects of the user's own, off by {worst:.1e} m at most")


def compare(truth, scene, source):
    """The largest distance in m between what a scene shows and the run."""
    import bpy
    import numpy as np
    from truth import check

    check(scene.frame_start == truth.told["start_frame"], f"the first frame is {scene.frame_start}")
    check(scene.frame_end - scene.frame_start + 1 == len(truth.frames), f"the last frame is {scene.frame_end}")
    check(abs(scene.render.fps / scene.render.fps_base - truth.told["fps"]) < 1e-3, "the frame rate")
    worst = 0.0
    for surface in truth.maps:
        same = [t for t in scene.objects if t.name == surface or t.name.split(".")[0] == surface]
        check(len(same) == 1, f"{surface}: {len(same)} objects have that name")
        thing = same[0]
        is_line = thing.type != "MESH" or not thing.data.polygons
        for modifier in thing.modifiers:
            if modifier.type == "SKIN":
                modifier.show_viewport = False
        for index in truth.some_frames():
            scene.frame_set(scene.frame_start + index)
            shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            if thing.type == "MESH":
                local = np.empty(3 * len(shown.data.vertices), np.float32)
                shown.data.vertices.foreach_get("co", local)
            elif thing.type == "CURVES":
                local = np.empty(3 * len(shown.data.points), np.float32)
                shown.data.points.foreach_get("position", local)
            else:
                local = np.array([p.co[:3] for s in shown.data.splines for p in s.points]).ravel()
            matrix = np.array(shown.matrix_world)
            world = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
            x, y, z = truth.of(surface, index).T
            expected = np.stack([x, -z, y], axis=1)
            check(len(world) == len(expected), f"{surface}: {len(world)} vertices, not {len(expected)}")
            worst = max(worst, float(np.abs(world - expected).max()))
        size = np.abs(expected).max()
        check(worst < 1e-6 * max(1, size), f"{surface}: off by {worst}")
        if not is_line:
            check_texture(truth, thing, surface, source)
    return worst


def check_texture(truth, thing, surface, source):
    import numpy as np
    from truth import check

    own = truth.run / "obj" / f"{surface}_0000.obj"
    if source in ("ply", "stl") or not own.exists() or "vt " not in own.read_text():
        return
    lines = [line.split() for line in own.read_text().splitlines()]
    uv = np.array([[float(x) for x in w[1:3]] for w in lines if w[:1] == ["vt"]])
    order = [int(c.split("/")[1]) - 1 for w in lines if w[:1] == ["f"] for c in w[1:]]
    check(len(thing.data.uv_layers) == 1, f"{surface}: no texture coordinates")
    found = np.empty(2 * len(thing.data.loops), np.float32)
    thing.data.uv_layers[0].data.foreach_get("uv", found)
    check(np.abs(found.reshape(-1, 2) - uv[order]).max() < 1e-6, f"{surface}: texture coordinates differ")


def check_picture(path):
    import bpy
    import numpy as np
    from truth import check

    image = bpy.data.images.load(path)
    pixels = np.array(image.pixels[:]).reshape(-1, 4)[:, :3]
    background = np.median(pixels[: image.size[0]], axis=0)
    share = (np.abs(pixels - background).max(1) > 0.08).mean()
    check(0.003 < share < 0.9, f"{share:.1%} of the picture is not background")


def main():
    parts = {"--child": child, "--save": save, "--saved": saved, "--onto": onto}
    if sys.argv[1] in parts:
        return parts[sys.argv[1]](*sys.argv[2:])
    run = Path(sys.argv[1]).resolve()
    from truth import Truth

    formats = Truth(run).config["output"]["formats"]
    sources = sys.argv[2:] or [s for s in ("usd", "pc2", "mdd", "ply", "obj") if s in formats]
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            picture, blend = (str(Path(folder) / f"{source}.{ending}") for ending in ("png", "blend"))
            parts = [("--child", picture), ("--save", blend), ("--saved", blend)]
            if source in ("pc2", "mdd", "ply", "obj"):
                parts.append(("--onto", str(Path(folder) / f"{source}-onto.blend")))
            for part, path in parts:
                command = [sys.executable, __file__, part, str(run), source, path]
                done = subprocess.run(command, timeout=SECONDS, capture_output=True, text=True)
                if done.returncode:
                    print(done.stdout[-2000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
                    return 1
                print("".join(f"{line}\n" for line in done.stdout.splitlines() if "off by" in line), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
