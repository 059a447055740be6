"""Where one element of a tensor of weights stands: the cells of array groups that hold it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from emu.errors import InputError, option
from launch.images.weights_map import CellUse, GroupUse, WeightsMap

Index = tuple[int, ...]


def cells_with(part: WeightsMap, groups: Sequence[GroupUse], element: Index) -> Iterator[tuple[GroupUse, CellUse]]:
    """The cells, of some groups of an image, that hold this element of their tensor."""
    for use in groups:
        cells = part.cells(use.core)[use.group]
        if cells.rows is None or cells.columns is None or not _inside(element, use.shape):
            continue
        flat = int(np.ravel_multi_index(element, use.shape))
        for row in np.flatnonzero(np.isin(flat - cells.rows, cells.columns)).tolist():
            for column in np.flatnonzero(cells.columns == flat - cells.rows[row]).tolist():
                if cells.element(row, column) == flat:
                    yield use, part.cell(use.core, use.group, row, column)


def refuse_outside(name: str, groups: Sequence[GroupUse], element: Index) -> None:
    """Raise InputError unless a tensor of weights of the node or tensor `name` has this element."""
    shapes = {use.tensor: use.shape for use in groups if use.tensor}
    if any(_inside(element, shape) for shape in shapes.values()):
        return
    known = ", ".join(f"{tensor} {list(shape)}" for tensor, shape in shapes.items())
    has = f"its weights are {known}" if known else "it has no weights on crossbars"
    raise InputError(f"{option('element')} {','.join(map(str, element))}: no element of {name}: {has}")


def _inside(element: Index, shape: Sequence[int]) -> bool:
    return len(element) == len(shape) and all(at < size for at, size in zip(element, shape, strict=True))
