#!/usr/bin/env bash
# Runs a run's view_paraview.py with ParaView's pvbatch, without a screen: a picture of one frame, which must show the body
# before the background, and the number and times of the frames. Says so and passes where ParaView is not installed.
#
#   tests/clients/check_paraview.sh RUN_DIR PYTHON
set -euo pipefail
run=$1 python=$2
if ! command -v pvbatch > /dev/null; then
    echo "ParaView is not installed: view_paraview.py was not run"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
screen=$(dirname "$0")/with_screen.sh
said=$(timeout 300 "$screen" pvbatch "$run/view_paraview.py" --output "$folder/frame.png" --resolution 320x240 2> "$folder/errors") \
    || { cat "$folder/errors" >&2; exit 1; }
"$python" - "$run" "$folder/frame.png" "$said" <<'PYTHON'
import sys
from pathlib import Path
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader

sys.path.insert(0, str(Path("tests/clients").resolve()))
from truth import Truth, check

run, picture, said = sys.argv[1:]
truth = Truth(run)
check(f"{truth.name}: {len(truth.frames)} frames, 0 to {truth.frames[-1][0]:g} s" in said, said)
reader = vtkPNGReader()
reader.SetFileName(picture)
reader.Update()
pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars()).reshape(-1, 3).astype(float)
share = (np.abs(pixels - np.median(pixels, axis=0)).max(1) > 20).mean()
check(0.02 < share < 0.9, f"{share:.1%} of the picture is not background")
print(f"{said.splitlines()[-1]}; {share:.1%} of the picture is not background")
PYTHON
