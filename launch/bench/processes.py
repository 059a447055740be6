"""Private memory and processor time of processes, as the kernel counts them."""

from __future__ import annotations

import os
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")


def private_bytes(process: int) -> int:
    """Memory that `process` shares with nobody."""
    return _mapped(process, "Private_")


def resident_bytes(process: int) -> int:
    """Memory of `process`, with all that it shares with others."""
    return _mapped(process, "Rss:")


def proportional_bytes(process: int) -> int:
    """Memory of `process`, of what it shares with others its part."""
    return _mapped(process, "Pss:")


def _mapped(process: int, kind: str) -> int:
    lines = (PROC / str(process) / "smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(kind))


def cpu_seconds(process: int) -> float:
    """Processor time of all threads of `process` so far, user and system."""
    fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def running_seconds(process: int) -> float:
    """The same by the kernel's scheduler, to the nanosecond; threads that have ended are left out."""
    return sum(thread_seconds(process).values())


def thread_seconds(process: int) -> dict[int, float]:
    """The same of each thread by its number; that of the first one is the number of the process."""
    threads = (PROC / str(process) / "task").iterdir()
    return {int(thread.name): int((thread / "schedstat").read_text().split()[0]) / 1e9 for thread in threads}


def sleeps(process: int) -> int:
    """How often threads of `process` have waited so far until something woke them; of threads that have not ended."""
    threads = (PROC / str(process) / "task").iterdir()
    return sum(_field(thread / "status", "voluntary_ctxt_switches") for thread in threads)


def _field(path: Path, name: str) -> int:
    return next(int(line.split()[1]) for line in path.read_text().splitlines() if line.startswith(f"{name}:"))


def idle_seconds() -> float:
    """Time in which processors of this machine had nothing to do, summed over them."""
    fields = (PROC / "stat").read_text().split("\n", 1)[0].split()
    return (int(fields[4]) + int(fields[5])) / TICKS  # idle, and idle while a disk works
