"""Crossbar contents against the weights of the ONNX file: which part of a matrix a group holds, which cells differ."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from emu.arch import Arch
from emu.image.cells import Cells
from emu.isa.dtypes import DType
from launch.bisect.products import ConstantProduct

LEAST_ALIKE = 0.9  # of the columns of a group and a part of a matrix, as a cosine, if they are the same
SURELY = 0.999  # no other part is looked for
CLOSE = 1e-4  # share of the largest weight that a cell may be off
FEW = 8  # columns that are compared with all parts, and parts that are compared in all columns
MOST_SHIFTS = 1 << 25  # multiplications of a search for the rows of a group


@dataclass(frozen=True, eq=False)
class CellBlock:
    """Which rows of the matrix, and columns from `column` on, an array group holds, and what should stand there."""

    rows: np.ndarray
    column: int
    weights: np.ndarray  # [rows, cols], scaled as the group is


def declared(weights: np.ndarray, product: ConstantProduct, cells: Cells) -> CellBlock | None:
    """The part of a product's matrix that the image says `weights` [rows, cols] are; None if they are not like it."""
    if cells.blocks > 1 or cells.rows is None or cells.columns is None:
        return None
    elements, outputs = product.elements, product.elements.shape[1]
    if cells.tensor != product.weights or prod(cells.shape) != elements.size:
        return None
    places = np.empty(elements.size, np.int64)
    places[elements.reshape(-1)] = np.arange(elements.size)
    rows, columns = places[cells.rows + cells.columns[0]] // outputs, places[cells.rows[0] + cells.columns] % outputs
    column = int(columns[0])
    if (columns != np.arange(column, column + len(columns))).any():
        return None
    part = product.matrix[rows, column : column + len(columns)]
    like = float(_alike(weights, part, np.zeros(1, np.int64))[0]) > LEAST_ALIKE
    return CellBlock(rows, column, _as_held(part, weights)) if like else None


def locate(weights: np.ndarray, matrix: np.ndarray, arch: Arch) -> CellBlock | None:
    """The part of `matrix` that `weights` [rows, cols] are, but for a factor per column; None if they are none.

    Parts begin at multiples of the sizes of crossbars; the rows of small matrices, anywhere.
    """
    rows, cols = weights.shape
    spare_rows, spare_cols = (have - need for have, need in zip(matrix.shape, weights.shape, strict=True))
    if spare_rows < 0 or spare_cols < 0:
        return None
    columns = range(0, spare_cols + 1, arch.columns(DType.of(weights.dtype)))
    likely = np.arange(0, spare_rows + 1, arch.crossbar.rows)
    place, alike = _best(weights, matrix, likely, columns)
    if alike < SURELY and (spare_rows + 1) * len(columns) * rows * min(cols, FEW) < MOST_SHIFTS:
        place, alike = max((place, alike), _best(weights, matrix, np.arange(spare_rows + 1), columns), key=_second)
    if alike <= LEAST_ALIKE:
        return None
    part = matrix[place[0] : place[0] + rows, place[1] : place[1] + cols]
    return CellBlock(np.arange(place[0], place[0] + rows), place[1], _as_held(part, weights))


Place = tuple[int, int]  # first row and first column


def _second(found: tuple[Place, float]) -> float:
    return found[1]


def _best(weights: np.ndarray, matrix: np.ndarray, rows: np.ndarray, columns: range) -> tuple[Place, float]:
    """The part that begins at one of `rows` and `columns` and is most like `weights`, and how much, 0 to 1.

    All parts are compared in the few columns that hold most; those that are most alike there, in all columns.
    """
    count, width = weights.shape
    few = np.sort(np.argsort(-_norms(weights), kind="stable")[:FEW])
    rough = [(_alike(weights[:, few], matrix[:, column + few], rows), column) for column in columns]
    order = np.argsort(-np.concatenate([score for score, _ in rough]), kind="stable")[:FEW]
    best, alike = (0, 0), 0.0
    for number in order.tolist():
        row, column = int(rows[number % len(rows)]), columns[number // len(rows)]
        part = matrix[row : row + count, column : column + width]
        score = float(_alike(weights, part, np.zeros(1, np.int64))[0])
        if score > alike:
            best, alike = (row, column), score
    return best, alike


def _alike(weights: np.ndarray, matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The median over columns of the cosines of `weights` and the part of `matrix` that begins at each of `rows`."""
    parts = np.lib.stride_tricks.sliding_window_view(matrix, len(weights), 0)[rows].astype(np.float64)
    wide = weights.astype(np.float64)
    sizes = np.sqrt(np.einsum("pcr,pcr->pc", parts, parts)) * _norms(wide)
    cosines = np.abs(np.einsum("pcr,rc->pc", parts, wide)) / np.maximum(sizes, 1e-300)
    return np.median(cosines, axis=1)


def _norms(matrix: np.ndarray) -> np.ndarray:
    return np.sqrt((matrix.astype(np.float64) ** 2).sum(axis=0))


def _as_held(part: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return part if weights.dtype.kind != "f" else _scaled(part, weights)


def _scaled(part: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`part` with the factor per column that most of its cells have in `weights`: a norm may have been folded in."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(np.abs(part) > CLOSE * np.abs(part).max(initial=0), weights / part, np.nan)
    ordered, known = np.sort(factors, axis=0), np.isfinite(factors).sum(axis=0)  # NaN stand last
    middle = ordered[np.maximum(known - 1, 0) // 2, np.arange(part.shape[1])]
    factor = np.where(known > 0, middle, 1.0)
    return (part * factor).astype(weights.dtype)


def wrong_cells(weights: np.ndarray, block: CellBlock) -> np.ndarray:
    """(row, column) of the cells that differ, [cells, 2], those that are furthest off first."""
    off = np.abs(weights.astype(np.float64) - block.weights.astype(np.float64))
    limit = CLOSE * np.abs(block.weights.astype(np.float64)).max(initial=0) if weights.dtype.kind == "f" else 0
    places = np.argwhere(~(off <= limit))
    return places[np.argsort(-off[tuple(places.T)], kind="stable")]
