"""The program, run on a config in the background: its progress, its messages, its end."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import bpy

from .files import Trouble
from .scene import CONFIG, RUN

# Exit code of a run that was told to stop; what is there can be shown and resumed.
INTERRUPTED = 3
LOG = "pliant.log"


def program():
    """The program's path: that of the preferences, or else the one on the path."""
    preferences = bpy.context.preferences.addons.get(__package__)
    told = preferences.preferences.program if preferences else ""
    found = bpy.path.abspath(told) if told else os.environ.get("PLIANT") or shutil.which("pliant")
    if not found or not Path(found).is_file():
        where = f"'{told}' is no file" if told else "the program pliant is not on the path"
        raise Trouble(f"{where}: give its place in Edit > Preferences > Add-ons > Pliant")
    return found


class Job:
    """One run of the program."""

    def __init__(self, directory, frames, resume):
        self.directory, self.frames, self.is_cancelled = Path(directory), frames, False
        self.metrics = self.directory / RUN / "metrics.csv"
        command = [program(), "--log-format", "json", "simulate", CONFIG, "--resume" if resume else "--force"]
        # A run that is begun anew has no frames until its own are there.
        self.stale = None if resume else self.stamp()
        try:
            with open(self.directory / LOG, "wb") as log:
                self.process = subprocess.Popen(
                    command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
        except OSError as error:
            raise Trouble(f"{command[0]} cannot be run: {error.strerror or error}") from error

    def stamp(self):
        """What tells one file of metrics from another."""
        try:
            status = self.metrics.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def done(self):
        """The number of frames that are there."""
        if self.stale is not None and self.stamp() == self.stale:
            return 0
        try:
            with open(self.metrics, "rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
                rows = file.read().split(b"\n")
            return int(rows[-2].split(b",")[0]) if len(rows) > 2 else 0
        except (OSError, ValueError):
            return 0

    def is_over(self):
        """True once the program has ended."""
        return self.process.poll() is not None

    def cancel(self):
        """Tells the program to end after the frame that it is at. Told twice, it would end at once, without what can be shown."""
        if not self.is_over() and not self.is_cancelled:
            self.is_cancelled = True
            self.process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))

    def kill(self):
        """Ends the program at once; whole frames stay."""
        if not self.is_over():
            self.process.kill()
            self.process.wait()

    def messages(self, level):
        """What the program has said at a level: "ERROR", "WARN" or "INFO"."""
        found = []
        for line in (self.directory / LOG).read_text(errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {"level": "ERROR", "message": line}
            if entry.get("level") == level:
                found.append(entry.get("message", ""))
        return found

    def finish(self):
        """Waits for the end; true if all frames are there, false if it was told to stop. Otherwise tells the program's reason."""
        code = self.process.wait()
        if code in (0, INTERRUPTED):
            return code == 0
        reason = "\n".join(self.messages("ERROR")).strip()
        raise Trouble(reason or f"pliant ended with code {code}; see {self.directory / LOG}")
