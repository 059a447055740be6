"""Fewer and larger steps: copies of evenly spaced runs of bytes, or sums in order, become one array operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.distribution import Iterate, Node
from emu.core.batch.legality import Member
from emu.core.batch.nest import LoopNest
from emu.core.batch.turns import turns_of
from emu.core.batch.views import StepSpec, ViewSpec

LARGEST_RUN = 512  # bytes that are moved as one element: NumPy's loop over elements beats its loop over rows

Offset = tuple[int, int]  # of destination and source


class _Fusion:
    """Rewrites the steps of one nest."""

    def __init__(self, nest: LoopNest, accesses: Mapping[Member, Access], steps: Sequence[StepSpec]) -> None:
        self._nest, self._accesses = nest, accesses
        self.steps = [self._coarse(step) if self._moves(step) else step for step in steps]

    def _moves(self, step: StepSpec) -> bool:
        return self._nest.statements[step.position].op.instr.spec.moves and step.views[0].shape[-1] > 0

    def _coarse(self, step: StepSpec) -> StepSpec:
        """A move whose run of bytes is one element."""
        size = step.views[0].shape[-1]
        if size > LARGEST_RUN:
            return step
        run = np.dtype((np.void, size))
        views = [replace(v, dtype=run, shape=(*v.shape[:-1], 1), strides=(*v.strides[:-1], size)) for v in step.views]
        return replace(step, views=tuple(views))

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """The schedule with runs of neighbouring moves replaced by one move each."""
        fused: list[Node] = []
        at = 0
        while at < len(nodes):
            node = nodes[at]
            if isinstance(node, Iterate):
                fused.append(self._iterated(node.loop, self.nodes(node.body)))
                at += 1
                continue
            count = self._chain(nodes[at:], node)
            if count == 1:
                fused.append(node)
                at += 1
                continue
            grid = self._regular([self._offset(node, k) for k in nodes[at : at + count] if not isinstance(k, Iterate)])
            fused.append(self._joined(node, grid) if grid[0] * grid[1] > 1 else node)
            at += grid[0] * grid[1]
        return tuple(fused)

    def _iterated(self, loop: int, body: tuple[Node, ...]) -> Node:
        """The loop around `body`; as one step, if it does nothing but add up."""
        if len(body) == 1 and not isinstance(body[0], Iterate):
            step = self.steps[body[0]]
            op = self._nest.statements[step.position].op
            accesses = [self._accesses.get((step.position, operand)) for operand in range(len(op.slots))]
            kernel = turns_of(op, step, loop, accesses)
            if kernel is not None:
                self.steps.append(replace(step, kernel=kernel))
                return len(self.steps) - 1
        return Iterate(loop, body)

    def _chain(self, nodes: Sequence[Node], first: int) -> int:
        """How many moves follow each other from scattered bytes to slots, with nothing but their places changing.

        Sources must overlap from one to the next: only then their distances are the same wherever the nest is.
        """
        count = 1
        if not self._moves(self.steps[first]) or self.steps[first].expanded != (True, False):
            return count
        for before, node in pairwise(nodes):
            if isinstance(node, Iterate) or isinstance(before, Iterate) or not self._like(first, node):
                break
            a, b = self._accesses[before, 1], self._accesses[node, 1]
            if a.high <= b.low or b.high <= a.low:
                break
            count += 1
        return count

    def _like(self, first: int, other: int) -> bool:
        a, b = self.steps[first], self.steps[other]
        if not self._moves(b) or (a.path, a.expanded) != (b.path, b.expanded):
            return False
        pairs = zip(a.views, b.views, strict=True)
        return all((x.dtype, x.shape, x.strides) == (y.dtype, y.shape, y.strides) for x, y in pairs)

    def _offset(self, first: int, other: int) -> Offset:
        return (
            self.steps[other].views[0].offset - self.steps[first].views[0].offset,
            self._accesses[other, 1].address - self._accesses[first, 1].address,
        )

    def _regular(self, offsets: Sequence[Offset]) -> tuple[int, int, Offset, Offset]:
        """(outer, inner, outer step, inner step) of a grid that the first offsets form; (1, 1, ...) for none."""
        inner, step = _row(offsets)
        width = self._width_of_rows(offsets, inner, step)
        rows = [offsets[k] for k in range(0, width * inner, inner)]
        outer, far = _row(rows)
        return outer, inner, far, step

    def _width_of_rows(self, offsets: Sequence[Offset], inner: int, step: Offset) -> int:
        rows = 1
        while (rows + 1) * inner <= len(offsets):
            row = offsets[rows * inner : (rows + 1) * inner]
            if any((x[0] - row[0][0], x[1] - row[0][1]) != (k * step[0], k * step[1]) for k, x in enumerate(row)):
                break
            rows += 1
        return rows

    def _joined(self, first: int, grid: tuple[int, int, Offset, Offset]) -> int:
        outer, inner, far, near = grid
        step = self.steps[first]
        views: list[ViewSpec] = []
        for k, view in enumerate(step.views):
            shape, strides = (*view.shape[:-1], outer, inner, view.shape[-1]), (*view.strides[:-1], far[k], near[k])
            views.append(replace(view, shape=shape, strides=(*strides, view.strides[-1])))
        self.steps.append(replace(step, views=tuple(views)))
        return len(self.steps) - 1


def _row(offsets: Sequence[Offset]) -> tuple[int, Offset]:
    """How many of the first offsets are evenly spaced, and by what."""
    if len(offsets) < 2:
        return 1, (0, 0)
    step = (offsets[1][0] - offsets[0][0], offsets[1][1] - offsets[0][1])
    count = 2
    while count < len(offsets) and offsets[count] == (offsets[0][0] + count * step[0], offsets[0][1] + count * step[1]):
        count += 1
    return count, step


def fuse(
    nest: LoopNest, accesses: Mapping[Member, Access], nodes: tuple[Node, ...], steps: Sequence[StepSpec]
) -> tuple[list[StepSpec], tuple[Node, ...]]:
    """Steps and nodes that do the same with fewer array operations; nodes may name steps beyond the given ones."""
    fusion = _Fusion(nest, accesses, steps)
    fused = fusion.nodes(nodes)
    used = sorted(_steps(fused))
    numbers = {number: k for k, number in enumerate(used)}
    return [fusion.steps[number] for number in used], _renumbered(fused, numbers)


def _steps(nodes: Sequence[Node]) -> set[int]:
    numbers: set[int] = set()
    for node in nodes:
        numbers |= _steps(node.body) if isinstance(node, Iterate) else {node}
    return numbers


def _renumbered(nodes: Sequence[Node], numbers: Mapping[int, int]) -> tuple[Node, ...]:
    return tuple(
        Iterate(node.loop, _renumbered(node.body, numbers)) if isinstance(node, Iterate) else numbers[node]
        for node in nodes
    )
