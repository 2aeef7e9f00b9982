#!/usr/bin/env python3
"""Runs the commands of README.md and docs/*.md, so that every example works as it stands.

Usage: run_docs.py --pliant PATH [--frames N] [PAGE...]

Commands are the lines of ```sh blocks and the lines after `$ ` of ```console blocks. The commands of a page run in
order in a scratch directory of that page, which has links to configs/, meshes/, docs/ and papers/ and an empty outputs/.

`cargo run --release --` stands for the program; other cargo commands are not run. `pliant simulate` without
`--frames` simulates N frames (6) instead of the config's. Comments on the lines before a block change what is done:

    <!-- frames: 60 -->     simulate that many frames in this block: a later command needs them
    <!-- exit: 2 -->        the last command of the block ends with this code
    <!-- file: a.toml -->   the block is the content of this file, which is written to the scratch directory
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Programs that examples may use and that need not be here; what else is missing fails.
OPTIONAL = {"blender", "paraview", "pvbatch"}
# ParaView starts slowly where there is no graphics card.
SECONDS = 600
WITH_SCREEN = ROOT / "tests" / "clients" / "with_screen.sh"
HAS_SCREEN = bool(os.environ.get("DISPLAY"))


@dataclass
class Block:
    """A fenced block: its language, the line of its first line, and the comments before it."""

    language: str
    line: int
    directives: dict
    lines: list = field(default_factory=list)


def blocks(text):
    """The fenced blocks of a page in order."""
    directives, inside = {}, None
    for number, line in enumerate(text.split("\n"), 1):
        if inside is not None:
            if line.strip() == "```":
                yield inside
                inside, directives = None, {}
            else:
                inside.lines.append(line)
        elif fence := re.fullmatch(r"```(\w*).*", line):
            inside = Block(fence[1], number + 1, directives)
        elif comment := re.fullmatch(r"<!-- (frames|exit|file): (\S+) -->", line.strip()):
            directives[comment[1]] = comment[2]
        else:
            directives = {}


def without_comment(line):
    """The line up to a ` #` that is not in quotes."""
    quote = None
    for i, c in enumerate(line):
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "#" and (i == 0 or line[i - 1].isspace()):
            return line[:i].rstrip()
    return line.rstrip()


def commands(block):
    """The commands of a block with their lines; continuations after a backslash are joined."""
    pending, start = "", 0
    for number, line in enumerate(block.lines, block.line):
        if not pending:
            if block.language == "console":
                if not line.startswith("$ "):
                    continue
                line = line[2:]
            start = number
        line = without_comment(line.strip() if pending else line)
        if line.endswith("\\"):
            pending += line[:-1].rstrip() + " "
        elif pending + line:
            yield start, pending + line
            pending = ""


def prepared(command, frames):
    """The command as it is run."""
    command = command.replace("cargo run --release --", "pliant")
    if "--frames" not in command:
        command = re.sub(r"\bpliant simulate\b", f"pliant simulate --frames {frames}", command)
    if command.startswith("pvbatch ") and not HAS_SCREEN:
        command = f"{WITH_SCREEN} {command}"
    return command


def reason_to_skip(command):
    """Why a command is not run; None: it is."""
    words = command.split()
    if words[0] == "cargo":
        return "cargo is not run"
    programs = [word for word in words[:3] if word in OPTIONAL]
    if words[0] == str(WITH_SCREEN):
        programs.append("Xvfb")
    missing = [program for program in programs if shutil.which(program) is None]
    return f"{missing[0]} is not installed" if missing else None


class Runner:
    """Runs pages and counts what became of their commands."""

    def __init__(self, program, frames, work):
        self.frames, self.work = frames, work
        self.passed = self.failed = self.skipped = 0
        (work / "bin").mkdir()
        (work / "bin" / "pliant").symlink_to(program)
        path = f"{work / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "PLIANT_CACHE_DIR": str(work / "cache")}

    def page(self, path):
        """Runs the commands of one page."""
        scratch = self.work / path.stem
        (scratch / "outputs").mkdir(parents=True)
        for name in ["configs", "meshes", "docs", "papers"]:
            (scratch / name).symlink_to(ROOT / name)
        for block in blocks(path.read_text(encoding="utf-8")):
            if name := block.directives.get("file"):
                (scratch / name).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            elif block.language in ("sh", "console"):
                self.block(path, block, scratch)

    def block(self, path, block, scratch):
        """Runs the commands of one block."""
        found = list(commands(block))
        frames = block.directives.get("frames", self.frames)
        for i, (line, command) in enumerate(found):
            place = f"{path.relative_to(ROOT)}:{line}"
            if reason := reason_to_skip(prepared(command, frames)):
                print(f"skip {place}: {command} ({reason})")
                self.skipped += 1
                continue
            expected = int(block.directives.get("exit", 0)) if i + 1 == len(found) else 0
            self.run(place, prepared(command, frames), expected, scratch)

    def run(self, place, command, expected, scratch):
        """Runs one command and compares its exit code."""
        start = time.monotonic()
        try:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=scratch,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            code, output = done.returncode, done.stdout[-1000:] + done.stderr[-2000:]
        except subprocess.TimeoutExpired:
            code, output = f"nothing after {SECONDS} s", ""
        seconds = time.monotonic() - start
        if code == expected:
            print(f"ok   {place}: {command} ({seconds:.1f} s)", flush=True)
            self.passed += 1
        else:
            print(f"FAIL {place}: {command}\n     ended with {code} instead of {expected}\n{output}", flush=True)
            self.failed += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pliant", required=True, type=Path, help="the program")
    parser.add_argument("--frames", type=int, default=6, help="frames of runs that do not say how many (6)")
    parser.add_argument("pages", nargs="*", type=Path, help="default: README.md and docs/*.md")
    arguments = parser.parse_args()
    program = arguments.pliant.resolve()
    if not os.access(program, os.X_OK):
        parser.error(f"{program} is no program")
    pages = [page.resolve() for page in arguments.pages] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(program, arguments.frames, Path(work))
        for page in pages:
            runner.page(page)
    print(f"{runner.passed} passed, {runner.failed} failed, {runner.skipped} skipped")
    sys.exit(1 if runner.failed or not runner.passed else 0)


if __name__ == "__main__":
    main()
