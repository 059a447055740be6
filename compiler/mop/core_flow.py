"""Flows of mode CM: products on whole cores, whose copies make bands of the rows of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod

from compiler.mop.mapping import CrossbarGrid, Mapped, split
from compiler.mop.steps import ProductStep, moved
from emu.interop.mop.flow import CoreTag, Operator, OperatorBlock, Range
from emu.interop.mop.window import Window

Allocate = Callable[[int], int]  # elements of memory -> the address of as many that nothing else uses


def core_blocks(mapped: Mapped, grid: CrossbarGrid, allocate: Allocate) -> Iterator[OperatorBlock]:
    """All copies at once, then partial sums, then what follows element by element."""
    product, core = mapped.product, mapped.first
    height, width = split(grid)
    rows = _ranges(product.rows, height * grid.tile[0])
    columns = _ranges(product.columns, width * grid.tile[1])
    targets = [product.target.address, *(allocate(product.target.size) for _ in rows[1:])]
    reads: list[Operator] = []
    for band in _bands(product, mapped.copies):
        for target, row in zip(targets, rows, strict=True):
            for column in columns:
                reads.append(_read(product, band, core, target, row, column))
                core += 1
    yield OperatorBlock(tuple(reads), len(reads) > 1, product.node)
    for target in targets[1:]:
        total = targets[0]
        yield OperatorBlock((Operator("add", (total, target, total, product.target.size)),))
    for follower in product.tail:
        yield OperatorBlock((follower.on(0, product.target.sizes),))


def _ranges(size: int, step: int) -> list[tuple[int, int]]:
    return [(low, min(low + step, size)) for low in range(0, size, step)]


def _bands(product: ProductStep, copies: int) -> list[tuple[int, int]]:
    """The rows of the result that each copy makes."""
    rows = (*product.window.places, 1)[0]
    return _ranges(rows, rows // copies)


def _read(
    product: ProductStep, band: tuple[int, int], core: int, target: int, row: tuple[int, int], column: tuple[int, int]
) -> Operator:
    window, source = product.window, product.source
    weights, filters = product.matrix(row, column), Range(*column)
    if window.sizes:
        window, above = cut_rows(window, band)
        source += above * prod(window.sizes[1:]) * window.pitch
        target = moved(target, band[0] * prod(window.places[1:]) * window.out_pitch)
    params = replace(window, weights=weights, filters=filters).params()
    return Operator("cim.read_core", (product.layer, params, CoreTag(core), source, target))


def cut_rows(window: Window, band: tuple[int, int]) -> tuple[Window, int]:
    """The window for rows `band` of the results, over the rows that it needs; and the first of those."""
    stride, pad, size = window.stride[0], window.pad[0], window.sizes[0]
    low = band[0] * stride - pad
    high = (band[1] - 1) * stride + (window.kernel[0] - 1) * window.dilation[0] + 1 - pad
    first = min(max(0, low), size - 1)
    last = max(min(size, high), first + 1)
    cut = replace(
        window,
        sizes=(last - first, *window.sizes[1:]),
        places=(band[1] - band[0], *window.places[1:]),
        pad=(first - low, *window.pad[1:]),
    )
    return cut, first
