"""Trials in which the launcher itself is killed: it runs as a process of its own, `emu stress`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from launch.faults.leaks import PAUSE, leaks_of, when_gone
from launch.faults.plan import SAFETY, FaultTrial, TrialPlan
from launch.system.process_state import descendants

BESIDES_CORES = 2  # zygote and memory node
# Jobs in the background of a shell ignore SIGINT, and so would what they start.
PROGRAM = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from launch.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Outside:
    """Sends `number` to the launcher, which must end with `code`; the time is until all of its processes are gone."""

    number: signal.Signals
    code: int

    def try_out(self, plan: TrialPlan) -> FaultTrial:
        """Run one trial."""
        with tempfile.TemporaryDirectory(dir=plan.folder) as name:
            return self._within(plan, Path(name))

    def _within(self, plan: TrialPlan, folder: Path) -> FaultTrial:
        home = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        places = {"TMPDIR": str(folder), "XDG_RUNTIME_DIR": str(folder), "PYTHONPATH": path}
        arguments = ["stress", "ring", "--cores", str(plan.cores), "--duration", str(2 * SAFETY)]
        with subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, *arguments],
            env={**os.environ, **places},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as launcher:
            try:
                return self._kill(plan, launcher, folder)
            finally:
                launcher.kill()

    def _kill(self, plan: TrialPlan, launcher: subprocess.Popen[bytes], folder: Path) -> FaultTrial:
        processes = _wait_for(launcher.pid, plan.cores + BESIDES_CORES)
        if processes is None:
            return FaultTrial(None, "the run did not start")
        time.sleep(plan.delay)
        began = time.monotonic()
        launcher.send_signal(self.number)
        gone = when_gone([launcher.pid, *processes.values()], folder)
        leaks = leaks_of(processes, folder) if gone is None else ()
        code = launcher.wait(SAFETY)
        problem = "" if code == self.code else f"the launcher ended with {code} instead of {self.code}"
        return FaultTrial(None if gone is None else gone - began, problem, leaks)


def _wait_for(launcher: int, count: int) -> dict[str, int] | None:
    """The `count` processes below `launcher`, once all are there."""
    deadline = time.monotonic() + SAFETY
    while time.monotonic() < deadline:
        processes = descendants(launcher)
        if len(processes) >= count:
            return {f"process {process} of the run": process for process in processes}
        time.sleep(10 * PAUSE)
    return None
