"""Agents that are forked from a warm process, in place of fresh interpreters, which import everything anew, twice.

All that an agent is about is real: its link, its session, its environment, what it starts, and how it ends. How fresh
ones start is met by the tests of engines, of the command `emu launch --hosts` as a process, and by those that ask for
`fresh_agents`.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence

from emu_processes import EmuProcess, EmuProcesses

AGENT = [sys.executable, "-P", "-m", "launch", "agent"]
BEFORE = "import os; os.setsid(); from forked_zygotes import fork_zygotes; fork_zygotes()"


def is_agent(command: Sequence[str]) -> bool:
    """Whether this is what starts an agent of this interpreter, whose environment may be given."""
    return list(command[: len(AGENT)]) == AGENT


def words_of(command: Sequence[str]) -> list[str]:
    """What such a command says to `emu`."""
    return list(command[len(AGENT) - 1 :])


class WarmAgent:
    """As the subprocess.Popen of an agent, with unbuffered pipes for its input and for all that it prints."""

    def __init__(self, processes: EmuProcesses, command: Sequence[str], environment: Mapping[str, str] | None) -> None:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        try:
            self._process: EmuProcess = processes.start(
                *words_of(command),
                before=BEFORE,
                stdin=subprocess.PIPE,
                stdout=writer,
                stderr=writer,
                env=environment,
            )
        finally:
            os.close(writer)
        assert self._process.stdin
        self.stdin, self.stdout = self._process.stdin.buffer.raw, os.fdopen(reader, "rb", 0)
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; raises TimeoutExpired, and it goes on then."""
        if self.poll() is None:
            ended = os.pidfd_open(self.pid)
            try:
                if not select.select([ended], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(AGENT, timeout or 0)
            finally:
                os.close(ended)
        return self._process.wait()

    def terminate(self) -> None:
        if self.poll() is None:
            self._process.terminate()
