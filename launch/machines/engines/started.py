"""Processes of this host that start agents and run as long as these, whatever host their agents are on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import IO, Protocol

from emu.errors import InputError, option
from emu.wording import visible
from launch.machines.engines.engine import Placed
from launch.system.cleanup import Cleaning
from launch.system.process_end import end_words
from launch.system.process_limits import no_process

PATIENCE = 2.0  # seconds until what should end by itself is told to, and until what was told to is killed
AN_AGENT = "an agent"  # what is started, in errors
_LONGEST, _LONGEST_LINE = 8192, 300  # bytes of output that are kept, the last ones; characters of a line that is told


class Running(Protocol):
    """A process that was started, in a session of its own: a `subprocess.Popen` is one."""

    @property
    def pid(self) -> int:
        """Its number, which is that of its group, too."""
        ...

    @property
    def stdin(self) -> IO[bytes] | None:
        """The other end of its standard input."""
        ...

    def poll(self) -> int | None:
        """Its exit status (minus the signal that killed it); None as long as it runs."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """The same, after at most `timeout` seconds; raises subprocess.TimeoutExpired."""
        ...


class Followed:
    """A process that is told one `line` by its standard input, which is open until it is to end.

    `start` makes one that prints to a descriptor. What it prints is kept, not shown.
    """

    def __init__(self, start: Callable[[int], Running], line: bytes) -> None:
        """Start it; raises what `start` raises."""
        self._source, output = os.pipe2(os.O_CLOEXEC)
        try:
            self._process = start(output)
        except BaseException:
            os.close(self._source)
            raise
        finally:
            os.close(output)
        assert self._process.stdin
        self._line_out = self._process.stdin
        self._kept = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        with contextlib.suppress(BrokenPipeError):  # it has ended already, and `status` says how
            self._line_out.write(line)
            self._line_out.flush()

    def _read(self) -> None:
        """Keep the last of what it prints, so that it never waits for a reader."""
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self._source, _LONGEST):
                self._kept = (self._kept + piece)[-_LONGEST:]

    def status(self) -> int | None:
        """Its exit code, or minus the signal that killed it; None as long as it runs."""
        return self._process.poll()

    def lines(self) -> list[str]:
        """The last lines that it has printed, those without a word left out."""
        if self._process.poll() is not None:
            self._reader.join(0.2)  # there may be more; who inherited the pipe may hold it for long
        lines = map(visible, self._kept.decode(errors="replace").splitlines())
        return [line.strip() for line in lines if line.strip()]

    def end_words(self) -> str:
        """How it has ended and what it said last: what follows its name."""
        return ended_with(end_words(self._process.wait()), self.lines())

    def release(self) -> None:
        """End its standard input."""
        with contextlib.suppress(OSError):
            self._line_out.close()

    def _ends_by(self, deadline: float) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        return self._process.poll() is not None

    def _ask(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGTERM)

    def _kill(self) -> None:
        """With what it has started itself, which might stay where it had no time to end it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _collect(self) -> None:
        self._process.wait()
        self._reader.join(0.2)
        if not self._reader.is_alive():
            os.close(self._source)

    @staticmethod
    def end(those: Iterable[Followed], patience: float = PATIENCE) -> None:
        """Let all end by themselves in `patience` seconds, tell those that do not, kill those that do not listen."""
        left = list(those)
        for one in left:
            one.release()
        for urge, seconds in ((Followed._ask, patience), (Followed._kill, PATIENCE)):
            deadline = time.monotonic() + seconds
            for one in [one for one in left if not one._ends_by(deadline)]:
                urge(one)
        for one in left:
            one._collect()


class Started(Followed):
    """A command that runs in a session of its own, so that Ctrl-C reaches only the launcher."""

    def __init__(self, command: Sequence[str], line: bytes, environment: Mapping[str, str] | None = None) -> None:
        """Start it; raises InputError if it cannot be run."""
        super().__init__(partial(_run, command, environment), line)


def _run(command: Sequence[str], environment: Mapping[str, str] | None, output: int) -> subprocess.Popen[bytes]:
    try:
        with no_process(AN_AGENT):
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
    except OSError as error:
        raise InputError(
            f"{option('hosts')} needs the command {command[0]}, which cannot be run here: {error.strerror}"
        ) from None


class PlacedProcesses(Placed):
    """Agents that are commands of this host, one each."""

    def __init__(
        self, commands: Mapping[str, Sequence[str]], line: bytes, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start the commands, by names of hosts, and tell each the `line`; raises InputError, and leaves none then."""
        self.names = list(commands)
        self._started: dict[str, Followed] = {}
        self._ended: dict[str, str] = {}
        try:
            for name, command in commands.items():
                self._started[name] = Started(command, line, environment)
        except BaseException:
            Followed.end(self._started.values(), patience=0.0)
            raise

    def ended(self) -> list[tuple[str, str]]:
        """As every engine says it."""
        for name, one in list(self._started.items()):
            if name not in self._ended and one.status() is not None:
                self._ended[name] = f"the agent of host {name} {one.end_words()}"
        return list(self._ended.items())

    def close(self) -> None:
        """As every engine does it."""
        with Cleaning():
            Followed.end(self._started.values())
            self._started.clear()


def ended_with(how: str, lines: Sequence[str]) -> str:
    """`how` an agent has ended, and the last of the lines that it has printed: if it is an error, without its mark."""
    last = lines[-1].removeprefix("error: ") if lines else ""
    return f"{how}: {last[:_LONGEST_LINE]}" if last else how
