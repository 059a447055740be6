"""Agents on this host as forks of one process, which imports once what all of them need."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Mapping, Sequence

from emu.errors import InputError
from launch.machines.engines.started import AN_AGENT, Followed, PlacedProcesses
from launch.processes.fork_requests import ForkRequest
from launch.processes.fork_server_process import Forked, ForkServerProcess, ServerGone
from launch.system.by_name import named
from launch.system.process_limits import no_process

WORK = "launch.machines.engines.forks:serve_agent"
NEEDED = ("launch.machines.ready", "launch.cli.agent", "launch.cli.root", "launch.cli.group", __name__)


class _Fork(Followed):
    """A fork of `server`, which is `emu` with `arguments`."""

    def __init__(self, server: ForkServerProcess, arguments: Sequence[str], line: bytes) -> None:
        self._server, self._arguments = server, tuple(arguments)
        super().__init__(self._begin, line)

    def _begin(self, output: int) -> Forked:
        with no_process(AN_AGENT):
            self._forked = self._server.fork(
                (), (), output, output, work=WORK, ending=signal.SIGTERM, arguments=self._arguments
            )
        return self._forked

    def _collect(self) -> None:
        super()._collect()
        self._forked.close()


class PlacedForks(PlacedProcesses):
    """Agents by names of hosts, each `emu` with its `arguments`; all are told the `line`.

    Nobody waits for the imports: a thread starts the agents, and what is in its way is told as the end of an agent.
    """

    def __init__(self, arguments: Mapping[str, Sequence[str]], line: bytes) -> None:
        """Begin to start them; raises InputError if no process can be started."""
        super().__init__({}, line)
        self.names = list(arguments)
        self._server = ForkServerProcess(NEEDED, AN_AGENT)
        self._closing = False
        self._thread = threading.Thread(target=self._start, args=(arguments, line), name="agents", daemon=True)
        self._thread.start()

    def _start(self, arguments: Mapping[str, Sequence[str]], line: bytes) -> None:
        for name, own in arguments.items():
            if self._closing:
                return
            try:
                self._started[name] = _Fork(self._server, own, line)
            except (InputError, ServerGone, OSError) as error:
                why = "the process that forks it has ended" if isinstance(error, ServerGone) else error
                self._ended[name] = f"the agent of host {name} cannot be started: {why}"

    def close(self) -> None:
        """As every engine does it."""
        self._closing = True
        self._thread.join()
        super().close()
        self._server.close()


def serve_agent(request: ForkRequest) -> int:
    """Be an agent, as the `work` of a `ForkRequest`; the exit status."""
    gc.enable()
    try:
        named("launch.cli:main")(request.arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
