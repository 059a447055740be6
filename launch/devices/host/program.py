"""A host program that is run for a device: it finds the socket in its environment, and does not outlive its end."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from emu.errors import EmuError, InputError
from launch.processes.interpreter import exit_descriptor
from launch.processes.reaping import die_with
from launch.system.cleanup import Cleaning
from launch.system.process_end import end_words
from launch.system.process_limits import no_process
from launch.system.standard_streams import open_standard_streams

VARIABLE = "EMU_DEVICE"
PATIENCE = 2.0  # seconds from the request to end until it is ended
_STDERR = 2


class RunningHostProgram:
    """A context manager over the process. With `quiet` what it prints goes to stderr: stdout is another one's."""

    def __init__(self, command: Sequence[str], socket: Path, quiet: bool = False) -> None:
        """Start it; raises InputError."""
        self._command, parent = list(command), os.getpid()
        open_standard_streams()
        try:
            with no_process("the host program"), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside the thread that hears signals
                self._process = subprocess.Popen(
                    self._command,
                    env={**os.environ, VARIABLE: str(socket)},
                    stdout=_STDERR if quiet else None,
                    preexec_fn=lambda: die_with(parent),
                )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(f"host program {command[0]!r} cannot be started: {why}") from None
        self.ended = exit_descriptor(self._process.pid)  # readable when it has
        if self.ended < 0:
            self.close()
            raise InputError("this system does not tell when a process ends: serve the device at a socket instead")

    def __enter__(self) -> RunningHostProgram:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(value, EmuError):  # the device has told it why it ended: it may want to say so
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE)
        self.close()

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    def wait(self) -> int:
        """Its exit code, as a shell tells it."""
        status = self._process.wait()
        return 128 - status if status < 0 else status

    def failure(self) -> str:
        """The sentence that tells how it has ended; empty if that was well."""
        status = self._process.wait()
        name = shlex.quote(self._command[0])
        return f"the host program {name} {end_words(status)}" if status else ""

    def close(self) -> None:
        """End it, if it has not ended; may be called twice."""
        with Cleaning():
            if self._process.poll() is None:
                self._process.terminate()
                try:
                    self._process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
            if self.ended >= 0:
                os.close(self.ended)
                self.ended = -1
