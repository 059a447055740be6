"""Turning communication instructions into requests, and completed requests into state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.core.checks import check_defined, mark_written
from emu.core.crossbars.fault import Fault
from emu.core.operation import Operation
from emu.core.request import Load, Recv, Request, Send, Store, Sync, Wait
from emu.core.state import CoreState
from emu.isa.instruction import FLAG_BITS, RequestKind

Maker = Callable[[CoreState, Operation, Sequence[int]], Request]


def _local(state: CoreState, op: Operation, addresses: Sequence[int]) -> memoryview:
    """The local operand; of an instruction that loads a register: bytes apart, as many as it loads."""
    for slot, address in zip(op.slots, addresses, strict=True):
        if not slot.is_global:
            return state.memory.window(address, address + slot.count)
    return memoryview(bytearray(op.slots[0].count))


def _global(op: Operation, addresses: Sequence[int]) -> int:
    return next(address for slot, address in zip(op.slots, addresses, strict=True) if slot.is_global)


MAKERS: dict[RequestKind, Maker] = {
    RequestKind.SEND: lambda s, op, at: Send(op.instr.arg0, _local(s, op, at)),
    RequestKind.RECV: lambda s, op, at: Recv(op.instr.arg0, _local(s, op, at)),
    RequestKind.LOAD: lambda s, op, at: Load(_global(op, at), _local(s, op, at)),
    RequestKind.STORE: lambda s, op, at: Store(_global(op, at), _local(s, op, at)),
    RequestKind.SYNC: lambda s, op, at: Sync(op.instr.arg0, op.instr.arg1),
    RequestKind.WAIT: lambda s, op, at: Wait(op.instr.arg1, op.instr.arg0, bool(op.instr.flags & FLAG_BITS["equal"])),
}


def make_request(state: CoreState, op: Operation) -> Request:
    """The request of communication instruction `op`; raises Fault (addresses, undefined bytes, event number)."""
    state.statistics.stepped += 1
    addresses = state.addresses(op)
    if not state.trusted:
        check_defined(op, addresses, state.memory)
    if "event" in op.instr.spec.fields and not 0 <= op.instr.arg1 < state.arch.core.events:
        raise Fault("unknown event register", "event", op.instr.arg1, state.arch.core.events)
    assert op.instr.spec.ask is not None
    return MAKERS[op.instr.spec.ask](state, op, addresses)


def finish_request(state: CoreState, op: Operation, request: Request) -> None:
    """What the completed request changes: bytes become defined, or a register is loaded.

    A `Wait` changes nothing here: event registers are kept by whoever fulfils it.
    """
    if isinstance(request, Load) and op.instr.spec.loads_register:
        state.registers[op.instr.arg0] = int.from_bytes(request.into, "little", signed=True)
    elif not state.trusted:
        mark_written(op, state.addresses(op), state.memory)
