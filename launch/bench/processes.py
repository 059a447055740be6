"""Private memory and processor time of processes, as the kernel counts them."""

from __future__ import annotations

import os
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")


def private_bytes(process: int) -> int:
    """Memory that `process` shares with nobody."""
    lines = (PROC / str(process) / "smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_"))


def cpu_seconds(process: int) -> float:
    """Processor time of all threads of `process` so far, user and system."""
    fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def idle_seconds() -> float:
    """Time in which processors of this machine had nothing to do, summed over them."""
    fields = (PROC / "stat").read_text().split("\n", 1)[0].split()
    return (int(fields[4]) + int(fields[5])) / TICKS  # idle, and idle while a disk works
