"""The units of a core as processes: what one operation does from its first edge to its end, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Protocol

import numpy as np

from emu.interop.pim_isa.isa import CODES, OPS, PimUnit
from emu.interop.pim_isa.timing.costs import OpCosts
from emu.interop.pim_isa.timing.kernel import ClockedQueue, Process
from emu.interop.pim_isa.timing.memory import MemoryPort
from emu.interop.pim_isa.timing.network import MessageQueues, TransferKind


class CostRows:
    """The columns of `OpCosts` as lists of Python's integers, which are quicker one at a time."""

    def __init__(self, costs: OpCosts, rows: np.ndarray | slice = slice(None)) -> None:
        for field in fields(costs):
            setattr(self, field.name, getattr(costs, field.name)[rows].tolist())
        self.count = len(self.index)

    def __getattr__(self, name: str) -> list[int]:
        raise AttributeError(name)


class UnitOwner(Protocol):
    """The core that units belong to."""

    number: int
    rows: CostRows
    port: MemoryPort
    kernel: ClockedQueue
    network: MessageQueues
    memory_node: int
    period: int  # ps

    def finished(self, row: int, edge: int) -> None:
        """Operation `row` has ended; `edge` is the next clock edge, where its unit is free again."""
        ...


def started(owner: UnitOwner, row: int) -> Process:
    """The process of an operation; a transfer is what messages to this core wake."""
    rows = owner.rows
    if rows.unit[row] != PimUnit.TRANSFER:
        return _whole(owner, row, _compute)
    process = _whole(owner, row, _TRANSFERS[rows.op[row]])
    owner.network.boxes[owner.number].process = process
    return process


def _whole(owner: UnitOwner, row: int, steps: Callable[[UnitOwner, int], Process]) -> Process:
    yield from steps(owner, row)
    owner.finished(row, owner.kernel.next_edge())


def _compute(owner: UnitOwner, row: int) -> Process:
    """Vector unit and array groups: read, compute, then ask for the port again and write."""
    rows, port, kernel = owner.rows, owner.port, owner.kernel
    wait = 0
    for _ in range(rows.reads[row]):
        wait = port.request(kernel.now, rows.read_ps[row])
    yield wait + rows.compute_ps[row]
    yield port.request(kernel.now, rows.write_ps[row])


def _send(owner: UnitOwner, row: int) -> Process:
    rows, network, me, peer = owner.rows, owner.network, owner.number, owner.rows.peer[row]
    network.post(TransferKind.SENDER_READY, me, peer)
    yield _sleep(owner, TransferKind.RECEIVER_READY)
    yield owner.port.request(owner.kernel.now, rows.read_ps[row])
    network.post(TransferKind.DATA, me, peer, rows.flits[row])


def _recv(owner: UnitOwner, row: int) -> Process:
    network, me, peer = owner.network, owner.number, owner.rows.peer[row]
    box = network.boxes[me]
    box.receives_from = peer
    if peer in box.ready:
        box.ready.remove(peer)
        network.post(TransferKind.RECEIVER_READY, me, peer)
    yield _sleep(owner, TransferKind.DATA)
    box.receives_from = -1
    yield owner.port.request(owner.kernel.now, owner.rows.write_ps[row])


def _sync(owner: UnitOwner, row: int) -> Process:
    owner.network.post(TransferKind.SYNC, owner.number, owner.rows.peer[row], detail=owner.rows.event[row])
    yield owner.period


def _wait(owner: UnitOwner, row: int) -> Process:
    network, rows = owner.network, owner.rows
    box = network.boxes[owner.number]
    box.event, box.value = rows.event[row], rows.value[row]
    if not network.satisfied(box):
        yield _sleep(owner, TransferKind.SYNC)
    box.events[box.event] = box.events[box.event] - box.value if network.at_least else 0
    box.event = -1


def _load(owner: UnitOwner, row: int) -> Process:
    rows = owner.rows
    owner.network.post(TransferKind.GLOBAL, owner.number, owner.memory_node, rows.flits[row], rows.global_ps[row])
    yield _sleep(owner, TransferKind.GLOBAL)
    yield owner.port.request(owner.kernel.now, rows.write_ps[row])


def _store(owner: UnitOwner, row: int) -> Process:
    rows = owner.rows
    yield owner.port.request(owner.kernel.now, rows.read_ps[row])
    owner.network.post(TransferKind.GLOBAL, owner.number, owner.memory_node, rows.flits[row], rows.global_ps[row])
    yield _sleep(owner, TransferKind.GLOBAL)


def _fill(owner: UnitOwner, row: int) -> Process:
    yield owner.port.request(owner.kernel.now, owner.rows.write_ps[row])


def _copy(owner: UnitOwner, row: int) -> Process:
    rows, now = owner.rows, owner.kernel.now
    owner.port.request(now, rows.read_ps[row])
    yield owner.port.request(now, rows.write_ps[row])


def _sleep(owner: UnitOwner, kind: TransferKind) -> None:
    owner.network.boxes[owner.number].sleeps_for = kind


_TRANSFERS = {
    CODES["send"]: _send,
    CODES["recv"]: _recv,
    CODES["sync"]: _sync,
    CODES["wait"]: _wait,
    CODES["ld"]: _load,
    CODES["st"]: _store,
    CODES["lldi"]: _fill,
    CODES["lmv"]: _copy,
}
assert set(_TRANSFERS) == {op.code for op in OPS if op.unit is PimUnit.TRANSFER}
