"""Runs `emu` for a case of a suite, in a process of its own: `python case_child.py PARENT ARGUMENTS...`."""

# Imports nothing of this project: it is started by path, and `reram_emu.py` finds the packages.
from __future__ import annotations

import contextlib
import ctypes
import os
import runpy
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Let this process be asked to end as soon as `parent`, which started it, has ended."""
    with contextlib.suppress(OSError, AttributeError):  # not on this system
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("nobody waits for this case any more")


if __name__ == "__main__":
    end_with(int(sys.argv.pop(1)))
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "reram_emu.py"), run_name="__main__")
