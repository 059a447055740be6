"""The states of the processes of several machines, each known by a name that says where it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from emu.wording import core_name
from launch.processes.status import Status, StoppedProcess, on_machine
from launch.system.process_state import RunCounts


class _Machine(NamedTuple):
    name: str
    status: Status
    cores: frozenset[int]


class JoinedStatus:
    """A `Status`: that of each machine that was added. Each question goes to all of them, one after the other.

    So what was true of all machines from one answer to the next was true at one moment between the two.
    """

    def __init__(self) -> None:
        self._machines: list[_Machine] = []

    def add(self, name: str, status: Status, cores: Collection[int]) -> None:
        """The machine called `name` has started, with `cores`."""
        self._machines.append(_Machine(name, status, frozenset(cores)))

    def name(self, core: int) -> str:
        """The name of the process of `core`."""
        machine = next((machine for machine in self._machines if core in machine.cores), None)
        return core_name(core) if machine is None else on_machine(machine.status.name(core), machine.name)

    def processes(self) -> dict[str, int]:
        """The processes that have been identified, by the numbers that they have on their machine."""
        return {
            on_machine(name, machine.name): process
            for machine in self._machines
            for name, process in machine.status.processes().items()
        }

    def forked(self) -> int:
        """How many cores have been forked on all machines."""
        return sum(machine.status.forked() for machine in self._machines)

    def members(self) -> frozenset[str]:
        """The names of all processes."""
        return frozenset(
            on_machine(name, machine.name) for machine in self._machines for name in machine.status.members()
        )

    def stopped(self) -> list[StoppedProcess]:
        """The stopped processes, cores last."""
        found = [
            stopped._replace(name=on_machine(stopped.name, machine.name))
            for machine in self._machines
            for stopped in machine.status.stopped()
        ]
        return sorted(found, key=lambda stopped: stopped.core is not None)

    def run_counts(self, cores: Collection[int] | None = None) -> RunCounts | None:
        """How often each thread of `cores` (None: all that have begun) has run, if all sleep."""
        left = set(cores or ())
        counts: RunCounts = {}
        for number, machine in enumerate(self._machines):
            of_machine = machine.status.run_counts(None if cores is None else sorted(left & machine.cores))
            if of_machine is None:
                return None
            counts |= {f"{number}:{thread}": count for thread, count in of_machine.items()}
            left -= machine.cores
        return None if left else counts

    def awake(self, names: Collection[str]) -> frozenset[str]:
        """Those of `names` that do not sleep."""
        asleep: set[str] = set()
        for machine in self._machines:
            own = {on_machine(name, machine.name): name for name in machine.status.members()}
            asked = {own[name]: name for name in names if name in own}
            asleep |= {asked[name] for name in asked.keys() - machine.status.awake(list(asked))}
        return frozenset(names).difference(asleep)
