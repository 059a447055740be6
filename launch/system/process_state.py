"""States of processes, read from the kernel: which are stopped, and whether all sleep."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

STOPPED = {"T": "SIGSTOP", "t": "a debugger"}
ASLEEP, ENDED = "S", "ZX"
SWITCHES = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
RunCounts = dict[str, str]  # thread (as its folder) -> how often it has run so far


def stopped_by(process: int) -> str:
    """Why `process` is stopped: SIGSTOP (or another stop signal) or a debugger; empty if it is not."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""
    return STOPPED.get(text.rpartition(")")[2].split()[0], "")


def alive(process: int) -> bool:
    """Whether `process` exists and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in ENDED
    except OSError:
        return False


def descendants(process: int) -> list[int]:
    """All processes below `process`, each after its parent; without those that end meanwhile."""
    below: list[int] = []
    for entry in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, entry.read_text().split()):
                below += [child, *descendants(child)]
    return below


def children(process: int) -> list[int]:
    """The child processes that `process` has forked in its main thread; none if that cannot be told."""
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return []


def sleeping_run_counts(processes: Iterable[int]) -> RunCounts | None:
    """How often each thread of `processes` has run, if all of them sleep now; None if one does not, or is gone.

    Two equal answers mean that no thread has run between them: nothing that one of them would read has arrived.
    """
    switches: RunCounts = {}
    try:
        for process in processes:
            for thread in Path(f"/proc/{process}/task").iterdir():
                fields = dict(line.partition(":")[::2] for line in (thread / "status").read_text().splitlines())
                if fields["State"].split()[0] != ASLEEP:
                    return None
                switches[str(thread)] = " ".join(fields[name].strip() for name in SWITCHES)
    except (OSError, KeyError, IndexError):
        return None
    return switches


def age(process: int) -> float | None:
    """Seconds since `process` was started, to a hundredth; None if that cannot be told."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None
