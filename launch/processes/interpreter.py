"""Starts fresh interpreters for child processes; imports little, so that they can start before anything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emu.core.products.threads import ONE_THREAD
from launch.system.memory import KEEP_MEMORY


class Interpreter(subprocess.Popen[bytes]):
    """A fresh interpreter that runs `module` in a session of its own, so that Ctrl-C reaches only the launcher.

    It begins with SIGINT blocked, and has these further `variables` of its environment and, if it `computes`, a BLAS of
    one thread. With `keep_memory` it keeps freed memory, as processes that get many messages should. `exit` is a
    descriptor that becomes readable when it ends, -1 if this system has none; who uses it closes it.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        stdin: int,
        descriptors: Sequence[int] = (),
        variables: Mapping[str, str] | None = None,
        keep_memory: bool = True,
        computes: bool = True,
        **settings: Any,
    ) -> None:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited until its own handling is set
        try:
            super().__init__(
                [sys.executable, "-P", "-m", module, *arguments],
                stdin=stdin,
                pass_fds=descriptors,
                env={**(KEEP_MEMORY if keep_memory else {}), **child_environment(computes), **(variables or {})},
                start_new_session=True,
                **settings,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.exit = exit_descriptor(self.pid)
        self.parent = os.getpid()

    def number(self, descriptor: int) -> int:
        """The number that an inherited descriptor has in the process."""
        return descriptor


def child_environment(computes: bool = True) -> dict[str, str]:
    """Variables for a child: those of this process, one BLAS thread if it computes, and this source tree first."""
    home = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return {**os.environ, **(ONE_THREAD if computes else {}), "PYTHONPATH": path}


def exit_descriptor(process: int) -> int:
    """A descriptor that becomes readable when `process` ends; -1 if this system has none."""
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return -1
