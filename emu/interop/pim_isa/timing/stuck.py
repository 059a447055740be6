"""Cores that wait for each other for ever: who waits for whom, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from emu.errors import ProgramError
from emu.interop.pim_isa.isa import BY_CODE, CODES
from emu.interop.pim_isa.timing.network import MessageQueues
from emu.interop.pim_isa.timing.setup import CoreSetup, PimSetup
from emu.wording import counted

_SHOWN = 6  # cores in the sentence


def refuse_stuck(setup: PimSetup, network: MessageQueues, places: Mapping[int, int]) -> None:
    """Raise ProgramError if cores have not come to their end; `places`: the instruction at which each of them is."""
    if not places:
        return
    cores = {core.number: core for core in setup.cores}
    chain = _chain(cores, places)
    told = "; ".join(_told(cores[core], places[core], network) for core in chain[:_SHOWN])
    raise ProgramError(f"{setup.where}: deadlock: {counted(len(places), 'core')} without an end: {told}")


def _chain(cores: Mapping[int, CoreSetup], places: Mapping[int, int]) -> list[int]:
    """Cores of which each waits for the next: the ring, if there is one, else all the way to who waits for nobody."""
    core, path = min(places), []
    while core in places and core not in path:
        path.append(core)
        columns = cores[core].columns
        core = int(columns.core[places[core]]) if columns.op[places[core]] in (CODES["send"], CODES["recv"]) else -1
    return path[path.index(core) :] if core in path else path


def _told(core: CoreSetup, place: int, network: MessageQueues) -> str:
    columns = core.columns
    name = BY_CODE[int(columns.op[place])].name
    peer, register = int(columns.core[place]), int(columns.event_register[place])
    value = f"{'at least' if network.at_least else 'exactly'} {columns.wait_value[place]}"
    count = network.boxes[core.number].events[register] if name == "wait" else 0
    reason = {
        "send": f"send to core {peer}, which does not receive",
        "recv": f"receive from core {peer}, which does not send",
        "wait": f"wait for event {register} to be {value}, it is {count}",
    }.get(name, name)
    return f"core {core.number}, instruction {place}: {reason}"
