"""Pass `allocate-buffers`: addresses in local memory, reused by liveness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.session.context import CompilerContext
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

    Returns the bytes needed and the node at which most are needed.
    """
    floor = 0
    ops = list(core.body.block.ops)
    for op in ops:
        if isinstance(op, pim.ConstantOp):
            op.properties["address"] = attr.integer(floor)
            floor += buffer_bytes(op.buffer)
    lives = lifetimes(core)
    need, where = floor, _node(ops[0])
    placed: list[tuple[int, int, int]] = []  # (address, end address, places)
    allocs = [op for op in ops if isinstance(op, pim.AllocOp)]
    for op in sorted(allocs, key=lambda op: -buffer_bytes(op.buffer)):
        size, places = buffer_bytes(op.buffer), lives[op.buffer]
        address = _lowest_gap(sorted(entry for entry in placed if entry[2] & places), floor, size)
        placed.append((address, address + size, places))
        op.properties["address"] = attr.integer(address)
        use = next(iter(op.buffer.uses), None)  # a text may have buffers that nobody uses
        if use is not None and address + size > need:
            need, where = address + size, _node(use.operation)
    return need, where


def _lowest_gap(live: list[tuple[int, int, int]], floor: int, size: int) -> int:
    at = floor
    for address, end, _ in live:
        if address - at >= size:
            return at
        at = max(at, end)
    return at


def _node(op: Operation) -> str:
    node = op.properties.get("node")
    return cast(attr.StringAttr, node).data if node is not None else ""
