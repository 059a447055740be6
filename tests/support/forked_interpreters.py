"""Zygotes and fork servers that are forked from the process that starts them, in place of fresh interpreters.

For processes that `emu_processes` has forked: what a fresh interpreter would import is there already. All else
is as of a process that `Interpreter` starts: its session, descriptors, environment and signals.
"""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from emu.core.products.threads import ONE_THREAD, one_blas_thread
from launch.processes import fork_server_process, zygote_process
from launch.processes.fork_here import ForkHere
from launch.processes.interpreter import Interpreter, exit_descriptor
from launch.system.memory import keep_memory as keep

FIRST = 3  # descriptor that is no standard stream


class ForkedInterpreter(ForkHere):
    """A fork of this process that runs a module; see `Interpreter`."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        stdin: int,
        descriptors: Sequence[int] = (),
        variables: Mapping[str, str] | None = None,
        keep_memory: bool = True,
        computes: bool = True,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        reader, writer = os.pipe2(os.O_CLOEXEC) if stdin == subprocess.PIPE else (stdin, -1)
        self.parent = os.getpid()
        variables = {**(ONE_THREAD if computes else {}), **(variables or {})}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # in the fork, too, until it handles it
        super().__init__(
            lambda: become(
                lambda: _run(module, arguments), (reader, stdout, stderr), descriptors, variables, keep_memory
            )
        )
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.stdin: IO[bytes] | None = None
        if writer >= 0:
            os.close(reader)
            self.stdin = os.fdopen(writer, "wb")
        self.exit = exit_descriptor(self.pid)

    def number(self, descriptor: int) -> int:
        return descriptor


def become(
    work: Callable[[], int],
    streams: Sequence[int | None],
    descriptors: Sequence[int],
    variables: Mapping[str, str],
    keep_memory: bool,
) -> int:
    """In a fork: be a process that does `work`, whose status that is, with these standard streams (None: as before)."""
    null = os.open(os.devnull, os.O_RDWR)
    for number, stream in enumerate(streams):
        if stream is not None:
            os.dup2(null if stream == subprocess.DEVNULL else stream, number)
    begin = FIRST
    for kept in [*sorted(descriptors), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(begin, kept)
        begin = kept + 1
    for kept in descriptors:
        os.set_inheritable(kept, True)
    os.environ.update(variables)
    if ONE_THREAD.items() <= variables.items():
        one_blas_thread()
    if keep_memory:
        keep()
    try:
        return work()
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def _run(module: str, arguments: Sequence[str]) -> int:
    sys.argv = [module, *arguments]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # it is imported already
            runpy.run_module(module, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _start(*arguments: object, **settings: object) -> ForkedInterpreter | Interpreter:
    """A fork, unless it would be one of a process with threads, which no fork has."""
    start = ForkedInterpreter if threading.active_count() == 1 else Interpreter
    return start(*arguments, **settings)


def fork_interpreters() -> None:
    """From now on zygotes and fork servers of this process are forks of it."""
    for module in (zygote_process, fork_server_process):
        module.Interpreter = _start
