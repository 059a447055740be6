"""Pass `allocate-buffers`: addresses in local memory, reused by liveness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import cast

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
                        f" {option('placement')}, or an {option('arch')} with more local_memory"
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
    taken: list[tuple[int, int, int]] = []  # (address, end address, places)
    for run in sorted(_runs(core, ops), key=lambda run: -sum(buffer_bytes(op.buffer) for op in run)):
        offsets = [0, *accumulate(attr.bytes_of(op.buffer) for op in run)]
        parts = [(offset, buffer_bytes(op.buffer), lives[op.buffer]) for op, offset in zip(run, offsets, strict=False)]
        begin = _lowest_gap(taken, parts, floor)
        for op, (offset, size, places) in zip(run, parts, strict=True):
            address = addresses[op] = begin + offset
            taken.append((address, address + size, places))
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


def _lowest_gap(taken: Iterable[tuple[int, int, int]], parts: Sequence[tuple[int, int, int]], floor: int) -> int:
    """The lowest address from `floor` on at which each of `parts` (offset, size, places) has bytes of its own."""
    busy = [
        (address - offset - size, end - offset)  # a run may not begin in between
        for offset, size, places in parts
        for address, end, needed in taken
        if needed & places
    ]
    at = floor
    for low, high in sorted(busy):
        if at <= low:
            break
        at = max(at, high)
    return at


def _node(op: Operation) -> str:
    node = op.properties.get("node")
    return cast(attr.StringAttr, node).data if node is not None else ""
