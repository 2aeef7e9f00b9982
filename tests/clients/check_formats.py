#!/usr/bin/env python3
"""Checks converted meshes with the programs that read them.

    .venv/bin/python tests/clients/check_formats.py REFERENCE.vtu FILE ...

The reference is read with meshio. Every other file must hold the same points, bit by bit (STL: in single precision, by
corner), and the same cells in the same order: by meshio for vtu, vtk, msh, mesh and ply, by trimesh for ply, obj and stl,
by VTK for vtk. A file `boundary-*` holds the boundary of the reference's tets: it is closed and has its volume.
Exit code 0 if all is well.
"""

import sys
from pathlib import Path

import meshio
import numpy as np
import trimesh
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def cells(mesh):
    kinds = {block.type: block.data for block in mesh.cells}
    return kinds.get("tetra", kinds.get("triangle"))


def volume(points, tets):
    a, b, c, d = (points[tets[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)).sum() / 6


def check_boundary(path, reference):
    surface = trimesh.load(path, process=path.suffix == ".stl", maintain_order=True)
    check(surface.is_watertight, "the boundary is not closed")
    expected = volume(reference.points, cells(reference))
    check(abs(surface.volume - expected) < 1e-6 * expected, f"volume {surface.volume}, not {expected}")


def check_same(path, reference):
    points, faces = reference.points, cells(reference)
    readers = []
    if path.suffix in (".vtu", ".vtk", ".msh", ".mesh", ".ply"):
        mesh = meshio.read(path)
        readers.append(("meshio", mesh.points, cells(mesh)))
    if path.suffix in (".ply", ".obj", ".stl"):
        mesh = trimesh.load(path, process=False, maintain_order=True)
        readers.append(("trimesh", np.asarray(mesh.vertices), np.asarray(mesh.faces)))
    if path.suffix == ".vtk":
        reader = vtkUnstructuredGridReader()
        reader.SetFileName(str(path))
        reader.Update()
        grid = reader.GetOutput()
        connectivity = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
        readers.append(("vtk", vtk_to_numpy(grid.GetPoints().GetData()), connectivity.reshape(-1, faces.shape[1])))
    check(readers, f"no reader for {path.suffix}")
    for name, found, found_faces in readers:
        if path.suffix == ".stl":
            check((found[found_faces] == points.astype(np.float32)[faces]).all(), f"{name}: corners differ")
            continue
        check(np.array_equal(found, points), f"{name}: points differ")
        check(np.array_equal(found_faces, faces), f"{name}: cells differ")
    return ", ".join(name for name, *_ in readers)


def main():
    reference = meshio.read(sys.argv[1])
    failed = 0
    for name in sys.argv[2:]:
        path = Path(name)
        try:
            if path.name.startswith("boundary-"):
                check_boundary(path, reference)
                print(f"{path.name}: closed, with the volume of the tets")
            else:
                print(f"{path.name}: the same in {check_same(path, reference)}")
        except Exception as error:  # every kind of failure is one of the file's
            print(f"{path.name}: {error}")
            failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
