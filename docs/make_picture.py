#!/usr/bin/env python3
"""Makes docs/scenes.png: simulates scenes of configs/ and draws some of their frames, coloured by von Mises stress.

    cargo build --release
    .venv/bin/pip install -r tests/clients/requirements.txt
    .venv/bin/python docs/make_picture.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

ROOT = Path(__file__).resolve().parent.parent
COLOURS = ["31508c", "3f8fb0", "8cc7a1", "f0cf65", "e07a3f", "c23b4e"]
SAMPLES = 3  # per pixel and direction

# Panels of the picture, row by row: scene, frame, direction to the eye, size in pixels.
BAR, WIDE = (0.45, 0.35, 1.0), (236, 134)
ROWS = [
    [("twisting-bar", frame, BAR, WIDE) for frame in (0, 12, 24, 45)],
    [
        ("stiff-and-soft", 40, (0.75, 0.35, 1.0), (264, 184)),
        ("stretched-cube", 5, (0.45, 0.35, 1.0), (196, 184)),
        ("shaken-torus", 36, (0.8, 0.25, 1.0), (196, 184)),
        ("randomized-ball", 0, (0.4, 0.3, 1.0), (144, 184)),
        ("randomized-ball", 4, (0.4, 0.3, 1.0), (144, 184)),
    ],
]


def simulate(name, directory):
    command = [ROOT / "target/release/pliant", "-q", "simulate", ROOT / f"configs/{name}.toml", "-o", directory / name]
    subprocess.run(command, check=True)


def frame_file(directory, name, frame):
    return directory / name / "vtu" / f"{name}_{frame:04}.vtu"


def surface(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    smooth = vtk.vtkCellDataToPointData()
    smooth.SetInputConnection(reader.GetOutputPort())
    outside = vtk.vtkDataSetSurfaceFilter()
    outside.SetInputConnection(smooth.GetOutputPort())
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputConnection(outside.GetOutputPort())
    normals.SetFeatureAngle(45)
    normals.Update()
    return normals.GetOutput()


def colours(highest):
    table = vtk.vtkColorTransferFunction()
    table.SetColorSpaceToLab()
    for i, colour in enumerate(COLOURS):
        rgb = [int(colour[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        table.AddRGBPoint(highest * i / (len(COLOURS) - 1), *rgb)
    return table


def lights(renderer):
    renderer.AutomaticLightCreationOff()
    for position, intensity in (((-0.5, 1.0, 1.0), 0.85), ((1.0, 0.1, 0.6), 0.35), ((0.0, -1.0, 0.3), 0.15)):
        light = vtk.vtkLight()
        light.SetLightTypeToCameraLight()
        light.SetPosition(*position)
        light.SetFocalPoint(0, 0, 0)
        light.SetIntensity(intensity)
        renderer.AddLight(light)


def panel(body, highest, eye, size):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(body)
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("von_mises")
    mapper.SetLookupTable(colours(highest))
    mapper.InterpolateScalarsBeforeMappingOn()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.25)
    actor.GetProperty().SetDiffuse(0.85)
    actor.GetProperty().SetSpecular(0.12)
    actor.GetProperty().SetSpecularPower(25)
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(actor)
    lights(renderer)
    low, high = np.array(body.GetBounds()).reshape(3, 2).T
    center, eye = (low + high) / 2, np.array(eye) / np.linalg.norm(eye)
    camera = renderer.GetActiveCamera()
    camera.SetParallelProjection(True)
    camera.SetFocalPoint(*center)
    camera.SetPosition(*(center + 10 * np.linalg.norm(high - low) * eye))
    camera.SetViewUp(0, 1, 0)
    fit(camera, vtk_to_numpy(body.GetPoints().GetData()), center, eye, size)
    renderer.ResetCameraClippingRange()
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(*(SAMPLES * n for n in size))
    window.AddRenderer(renderer)
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    pixels = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars())
    pixels = pixels.reshape(size[1], SAMPLES, size[0], SAMPLES, -1)[::-1, :, :, :, :3]
    # Steps of 3 are invisible and make the file a third smaller.
    return (3 * np.round(pixels.mean(axis=(1, 3)) / 3)).astype(np.uint8)


def fit(camera, points, center, eye, size):
    """Fills nine tenths of the panel."""
    right = np.cross([0, 1, 0], eye)
    right /= np.linalg.norm(right)
    plane = np.stack([points @ right, points @ np.cross(eye, right)], axis=1)
    low, high = plane.min(axis=0), plane.max(axis=0)
    middle = (low + high) / 2 - [center @ right, center @ np.cross(eye, right)]
    shift = middle[0] * right + middle[1] * np.cross(eye, right)
    camera.SetFocalPoint(*(np.array(camera.GetFocalPoint()) + shift))
    camera.SetPosition(*(np.array(camera.GetPosition()) + shift))
    width, height = high - low
    camera.SetParallelScale(max(height, width * size[1] / size[0]) / 2 / 0.9)


def stress(body):
    return vtk_to_numpy(body.GetPointData().GetArray("von_mises"))


def save(image, path):
    height, width, _ = image.shape
    data = vtk.vtkImageData()
    data.SetDimensions(width, height, 1)
    data.GetPointData().SetScalars(numpy_to_vtk(np.ascontiguousarray(image[::-1]).reshape(-1, 3), deep=True))
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(path))
    writer.SetCompressionLevel(9)
    writer.SetInputData(data)
    writer.Write()


def main():
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        for name in {name for row in ROWS for name, *_ in row}:
            simulate(name, directory)
        rows = []
        for row in ROWS:
            bodies = [surface(frame_file(directory, name, frame)) for name, frame, *_ in row]
            shared = len({name for name, *_ in row}) == 1
            tops = [np.percentile(stress(body), 98) for body in bodies]
            tops = [max(tops)] * len(tops) if shared else tops
            panels = [panel(body, max(top, 1.0), eye, size) for body, top, (_, _, eye, size) in zip(bodies, tops, row)]
            rows.append(np.hstack(panels))
        save(np.vstack(rows), ROOT / "docs/scenes.png")


if __name__ == "__main__":
    sys.exit(main())
