"""Status of the processes of a run on this machine: process ids from the status board, states from the kernel."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from emu.noc.watch.board import Board
from emu.wording import core_name
from launch.processes.status import StoppedProcess
from launch.system.process_state import RunCounts, sleeping_run_counts, stopped_by


class LocalStatus:
    """A `Status`: `helpers` are processes by name, which may become more; `forked` gives the cores.

    It also gives the memory node if that is here (`node`). `sending` tells whether processes have sent what has not
    arrived yet: they are not asleep, whatever the kernel says.
    """

    def __init__(
        self,
        board: Board,
        helpers: Mapping[str, int],
        forked: Callable[[], Sequence[int]],
        node: bool = True,
        sending: Callable[[Collection[int]], bool] | None = None,
    ) -> None:
        self._board, self._helpers, self._forked, self._node, self._sending = board, helpers, forked, node, sending

    def name(self, core: int) -> str:
        """The name of the process of `core`."""
        return core_name(core)

    def processes(self) -> dict[str, int]:
        """The cores that have begun, and the helpers."""
        return {core_name(core): process for core, process in self._board.processes.items()} | dict(self._helpers)

    def forked(self) -> int:
        """How many children the zygote has forked, not counting the memory node."""
        return max(0, len(self._forked()) - self._node)

    def members(self) -> frozenset[str]:
        """The names of all processes of the run."""
        return frozenset(self._everybody())

    def stopped(self) -> list[StoppedProcess]:
        """The stopped processes, cores last."""
        cores = {core_name(core): core for core in self._board.cores}
        found = [
            StoppedProcess(name, reason, cores.get(name))
            for name, process in self._everybody().items()
            if (reason := stopped_by(process))
        ]
        return sorted(found, key=lambda stopped: stopped.core is not None)

    def run_counts(self, cores: Collection[int] | None = None) -> RunCounts | None:
        """How often each thread of `cores` has run, if all sleep."""
        known = self._board.processes
        if cores is None:
            return self._asleep(known.values())
        return self._asleep([known[core] for core in cores]) if known.keys() >= set(cores) else None

    def awake(self, names: Collection[str]) -> frozenset[str]:
        """Those of `names` that do not sleep."""
        everybody = self._everybody()
        asleep = {name for name in names if name in everybody and sleeping_run_counts([everybody[name]]) is not None}
        return frozenset(names).difference(() if self._send([everybody[name] for name in asleep]) else asleep)

    def _asleep(self, processes: Collection[int]) -> RunCounts | None:
        counts = sleeping_run_counts(processes)
        return None if counts is None or self._send(processes) else counts

    def _send(self, processes: Collection[int]) -> bool:
        return self._sending is not None and self._sending(processes)

    def _everybody(self) -> dict[str, int]:
        known = self.processes()
        named = set(known.values())
        return known | {f"process {process} of a core": process for process in self._forked() if process not in named}
