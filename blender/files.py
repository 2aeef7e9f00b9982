"""Files that pliant and Blender read: meshes as PLY, positions over time as PC2. Each appears whole or not at all."""

import os
from pathlib import Path

import numpy as np


class Trouble(Exception):
    """Something that the user can correct; the text says what and how."""


def put(path, content):
    """Writes bytes or text into a file unless it has them already, so that a run that did not change can be resumed."""
    data = content.encode() if isinstance(content, str) else content
    path = Path(path)
    try:
        if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.tmp")
        beside.write_bytes(data)
        os.replace(beside, path)
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror or error}") from error


def ply(points, faces=(), edges=(), weights=None):
    """The bytes of a PLY file. `faces` are lists of vertices, `weights` arrays of a number for each vertex by their names."""
    weights = weights or {}
    columns = [*"xyz", *weights]
    table = np.zeros(len(points), np.dtype([(name, "<f4") for name in columns]))
    for k, axis in enumerate("xyz"):
        table[axis] = points[:, k]
    for name, values in weights.items():
        table[name] = values
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    head += [f"property float {name}" for name in columns]
    body = table.tobytes()
    if len(faces):
        head += [f"element face {len(faces)}", "property list int int vertex_indices"]
        body += np.concatenate([np.array([len(face), *face], "<i4") for face in faces]).tobytes()
    if len(edges):
        head += [f"element edge {len(edges)}", "property int vertex1", "property int vertex2"]
        body += np.asarray(edges, "<i4").tobytes()
    return ("\n".join([*head, "end_header"]) + "\n").encode() + body


def pc2(frames, start):
    """The bytes of a point cache; `frames` has frames, vertices and coordinates."""
    frames = np.ascontiguousarray(frames, "<f4")
    head = b"POINTCACHE2\0" + np.array([1, frames.shape[1]], "<i4").tobytes()
    head += np.array([start, 1], "<f4").tobytes() + np.array([len(frames)], "<i4").tobytes()
    return head + frames.tobytes()


def read_pc2(path):
    """The positions in a point cache, by frame, vertex and coordinate."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror or error}; simulate first") from error
    count, samples = (int.from_bytes(data[at:at + 4], "little") for at in (16, 28))
    if data[:12] != b"POINTCACHE2\0" or len(data) != 32 + 12 * count * samples or not count * samples:
        raise Trouble(f"{path}: it is no whole point cache; simulate again")
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, count, 3).astype(float)
