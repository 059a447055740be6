"""Turning communication instructions into requests, and completed requests into state."""

from __future__ import annotations

from collections.abc import Callable

from emu.core.checks import check_defined, mark_written
from emu.core.fault import Fault
from emu.core.operation import Operation
from emu.core.request import Load, Recv, Request, Send, Store, Sync, Wait
from emu.core.state import CoreState

Maker = Callable[[CoreState, Operation, list[int]], Request]


def _local(state: CoreState, op: Operation, addresses: list[int], operand: int) -> memoryview:
    return state.memory.window(addresses[operand], addresses[operand] + op.slots[operand].count)


MAKERS: dict[str, Maker] = {
    "send": lambda s, op, at: Send(op.instr.arg0, _local(s, op, at, 0)),
    "recv": lambda s, op, at: Recv(op.instr.arg0, _local(s, op, at, 0)),
    "ld": lambda s, op, at: Load(at[1], _local(s, op, at, 0)),
    "st": lambda s, op, at: Store(at[0], _local(s, op, at, 1)),
    "sld": lambda s, op, at: Load(at[0], memoryview(bytearray(4))),
    "sync": lambda s, op, at: Sync(op.instr.arg0, op.instr.arg1),
    "wait": lambda s, op, at: Wait(op.instr.arg1, op.instr.arg0),
}


def make_request(state: CoreState, op: Operation) -> Request:
    """The request of communication instruction `op`; raises Fault (addresses, undefined bytes, event number)."""
    state.statistics.stepped += 1
    addresses = state.addresses(op)
    if not state.trusted:
        check_defined(op, addresses, state.memory)
    if op.name in ("sync", "wait") and not 0 <= op.instr.arg1 < state.arch.core.events:
        raise Fault("unknown event register", "event", op.instr.arg1, state.arch.core.events)
    return MAKERS[op.name](state, op, addresses)


def finish_request(state: CoreState, op: Operation, request: Request) -> None:
    """What the completed request changes: bytes become defined, or a register is loaded.

    A `Wait` changes nothing here: event registers are kept by whoever fulfils it.
    """
    if op.name == "sld" and isinstance(request, Load):
        state.registers[op.instr.arg0] = int.from_bytes(request.into, "little", signed=True)
    elif not state.trusted:
        mark_written(op, state.addresses(op), state.memory)
