"""Where the vertices of every surface of a run are, from its VTU frames (read with VTK) and its maps.

The VTU frames hold the simulated vertices themselves; `maps/<surface>.csv` tells which of them, or which mean of four, each
vertex of a written surface is. What other formats hold is compared with that.
"""

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

try:
    import tomllib
except ImportError:
    import tomli as tomllib


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Truth:
    """A run's frames."""

    def __init__(self, run):
        self.run = Path(run)
        self.config = tomllib.loads((self.run / "config.toml").read_text())
        self.name = self.config["name"]
        series = ElementTree.parse(self.run / f"{self.name}.pvd").iter("DataSet")
        self.frames = [(float(e.get("timestep")), self.run / e.get("file")) for e in series]
        script = (self.run / "import_blender.py").read_text()
        self.told = json.loads(re.search(r'json\.loads\(r"""(.*?)"""\)', script, re.S).group(1))
        self.maps = {s["name"]: self.read_map(s["name"]) for s in self.told["surfaces"]}
        self.grids = {}

    def read_map(self, name):
        with open(self.run / "maps" / f"{name}.csv") as file:
            rows = list(csv.reader(file))
        values = np.array([[float(x) for x in row] for row in rows[1:]])
        check(np.array_equal(values[:, 0], np.arange(len(values))), f"maps/{name}.csv: vertices are not in order")
        if rows[0] == ["vertex", "mesh_vertex"]:
            return values[:, 1:2].astype(int), np.ones((len(values), 1))
        return values[:, 1:5].astype(int), values[:, 5:9]

    def grid(self, index):
        if index not in self.grids:
            reader = vtkXMLUnstructuredGridReader()
            reader.SetFileName(str(self.frames[index][1]))
            reader.Update()
            self.grids[index] = reader.GetOutput()
        return self.grids[index]

    def body(self, surface):
        """The vertices of the body that a surface belongs to, as a slice of the grid's points."""
        ids = vtk_to_numpy(self.grid(0).GetPointData().GetArray("vertex_id"))
        starts = [*np.flatnonzero(ids == 0), len(ids)]
        names = [body["name"] for body in self.config["body"]]
        chosen = self.config["output"].get("bodies", names)
        written = [name for name in names if name in chosen]
        owner = max((n for n in written if surface == n or surface.startswith(n + "-")), key=len)
        place = written.index(owner)
        return slice(starts[place], starts[place + 1])

    def of(self, surface, index, array=None):
        """Positions of the surface's vertices in a frame, or an array of the points."""
        grid = self.grid(index)
        values = grid.GetPoints().GetData() if array is None else grid.GetPointData().GetArray(array)
        values = vtk_to_numpy(values)[self.body(surface)].astype(float)
        corners, weights = self.maps[surface]
        return np.einsum("vc,vcx->vx", weights, values[corners])

    def some_frames(self, count=5):
        return sorted({round(i) for i in np.linspace(0, len(self.frames) - 1, count)})


def used(faces, edges, count):
    """The vertices that faces or edges use: Blender's importer and ours leave out the others."""
    mask = np.zeros(count, bool)
    mask[np.concatenate([np.ravel(f) for f in [*faces, *edges]]).astype(int)] = True
    return np.flatnonzero(mask)
