"""Crossbar contents against the weights of the ONNX file: which part of a matrix a group holds, which cells differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from emu.arch import Arch

LEAST_ALIKE = 0.9  # of the columns of a group and a part of a matrix, as a cosine, if they are the same
CLOSE = 1e-4  # share of the largest weight that a cell may be off
MOST_SHIFTS = 1 << 28  # multiplications of a search for the rows of a group


@dataclass(frozen=True, eq=False)
class Block:
    """Where the weights of an array group stand in the matrix, and what they should be there."""

    row: int
    column: int
    weights: np.ndarray  # [rows, cols], scaled as the group is


def locate(weights: np.ndarray, matrix: np.ndarray, arch: Arch) -> Block | None:
    """The part of `matrix` that `weights` [rows, cols] are, but for a factor per column; None if they are none."""
    rows, cols = weights.shape
    if rows > matrix.shape[0] or cols > matrix.shape[1]:
        return None
    best, place = LEAST_ALIKE, None
    wide, size = weights.astype(np.float64), _norms(weights)
    for row, column in _places(weights, matrix, arch):
        part = matrix[row : row + rows, column : column + cols].astype(np.float64)
        alike = np.abs((part * wide).sum(axis=0)) / np.maximum(_norms(part) * size, 1e-300)
        score = float(np.median(alike))
        if score > best:
            best, place = score, (row, column)
    if place is None:
        return None
    part = matrix[place[0] : place[0] + rows, place[1] : place[1] + cols]
    return Block(*place, part if weights.dtype.kind != "f" else _scaled(part, weights))


def _places(weights: np.ndarray, matrix: np.ndarray, arch: Arch) -> list[tuple[int, int]]:
    """Where a part of the matrix may begin: at multiples of the sizes of crossbars; of few rows, anywhere."""
    spare_rows, spare_cols = (have - need for have, need in zip(matrix.shape, weights.shape, strict=True))
    columns = range(0, spare_cols + 1, arch.crossbar.cols)
    rows = range(0, spare_rows + 1, arch.crossbar.rows)
    every = range(spare_rows + 1)
    return list(product(every if len(every) * len(columns) * weights.size < MOST_SHIFTS else rows, columns))


def _norms(matrix: np.ndarray) -> np.ndarray:
    return np.sqrt((matrix.astype(np.float64) ** 2).sum(axis=0))


def _scaled(part: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`part` with the factor per column that most of its cells have in `weights`: a norm may have been folded in."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(np.abs(part) > CLOSE * np.abs(part).max(initial=0), weights / part, np.nan)
    known = np.isfinite(factors).any(axis=0)
    factor = np.where(known, np.nanmedian(np.where(known, factors, 1.0), axis=0), 1.0)
    return (part * factor).astype(weights.dtype)


def wrong_cells(weights: np.ndarray, block: Block) -> np.ndarray:
    """(row, column) of the cells that differ, [cells, 2], those that are furthest off first."""
    off = np.abs(weights.astype(np.float64) - block.weights.astype(np.float64))
    limit = CLOSE * np.abs(block.weights.astype(np.float64)).max(initial=0) if weights.dtype.kind == "f" else 0
    places = np.argwhere(~(off <= limit))
    return places[np.argsort(-off[tuple(places.T)], kind="stable")]
