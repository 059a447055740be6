"""Which row of rolled code an instruction comes from, and in which iteration of the loops around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.program.nesting import Nesting

MOST_INSTRUCTIONS = 1 << 31  # sizes are counted up to here: products and sums stay far below 64 bits


@dataclass(frozen=True, eq=False)
class Places:
    """Where the items of rolled code stand among the instructions that it unrolls to."""

    instructions: int
    first: np.ndarray  # int64 [n]: the first instruction of each item
    body: np.ndarray  # int64 [n]: instructions of one iteration of a loop; 1 for rows
    is_loop: np.ndarray
    items: tuple[np.ndarray, ...]  # per level: its items, ascending
    keys: tuple[np.ndarray, ...]  # and of each (loop around it + 1) * span + place in the body, ascending
    span: int

    def of(self, instruction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Per instruction its row (int64 [m]) and the counters of the loops around it (int64 [m, levels])."""
        item = np.full(len(instruction), -1)
        counters = np.zeros((len(instruction), len(self.items) - 1), np.int64)
        rest = np.array(instruction, np.int64)
        within = np.arange(len(instruction))  # those whose place within `item` is still to be found
        for level, (items, keys) in enumerate(zip(self.items, self.keys, strict=True)):
            key = (item[within] + 1) * self.span + rest[within]
            found = np.searchsorted(keys, key, "right") - 1
            item[within] = items[found]
            inside = self.is_loop[items[found]]
            within, rest_within = within[inside], (key - keys[found])[inside]
            if not len(within):
                break
            counters[within, level], rest[within] = np.divmod(rest_within, self.body[item[within]])
        return item, counters


def places_of(is_loop: np.ndarray, trips: np.ndarray, nesting: Nesting) -> Places:
    """Places of the items of properly nested loops; more than `MOST_INSTRUCTIONS` count as so many."""
    count = len(trips)
    depth = nesting.depth
    items = tuple(np.flatnonzero(depth == level) for level in range(int(depth.max(initial=0)) + 1))
    parents = tuple(
        nesting.enclosing(at, np.full(len(at), level - 1)) if level else np.full(len(at), -1)
        for level, at in enumerate(items)
    )
    body = np.where(is_loop, 0, 1)
    size = np.ones(count + 1, np.int64)
    size[-1] = 0  # of all
    for at, parent in reversed(list(zip(items, parents, strict=True))):
        size[at] = np.minimum(np.where(is_loop[at], body[at] * trips[at], 1), MOST_INSTRUCTIONS)
        total = np.zeros(count + 1, np.int64)
        np.add.at(total, parent, size[at])
        owners = np.flatnonzero(total[:-1])
        body[owners] = np.minimum(total[owners], MOST_INSTRUCTIONS)
        size[-1] = min(int(total[-1]), MOST_INSTRUCTIONS)
    span = MOST_INSTRUCTIONS + 1
    first = np.zeros(count + 1, np.int64)  # the last one: of all, the parent -1
    keys: list[np.ndarray] = []
    for at, parent in zip(items, parents, strict=True):
        offset = _offsets(parent, size[at])
        first[at] = first[parent] + offset
        keys.append((parent + 1) * span + offset)
    return Places(int(size[-1]), first[:-1], body, is_loop, items, tuple(keys), span)


def _offsets(parent: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Instructions before each item within the same loop; items of a loop stand together in `parent`."""
    before = np.cumsum(size) - size
    first = np.flatnonzero(np.diff(parent, prepend=-2))
    return before - np.repeat(before[first], np.diff(first, append=len(parent)))
