"""Shows a pliant run in ParaView: coloured by an array, camera framed on the whole motion, times right.

In ParaView:    View > Python Shell > Run Script > this file
From a shell:   pvbatch view_paraview.py --output frame.png --frame 60
                pvbatch view_paraview.py --animation --output movie.avi          (or frames.png: numbered pictures)
                pvbatch view_paraview.py --array displacement --output frame.png

Without a screen: xvfb-run -a pvbatch view_paraview.py … ; --help lists all options.
"""

import argparse
import json
import math
import sys
from pathlib import Path

from paraview import simple

RUN = json.loads(r"""@RUN@""")

ROOT = Path(__file__).resolve().parent if "__file__" in globals() else Path.cwd()


def options():
    parser = argparse.ArgumentParser(prog="view_paraview.py", description=__doc__.splitlines()[0])
    parser.add_argument("--array", default="von_mises", help="what colours show: an array of points or cells")
    parser.add_argument("--output", metavar="FILE", help="write a picture (.png) or, with --animation, also .avi")
    parser.add_argument("--frame", type=int, help="this frame of the run, counted from 0; default: the middle")
    parser.add_argument("--animation", action="store_true", help="write all frames")
    parser.add_argument("--resolution", default="1280x720", metavar="WxH")
    parser.add_argument("--edges", action="store_true", help="show the edges of the cells")
    arguments = parser.parse_args(sys.argv[1:])
    try:
        arguments.size = [int(n) for n in arguments.resolution.lower().split("x")]
        assert len(arguments.size) == 2 and min(arguments.size) > 0
    except (ValueError, AssertionError):
        parser.error(f"--resolution {arguments.resolution}: wants WxH, such as 1280x720")
    return arguments


def open_run():
    for ending in ("pvd", "vtk.series"):
        path = ROOT / f"{RUN['name']}.{ending}"
        if path.exists():
            return simple.OpenDataFile(str(path))
    raise SystemExit(f"{ROOT}: no frames that ParaView shows as a series; make some with: "
                     f"pliant simulate … --set 'output.formats=[\"vtu\"]'")


def colour(source, display, view, name):
    """Colours by an array, its range that of the whole run."""
    for kind, arrays in (("POINTS", source.PointData), ("CELLS", source.CellData)):
        if name not in arrays.keys():
            continue
        simple.ColorBy(display, (kind, name, "Magnitude") if arrays[name].GetNumberOfComponents() > 1 else (kind, name))
        display.RescaleTransferFunctionToDataRangeOverTime()
        table = simple.GetColorTransferFunction(name)
        table.ApplyPreset("Viridis (matplotlib)", True)
        display.SetScalarBarVisibility(view, True)
        bar = simple.GetScalarBar(table, view)
        bar.TitleColor = bar.LabelColor = [0.1, 0.1, 0.1]
        bar.Orientation, bar.WindowLocation, bar.ScalarBarLength = "Horizontal", "Lower Center", 0.4
        bar.TitleFontSize = bar.LabelFontSize = 12
        return
    known = sorted([*source.PointData.keys(), *source.CellData.keys()])
    raise SystemExit(f"--array {name}: there is no such array; there are: {', '.join(known)}")


def extent(source, times):
    """The box that the motion of the bodies fills, looked at in up to twelve frames; obstacles may be far larger."""
    bodies = simple.Threshold(Input=source, Scalars=["CELLS", "body_id"])
    if hasattr(bodies, "LowerThreshold"):
        bodies.LowerThreshold, bodies.UpperThreshold = 0, 1e9
    else:
        bodies.ThresholdRange = [0, 1e9]
    box = [math.inf, -math.inf] * 3
    for i in sorted({round(k * (len(times) - 1) / 11) for k in range(12)}):
        bodies.UpdatePipeline(times[i])
        now = bodies.GetDataInformation().GetBounds()
        box = [min(a, b) if k % 2 == 0 else max(a, b) for k, (a, b) in enumerate(zip(box, now))]
    simple.Delete(bodies)
    return box


def aim(view, box, size):
    """Camera in front, a little to the right and above; y is up."""
    centre = [(box[2 * k] + box[2 * k + 1]) / 2 for k in range(3)]
    radius = max(0.5 * math.dist(box[::2], box[1::2]), 1e-9)
    direction = (0.45, 0.4, 1.0)
    view.CameraViewAngle = 30
    narrow = math.radians(30) / 2
    narrow = min(narrow, math.atan(math.tan(narrow) * size[0] / size[1]))
    distance = 1.1 * radius / math.sin(narrow) / math.hypot(*direction)
    view.CameraPosition = [c + distance * d for c, d in zip(centre, direction)]
    view.CameraFocalPoint = centre
    view.CameraViewUp = [0, 1, 0]
    view.CenterOfRotation = centre


def main():
    arguments = options()
    simple._DisableFirstRenderCameraReset()
    source = open_run()
    times = list(source.TimestepValues) if hasattr(source, "TimestepValues") else [0.0]
    times = times or [0.0]
    shown = arguments.frame if arguments.frame is not None else (len(times) - 1) // 2
    if not 0 <= shown < len(times):
        raise SystemExit(f"--frame {shown}: there are frames 0 to {len(times) - 1}")
    source.UpdatePipeline(times[shown])
    view = simple.GetActiveViewOrCreate("RenderView")
    view.ViewSize = arguments.size
    view.OrientationAxesVisibility = 1
    try:
        view.UseColorPaletteForBackground = 0
    except AttributeError:
        pass
    view.Background = [0.94, 0.95, 0.96]
    display = simple.Show(source, view)
    display.Representation = "Surface With Edges" if arguments.edges else "Surface"
    colour(source, display, view, arguments.array)
    box = extent(source, times)
    scene = simple.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.AnimationTime = times[shown]
    view.ViewTime = times[shown]
    aim(view, box, arguments.size)
    simple.Render(view)
    print(f"{RUN['name']}: {len(times)} frames, {times[0]:g} to {times[-1]:g} s, coloured by {arguments.array}")
    if arguments.output and arguments.animation:
        # Movies have whole frames a second at least one.
        simple.SaveAnimation(arguments.output, view, ImageResolution=arguments.size, FrameRate=max(1, round(RUN["fps"])))
    elif arguments.output:
        simple.SaveScreenshot(arguments.output, view, ImageResolution=arguments.size)


main()
