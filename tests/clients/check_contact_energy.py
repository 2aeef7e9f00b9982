#!/usr/bin/env python3
"""Holds forces, energy, gaps and numbers of contacts of runs against ipctk, with our barrier.

    .venv/bin/python tests/clients/check_contact_energy.py RUN_DIR...

`contact_force` and `contact_gap` of the frames, `contacts` of metrics.csv, and the energy g - inertia - elastic of its
rows (without friction and damping). Solids and sheets that touch each other or themselves are compared with the pairs that
ipctk finds and the areas that it gives them, too. With lines, obstacles, pins and pieces that are near each other at rest,
ours differ by design, and only distances and mollifier are ipctk's. Prints one line with the largest differences for each run; exit code 0 if they are rounding.
"""

import csv

import numpy as np
from check_run import check
from contact_oracle import Oracle
from contact_run import main

# Largest differences, relative to the largest force and to the energy of a frame.
FORCE, ENERGY, GAP = 1e-9, 1e-8, 1e-9
# As many frames with contacts as are looked at.
FRAMES = 12


def rows_of(run):
    """The last row of metrics.csv of each frame."""
    with open(run.directory / "metrics.csv") as file:
        return {int(row["frame"]): {name: float(value) for name, value in row.items()} for row in csv.DictReader(file)}


def has_friction(run):
    entries = [run.contact, *run.contact.get("pairs", []), *run.config.get("obstacle", [])]
    entries += [body.get("contact", {}) for body in run.config["body"]]
    return any(entry.get("friction", 0) > 0 for entry in entries)


def is_damped(run):
    return any(value for body in run.config["body"] for value in body["damping"].values())


def check_run(run):
    oracle, rows = Oracle(run), rows_of(run)
    bodies = [n for n, part in enumerate(run.parts) if not part.is_obstacle]
    with_energy = not has_friction(run) and not is_damped(run)
    worst = {"force": 0.0, "energy": 0.0, "gap": 0.0, "ipctk's own pairs": 0.0}
    touched = [frame for frame in run.frames() if frame.number and np.abs(frame.force).max() > 0]
    check(touched, "nothing touches in any frame")
    chosen = [touched[round(k)] for k in np.linspace(0, len(touched) - 1, min(FRAMES, len(touched)))]
    by_ipctk = pairs = 0
    mine = np.concatenate([run.parts[n].vertices for n in bodies])
    for frame in chosen:
        total, row = oracle.by_pairs(frame, oracle.twos), rows[frame.number]
        pairs += total.pairs
        largest = np.abs(frame.force).max()
        difference = lambda a, b: np.abs(a[mine] - b[mine]).max() / largest
        worst["force"] = max(worst["force"], difference(total.forces, frame.force))
        worst["gap"] = max(worst["gap"], np.abs(total.gaps[mine] - frame.gap[mine]).max() / run.distance)
        check(total.pairs == row["contacts"], f"frame {frame.number}: {total.pairs} pairs, not {row['contacts']:g}")
        if with_energy:
            energy = row["objective"] - row["inertia"] - row["elastic"]
            worst["energy"] = max(worst["energy"], abs(energy - total.energy) / max(total.energy, 1e-6 * row["objective"]))
        for two in [two for two in oracle.twos if all(n in bodies and not run.parts[n].is_line for n in two)]:
            oracle.narrowed.clear()
            part = oracle.by_pairs(frame, [two])
            if part.pairs and not oracle.narrowed and not (part.forces[: len(frame.pinned)][frame.pinned] != 0).any():
                energy, forces = oracle.by_potential(frame, *two)
                off = max(difference(part.forces, forces), abs(energy - part.energy) / part.energy)
                worst["ipctk's own pairs"] = max(worst["ipctk's own pairs"], off)
                by_ipctk += part.pairs
    told = ", ".join(f"{name} {value:.1e}" for name, value in worst.items() if name != "energy" or with_energy)
    for name, allowed in (("force", FORCE), ("energy", ENERGY), ("gap", GAP), ("ipctk's own pairs", FORCE)):
        check(worst[name] <= allowed, f"differences from ipctk: {told}")
    return f"{len(chosen)} frames, {pairs} pairs, {by_ipctk} of them found and weighed by ipctk too; relative differences: {told}"


if __name__ == "__main__":
    main(check_run, __doc__)
