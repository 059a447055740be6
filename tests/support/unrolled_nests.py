"""Nests of loops over rows, unrolled the slow way: what rolled code is compared with."""

from dataclasses import dataclass
from itertools import count

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class Row:
    """A row: its fixed fields, its affine ones, and their strides per loop around it, outermost first."""

    fixed: tuple[int, ...]
    base: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Loop:
    trips: int
    body: tuple["Row | Loop", ...]


def size_of(body):
    """Rows and loops of a nest."""
    return sum(1 + size_of(node.body) if isinstance(node, Loop) else 1 for node in body)


def unrolled(body, counters=()):
    """The rows that a nest unrolls to, as lists of fields: first the fixed ones, then the affine ones."""
    rows = []
    for node in body:
        if isinstance(node, Loop):
            for counter in range(node.trips):
                rows += unrolled(node.body, (*counters, counter))
        else:
            moved = [
                base + sum(counter * stride[field] for counter, stride in zip(counters, node.strides, strict=True))
                for field, base in enumerate(node.base)
            ]
            rows.append([*node.fixed, *moved])
    return rows


@st.composite
def nests(draw, ops=None, deepest=3, most_trips=7, affine=2):
    """A nest; with few `ops` repeats run into each other, with None of them no two rows are of one kind."""
    value, numbers = st.integers(-99, 99), count()

    def op():
        return next(numbers) if ops is None else draw(st.integers(0, ops - 1))

    def body(depth, longest):
        nodes = []
        for _ in range(draw(st.integers(1, longest))):
            if depth < deepest and draw(st.booleans()):
                nodes.append(Loop(draw(st.integers(2, most_trips)), body(depth + 1, 3)))
            else:
                base = tuple(draw(value) for _ in range(affine))
                strides = tuple(tuple(draw(value) for _ in range(affine)) for _ in range(depth))
                nodes.append(Row((op(),), base, strides))
        return tuple(nodes)

    return body(0, 5)


def matrix_of(body, fields):
    """The unrolled code as a matrix [rows, fields]."""
    return np.array(unrolled(body), np.int64).reshape(-1, fields)


def rows_of(rolled):
    """What rolled code unrolls to, item by item, with integers of any size."""
    base, stride, strides = rolled.base.tolist(), rolled.stride.tolist(), rolled.strides.tolist()
    trips, end = rolled.trips.tolist(), rolled.end.tolist()

    def walk(first, last, counters):
        item = first
        while item < last:
            if trips[item]:
                for counter in range(trips[item]):
                    yield from walk(item + 1, end[item], (*counters, counter))
                item = end[item]
            else:
                steps = [strides[vector] for vector in stride[item]]
                yield [
                    value + sum(counter * step[field] for counter, step in zip(counters, steps, strict=False))
                    for field, value in enumerate(base[item])
                ]
                item += 1

    return list(walk(0, len(trips), ()))
