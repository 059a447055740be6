"""Zygotes and fork servers that are forked from the process that starts them, in place of fresh interpreters.

For processes that `emu_processes` has forked: what a fresh interpreter would import is there already. All else
is as of a process that `Interpreter` starts: its session, descriptors, environment and signals.
"""

from __future__ import annotations

import os
import runpy
import select
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import IO, NoReturn

from emu.core.products.threads import ONE_THREAD, one_blas_thread
from launch.processes import fork_server_process, zygote_process
from launch.processes.interpreter import Interpreter, exit_descriptor
from launch.system.memory import keep_memory as keep

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)  # by commands
FIRST = 3  # descriptor that is no standard stream
BLOCKED = [signal.SIGINT]


class ForkedInterpreter:
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
        before = signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED)
        self.pid = os.fork()
        if not self.pid:
            become(
                lambda: _run(module, arguments),
                (reader, stdout, stderr),
                descriptors,
                {**(ONE_THREAD if computes else {}), **(variables or {})},
                keep_memory,
            )
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.stdin: IO[bytes] | None = None
        if writer >= 0:
            os.close(reader)
            self.stdin = os.fdopen(writer, "wb")
        self.exit = exit_descriptor(self.pid)
        self.returncode: int | None = None

    def number(self, descriptor: int) -> int:
        return descriptor

    def poll(self) -> int | None:
        """Its exit code; None as long as it runs."""
        if self.returncode is None and (found := os.waitpid(self.pid, os.WNOHANG))[0]:
            self.returncode = os.waitstatus_to_exitcode(found[1])
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; raises TimeoutExpired."""
        if self.poll() is None:
            ended = os.pidfd_open(self.pid)
            try:
                if not select.select([ended], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("the fork", timeout or 0)
            finally:
                os.close(ended)
            self.poll()
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def become(
    work: Callable[[], int],
    streams: Sequence[int | None],
    descriptors: Sequence[int],
    variables: Mapping[str, str],
    keep_memory: bool,
) -> NoReturn:
    """In a fork: be a process that does `work`, whose status that is, with these standard streams (None: as before)."""
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL)
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
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(status)


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
