"""Pass `allocate-buffers`: addresses in local memory, reused by liveness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.session.context import CompilerContext
from compiler.streaming.adjacency import adjacency_of
from compiler.streaming.lifetimes import lifetimes
from emu.errors import CompileError, option

ALIGNMENT = 64  # bytes: a cache line


@dataclass(frozen=True)
class AllocateBuffersPass(ModulePass):
    """Sets the `address` of every `pim.constant` and `pim.alloc`."""

    name = "allocate-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Allocate core by core; raises CompileError if a core's memory is short."""
        context = cast(CompilerContext, ctx)
        limit = context.arch.core.local_memory
        for core in op.ops:
            if isinstance(core, pim.CoreOp) and not placed(core):
                need, node = allocate(core)
                if need > limit:
                    raise CompileError(
                        f"core {core.coreId.value.data} needs {need} bytes of local memory at node {node}, but"
                        f" {context.arch.title} has {limit} per core: use"
                        f" {option('granularity', 'auto')} or rows:N with a small N, more {option('cores')}, another"
                        f" {option('placement')}, or an {option('arch')} with more local_memory",
                        node,
                    )


def placed(core: pim.CoreOp) -> bool:
    """Whether every buffer has an address already, as in an edited dump."""
    buffers = [op for op in core.body.block.ops if isinstance(op, pim.AllocOp | pim.ConstantOp)]
    return bool(buffers) and all(op.address is not None for op in buffers)


def buffer_bytes(value: SSAValue) -> int:
    """Bytes of a buffer, rounded up to the alignment."""
    return -(-attr.bytes_of(value) // ALIGNMENT) * ALIGNMENT


def allocate(core: pim.CoreOp) -> tuple[int, str]:
    """Place constants first, then the buffers, largest first; they share bytes when no place needs both.

    Buffers that a message carries together follow each other and are placed as one. Returns the bytes needed and the
    node at which most are needed.
    """
    need, where, addresses = plan(core)
    for op, address in addresses.items():
        op.properties["address"] = attr.integer(address)
    return need, where


def plan(core: pim.CoreOp) -> tuple[int, str, dict[pim.AllocOp | pim.ConstantOp, int]]:
    """The bytes that a core needs, the node at which most are needed, and the address of every buffer."""
    floor, addresses = 0, dict[pim.AllocOp | pim.ConstantOp, int]()
    ops = list(core.body.block.ops)
    for op in ops:
        if isinstance(op, pim.ConstantOp):
            addresses[op] = floor
            floor += buffer_bytes(op.buffer)
    lives = lifetimes(core)
    need, where = floor, _node(ops[0])
    taken = _Taken(len(lives))
    for run in sorted(_runs(core, ops), key=lambda run: -sum(buffer_bytes(op.buffer) for op in run)):
        offsets = [0, *accumulate(attr.bytes_of(op.buffer) for op in run)]
        parts = [(offset, buffer_bytes(op.buffer), lives[op.buffer]) for op, offset in zip(run, offsets, strict=False)]
        begin = taken.lowest_gap(parts, floor)
        for op, (offset, size, places) in zip(run, parts, strict=True):
            address = addresses[op] = begin + offset
            taken.add(address, address + size, places)
            use = next(iter(op.buffer.uses), None)  # a text may have buffers that nobody uses
            if use is not None and address + size > need:
                need, where = address + size, _node(use.operation)
    return need, where, addresses


def _runs(core: pim.CoreOp, ops: Sequence[Operation]) -> list[list[pim.AllocOp]]:
    """Buffers that follow each other in memory, most of them alone, in the order of the text."""
    beside, runs = adjacency_of(core), list[list[pim.AllocOp]]()
    for op in ops:
        if isinstance(op, pim.AllocOp):
            run = beside.run(op.buffer)
            if run[0] is op.buffer:
                runs.append([cast(pim.AllocOp, value.owner) for value in run])
    return runs


class _Taken:
    """The bytes of up to `room` buffers that have an address, with the places in the text that need them."""

    def __init__(self, room: int) -> None:
        self.buffers: list[tuple[int, int, int]] = []  # address, end address, places
        self.hulls = np.zeros((2, room), np.int64)  # of the places: the first, and the one after the last

    def add(self, address: int, end: int, places: int) -> None:
        """One more."""
        self.hulls[:, len(self.buffers)] = _hull(places)
        self.buffers.append((address, end, places))

    def lowest_gap(self, parts: Sequence[tuple[int, int, int]], floor: int) -> int:
        """The lowest address from `floor` on at which each of `parts` (offset, size, places) has bytes of its own."""
        busy = [
            (address - offset - size, end - offset)  # a run may not begin in between
            for offset, size, places in parts
            for address, end, needed in self._near(places)
            if needed & places
        ]
        at = floor
        for low, high in sorted(busy):
            if at <= low:
                break
            at = max(at, high)
        return at

    def _near(self, places: int) -> Iterator[tuple[int, int, int]]:
        """The buffers that may be needed at `places`; few, where a long program has many that live for a moment."""
        first, end = _hull(places)
        firsts, ends = self.hulls[:, : len(self.buffers)]
        return (self.buffers[index] for index in np.flatnonzero((firsts < end) & (ends > first)).tolist())


def _hull(places: int) -> tuple[int, int]:
    """The lowest bit, and the one after the highest; nothing is (-1, 0), which meets no other."""
    return (places & -places).bit_length() - 1, places.bit_length()


def _node(op: Operation) -> str:
    node = op.properties.get("node")
    return cast(attr.StringAttr, node).data if node is not None else ""
