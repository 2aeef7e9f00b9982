"""Adds a pliant run to Blender: a collection with its bodies, animated and coloured.

In Blender:     Scripting > Open > this file > Run Script
From a shell:   blender -P import_blender.py                     (into the scene that is open)
                blender -P import_blender.py -- --scene          (into a scene of its own, with camera, light and settings)
                blender -b -P import_blender.py -- --frame 60 --output frame.png
                blender -b -P import_blender.py -- --animation --output frames/####.png --samples 32
                blender -b -P import_blender.py -- --save scene.blend
                blender -b mine.blend -P import_blender.py -- --onto Suzanne --save moving.blend
                python import_blender.py --frame 60 --output frame.png        (with the module bpy)

--output and --save make a scene of its own too. Nothing that is in Blender already is changed or removed, and whatever is
made is in a collection with the name of the run. --help lists all options. Positions are those of the run with y up turned to z up: (x, y, z) becomes (x, -z, y).

--onto OBJECT lets an object of your own move as the body that was made from it: with its materials, groups and modifiers, and with
nothing added but a modifier Mesh Cache. Its axes, its place and the order of its vertices are found by its shape.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.kdtree import KDTree

RUN = json.loads(r"""@RUN@""")

# The run's y axis points up, Blender's z axis does.
UPRIGHT = Matrix.Rotation(math.pi / 2, 4, "X")


# Endings of pictures, with Blender's names of their formats.
PICTURES = {".png": "PNG", ".jpg": "JPEG", ".exr": "OPEN_EXR", ".tif": "TIFF"}


def here():
    """The directory of this file, also where Blender's text editor runs it."""
    path = Path(__file__) if "__file__" in globals() else Path()
    if not path.is_file():
        text = getattr(bpy.context.space_data, "text", None)
        path = Path(bpy.path.abspath(text.filepath)) if text else Path.cwd() / "import_blender.py"
    return path.resolve().parent


def stop(reason):
    """Ends the script. The end of Python would be the end of an open Blender, with all that is not saved."""
    raise SystemExit(reason) if bpy.app.background else RuntimeError(reason)


class Parser(argparse.ArgumentParser):
    """A parser that leaves an open Blender open."""

    def exit(self, status=0, message=None):
        if bpy.app.background or not message:
            super().exit(status, message)
        stop(message)


def options():
    """What stands behind `--`; with the module bpy, all arguments."""
    if "--" in sys.argv:
        given = sys.argv[sys.argv.index("--") + 1:]
    else:
        given = [] if bpy.app.binary_path else sys.argv[1:]
    parser = Parser(prog="import_blender.py", description=__doc__.splitlines()[0])
    parser.add_argument("--source", choices=["auto", *SOURCES], default="auto", help="which files to show")
    parser.add_argument("--engine", default="CYCLES", choices=["CYCLES", "EEVEE", "WORKBENCH"])
    parser.add_argument("--samples", type=int, default=64, help="rays for each pixel")
    parser.add_argument("--resolution", default="1280x720", metavar="WxH")
    parser.add_argument("--output", metavar="FILE", help="render into this file; #### stands for the frame")
    parser.add_argument("--frame", type=int, help="render this frame of the run, counted from 0; default: the middle")
    parser.add_argument("--animation", action="store_true", help="render all frames")
    own = "a scene of its own, with camera, light and render settings"
    parser.add_argument("--scene", "--render-setup", action="store_true", help=own)
    parser.add_argument(
        "--onto", action="append", default=[], metavar="OBJECT[=BODY]",
        help="move this object of yours; the body is the one of the same name or the only one; may be given several times",
    )
    parser.add_argument("--save", metavar="FILE.blend", help="save it; frames of ply, obj and stl go into files beside")
    parser.add_argument("--floor", action="store_true", help="a floor under the lowest point of the motion")
    parser.add_argument("--smooth", action="store_true", help="smooth shading")
    arguments = parser.parse_args(given)
    try:
        arguments.size = [int(n) for n in arguments.resolution.lower().split("x")]
        assert len(arguments.size) == 2 and min(arguments.size) > 0
    except (ValueError, AssertionError):
        parser.error(f"--resolution {arguments.resolution}: wants WxH, such as 1280x720")
    if arguments.output and Path(arguments.output).suffix.lower() not in PICTURES:
        parser.error(f"--output {arguments.output}: pictures are {', '.join(PICTURES)}")
    if arguments.save and Path(arguments.save).suffix != ".blend":
        parser.error(f"--save {arguments.save}: wants the name of a .blend file")
    if arguments.onto and (arguments.scene or arguments.output):
        parser.error("--onto is for the scene that is open, whose camera and render settings are yours: leave out --scene and --output")
    arguments.scene |= bool(arguments.output or arguments.save) and not arguments.onto
    return arguments


# Meshes from files ---------------------------------------------------------------------------------------------------


def read_obj(path):
    """Vertices, faces, edges, and texture coordinates corner by corner. No vertex is dropped, unlike by Blender's importer."""
    points, faces, edges, uv, corners = [], [], [], [], []
    for line in path.read_text(errors="replace").replace("\\\n", " ").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "v":
            points.append([float(w) for w in words[1:4]])
        elif words[0] == "vt":
            uv.append([float(w) for w in words[1:3]])
        elif words[0] in ("f", "l"):
            parts = [w.split("/") for w in words[1:]]
            vertices = [int(p[0]) - 1 if int(p[0]) > 0 else len(points) + int(p[0]) for p in parts]
            if words[0] == "l":
                edges.extend(zip(vertices, vertices[1:]))
                continue
            faces.append(vertices)
            for part in parts:
                number = int(part[1]) if len(part) > 1 and part[1] else 0
                corners.append(number - 1 if number > 0 else len(uv) + number if number < 0 else None)
    has_uv = bool(uv) and None not in corners
    return np.array(points), faces, edges, np.array(uv)[corners] if has_uv else None


def read_ply(path, only_points=False):
    """A binary PLY file as pliant writes it."""
    types = {"float": "<f4", "double": "<f8", "int": "<i4", "uchar": "u1"}
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    element, counts, columns = None, {}, {}
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            element, counts[words[1]], columns[words[1]] = words[1], int(words[2]), []
        elif words[0] == "property" and words[1] != "list":
            columns[element].append((words[2], types[words[1]]))
    vertices = np.frombuffer(data, np.dtype(columns["vertex"]), counts["vertex"], end)
    points = np.stack([vertices[k] for k in "xyz"], axis=1).astype(float)
    if only_points:
        return points
    at = end + vertices.nbytes
    if "edge" in counts:
        edges = np.frombuffer(data, "<i4", 2 * counts["edge"], at).reshape(-1, 2)
        return points, [], edges.tolist(), None
    faces = np.frombuffer(data, np.dtype([("n", "u1"), ("v", "<i4", 3)]), counts["face"], at)
    return points, faces["v"].tolist(), [], None


def read_stl(path):
    """A binary STL file: three vertices a triangle."""
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    facets = np.frombuffer(data, np.dtype([("n", "<f4", 3), ("v", "<f4", 9), ("a", "<u2")]), count, 84)
    return facets["v"].reshape(-1, 3).astype(float), np.arange(3 * count).reshape(-1, 3).tolist(), [], None


def build(collection, surface, points, faces, edges, uv):
    """An object of these, upright, in a collection."""
    mesh = bpy.data.meshes.new(surface["name"])
    mesh.from_pydata(points.tolist(), edges, faces)
    if uv is not None:
        mesh.uv_layers.new(name="st").data.foreach_set("uv", uv.astype(np.float32).ravel())
    mesh.update()
    thing = bpy.data.objects.new(surface["name"], mesh)
    thing.matrix_world = UPRIGHT
    collection.objects.link(thing)
    return thing


# The ways in, best first ---------------------------------------------------------------------------------------------


def play(thing, path, keep=False):
    """Lets the Mesh Cache modifier move an object by a PC2 or MDD file; `keep` goes on with the one that it has for this."""
    cache = thing.modifiers.get("pliant") if keep else None
    if cache is None or cache.type != "MESH_CACHE":
        makers = (i for i, modifier in enumerate(thing.modifiers) if modifier.type not in MOVERS)
        index = next(makers, len(thing.modifiers))
        cache = thing.modifiers.new("pliant", "MESH_CACHE")
        thing.modifiers.move(len(thing.modifiers) - 1, index)
    cache.cache_format = path.suffix[1:].upper()
    cache.filepath = str(path)
    cache.frame_start = RUN["start_frame"]
    cache.interpolation = "LINEAR"
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"


def point_cache(collection, directory, ending, _arguments):
    """OBJ files with positions from PC2 or MDD files."""
    things = []
    for surface in RUN["surfaces"]:
        thing = build(collection, surface, *read_obj(directory / f"{surface['name']}.obj"))
        play(thing, directory / f"{surface['name']}.{ending}")
        things.append((surface, thing))
    first = directory / f"{RUN['surfaces'][0]['name']}.{ending}"
    with open(first, "rb") as file:
        head = file.read(32)
    if ending == "mdd" and int.from_bytes(head[:4], "big") > 1:
        RUN["fps"] = 1 / float(np.frombuffer(head, ">f4", 1, 12)[0])
    count = int.from_bytes(head[28:32], "little") if ending == "pc2" else int.from_bytes(head[:4], "big")
    return things, count


def usd(collection, directory, _ending, _arguments):
    """Blender's own importer."""
    if not hasattr(bpy.ops.wm, "usd_import") or not bpy.app.build_options.usd:
        stop("this Blender has no USD: choose another --source")
    before = set(bpy.data.objects)
    bpy.ops.wm.usd_import(filepath=str(directory / f"{RUN['name']}.usda"), set_frame_range=False, scale=1.0)
    new = [thing for thing in bpy.data.objects if thing not in before]
    for thing in new:
        for other in list(thing.users_collection):
            other.objects.unlink(thing)
        collection.objects.link(thing)
    things, free = [], [thing for thing in new if thing.type in ("MESH", "CURVES", "CURVE")]
    for surface in RUN["surfaces"]:
        wanted = "".join(c if c.isascii() and c.isalnum() else "_" for c in surface["name"])
        named = [t for t in free if t.name.split(".")[0].strip("_") == wanted.strip("_")]
        thing = (named or free)[0]
        free.remove(thing)
        things.append((surface, thing))
    with open(directory / f"{RUN['name']}.usda") as file:
        head = file.read(2000)
    first, last, RUN["fps"] = (
        float(re.search(rf"{key} = (\S+)", head).group(1)) for key in ("startTimeCode", "endTimeCode", "timeCodesPerSecond")
    )
    return things, round(last - first) + 1


def write_pc2(path, frames):
    """Writes positions, frame by frame, as a PC2 file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as out:
        out.write(b"POINTCACHE2\0" + np.array([1, len(frames[0])], "<i4").tobytes())
        out.write(np.array([RUN["start_frame"], 1], "<f4").tobytes() + np.array([len(frames)], "<i4").tobytes())
        for points in frames:
            out.write(points.astype("<f4").tobytes())


def sequence(collection, directory, ending, arguments):
    """A file for each frame. A handler loads positions when the frame changes, as Blender has no such import. A .blend file
    cannot hold a handler: for it, the positions go into PC2 files beside it."""
    reader = {"ply": read_ply, "obj": read_obj, "stl": read_stl}[ending]

    def points_of(file):
        return read_ply(file, True) if ending == "ply" else reader(file)[0]

    things, players, count = [], [], 0
    for surface in RUN["surfaces"]:
        def number(path):
            return int(path.stem.rsplit("_", 1)[1])
        own = [p for p in directory.glob(f"*_*.{ending}") if p.stem.rsplit("_", 1)[0] == surface["name"]]
        files = sorted(own, key=number)
        if not files:
            continue
        count = max(count, len(files))
        thing = build(collection, surface, *reader(files[0]))
        things.append((surface, thing))
        if arguments.save:
            blend = Path(arguments.save).resolve()
            path = blend.with_name(f"{blend.stem}-frames") / f"{surface['name']}.pc2"
            write_pc2(path, [points_of(file) for file in files])
            play(thing, path)
        else:
            players.append((thing.name, files))

    def load(scene, *_):
        for name, files in players:
            thing = scene.objects.get(name)
            if thing is None:
                continue
            file = files[min(max(scene.frame_current - RUN["start_frame"], 0), len(files) - 1)]
            thing.data.vertices.foreach_set("co", points_of(file).astype(np.float32).ravel())
            thing.data.update()

    if players:
        load.is_pliant = True
        bpy.app.handlers.frame_change_pre.append(load)
        if not bpy.app.background:
            print("a file that is saved from here stands still: for that, use --save, or pliant export --format pc2")
    return things, count


SOURCES = {
    "pc2": ("blender", "pc2", point_cache),
    "mdd": ("blender", "mdd", point_cache),
    "usd": ("blender", "usda", usd),
    "ply": ("ply", "ply", sequence),
    "obj": ("obj", "obj", sequence),
    "stl": ("stl", "stl", sequence),
}


def is_there(directory, ending):
    """True if a directory has frames of this run; there may be other files."""
    names = [surface["name"] for surface in RUN["surfaces"]]
    if ending == "usda":
        return (directory / f"{RUN['name']}.usda").is_file()
    if directory.name == "blender":
        return all((directory / f"{name}.{ending}").is_file() for name in names)
    return any(path.stem.rsplit("_", 1)[0] in names for path in directory.glob(f"*_*.{ending}"))


def find_source(arguments):
    """The function that loads bodies, with the directory and the ending of the files."""
    root = here()
    if root.name == "blender" and not (root / "config.toml").exists():
        root = root.parent
    for name, (sub, ending, load) in SOURCES.items():
        if arguments.source not in ("auto", name) or (arguments.onto and name not in POSITIONS):
            continue
        if name == "usd" and arguments.source == "auto" and not bpy.app.build_options.usd:
            continue
        if is_there(root / sub, ending):
            return load, root / sub, ending
    wanted = "frames that Blender can show" if arguments.source == "auto" else f"frames of format '{arguments.source}'"
    stop(f"{root}: no {wanted}; make some with: pliant export {root} --format pc2")


# Objects of the user's own -------------------------------------------------------------------------------------------

# Modifiers that keep the vertices as they are and in order; the motion is played behind those that come first.
MOVERS = {
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE",
    "MESH_CACHE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SURFACE_DEFORM", "WARP", "WAVE",
}

# An object has the shape of a body if no vertex is off by more than this part of its size: what files in text round.
SAME = 1e-4


def pc2_positions(directory, name):
    """All frames of a PC2 file."""
    data = (directory / f"{name}.pc2").read_bytes()
    count, samples = (int.from_bytes(data[at:at + 4], "little") for at in (16, 28))
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, count, 3).astype(float)


def mdd_positions(directory, name):
    """All frames of an MDD file."""
    data = (directory / f"{name}.mdd").read_bytes()
    samples, count = (int.from_bytes(data[at:at + 4], "big") for at in (0, 4))
    return np.frombuffer(data, ">f4", offset=8 + 4 * samples).reshape(samples, count, 3).astype(float)


def file_positions(ending, read):
    """The same of a file for each frame."""

    def positions(directory, name):
        own = [p for p in directory.glob(f"*_*.{ending}") if p.stem.rsplit("_", 1)[0] == name]
        return np.array([read(path) for path in sorted(own, key=lambda path: int(path.stem.rsplit("_", 1)[1]))])

    return positions


# Sources whose vertices are those of the body.
POSITIONS = {
    "pc2": pc2_positions,
    "mdd": mdd_positions,
    "ply": file_positions("ply", lambda path: read_ply(path, True)),
    "obj": file_positions("obj", lambda path: read_obj(path)[0]),
}


def similarity(points, onto):
    """The rotation, scale and offset that bring points nearest to others, as a matrix; None for points in one place."""
    middle, other = points.mean(0), onto.mean(0)
    left, stretch, right = np.linalg.svd((onto - other).T @ (points - middle))
    spread = ((points - middle) ** 2).sum()
    if spread <= 0:
        return None
    signs = np.array([1, 1, np.sign(np.linalg.det(left @ right)) or 1])
    matrix = np.eye(4)
    matrix[:3, :3] = (left * signs) @ right * ((stretch * signs).sum() / spread)
    matrix[:3, 3] = other - matrix[:3, :3] @ middle
    return matrix


def moved(matrix, points):
    """Points under a matrix."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def match(first, thing):
    """The matrix from the run to an object's own space and, for each of its vertices, that of the run; None if there is none.

    The file may have been written with y or z up, with or without the object's place, in its order or another.
    """
    own = np.array([vertex.co for vertex in thing.data.vertices], float).reshape(-1, 3)
    place, upright = np.array(thing.matrix_world), np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    back = np.linalg.inv(place)
    size = SAME * max(np.ptp(own, axis=0).max(initial=0), 1e-30)
    ways = [back @ upright, back, np.eye(4), upright]
    if len(first) == len(own):
        fitted = similarity(first, moved(place, own))
        for way in ways + ([] if fitted is None else [back @ fitted]):
            if np.abs(moved(way, first) - own).max(initial=0) <= size:
                return way, np.arange(len(own))
    for way in ways:
        tree = KDTree(len(first))
        for number, point in enumerate(moved(way, first)):
            tree.insert(point, number)
        tree.balance()
        found = [tree.find(point) for point in own]
        if all(distance is not None and distance <= size for _, _, distance in found):
            return way, np.array([number for _, number, _ in found])
    return None


def onto(directory, ending, arguments):
    """Lets objects of the user's own play the motion; returns them with their bodies, and the number of frames."""
    things, count, bodies = [], 0, {surface["name"]: surface for surface in RUN["surfaces"]}
    for told in arguments.onto:
        name, _, body = told.partition("=") if told not in bpy.data.objects else (told, "", "")
        thing = bpy.data.objects.get(name)
        if thing is None or thing.type != "MESH":
            stop(f"--onto {told}: there is no mesh object '{name}'")
        body = body or (name if name in bodies else next(iter(bodies)) if len(bodies) == 1 else "")
        if body not in bodies:
            stop(f"--onto {told}: which body? Say {name}=BODY with one of: {', '.join(bodies)}")
        frames = POSITIONS[ending](directory, body)
        bpy.context.view_layer.update()
        found = match(frames[0], thing)
        if found is None:
            stop(
                f"--onto {told}: no vertices of frame 0 of '{body}' lie as the {len(thing.data.vertices)} of '{name}' do: it must be "
                "the object from which the mesh of the body was written, unchanged since, and without modifiers that make vertices"
            )
        matrix, numbers = found
        base = Path(arguments.save).resolve() if arguments.save else None
        beside = base.with_name(f"{base.stem}-frames") if base else directory.parent / "blender"
        path = beside / f"{body}-on-{''.join(c if c.isalnum() else '_' for c in name)}.pc2"
        write_pc2(path, np.array([moved(matrix, points[numbers]) for points in frames]))
        things.append((bodies[body], thing))
        play(thing, path, keep=True)
        count = max(count, len(frames))
    return things, count


# The scene -----------------------------------------------------------------------------------------------------------


def dress(surface, thing, arguments):
    """Colour, shading, thickness of lines."""
    material = bpy.data.materials.new(surface["name"])
    material.use_nodes = True
    material.diffuse_color = (*surface["colour"], 1.0)
    shader = material.node_tree.nodes["Principled BSDF"]
    # Shaders want linear values, colours are given as screens show them.
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in surface["colour"]]
    shader.inputs["Base Color"].default_value = (*linear, 1.0)
    shader.inputs["Roughness"].default_value = 0.45
    thing.data.materials.clear()
    thing.data.materials.append(material)
    if thing.type == "MESH" and not thing.data.polygons and thing.data.edges:
        thing.modifiers.new("thickness", "SKIN")
        for vertex in thing.data.skin_vertices[0].data:
            vertex.radius = (surface.get("radius", 0.005),) * 2
    if arguments.smooth and thing.type == "MESH":
        thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))


def extent(scene, things, first, last):
    """The box that the motion fills, looked at in up to twelve frames."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for frame in sorted({round(f) for f in np.linspace(first, last, 12)}):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        # A plane has no end: the camera need not show all of what is drawn of it.
        for thing in (thing for surface, thing in things if not surface.get("plane")):
            shown = thing.evaluated_get(graph)
            corners = np.array([shown.matrix_world @ Vector(c) for c in shown.bound_box])
            low, high = np.minimum(low, corners.min(0)), np.maximum(high, corners.max(0))
    return low, high


def stage(scene, collection, low, high, arguments):
    """Camera, light, background, floor of a scene of its own."""
    centre, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-6)
    camera = bpy.data.cameras.new("camera")
    camera.lens = 50
    narrow = min(camera.angle_x, 2 * math.atan(math.tan(camera.angle_x / 2) * arguments.size[1] / arguments.size[0]))
    direction = Vector((0.45, -1.0, 0.4)).normalized()
    distance = 1.05 * radius / math.sin(narrow / 2)
    camera.clip_start, camera.clip_end = distance / 1000, distance * 100
    eye = bpy.data.objects.new("camera", camera)
    eye.location = Vector(centre) + distance * direction
    eye.rotation_euler = direction.to_track_quat("Z", "Y").to_euler()
    collection.objects.link(eye)
    scene.camera = eye
    for name, energy, angles in (("key", 3.5, (0.7, 0.2, 0.6)), ("fill", 1.2, (1.0, -0.3, -1.2))):
        light = bpy.data.lights.new(name, "SUN")
        light.energy, light.angle = energy, 0.15
        lamp = bpy.data.objects.new(name, light)
        lamp.rotation_euler = angles
        lamp.location = eye.location
        collection.objects.link(lamp)
    world = bpy.data.worlds.new("pliant")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.78, 0.82, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6
    scene.world = world
    if arguments.floor:
        side = 20 * radius
        mesh = bpy.data.meshes.new("floor")
        corners = [(-side, -side, 0), (side, -side, 0), (side, side, 0), (-side, side, 0)]
        mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
        material = bpy.data.materials.new("floor")
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.28, 0.29, 0.31, 1.0)
        mesh.materials.append(material)
        floor = bpy.data.objects.new("floor", mesh)
        floor.location = (centre[0], centre[1], low[2] - 1e-3 * radius)
        collection.objects.link(floor)


def settings(scene, count, arguments):
    """Frames and render settings of a scene of its own."""
    render = scene.render
    scene.frame_start = RUN["start_frame"]
    scene.frame_end = RUN["start_frame"] + count - 1
    render.fps = max(1, min(32767, round(RUN["fps"])))
    render.fps_base = render.fps / RUN["fps"]
    names = {"CYCLES": ["CYCLES"], "EEVEE": ["BLENDER_EEVEE_NEXT", "BLENDER_EEVEE"], "WORKBENCH": ["BLENDER_WORKBENCH"]}
    for name in names[arguments.engine]:
        try:
            render.engine = name
            break
        except TypeError:
            continue
    if render.engine == "CYCLES":
        scene.cycles.samples = arguments.samples
        scene.cycles.use_denoising = arguments.samples >= 16
    elif hasattr(scene, "eevee"):
        scene.eevee.taa_render_samples = arguments.samples
    render.resolution_x, render.resolution_y = arguments.size
    render.resolution_percentage = 100
    scene.view_settings.view_transform = "Standard"


def forget_handlers():
    """Removes the players; without them the module bpy cannot end."""
    handlers = bpy.app.handlers.frame_change_pre
    for handler in [h for h in handlers if getattr(h, "is_pliant", False)]:
        handlers.remove(handler)


def save(things, path):
    """Saves a copy of all that is in Blender. Files of frames beside it are named relative to it, so that both can be moved."""
    caches = [m for _, thing in things for m in thing.modifiers if m.type == "MESH_CACHE"]
    names = [cache.filepath for cache in caches]
    beside = path.with_name(f"{path.stem}-frames")
    for cache in caches:
        if Path(cache.filepath).parent == beside:
            cache.filepath = f"//{beside.name}/{Path(cache.filepath).name}"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    for cache, name in zip(caches, names):
        cache.filepath = name


def main(arguments):
    load, directory, ending = find_source(arguments)
    if arguments.onto:
        things, count = onto(directory, ending, arguments)
        print(f"{RUN['name']}: on {len(things)} objects, {count} frames from {RUN['start_frame']}")
        if arguments.save:
            save(things, Path(arguments.save).resolve())
        return
    scene = bpy.data.scenes.new(RUN["name"]) if arguments.scene else bpy.context.scene
    if arguments.scene:
        bpy.context.window.scene = scene
    collection = bpy.data.collections.new(RUN["name"])
    scene.collection.children.link(collection)
    things, count = load(collection, directory, ending, arguments)
    for surface, thing in things:
        dress(surface, thing, arguments)
    first = RUN["start_frame"]
    print(f"{RUN['name']}: {len(things)} objects, {count} frames from {first}, {RUN['fps']:g} a second")
    if not arguments.scene:
        # The scene is the user's: its frame stays, and the players show that one.
        for handler in bpy.app.handlers.frame_change_pre:
            if getattr(handler, "is_pliant", False):
                handler(scene)
        return
    settings(scene, count, arguments)
    low, high = extent(scene, things, scene.frame_start, scene.frame_end)
    stage(scene, collection, low, high, arguments)
    shown = arguments.frame if arguments.frame is not None else (count - 1) // 2
    if not 0 <= shown < count:
        stop(f"--frame {shown}: there are frames 0 to {count - 1}")
    scene.frame_set(first + shown)
    if arguments.save:
        save(things, Path(arguments.save).resolve())
    if arguments.output:
        scene.render.filepath = str(Path(arguments.output).resolve())
        scene.render.use_file_extension = False
        scene.render.image_settings.file_format = PICTURES[Path(arguments.output).suffix.lower()]
        still = not arguments.animation
        bpy.ops.render.render(animation=arguments.animation, write_still=still, scene=scene.name)


if __name__ == "__main__":
    try:
        main(options())
    finally:
        if bpy.app.background:
            forget_handlers()
