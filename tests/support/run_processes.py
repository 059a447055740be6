"""The processes of a run of this process, and signals for them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress

from launch.chips.power import ProcessChip

PATIENCE = 20.0


def process_of(chip: ProcessChip, core: int) -> int:
    return chip.processes[f"core {core}"]


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


@contextmanager
def stopped(process: int):
    """`process` is stopped by SIGSTOP, at least until the end of the context."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # the run is over
            os.kill(process, signal.SIGCONT)
