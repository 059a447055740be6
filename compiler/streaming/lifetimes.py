"""When buffers hold rows that are still needed: the places in a core's program, found by replaying it row by row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.kernel import KernelOp
from compiler.dialects.rows import rows_of

Access = tuple[SSAValue, int, int]  # buffer, first row, number of rows
TRANSFERS_IN = (pim.LoadOp, pim.ReceiveOp)


@dataclass(frozen=True, slots=True)
class OperationStretch:
    """Operations of a core that run `trips` times: a loop's body, or a single operation."""

    ops: tuple[Operation, ...]
    trips: int
    place: int  # of the first operation: how many stand before it in the text
    time: int  # at which it begins: how many operations run before it


def stretches(core: pim.CoreOp) -> list[OperationStretch]:
    """The operations of a core without those that declare buffers, as loops and single operations."""
    parts: list[OperationStretch] = []
    place = time = 0
    for op in core.body.block.ops:
        if isinstance(op, pim.AllocOp | pim.ConstantOp):
            continue
        loop = isinstance(op, pim.LoopOp)
        part = OperationStretch(
            tuple(op.body.block.ops) if loop else (op,), op.trips.value.data if loop else 1, place, time
        )
        parts.append(part)
        place += len(part.ops)
        time += len(part.ops) * part.trips
    return parts


def trace(core: pim.CoreOp) -> Iterator[tuple[Operation, int]]:
    """Every operation as often as it runs, with the iteration of the loop around it."""
    for part in stretches(core):
        for iteration in range(part.trips):
            for op in part.ops:
                yield op, iteration


def accesses(op: Operation, iteration: int) -> tuple[list[Access], list[Access]]:
    """The rows that an operation reads, and those that it writes, in an iteration; scratch counts as written.

    Scratch that a kernel keeps from one instance to the next counts as read, too.
    """
    if isinstance(op, KernelOp):
        tiles = [*op.inputs, *op.outputs]
        rows = rows_of(op.rows) or [None] * len(tiles)
        accessed = [
            (tile, part.first + part.step * iteration, part.count) if part is not None else _whole(tile)
            for tile, part in zip(tiles, rows, strict=True)
        ]
        inputs = len(op.inputs)
        kept, scratch = ([_whole(buffer) for buffer in buffers] for buffers in (op.kept, op.scratch))
        return accessed[:inputs] + kept, accessed[inputs:] + scratch
    if isinstance(op, pim.LoadOp | pim.ReceiveOp | pim.StoreOp | pim.SendOp):
        rows = rows_of(op.rows)
        accessed = (
            [
                (buffer, part.first + part.step * iteration, part.count)
                for buffer, part in zip(op.operands, rows, strict=True)
            ]
            if rows
            else [_whole(buffer) for buffer in op.operands]
        )
        return ([], accessed) if isinstance(op, TRANSFERS_IN) else (accessed, [])
    if isinstance(op, pim.WriteOp):
        return [], [_whole(op.staging)]
    if isinstance(op, pim.CompleteOp):
        return [_whole(op.buffer)], []
    return [], []


def _whole(buffer: SSAValue) -> Access:
    return buffer, 0, attr.shape_of(buffer)[0]


@dataclass(slots=True)
class _Life:
    """Times at which rows of one buffer are needed: from each write of a row to the last read before the next write."""

    closed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    open: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def write(self, first: int, count: int, time: int) -> None:
        self.closed += [self.open[row] for row in range(first, first + count) if row in self.open]
        self.open.update(dict.fromkeys(range(first, first + count), (time, time)))

    def read(self, first: int, count: int, time: int) -> None:
        for row in range(first, first + count):
            self.open[row] = (self.open.get(row, (time, time))[0], time)

    def intervals(self) -> list[tuple[int, int]]:
        """Disjoint intervals of time, in order."""
        merged: list[tuple[int, int]] = []
        for begin, end in sorted((*self.closed, *self.open.values())):
            if merged and begin <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(merged[-1][1], end)
            else:
                merged.append((begin, end))
        return merged


def lifetimes(core: pim.CoreOp) -> dict[SSAValue, int]:
    """Per buffer the places in the text at which it holds something needed: bit p of an integer stands for place p."""
    lives: dict[SSAValue, _Life] = {op.buffer: _Life() for op in core.body.block.ops if isinstance(op, pim.AllocOp)}
    for time, (op, iteration) in enumerate(trace(core)):
        reads, writes = accesses(op, iteration)
        for buffer, first, count in reads:
            if buffer in lives:  # constant data lives always
                lives[buffer].read(first, count, time)
        for buffer, first, count in writes:
            lives[buffer].write(first, count, time)
    parts = stretches(core)
    starts = [part.time for part in parts]
    return {buffer: _places(life.intervals(), parts, starts) for buffer, life in lives.items()}


def _places(intervals: list[tuple[int, int]], parts: list[OperationStretch], starts: list[int]) -> int:
    bits = 0
    for begin, end in intervals:
        index = bisect_right(starts, begin) - 1
        while index < len(parts) and parts[index].time <= end:
            bits |= _places_in(parts[index], begin, end)
            index += 1
    return bits


def _places_in(part: OperationStretch, begin: int, end: int) -> int:
    """Bits of the places of `part` that run in the interval of time."""
    period = len(part.ops)
    low, high = max(begin - part.time, 0), min(end - part.time, period * part.trips - 1)
    if high - low + 1 >= period:
        return ((1 << period) - 1) << part.place
    first, last = low % period, high % period
    if first <= last:
        return ((1 << (last - first + 1)) - 1) << (part.place + first)
    whole = (1 << period) - 1
    return (whole & ~((1 << first) - 1) | ((1 << (last + 1)) - 1)) << part.place
