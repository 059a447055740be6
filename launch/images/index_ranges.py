"""Elements of a tensor as people write them: an index range per dimension, such as `w[0:16, 0:6, 2, 0:5]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from emu.image.cells import Cells, Indices

Range = tuple[int, int, int]  # first, behind the last, step
SHOWN = 4  # numbers of a dimension that are no range, and are listed


def digits(elements: Indices, shape: Sequence[int]) -> list[Indices]:
    """The index along each dimension of elements that are counted in C order in a tensor [*shape]."""
    return list(np.unravel_index(elements, tuple(shape))) if shape else []


def held_indices(cells: Cells, rows: slice = slice(None), columns: slice = slice(None)) -> list[Indices]:
    """Per dimension of the tensor the indices that occur in these rows and columns of a group, ascending.

    Rows and columns move along different dimensions, so the index along one is the sum of what both add.
    """
    assert cells.rows is not None and cells.columns is not None
    across, along = cells.rows[rows], cells.columns[columns]
    first = digits(across[:1] + along[:1], cells.shape)
    by_row, by_column = digits(across + along[0], cells.shape), digits(across[0] + along, cells.shape)
    return [
        np.unique(np.add.outer(np.unique(row), np.unique(column)) - base)
        for row, column, base in zip(by_row, by_column, first, strict=True)
    ]


def as_range(numbers: Indices) -> Range | None:
    """Ascending numbers as a range, None if they are none."""
    first, last = int(numbers[0]), int(numbers[-1])
    steps = np.unique(np.diff(numbers))
    if steps.size > 1:
        return None
    return first, last + 1, int(steps[0]) if steps.size else 1


def indices_text(tensor: str, indices: Sequence[Indices]) -> str:
    """`tensor[0:16, 3, 0:9:2]`; what is no range is listed or, if it is long, counted: `128 in 0:383`."""
    return f"{tensor}[{', '.join(map(_dimension, indices))}]"


def _dimension(numbers: Indices) -> str:
    found = as_range(numbers)
    if found is None:
        if len(numbers) > SHOWN:
            return f"{len(numbers)} in {numbers[0]}:{numbers[-1] + 1}"
        return "|".join(map(str, numbers.tolist()))
    first, end, step = found
    if end - first == 1:
        return str(first)
    return f"{first}:{end}" + (f":{step}" if step > 1 else "")


def row_runs(cells: Cells) -> Iterator[tuple[int, int]]:
    """Rows [first, end), of one block, that follow each other in the tensor: one index range says which they are."""
    assert cells.rows is not None and cells.columns is not None
    whole = digits(cells.rows + cells.columns[0], cells.shape)
    steps = np.diff(np.stack([*whole, cells.rows]), axis=1)
    first, block = 0, cells.channels if cells.blocks > 1 else len(cells.rows)
    while first < len(cells.rows):
        end = first + 1
        moves = steps[-1, first : first - first % block + block - 1]  # in the tensor as it is counted
        other = np.flatnonzero(moves != moves[0]) if moves.size else moves
        if moves.size:
            end += int(other[0]) if other.size else moves.size
        if prod(len(np.unique(axis[first:end])) for axis in whole) != end - first:
            turns = np.flatnonzero((steps[:-1, first : end - 1] != steps[:-1, first : first + 1]).any(axis=0))
            end = first + 1 + int(turns[0])
        yield first, end
        first = end
