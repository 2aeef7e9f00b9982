#!/usr/bin/env python3
"""Runs a sweep of 20 cases with Slurm and with Snakemake, and holds both against the same sweep here, whose table is computed again.

    .venv/bin/python tests/clients/check_farm.py PLIANT WORK

Slurm has one node, this machine, with daemons of its own on free ports, its own key and its own directories below WORK; they
are ended again. One task is stopped in the middle of its case, killed and queued again: it goes on where it was. Frames,
probes and all columns of metrics.csv but times have the same bytes everywhere.

Slurm wants root, munged, slurmctld and slurmd; without them only Snakemake runs. Exit code 0 if all is well.
"""

import csv
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

SCENE = """
[time]
step = "1/60"
frames = 120
[solver]
kind = "quasi-newton"
iterations = 20
[[body]]
name = "bar"
generate = { shape = "beam", size = [4, 1, 1], cells = [12, 3, 3] }
material = { model = "stable-neo-hookean", young = 4e6, poisson = 0.4 }
[[body.pin]]
select = { box = { min = [-1, -1, -1], max = [1e-6, 2, 2] } }
[[probe]]
name = "hold"
quantity = "pin_force"
[output]
formats = ["ply", "vtu"]
"""

SWEEP = """
config = "bar.toml"
name = "study"
output = "{output}"
[[vary]]
key = "body.0.material.young"
values = [4e6, 8e6, 1.6e7, 3.2e7]
[sample]
count = 5
seed = 3
keys = [{{ key = "body.0.density", min = 500, max = 2000, scale = "log" }}]
"""

CONF = """
ClusterName=study
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0
KillWait=1
ReturnToService=2
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# More than anything here takes, on a machine that is busy with other things.
PATIENCE = 600


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def wait_for(what, found):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = found()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"no {what} within {PATIENCE} s")


def free_ports():
    holders = [socket.socket() for _ in range(2)]
    for holder in holders:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


class Slurm:
    """A cluster of this machine."""

    def __init__(self, home):
        self.home = home
        for name in ("state", "spool"):
            (home / name).mkdir(parents=True)
        key = home / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        home.chmod(0o755)
        self.conf = home / "slurm.conf"
        host = socket.gethostname().split(".")[0]
        self.conf.write_text(CONF.format(host=host, ports=free_ports(), home=home))
        self.daemons = []

    def __enter__(self):
        h = self.home
        munge = ["munged", "--foreground", "--force", f"--key-file={h}/munge.key", f"--socket={h}/munge.socket"]
        munge += [f"--pid-file={h}/munged.pid", f"--log-file={h}/munged.log", f"--seed-file={h}/munged.seed"]
        self.start(munge)
        wait_for("socket of munge", (h / "munge.socket").exists)
        self.start(["slurmctld", "-D", "-f", str(self.conf)])
        self.start(["slurmd", "-D", "-f", str(self.conf)])
        idle = lambda: self.call("sinfo", "-h", "-o", "%t", check=False).strip() == "idle"
        try:
            wait_for("idle node", idle)
        except AssertionError:
            for name in ("slurmctld", "slurmd", "munged"):
                print((h / f"{name}.log").read_text()[-2000:])
            raise
        return self

    def start(self, command):
        log = open(self.home / f"{command[0]}.out", "wb")
        self.daemons.append(subprocess.Popen(command, stdout=log, stderr=log, env=self.environment()))

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def environment(self):
        return {**os.environ, "SLURM_CONF": str(self.conf)}

    def call(self, *command, check=True):
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.stderr}")
        return done.stdout


def simulating(directory):
    """The process that simulates into a directory, if there is one."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"simulate" in words and str(directory).encode() in words:
            return int(path.parent.name)
    return None


def stopped_in_the_middle(output, cases):
    """Stops the process of a case that has begun and is not done; returns its number from 1 on."""

    def found():
        for i, case in enumerate(cases):
            directory = output / case
            if not (directory / "checkpoint.bin").exists() or (directory / "summary.json").exists():
                continue
            process = simulating(directory)
            if process is None:
                continue
            os.kill(process, signal.SIGSTOP)
            time.sleep(0.05)
            if not (directory / "summary.json").exists():
                return i + 1
            os.kill(process, signal.SIGCONT)
        return None

    return wait_for("case in the middle", found)


def with_slurm(pliant, work, cases):
    output = work / "slurm"
    sweep = work / "slurm.toml"
    sweep.write_text(SWEEP.format(output="slurm"))
    with Slurm(work / "cluster") as slurm:
        told = slurm.call(pliant, "sweep", "slurm", str(sweep), "--minutes", "5", "--megabytes", "500")
        job = re.search(r"Submitted batch job (\d+)", told).group(1)
        task = stopped_in_the_middle(output, cases)
        slurm.call("scontrol", "requeue", f"{job}_{task}")
        def is_empty():
            # Slurm holds back for two minutes what is queued again.
            for line in slurm.call("squeue", "-h", "-r", "-o", "%i %r", check=False).splitlines():
                if line.endswith("BeginTime"):
                    slurm.call("scontrol", "update", f"JobId={line.split()[0]}", "StartTime=now", check=False)
            return not slurm.call("squeue", "-h", check=False).strip()

        wait_for("end of all tasks", is_empty)
    log = next((output / "logs").glob(f"slurm-{job}_{task}.log")).read_text()
    check("resuming after frame" in log, f"the task that was killed began anew:\n{log}")
    print(f"slurm: 20 tasks, one of them killed and queued again: {re.search('resuming.*', log).group(0)}")
    return output


def with_snakemake(pliant, work):
    output = work / "snakemake"
    sweep = work / "snakemake.toml"
    sweep.write_text(SWEEP.format(output="snakemake"))
    subprocess.run(
        [pliant, "sweep", "snakemake", sweep, "--minutes", "5", "--megabytes", "500"], check=True, capture_output=True
    )
    program = shutil.which("snakemake", path=str(Path(sys.executable).parent))
    command = [program, "--snakefile", output / "Snakefile", "--cores", "2", "--quiet", "all"]
    done = subprocess.run(command, cwd=work, env={**os.environ, "HOME": str(work)}, capture_output=True, text=True)
    check(done.returncode == 0, done.stdout + done.stderr)
    print("snakemake: 20 jobs")
    return output


def content(run):
    """What must be the same everywhere: files with their bytes, and metrics without times."""
    out = {}
    for path in sorted(run.rglob("*")):
        if path.suffix in (".ply", ".vtu", ".pvd") or path.name == "probes.csv":
            out[str(path.relative_to(run))] = path.read_bytes()
    with open(run / "metrics.csv", newline="") as file:
        rows = [{k: v for k, v in row.items() if not k.endswith("_ms")} for row in csv.DictReader(file)]
    return out, rows


def check_table(pliant, sweep, here, cases):
    """Computes the table of `summarize` from the files of the runs."""
    measures = ["max:kinetic", "min:hold_y", "mean:iterations", "last:time"]
    command = [pliant, "summarize", sweep, "--csv"]
    for measure in measures:
        command += ["--measure", measure]
    table = list(csv.DictReader(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()))
    check([row["run"] for row in table] == cases, "the rows are not those of cases.csv")
    for row in table:
        run = here / row["run"]
        with open(run / "metrics.csv", newline="") as file:
            metrics = list(csv.DictReader(file))
        with open(run / "probes.csv", newline="") as file:
            probes = list(csv.DictReader(file))
        column = lambda rows, name: [float(r[name]) for r in rows]
        iterations = column(metrics, "iterations")
        ratio = [a / b for a, b in zip(column(metrics, "gradient_norm"), column(metrics, "first_gradient"))]
        expected = {
            "max:kinetic": max(column(metrics, "kinetic")),
            "min:hold_y": min(column(probes, "hold_y")),
            "mean:iterations": sum(iterations) / len(iterations),
            "last:time": column(metrics, "time")[-1],
            "worst_gradient": max(ratio),
            "unconverged_steps": sum(r > 0.1 for r in ratio),
            "frames": 120,
        }
        for name, value in expected.items():
            check(abs(float(row[name]) - value) <= 1e-12 * abs(value), f"{row['run']}: {name} {row[name]}, not {value}")
        check((row["state"], row["status"]) == ("done", "sound"), f"{row['run']}: {row['state']}, {row['status']}")
    print("summarize: 20 rows as computed from the files of the runs")


def main():
    pliant, work = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    work.mkdir(parents=True)
    (work / "bar.toml").write_text(SCENE)
    (work / "here.toml").write_text(SWEEP.format(output="here"))
    subprocess.run([pliant, "-q", "sweep", "run", work / "here.toml"], check=True)
    here = work / "here"
    with open(here / "cases.csv", newline="") as file:
        cases = [row["case"] for row in csv.DictReader(file)]
    check(len(cases) == 20, f"{len(cases)} cases")
    check_table(pliant, work / "here.toml", here, cases)
    outputs = [with_snakemake(pliant, work)]
    if os.geteuid() == 0 and all(shutil.which(name) for name in ("munged", "slurmctld", "slurmd")):
        outputs.append(with_slurm(pliant, work, cases))
    else:
        print("Slurm is not installed, or this is not root: only Snakemake was run")
    for output in outputs:
        for case in cases:
            files, rows = content(output / case)
            expected, expected_rows = content(here / case)
            check(len(files) > 242 and files == expected, f"{output.name}/{case}: other bytes")
            check(len(rows) == 120 and rows == expected_rows, f"{output.name}/{case}: other metrics")
    print("all have the bytes of the sweep on this machine")


if __name__ == "__main__":
    main()
