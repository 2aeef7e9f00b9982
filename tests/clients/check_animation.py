#!/usr/bin/env python3
"""Opens what a run wrote beside VTU and PLY: legacy VTK, OBJ, STL, PC2, MDD and USD, each with a reader of its own.

    .venv/bin/python tests/clients/check_animation.py RUN_DIR [FORMAT ...]

Legacy VTK with VTK: points and arrays bit by bit those of the VTU, times of the series. OBJ and STL with trimesh. PC2 and
MDD by their layout, every frame. USD with usd-core: points, velocities, extents, time codes, texture coordinates, at five
frames. Without formats, those of the run's config are checked. Exit code 0 if all is well.
"""

import json
import sys

import numpy as np
import trimesh
from truth import Truth, check
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader


def same(a, b, message):
    check(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), message)


def check_vtk(truth):
    series = json.loads((truth.run / f"{truth.name}.vtk.series").read_text())
    check(series["file-series-version"] == "1.0", "the series has no version")
    check([f["time"] for f in series["files"]] == [time for time, _ in truth.frames], "times of the series")
    for index, entry in enumerate(series["files"]):
        reader = vtkUnstructuredGridReader()
        reader.ReadAllFieldsOn()
        reader.SetFileName(str(truth.run / entry["name"]))
        reader.Update()
        ours, grid = reader.GetOutput(), truth.grid(index)
        same(vtk_to_numpy(ours.GetPoints().GetData()), vtk_to_numpy(grid.GetPoints().GetData()), "points")
        check(ours.GetNumberOfCells() == grid.GetNumberOfCells(), "cells")
        for a, b in ((ours.GetPointData(), grid.GetPointData()), (ours.GetCellData(), grid.GetCellData())):
            for i in range(b.GetNumberOfArrays()):
                name = b.GetArrayName(i)
                same(vtk_to_numpy(a.GetArray(name)), vtk_to_numpy(b.GetArray(i)), f"array {name}")
        check(ours.GetFieldData().GetArray("TimeValue").GetValue(0) == entry["time"], "TimeValue")
    return len(series["files"])


def surface_file(truth, ending, surface, index):
    number = truth.frames[index][1].stem.rsplit("_", 1)[1]
    return truth.run / ending / f"{surface}_{number}.{ending}"


def check_obj(truth):
    for surface in truth.maps:
        for index in truth.some_frames():
            lines = surface_file(truth, "obj", surface, index).read_text().splitlines()
            points = np.array([[float(x) for x in line.split()[1:4]] for line in lines if line.startswith("v ")])
            error = np.abs(points - truth.of(surface, index)).max()
            check(error < 1e-12, f"{surface}: an OBJ vertex is off by {error}")


def check_stl(truth):
    for surface in truth.maps:
        for index in truth.some_frames():
            path = surface_file(truth, "stl", surface, index)
            if not path.exists():
                continue
            points = trimesh.load(path, process=False).triangles.reshape(-1, 3)
            nearest = np.array([np.abs(truth.of(surface, index) - p).max(1).min() for p in points[::97]])
            check(nearest.max() < 1e-6, f"{surface}: an STL vertex is off by {nearest.max()}")


def read_obj_counts(path):
    words = [line.split() for line in path.read_text().splitlines()]
    return sum(w[:1] == ["v"] for w in words), sum(w[:1] == ["f"] for w in words)


def check_cache(truth, ending):
    for surface in truth.maps:
        data = (truth.run / "blender" / f"{surface}.{ending}").read_bytes()
        vertices, _ = read_obj_counts(truth.run / "blender" / f"{surface}.obj")
        frames = len(truth.frames)
        if ending == "pc2":
            check(data[:12] == b"POINTCACHE2\0", "the head of a PC2 file")
            head = np.frombuffer(data, "<i4", 5, 12)
            check((head[0], head[1], head[4]) == (1, vertices, frames), f"{surface}: {head}")
            check(np.frombuffer(data, "<f4", 2, 20).tolist() == [truth.told["start_frame"], 1.0], "start and rate")
            values = np.frombuffer(data, "<f4", -1, 32)
        else:
            check(np.frombuffer(data, ">i4", 2).tolist() == [frames, vertices], "the head of an MDD file")
            times = np.frombuffer(data, ">f4", frames, 8)
            check(np.allclose(times, np.arange(frames) / truth.told["fps"], rtol=1e-6), "times")
            values = np.frombuffer(data, ">f4", -1, 8 + 4 * frames)
        values = values.reshape(frames, vertices, 3)
        for index in range(frames):
            points = truth.of(surface, index)
            check(len(points) == vertices, f"{surface}: {vertices} vertices, {len(points)} expected")
            error = np.abs(values[index] - points.astype(np.float32)).max()
            check(error <= 5e-7 * max(1, np.abs(points).max()), f"{surface}: frame {index} is off by {error}")


def check_usd(truth):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(truth.run / "blender" / f"{truth.name}.usda"))
    start = truth.told["start_frame"]
    check(stage.GetStartTimeCode() == start and stage.GetEndTimeCode() == start + len(truth.frames) - 1, "time codes")
    check(abs(stage.GetTimeCodesPerSecond() - truth.told["fps"]) < 1e-9 * truth.told["fps"], "the frame rate")
    check(UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1, "axis or unit")
    prims = [p for p in stage.Traverse() if p.IsA(UsdGeom.PointBased)]
    check(len(prims) == len(truth.maps), f"{len(prims)} surfaces of {len(truth.maps)}")
    for prim, surface in zip(prims, truth.maps):
        shape = UsdGeom.PointBased(prim)
        lines = prim.IsA(UsdGeom.BasisCurves)
        for index in truth.some_frames():
            points = np.array(shape.GetPointsAttr().Get(start + index))
            velocities = np.array(shape.GetVelocitiesAttr().Get(start + index))
            expected = truth.of(surface, index)
            if lines:
                # Along the curves; generated ropes are one curve in the order of their vertices.
                check(len(points) >= len(expected), "points of a curve are missing")
                points, velocities = points[: len(expected)], velocities[: len(expected)]
            scale = max(1, np.abs(expected).max())
            error = np.abs(points - expected).max()
            check(error <= 5e-7 * scale, f"{surface}: frame {index} is off by {error}")
            moving = truth.of(surface, index, "velocity")
            check(np.abs(velocities - moving).max() <= 5e-7 * max(1, np.abs(moving).max()), "velocities")
            extent = np.array(shape.GetExtentAttr().Get(start + index))
            check(np.array_equal(extent, np.array([points.min(0), points.max(0)])), "the extent")
        if not lines:
            mesh = UsdGeom.Mesh(prim)
            counts, corners = (np.array(a.Get()) for a in (mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr()))
            check(counts.sum() == len(corners) and corners.max() == len(expected) - 1, "faces")
            check(mesh.GetSubdivisionSchemeAttr().Get() == "none", "subdivision")
            check_texture(truth, UsdGeom.PrimvarsAPI(prim).GetPrimvar("st"), surface, len(corners))
    used = stage.GetUsedLayers()
    return "value clips" if any("clips" in layer.identifier for layer in used) else "one file"


def check_texture(truth, primvar, surface, corners):
    source = next((b["surface"] for b in truth.config["body"] if b["name"] == surface and "surface" in b), None)
    if isinstance(source, list) or source is None or not str(source).endswith(".obj"):
        return
    lines = [line.split() for line in open(source)]
    uv = np.array([[float(x) for x in w[1:3]] for w in lines if w[:1] == ["vt"]])
    if not len(uv):
        return
    order = [int(c.split("/")[1]) for w in lines if w[:1] == ["f"] for c in w[1:]]
    check(primvar and primvar.GetInterpolation() == "faceVarying", "no texture coordinates")
    flat = np.array(primvar.ComputeFlattened())
    check(len(flat) == corners, f"{len(flat)} texture coordinates for {corners} corners")
    expected = uv[[n - 1 if n > 0 else len(uv) + n for n in order]]
    check(np.abs(flat - expected).max() < 1e-6, "texture coordinates differ")


def main():
    truth = Truth(sys.argv[1])
    formats = sys.argv[2:] or truth.config["output"]["formats"]
    checks = {
        "vtk": check_vtk, "obj": check_obj, "stl": check_stl, "usd": check_usd,
        "pc2": lambda t: check_cache(t, "pc2"), "mdd": lambda t: check_cache(t, "mdd"),
    }
    done = []
    for name, run_check in checks.items():
        if name in formats:
            note = run_check(truth)
            done.append(f"{name} ({note})" if isinstance(note, str) else name)
    check(done, "the run has none of these formats")
    print(f"{truth.name}: {len(truth.frames)} frames, {len(truth.maps)} surfaces: {', '.join(done)} hold the truth")


if __name__ == "__main__":
    main()
