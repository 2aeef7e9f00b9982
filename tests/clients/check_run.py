#!/usr/bin/env python3
"""Opens a finished run with VTK and meshio and holds it against what docs/formats.md promises of a run directory.

    python3 -m venv .venv && .venv/bin/pip install -r tests/clients/requirements.txt
    .venv/bin/python tests/clients/check_run.py RUN_DIR

Files and times of the .pvd; arrays of the .vtu with their types; positions, displacements, velocities and det F
against each other; .ply surfaces against the .vtu; metrics.csv. Prints one line; exit code 0 if all is well.
"""

import csv
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import meshio
import numpy as np
from check_mesh_io import read_ply_edges
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOPLY import vtkPLYReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

try:
    import tomllib
except ImportError:
    import tomli as tomllib

COLUMNS = (
    "frame,step,time,iterations,line_search,objective,inertia,elastic,kinetic,potential,px,py,pz,lx,ly,lz,"
    "gradient_norm,min_det_f,inverted,contacts,local_ms,global_ms,line_search_ms,collision_ms,total_ms"
)
# Scenes with contact have these too.
CONTACT_COLUMNS = ",min_gap,truncated,friction_work"
LAST_COLUMN = ",first_gradient"
CONTACT_ARRAYS = {"contact_force": (3, "real"), "friction_force": (3, "real"), "contact_gap": (1, "real")}
POINT_ARRAYS = {"displacement": (3, "real"), "velocity": (3, "real"), "pinned": (1, np.uint8), "vertex_id": (1, np.int32)}
CELL_ARRAYS = {
    "body_id": (1, np.int32), "material_id": (1, np.int32),
    "energy_density": (1, "real"), "von_mises": (1, "real"), "det_f": (1, "real"),
}
LINE, TRIANGLE, TETRA = 3, 5, 10


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.size == b.size and a.tobytes() == b.tobytes()


def read_vtk(reader, path):
    """What VTK reads; its errors and warnings are failures."""
    messages = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda _object, name: messages.append(name))
    reader.SetFileName(str(path))
    reader.Update()
    check(not messages, f"{path.name}: VTK complains: {messages}")
    return reader.GetOutput()


class Config:
    """What the resolved config in the run directory says."""

    def __init__(self, directory):
        values = tomllib.loads((directory / "config.toml").read_text())
        above, _, below = str(values["time"]["step"]).partition("/")
        self.name = values["name"]
        self.step = float(above) / float(below) if below else float(above)
        self.frames, self.substeps = values["time"]["frames"], values["time"]["substeps"]
        output = values["output"]
        self.formats, self.every = output["formats"], output["every"]
        self.real = np.float32 if output["float32"] else np.float64
        self.bodies = [body["name"] for body in values["body"]]
        self.obstacles = [obstacle["name"] for obstacle in values.get("obstacle", [])]
        self.contact = "contact" in values
        self.all_have_materials = all("material" in body for body in values["body"])
        self.lines = {number: body["line"] for number, body in enumerate(values["body"]) if "line" in body}
        self.integrator = values["time"]["integrator"]
        self.written = [k for k in range(self.frames + 1) if k % self.every == 0 or k == self.frames]

    def time(self, frame):
        return (frame * self.substeps) * self.step

    @property
    def rounding(self):
        return float(np.finfo(self.real).eps)


def check_pvd(directory, config):
    """Every written frame is listed once, with its time, and exists."""
    sets = ElementTree.parse(directory / f"{config.name}.pvd").getroot().findall("./Collection/DataSet")
    files = [f"vtu/{config.name}_{frame:04}.vtu" for frame in config.written]
    check([s.get("file") for s in sets] == files, "the .pvd does not list the frames that the config asks for")
    for entry, frame in zip(sets, config.written):
        path = directory / entry.get("file")
        check(path.is_file(), f"{path} is missing")
        time = float(entry.get("timestep"))
        check(time == config.time(frame), f"{path.name}: time {time} in the .pvd, not {config.time(frame)}")
    check(len(list((directory / "vtu").iterdir())) == len(files), "vtu/ holds files that the .pvd does not list")


def check_header(path):
    """The types of the arrays as the file declares them."""
    head, _, tail = path.read_bytes().partition(b"<AppendedData")
    header = head.decode()
    check(tail.startswith(b' encoding="raw"'), f"{path.name}: the data is not appended raw")
    types = {}
    for tag in re.findall(r"<DataArray[^>]*>", header):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        types[attributes.get("Name")] = attributes["type"]
    check(types.get("connectivity") == "Int32", f"{path.name}: connectivity is {types.get('connectivity')}")
    check(types.get("offsets") == "Int32", f"{path.name}: offsets are {types.get('offsets')}")


def arrays_of(path, data, expected, theirs, tuples, config):
    """The arrays as VTK reads them: those of the contract, with its types, the same bits in meshio."""
    names = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
    check(names == set(expected), f"{path.name}: arrays {sorted(names)}, not {sorted(expected)}")
    arrays = {}
    for name, (components, kind) in expected.items():
        array = data.GetArray(name)
        values = vtk_to_numpy(array)
        kind = config.real if kind == "real" else kind
        check(values.dtype == kind, f"{path.name}: {name} is {values.dtype}, not {np.dtype(kind)}")
        check(array.GetNumberOfComponents() == components, f"{path.name}: {name} has {array.GetNumberOfComponents()} components")
        check(array.GetNumberOfTuples() == tuples, f"{path.name}: {name} has {array.GetNumberOfTuples()} tuples, not {tuples}")
        check(np.isfinite(values).all(), f"{path.name}: {name} has a value that is not finite")
        check(same_bits(values, theirs[name]), f"{path.name}: {name} differs between VTK and meshio")
        arrays[name] = values
    return arrays


class Frame:
    """One .vtu, read twice and checked by itself."""

    def __init__(self, path, time, config):
        check_header(path)
        # The reader owns the memory of the arrays.
        self.reader = vtkXMLUnstructuredGridReader()
        grid, mesh = read_vtk(self.reader, path), meshio.read(path)
        self.path = path
        self.points = vtk_to_numpy(grid.GetPoints().GetData())
        check(self.points.dtype == config.real, f"{path.name}: points are {self.points.dtype}")
        check(np.isfinite(self.points).all(), f"{path.name}: a point is not finite")
        check(same_bits(self.points, mesh.points), f"{path.name}: points differ between VTK and meshio")
        kinds = np.array([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())])
        tets, triangles = (int(np.sum(kinds == kind)) for kind in (TETRA, TRIANGLE))
        in_order = np.concatenate([np.full(tets, TETRA), np.full(triangles, TRIANGLE), np.full(len(kinds) - tets - triangles, LINE)])
        check(np.array_equal(kinds, in_order), f"{path.name}: not tetrahedra, then triangles, then lines")
        corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
        tets, triangles, edges = np.split(corners, [4 * tets, 4 * tets + 3 * triangles])
        self.tets, self.triangles, self.edges = tets.reshape(-1, 4), triangles.reshape(-1, 3), edges.reshape(-1, 2)
        for cells, name in ((self.tets, "tetra"), (self.triangles, "triangle"), (self.edges, "line")):
            theirs = mesh.cells_dict.get(name, np.empty((0, cells.shape[1]), dtype=int))
            check(np.array_equal(cells, theirs), f"{path.name}: cells differ between VTK and meshio")
        stamp = grid.GetFieldData().GetArray("TimeValue")
        check(stamp is not None and stamp.GetNumberOfTuples() == 1, f"{path.name}: no TimeValue")
        check(stamp.GetValue(0) == time, f"{path.name}: TimeValue {stamp.GetValue(0)}, not {time}")
        cell_data = {name: np.concatenate(blocks) for name, blocks in mesh.cell_data.items()}
        self.arrays = arrays_of(path, grid.GetPointData(), POINT_ARRAYS | (CONTACT_ARRAYS if config.contact else {}), mesh.point_data, len(self.points), config)
        self.arrays |= arrays_of(path, grid.GetCellData(), CELL_ARRAYS, cell_data, len(kinds), config)

    def rest(self):
        return self.points.astype(float) - self.arrays["displacement"].astype(float)


def check_constant(frame, first):
    """What must not change over a run: topology, numbers, pins."""
    check(np.array_equal(frame.tets, first.tets), f"{frame.path.name}: the tets changed")
    check(np.array_equal(frame.triangles, first.triangles), f"{frame.path.name}: the triangles changed")
    check(np.array_equal(frame.edges, first.edges), f"{frame.path.name}: the edges changed")
    for name in ("pinned", "vertex_id", "body_id", "material_id"):
        check(np.array_equal(frame.arrays[name], first.arrays[name]), f"{frame.path.name}: {name} changed")


def check_geometry(frame, rest, config):
    """displacement and det_f follow from the points and the rest positions."""
    size = max(np.abs(rest).max(), np.abs(frame.points).max())
    off = np.abs(frame.rest() - rest).max()
    check(off <= 8 * config.rounding * size, f"{frame.path.name}: displacement is not points - rest, by {off:.3g} m")
    edges = lambda x: np.stack([x[frame.tets[:, i]] - x[frame.tets[:, 0]] for i in (1, 2, 3)], axis=2)
    gradient = edges(frame.points.astype(float)) @ np.linalg.inv(edges(rest))
    areas = lambda x: np.linalg.norm(np.cross(*(x[frame.triangles[:, i]] - x[frame.triangles[:, 0]] for i in (1, 2))), axis=1)
    lengths = lambda x: np.linalg.norm(x[frame.edges[:, 1]] - x[frame.edges[:, 0]], axis=1)
    ratios = [of(frame.points.astype(float)) / of(rest) for of in (areas, lengths)]
    det = np.concatenate([np.linalg.det(gradient), *ratios])
    # Rounding of det F grows with the cube of the stretches.
    scale = np.ones(len(det))
    scale[: len(gradient)] = np.maximum(1.0, np.linalg.norm(gradient, axis=(1, 2)) ** 3)
    off = (np.abs(det - frame.arrays["det_f"]) / scale).max()
    check(off <= max(1e-9, 100 * config.rounding), f"{frame.path.name}: det_f is wrong by {off:.3g}")
    check((frame.arrays["von_mises"] >= 0).all(), f"{frame.path.name}: von_mises below 0")


def check_lines(frame, config):
    """Stress and energy density of an edge follow from its length: E strain and E strain^2/2, a rope's only where taut."""
    first = len(frame.tets) + len(frame.triangles)
    body = frame.arrays["body_id"][first:]
    strain, stress, energy = (frame.arrays[name][first:].astype(float) for name in ("det_f", "von_mises", "energy_density"))
    strain = strain - 1
    for number, line in config.lines.items():
        mine = body == number
        pulled = np.maximum(strain[mine], 0) if line["kind"] == "rope" else strain[mine]
        allowed = 100 * config.rounding * line["young"]
        check(np.abs(stress[mine] - line["young"] * np.abs(pulled)).max() <= allowed, f"{frame.path.name}: von_mises of body {number}")
        off = np.abs(energy[mine] - line["young"] * pulled**2 / 2).max()
        check(off <= allowed * np.abs(strain[mine]).max() + allowed * config.rounding, f"{frame.path.name}: energy_density of body {number}")


def check_velocity(before, frame, config):
    """With one step per frame the velocity is the difference of the points over the step."""
    # Obstacles turn, so that their velocities are not those of straight ways.
    of_triangles = frame.arrays["body_id"][len(frame.tets):len(frame.tets) + len(frame.triangles)]
    obstacles = frame.triangles[of_triangles < 0]
    count = obstacles.min() if len(obstacles) else len(frame.points)
    x, y = before.points[:count].astype(float), frame.points[:count].astype(float)
    speed = (y - x) / config.step
    allowed = 8 * config.rounding * (np.abs([x, y]).max() / config.step + np.abs(speed).max())
    off = np.abs(speed - frame.arrays["velocity"][:count]).max()
    check(off <= allowed, f"{frame.path.name}: velocity is not the difference of the points, by {off:.3g} m/s")


def boundary(tets):
    """The faces that belong to one tet only, turned outwards."""
    faces = np.concatenate([tets[:, c] for c in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3])])
    _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[counts == 1]]


def turned(triangles):
    """Each triangle from its lowest corner on, in the order of all: equal for equal oriented surfaces."""
    start = np.argmin(triangles, axis=1)
    rolled = np.stack([triangles[np.arange(len(triangles)), (start + i) % 3] for i in range(3)], axis=1)
    return rolled[np.lexsort(rolled.T)]


class Surfaces:
    """The .ply files of all bodies, held against the .vtu of the same frame."""

    def __init__(self, directory, config, first):
        self.directory, self.config = directory, config
        self.expected = []
        self.names = config.bodies + config.obstacles
        for number in [*range(len(config.bodies)), *(-1 - k for k in range(len(config.obstacles)))]:
            mine = first.arrays["body_id"] == number
            of_tets, of_triangles, of_edges = np.split(mine, [len(first.tets), len(first.tets) + len(first.triangles)])
            tets, triangles, edges = first.tets[of_tets], first.triangles[of_triangles], first.edges[of_edges]
            faces = boundary(tets) if len(tets) else triangles
            vertices = np.unique(edges if len(edges) else faces)
            faces = None if len(edges) else turned(np.searchsorted(vertices, faces))
            self.expected.append((vertices, faces, np.searchsorted(vertices, edges)))
        count = len(list(directory.iterdir()))
        check(count == len(self.names) * len(config.written), f"ply/ holds {count} files")

    def check(self, number, frame):
        for body, (vertices, faces, edges) in zip(self.names, self.expected):
            path = self.directory / f"{body}_{number:04}.ply"
            if faces is None:
                self.check_lines(path, frame.points[vertices], edges)
                continue
            reader = vtkPLYReader()
            surface, mesh = read_vtk(reader, path), meshio.read(path)
            check(mesh.points.dtype == self.config.real, f"{path.name}: points are {mesh.points.dtype}")
            check(len(mesh.points) == len(vertices), f"{path.name}: {len(mesh.points)} vertices, not {len(vertices)}")
            check(np.array_equal(mesh.points, frame.points[vertices]), f"{path.name}: not the surface points of the .vtu")
            # VTK's reader keeps single precision only.
            points = vtk_to_numpy(surface.GetPoints().GetData())
            check(same_bits(points, mesh.points.astype(np.float32)), f"{path.name}: points differ between VTK and meshio")
            triangles = mesh.cells_dict["triangle"]
            check(np.array_equal(turned(triangles), faces), f"{path.name}: not the outer faces of the .vtu")
            polygons = vtk_to_numpy(surface.GetPolys().GetConnectivityArray()).reshape(-1, 3)
            check(np.array_equal(polygons, triangles), f"{path.name}: faces differ between VTK and meshio")


    def check_lines(self, path, points, edges):
        """VTK reads the points of a PLY of edges only, and meshio refuses it: the edges are read here."""
        surface = read_vtk(vtkPLYReader(), path)
        theirs = vtk_to_numpy(surface.GetPoints().GetData())
        check(same_bits(theirs, points.astype(np.float32)), f"{path.name}: not the points of the .vtu")
        ours, ends = read_ply_edges(path)
        check(same_bits(ours, points), f"{path.name}: not the points of the .vtu, bit by bit")
        check(np.array_equal(ends, edges), f"{path.name}: not the edges of the .vtu")


def check_metrics(directory, config):
    """The columns of the contract and one row per step; returns the rows by step."""
    text = (directory / "metrics.csv").read_text()
    columns = COLUMNS + (CONTACT_COLUMNS if config.contact else "") + LAST_COLUMN
    check(text.partition("\n")[0] == columns, "metrics.csv has other columns")
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]
    steps = config.frames * config.substeps
    check(len(rows) == steps, f"metrics.csv has {len(rows)} rows for {steps} steps")
    for step, row in enumerate(rows, 1):
        check(np.isfinite(list(row.values())).all(), f"metrics.csv, step {step}: a number is not finite")
        check(row["step"] == step and row["frame"] == -(-step // config.substeps), f"metrics.csv, step {step}: out of order")
        check(row["time"] == step * config.step, f"metrics.csv, step {step}: time {row['time']}")
        total, parts = row["objective"], row["inertia"] + row["elastic"]
        rounding = 1e-12 * (row["inertia"] + abs(row["elastic"]))
        # The energy of contacts, which is not negative, has no column of its own.
        fits = total - parts >= -rounding if config.contact else abs(total - parts) <= rounding
        check(fits, f"metrics.csv, step {step}: objective")
    return rows


def check_against_metrics(number, frame, rows, config):
    """The last step of a frame counts the inverted tets that the frame shows."""
    if number == 0 or config.real == np.float32 or not config.all_have_materials:
        return
    row, det = rows[number * config.substeps - 1], frame.arrays["det_f"][frame.arrays["body_id"] >= 0]
    check(abs(row["min_det_f"] - det.min()) <= 1e-9 * max(1.0, np.abs(det).max()), f"{frame.path.name}: min_det_f of metrics.csv")
    check(row["inverted"] == np.sum(det < 0), f"{frame.path.name}: inverted of metrics.csv")


def main(directory):
    config = Config(directory)
    rows = check_metrics(directory, config)
    summary = json.loads((directory / "summary.json").read_text())
    check(summary["frames"] == config.frames, "summary.json has another number of frames")
    check((directory / "checkpoint.bin").is_file(), "checkpoint.bin is missing")
    check("vtu" in config.formats, "nothing to check: the run has no .vtu frames")
    check_pvd(directory, config)
    first = before = surfaces = None
    for number in config.written:
        path = directory / "vtu" / f"{config.name}_{number:04}.vtu"
        frame = Frame(path, config.time(number), config)
        if first is None:
            first, rest = frame, frame.rest()
            surfaces = Surfaces(directory / "ply", config, first) if "ply" in config.formats else None
        check_constant(frame, first)
        check_geometry(frame, rest, config)
        check_lines(frame, config)
        if before is not None and config.substeps == 1 and config.every == 1 and config.integrator == "implicit-euler":
            check_velocity(before, frame, config)
        if surfaces:
            surfaces.check(number, frame)
        check_against_metrics(number, frame, rows, config)
        before = frame
    shown = int(np.sum(first.arrays["body_id"] < 0))
    for name, of_obstacles in (("tets", 0), ("triangles", shown), ("edges", 0)):
        check(summary[name] == len(getattr(first, name)) - of_obstacles, f"summary.json has another number of {name}")
    print(
        f"{directory}: sound: {len(config.written)} frames to {config.time(config.frames):g} s, {len(config.bodies)} bodies, "
        f"{len(first.points)} points, {len(first.tets)} tets, {len(first.triangles)} triangles, {len(first.edges)} edges, {', '.join(config.formats)}, {len(rows)} metrics rows"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]))
    except Exception as error:
        kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
        sys.exit(f"{sys.argv[1]}: FAILED: {kind}{error}")
