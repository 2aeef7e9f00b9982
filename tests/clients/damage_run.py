#!/usr/bin/env python3
"""Shows that check_run.py can fail: damages copies of a sound run in many ways and expects every one to be found.

    .venv/bin/python tests/clients/damage_run.py RUN_DIR

RUN_DIR: a finished run with .vtu and .ply frames, at least four of them, with one step per frame.
"""

import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).with_name("check_run.py")


def frames(run, kind):
    return sorted((run / kind).iterdir())


def edit(path, change):
    before = path.read_bytes()
    after = change(before)
    assert after != before, f"{path}: nothing was damaged"
    path.write_bytes(after)


def replace(path, old, new):
    edit(path, lambda content: content.replace(old, new, 1))


def block(content, name):
    """Where the values of an array of a .vtu begin."""
    tag = re.search(rb'<DataArray[^>]*Name="' + name + rb'"[^>]*>', content).group()
    offset = int(re.search(rb'offset="(\d+)"', tag).group(1))
    start = content.index(b"_", content.index(b"<AppendedData")) + 1
    return start + offset + 8


def nudge(path, name, kind="<d", index=0, by=1e-3):
    """Adds to one value of an array."""
    def change(content):
        at = block(content, name) + index * struct.calcsize(kind)
        value = struct.unpack_from(kind, content, at)[0] + by
        return content[:at] + struct.pack(kind, value) + content[at + struct.calcsize(kind):]
    edit(path, change)


def nudge_ply(path):
    """Moves the last vertex."""
    def change(content):
        count = int(re.search(rb"element vertex (\d+)", content).group(1))
        at = content.index(b"end_header\n") + 11 + 24 * count - 8
        return content[:at] + struct.pack("<d", struct.unpack_from("<d", content, at)[0] + 1e-6) + content[at + 8:]
    edit(path, change)


def swap(a, b):
    content = a.read_bytes()
    a.write_bytes(b.read_bytes())
    b.write_bytes(content)


def pvd(run):
    return next(run.glob("*.pvd"))


DAMAGES = {
    "a frame is missing": lambda run: frames(run, "vtu")[2].unlink(),
    "a frame too many": lambda run: shutil.copy(frames(run, "vtu")[2], run / "vtu" / "extra_0000.vtu"),
    "two frames swapped": lambda run: swap(*frames(run, "vtu")[1:3]),
    "a frame cut short": lambda run: edit(frames(run, "vtu")[1], lambda content: content[: len(content) // 2]),
    "a time in the .pvd": lambda run: edit(pvd(run), lambda content: re.sub(rb'timestep="0\.[0-9]*', rb'timestep="0.5', content, count=2)),
    "TimeValue": lambda run: edit(frames(run, "vtu")[1], lambda content: re.sub(rb"ascii\">[0-9.]+", b"ascii\">0.25", content, count=1)),
    "a point": lambda run: nudge(frames(run, "vtu")[1], b"Points", index=100, by=1e-7),
    "a displacement": lambda run: nudge(frames(run, "vtu")[2], b"displacement", index=7, by=1e-9),
    "a velocity": lambda run: nudge(frames(run, "vtu")[2], b"velocity", index=7, by=1e-6),
    "a velocity that is NaN": lambda run: nudge(frames(run, "vtu")[0], b"velocity", by=float("nan")),
    "a det F": lambda run: nudge(frames(run, "vtu")[0], b"det_f", index=5, by=1e-8),
    "a stress below zero": lambda run: nudge(frames(run, "vtu")[1], b"von_mises", by=-1e12),
    "a pin": lambda run: nudge(frames(run, "vtu")[1], b"pinned", kind="<B", by=1),
    "a body": lambda run: nudge(frames(run, "vtu")[1], b"body_id", kind="<i", by=1),
    "a cell": lambda run: nudge(frames(run, "vtu")[1], b"connectivity", kind="<i", index=3, by=1),
    "an array's name": lambda run: replace(frames(run, "vtu")[0], b'"von_mises"', b'"von_moses"'),
    "an array's type": lambda run: replace(frames(run, "vtu")[0], b'type="UInt8" Name="pinned"', b'type="Int8" Name="pinned"'),
    "a surface is missing": lambda run: frames(run, "ply")[1].unlink(),
    "two surfaces swapped": lambda run: swap(*frames(run, "ply")[1:3]),
    "a surface vertex": lambda run: nudge_ply(frames(run, "ply")[1]),
    "a metrics row is missing": lambda run: edit(run / "metrics.csv", lambda content: content[: content[:-1].rindex(b"\n") + 1]),
    "a metrics column": lambda run: replace(run / "metrics.csv", b"px,py", b"py,px"),
    "a metrics number": lambda run: edit(run / "metrics.csv", lambda content: content.replace(b"\n3,3,", b"\n3,3,9", 1)),
    "no summary": lambda run: (run / "summary.json").unlink(),
}


def verdict(run):
    return subprocess.run([sys.executable, CHECK, run], capture_output=True, text=True)


def main(run):
    sound = verdict(run)
    if sound.returncode != 0:
        sys.exit(f"the run is not sound to begin with: {sound.stderr}")
    missed = []
    for name, damage in DAMAGES.items():
        with tempfile.TemporaryDirectory() as directory:
            copy = Path(directory) / "run"
            shutil.copytree(run, copy)
            damage(copy)
            result = verdict(copy)
            if result.returncode == 0 or "FAILED" not in result.stderr:
                missed.append(name)
            elif "-v" in sys.argv:
                print(f"{name:28}{result.stderr.strip().partition('FAILED: ')[2]}")
    if missed:
        sys.exit(f"check_run.py did not notice: {', '.join(missed)}")
    print(f"check_run.py noticed all {len(DAMAGES)} damages")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
