"""Nests of loops over rows, unrolled the slow way: what rolled code is compared with."""

from dataclasses import dataclass

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
def nests(draw, ops=1000, deepest=3, most_trips=7, affine=2):
    """A nest; with many `ops` no two rows are alike by chance, with few of them repeats run into each other."""
    value, op = st.integers(-99, 99), st.integers(0, ops - 1)

    def body(depth, longest):
        nodes = []
        for _ in range(draw(st.integers(1, longest))):
            if depth < deepest and draw(st.booleans()):
                nodes.append(Loop(draw(st.integers(2, most_trips)), body(depth + 1, 3)))
            else:
                base = tuple(draw(value) for _ in range(affine))
                strides = tuple(tuple(draw(value) for _ in range(affine)) for _ in range(depth))
                nodes.append(Row((draw(op),), base, strides))
        return tuple(nodes)

    return body(0, 5)


def matrix_of(body, fields):
    """The unrolled code as a matrix [rows, fields]."""
    return np.array(unrolled(body), np.int64).reshape(-1, fields)
