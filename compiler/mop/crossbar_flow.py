"""Flows of modes XBM and WLM: weights are written once, then segment by segment some results at a time are made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from compiler.mop.mapping import Mapped
from compiler.mop.runs import runs
from compiler.mop.steps import ProductStep, moved
from compiler.mop.units import CrossbarUnit, UnitLayout
from emu.interop.mop.flow import Operator, OperatorBlock, Register
from emu.interop.mop.window import PADDING


def write_crossbars(product: ProductStep, layout: UnitLayout) -> Iterator[OperatorBlock]:
    """Mode XBM: all crossbars of a product at once."""
    writes = [
        Operator("cim.write_xb", (Register(unit.crossbar), product.matrix(unit.rows, unit.columns)))
        for unit in layout.units
    ]
    yield OperatorBlock(tuple(writes), len(writes) > 1, f"{product.node}: weights")


def write_rows(product: ProductStep, layout: UnitLayout) -> Iterator[OperatorBlock]:
    """Mode WLM: one row of every crossbar at a time."""
    writes = defaultdict[int, list[Operator]](list)
    for unit in layout.units:
        for row in range(*unit.rows):
            at = unit.at + row - unit.rows[0]
            value = product.matrix((row, row + 1), unit.columns)
            writes[at].append(Operator("cim.write_row", (Register(unit.crossbar, at), value)))
    for at, block in sorted(writes.items()):
        yield OperatorBlock(tuple(block), len(block) > 1, "" if at else f"{product.node}: weights")


def read_crossbars(layout: UnitLayout, turn: int, count: int, bound: int) -> list[Operator]:
    """Mode XBM: all crossbars of each of the first `count` copies, neighbours at once."""
    reads: list[Operator] = []
    for copy in range(count):
        crossbars = np.array([unit.crossbar for unit in layout.units if unit.copy == copy])
        for part in np.split(crossbars, np.flatnonzero(np.diff(crossbars) != bound) + 1):
            reads.append(Operator("cim.read_xb", (Register(int(part[0])), len(part) * bound)))
    return reads


def read_rows(layout: UnitLayout, turn: int, count: int, bound: int) -> list[Operator]:
    """Mode WLM: the rows of a turn of each of the first `count` copies."""
    return [
        Operator("cim.read_row", (Register(unit.crossbar, unit.at), unit.rows[1] - unit.rows[0]))
        for unit in layout.units
        if unit.turn == turn and unit.copy < count
    ]


READS = {"xbm": read_crossbars, "wlm": read_rows}
WRITES = {"xbm": write_crossbars, "wlm": write_rows}


def product_blocks(mapped: Mapped, layout: UnitLayout, mode: str, bound: int) -> Iterator[OperatorBlock]:
    """The code segments of a product: each makes as many results as there are copies."""
    product, window = mapped.product, mapped.product.window
    count = -(-window.count // layout.copies)
    for segment in range(count):
        first = segment * layout.copies
        last = min(first + layout.copies, window.count)
        offsets = window.offsets(first, last)
        loads = [load for unit in layout.units if unit.copy < last - first for load in _loads(product, unit, offsets)]
        yield OperatorBlock(tuple(loads), len(loads) > 1, f"{product.node}: segment {segment + 1} of {count}")
        for turn in range(layout.turns):
            reads = READS[mode](layout, turn, last - first, bound)
            yield OperatorBlock(tuple(reads), len(reads) > 1)
            yield from _sums(product, [unit for unit in layout.units if unit.turn == turn], first, last)
        for follower in product.tail:
            yield OperatorBlock((follower.on(first * product.columns, _sizes(product.columns, last - first)),))


def _sizes(columns: int, results: int) -> tuple[int, ...]:
    return (columns, results) if results > 1 else (columns,)


def _loads(product: ProductStep, unit: CrossbarUnit, offsets: np.ndarray) -> Iterator[Operator]:
    """The inputs of a unit, in its input register: moves, and fills where padding is."""
    rows = offsets[unit.copy, unit.rows[0] : unit.rows[1]]
    for source, target, length in runs(rows, np.arange(unit.at, unit.at + len(rows))):
        register = Register(unit.crossbar, target)
        if source == PADDING:
            yield Operator("fill", (register, product.window.fill, length))
        else:
            yield Operator("mov", (moved(product.source, source), register, length))


def _sums(product: ProductStep, units: Sequence[CrossbarUnit], first: int, last: int) -> Iterator[OperatorBlock]:
    """What the units of a turn made: the first rows are moved to the result, all others are added to it."""
    ranks = defaultdict[int, list[Operator]](list)
    met = defaultdict[tuple[int, int], int](int)
    for unit in units:
        if unit.copy >= last - first:
            continue
        low, high = unit.columns
        at = moved(product.target.address, (first + unit.copy) * product.columns + low)
        rank = met[unit.copy, low]
        met[unit.copy, low] += 1
        if unit.rows[0]:
            ranks[rank].append(Operator("add", (Register(unit.crossbar), at, at, high - low)))
        else:
            ranks[rank].append(Operator("mov", (Register(unit.crossbar), at, high - low)))
    for _, operators in sorted(ranks.items()):
        yield OperatorBlock(tuple(operators), len(operators) > 1)
