#!/usr/bin/env python3
"""Checks files that pliant wrote with the programs that read them.

    python3 -m venv .venv && .venv/bin/pip install -r tests/clients/requirements.txt
    .venv/bin/python tests/clients/check_mesh_io.py FILE.vtu|FILE.ply ...

For each file: VTK and meshio open it, agree bit by bit on points, cells and arrays, points are finite,
inverted tets are counted, and of a VTU the arrays that the frame contract names have the right size.
Exit code 0 if all is well.
"""

import re
import sys
from pathlib import Path

import meshio
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOPLY import vtkPLYReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

TETRA, TRIANGLE, LINE = 10, 5, 3
CORNERS = {TETRA: 4, TRIANGLE: 3, LINE: 2}
COMPONENTS = {
    "displacement": 3, "velocity": 3, "pinned": 1, "vertex_id": 1,
    "body_id": 1, "material_id": 1, "energy_density": 1, "von_mises": 1, "det_f": 1,
}


class Loud:
    """Turns VTK's messages into errors."""

    def __init__(self, algorithm):
        self.messages = []
        algorithm.AddObserver("ErrorEvent", self._add)
        algorithm.AddObserver("WarningEvent", self._add)

    def _add(self, _object, event):
        self.messages.append(event)


def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.size == b.size and a.tobytes() == b.tobytes()


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def read_vtk(path, reader):
    loud = Loud(reader)
    reader.SetFileName(str(path))
    reader.Update()
    check(not loud.messages, f"VTK complains: {loud.messages}")
    return reader.GetOutput()


def arrays_of(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def check_arrays(where, ours, theirs, tuples):
    check(set(ours) == set(theirs), f"{where}: VTK has {sorted(ours)}, meshio {sorted(theirs)}")
    for name, values in ours.items():
        check(len(values) == tuples, f"{where} '{name}': {len(values)} tuples, not {tuples}")
        expected = COMPONENTS.get(name)
        actual = 1 if values.ndim == 1 else values.shape[1]
        check(expected in (None, actual), f"{where} '{name}': {actual} components, not {expected}")
        check(same_bits(values, theirs[name]), f"{where} '{name}': VTK and meshio differ")


def check_vtu(path):
    grid = read_vtk(path, vtkXMLUnstructuredGridReader())
    points = vtk_to_numpy(grid.GetPoints().GetData()) if grid.GetNumberOfPoints() else np.zeros((0, 3))
    check(np.isfinite(points).all(), "a point is not finite")
    types = np.array([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())])
    check(set(types) <= set(CORNERS), f"cell types {sorted(set(types))}")
    if not grid.GetNumberOfCells():
        return "empty"
    mesh = meshio.read(path)
    check(same_bits(points, mesh.points), "points: VTK and meshio differ")
    connectivity = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    theirs = np.concatenate([block.data.ravel() for block in mesh.cells])
    check(np.array_equal(connectivity, theirs), "cells: VTK and meshio differ")
    check(0 <= connectivity.min() and connectivity.max() < len(points), "a corner is out of range")
    check_arrays("points", arrays_of(grid.GetPointData()), mesh.point_data, len(points))
    cell_data = {name: np.concatenate(blocks) for name, blocks in mesh.cell_data.items()}
    check_arrays("cells", arrays_of(grid.GetCellData()), cell_data, len(types))
    time = grid.GetFieldData().GetArray("TimeValue")
    names = sorted(arrays_of(grid.GetPointData())), sorted(arrays_of(grid.GetCellData()))
    return (f"{len(points)} points, {np.sum(types == TETRA)} tets, {np.sum(types == TRIANGLE)} triangles, "
            f"{np.sum(types == LINE)} edges, "
            f"{inverted(points, mesh)} inverted, arrays {names[0]} {names[1]}, "
            f"time {time.GetValue(0) if time else None}")


def inverted(points, mesh):
    tets = [block.data for block in mesh.cells if block.type == "tetra"]
    if not tets:
        return 0
    corners = points[np.concatenate(tets)].astype(float)
    a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    return int(np.sum(np.einsum("ij,ij->i", a, np.cross(b, c)) <= 0))


def read_ply_edges(path):
    """Points and edges of a PLY without faces, which neither VTK nor meshio read."""
    head, _, body = path.read_bytes().partition(b"end_header\n")
    real = "float" if b"property float x" in head else "double"
    wanted = (
        r"ply\nformat binary_little_endian 1.0\ncomment pliant\nelement vertex (\d+)\n"
        + "".join(rf"property {real} {axis}\n" for axis in "xyz")
        + r"element edge (\d+)\nproperty int vertex1\nproperty int vertex2\n"
    )
    match = re.fullmatch(wanted, head.decode())
    check(match, f"{path.name}: the header is {head!r}")
    points, edges = (int(n) for n in match.groups())
    kind = np.dtype("<f4" if real == "float" else "<f8")
    size = 3 * kind.itemsize * points
    check(len(body) == size + 8 * edges, f"{path.name}: {len(body)} bytes for {points} points and {edges} edges")
    return np.frombuffer(body[:size], kind).reshape(-1, 3), np.frombuffer(body[size:], "<i4").reshape(-1, 2)


def check_ply(path):
    if b"element edge" in path.read_bytes()[:1000]:
        points, edges = read_ply_edges(path)
        theirs = vtk_to_numpy(read_vtk(path, vtkPLYReader()).GetPoints().GetData())
        check(same_bits(theirs, points.astype(np.float32)), "points: not those that VTK reads")
        check(0 <= edges.min() and edges.max() < len(points), "an end is out of range")
        check(len(np.unique(edges)) == len(points), "a vertex is in no edge")
        return f"{len(points)} vertices of {points.dtype}, {len(edges)} edges"
    surface = read_vtk(path, vtkPLYReader())
    mesh = meshio.read(path)
    points = vtk_to_numpy(surface.GetPoints().GetData())
    # VTK's reader keeps single precision only.
    check(same_bits(points, mesh.points.astype(np.float32)), "points: VTK and meshio differ")
    check(np.isfinite(points).all(), "a point is not finite")
    connectivity = vtk_to_numpy(surface.GetPolys().GetConnectivityArray())
    triangles = mesh.cells_dict["triangle"]
    check(np.array_equal(connectivity, triangles.ravel()), "faces: VTK and meshio differ")
    check(triangles.max() < len(points), "a corner is out of range")
    check(len(np.unique(triangles)) == len(points), "a vertex is in no face")
    return f"{len(points)} vertices of {mesh.points.dtype}, {len(triangles)} faces"


def main(paths):
    failed = False
    for path in map(Path, paths):
        try:
            print(f"{path}: {check_ply(path) if path.suffix == '.ply' else check_vtu(path)}")
        except Exception as error:
            print(f"{path}: FAILED: {error}", file=sys.stderr)
            failed = True
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
