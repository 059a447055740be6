"""Whether each host grants the processes of its cores as many open files as they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from emu.errors import InputError, option
from emu.noc.traffic.traffic import peers_of
from emu.program.program import Program
from emu.wording import counted
from launch.machines.remote import RemoteMachine
from launch.system.open_files import files_needed


def check_hosts(
    machines: Sequence[RemoteMachine], cores: Sequence[Sequence[int]], programs: Mapping[int, Program]
) -> None:
    """Raise InputError for the first of `machines` that grants too few for its `cores`; idle ones have no program."""
    for machine, own in zip(machines, cores, strict=True):
        limit = machine.open_files
        if limit is None or limit >= files_needed(0, len(programs) - 1):  # each could talk to every other
            continue
        need = files_needed(0, max((peers_of(programs[core]).count for core in own if core in programs), default=0))
        if limit < need:
            raise InputError(
                f"host {machine.name}: {counted(len(own), 'core process', 'core processes')} there need {need} open "
                f"files each and the limit is {limit}: raise ulimit -n there to {need}, or give it other cores with "
                f"{option('host_cores')}"
            )
