"""What can touch in a run with contact: the surfaces of its bodies and obstacles, from its VTU frames and its config.

Bodies and obstacles are parts, in the order of `contact`'s own numbers: bodies first. Obstacles that are exact (planes,
spheres, capsules) are written to the VTU frames as shown triangles; what they are is found from those again.
"""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import ipctk
import numpy as np
from check_run import boundary, check
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

try:
    import tomllib
except ImportError:
    import tomli as tomllib

# Python functions that ipctk calls back must be called by the thread that called it.
ipctk.set_num_threads(1)


class Frame:
    """The points of one VTU file and their arrays."""

    def __init__(self, path):
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(path))
        reader.Update()
        grid = reader.GetOutput()
        points, cells = grid.GetPointData(), grid.GetCells()
        array = lambda data, name: np.array(vtk_to_numpy(data.GetArray(name)))
        self.number = int(path.stem.rsplit("_", 1)[1])
        self.x = np.array(vtk_to_numpy(grid.GetPoints().GetData()), dtype=float)
        self.rest = self.x - array(points, "displacement")
        self.force, self.friction = array(points, "contact_force"), array(points, "friction_force")
        self.gap, self.pinned = array(points, "contact_gap"), array(points, "pinned") > 0
        self.body_id = array(grid.GetCellData(), "body_id")
        self.corners = vtk_to_numpy(cells.GetConnectivityArray())
        self.offsets = vtk_to_numpy(cells.GetOffsetsArray())

    def cells(self, body, count):
        """The cells with `count` corners of a body."""
        mine = np.flatnonzero((self.body_id == body) & (np.diff(self.offsets) == count))
        return self.corners[self.offsets[mine][:, None] + np.arange(count)].astype(np.int32)


class Part:
    """The surface of a body or an obstacle, in the numbers of the VTU points."""

    def __init__(self, frame, body, entry):
        self.name, self.entry, self.is_obstacle = entry["name"], entry, body < 0
        tets, self.triangles, self.edges = (frame.cells(body, count) for count in (4, 3, 2))
        self.is_solid, self.is_line = len(tets) > 0, len(self.edges) > 0
        if self.is_solid:
            self.triangles = boundary(tets)
        self.vertices = np.unique(np.concatenate([self.triangles.ravel(), self.edges.ravel()]))
        kind = next(iter(entry["shape"])) if self.is_obstacle else None
        self.shape = kind if kind in ("plane", "sphere", "capsule") else None
        self.radius = 0.0
        if not self.is_obstacle:
            own = 2 * entry["radius"] if self.is_line else 0.0 if self.is_solid else entry["thickness"]
            self.radius = 0.5 * entry.get("contact", {}).get("thickness", own)
        elif self.shape in ("sphere", "capsule"):
            self.radius = entry["shape"][kind]["radius"] * entry["transform"]["scale"]
        if self.shape == "capsule":
            self.halves = np.split(self.vertices, 2)

    def plane(self, x):
        """A point of the plane and its normal, with the points of the frame at `x`."""
        a, b, c = x[self.triangles[0]]
        normal = np.cross(b - a, c - a)
        return a, normal / np.linalg.norm(normal)

    def core(self, x):
        """The centre of the sphere, or the ends of the capsule's segment."""
        return [centre(x[half]) for half in (self.halves if self.shape == "capsule" else [self.vertices])]


def centre(points):
    """The centre of the sphere on which points lie."""
    middle = points.mean(axis=0)
    around = points - middle
    system = np.hstack([2 * around, np.ones((len(points), 1))])
    return middle + np.linalg.lstsq(system, np.sum(around**2, axis=1), rcond=None)[0][:3]


class ContactRun:
    """A finished run with contact."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.config = tomllib.loads((self.directory / "config.toml").read_text())
        self.contact = self.config["contact"]
        summary = json.loads((self.directory / "summary.json").read_text())["contact"]
        self.distance = summary["distance"]
        check(summary["intersection_free"], "summary.json says that a frame has an intersection")
        bodies, obstacles = self.config["body"], self.config.get("obstacle", [])
        check("bodies" not in self.config["output"], "not all bodies are written")
        check(not self.config["output"]["float32"], "single precision does not hold gaps")
        series = ElementTree.parse(self.directory / f"{self.config['name']}.pvd").iter("DataSet")
        self.files = [self.directory / entry.get("file") for entry in series]
        first = Frame(self.files[0])
        self.rest = first.rest
        self.parts = [Part(first, k, entry) for k, entry in enumerate(bodies)]
        self.parts += [Part(first, -1 - k, entry) for k, entry in enumerate(obstacles)]
        self.part_of = np.full(len(first.x), -1)
        for number, part in enumerate(self.parts):
            self.part_of[part.vertices] = number

    def frames(self):
        return (Frame(path) for path in self.files)

    def touch(self, a, b):
        """Whether two parts may touch by the config, or one part itself."""
        first, second = self.parts[a], self.parts[b]
        if first.is_obstacle and second.is_obstacle:
            return False
        for pair in self.contact.get("pairs", []):
            if sorted(pair["between"]) == sorted([first.name, second.name]):
                return pair["contact"]
        if a == b:
            return first.entry.get("contact", {}).get("self", self.contact["self"])
        return first.is_obstacle or second.is_obstacle or self.contact["bodies"]

    def mesh(self, numbers):
        """ipctk's mesh of some parts, with its vertices' numbers in the VTU; what may touch is what the config allows."""
        parts = [self.parts[n] for n in numbers]
        ids = np.concatenate([part.vertices for part in parts])
        ids.sort()
        faces = np.concatenate([np.searchsorted(ids, part.triangles) for part in parts]).astype(np.int32)
        lines = np.concatenate([np.searchsorted(ids, part.edges) for part in parts]).astype(np.int32)
        sides = ipctk.edges(np.asfortranarray(faces)) if len(faces) else np.empty((0, 2), np.int32)
        edges = np.concatenate([sides, lines])
        fortran = np.asfortranarray
        mesh = ipctk.CollisionMesh(fortran(self.rest[ids]), fortran(edges), fortran(faces))
        allowed = np.array([[self.touch(a, b) for b in range(len(self.parts))] for a in range(len(self.parts))])
        if not allowed[np.ix_(numbers, numbers)].all():
            owner, table = self.part_of[ids].tolist(), allowed.tolist()
            mesh.can_collide = ipctk.CollisionFilter(lambda i, j: table[owner[i]][owner[j]])
        return mesh, ids


def main(check_one, doc):
    """Runs a check over the run directories of the command line, one line each."""
    if len(sys.argv) < 2:
        sys.exit(doc)
    failed = False
    for directory in sys.argv[1:]:
        try:
            print(f"{directory}: {check_one(ContactRun(directory))}", flush=True)
        except Exception as error:
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            print(f"{directory}: FAILED: {kind}{error}", flush=True)
            failed = True
    sys.exit(1 if failed else 0)
