"""Which way of multiplying gives every row its own bits on this machine, with the BLAS that NumPy has loaded here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from itertools import pairwise

import numpy as np

from emu.core.products.blas import Function, Kernel, banded, kernel
from emu.core.products.packed import PackedSums, PackedTiles
from emu.core.products.threads import ONE_THREAD, one_blas_thread
from emu.core.products.vectors import VectorProducts
from emu.core.products.ways import INNER, WAYS, ProductWay
from emu.program.group import COLUMN_MULTIPLE

# Rows of weights and columns: of few and many vectors of a processor, with a rest, and with several panels; the last
# ones cross the blocks in which a BLAS goes through columns.
_SHAPES = ((27, COLUMN_MULTIPLE), (128, 3 * COLUMN_MULTIPLE), (INNER, 17 * COLUMN_MULTIPLE), (48, 49 * COLUMN_MULTIPLE))
_TALL = (64, 5 * COLUMN_MULTIPLE, 1024)  # and as many input vectors as are multiplied at once
_ROWS = 150
_HEIGHTS = (2, 3, 4, 5, 6, 7, 8, 11, 13, 18, 31, 64, 101)


def chosen() -> ProductWay:
    """The way by which this process multiplies: the one that it was told, or else the fastest steady one.

    The processes of a run, sequential runs and Python programs of one machine choose alike, since they load the same
    BLAS, which picks its kernels by the processor and by OPENBLAS_CORETYPE.
    """
    return _told[-1] if _told else fastest()


def choose(name: str) -> bool:
    """From now on multiply by the way called `name`; whether that is another one than before."""
    before = chosen()
    _told[:] = [way for way in WAYS if way.name == name]
    return chosen() is not before


_told: list[ProductWay] = []  # at most one


@cache
def fastest() -> ProductWay:
    """The fastest way by which products have the same bits whatever stands beside them: some milliseconds, once."""
    return next((way for way in WAYS if steady(way)), WAYS[-1])


def steady(way: ProductWay) -> bool:
    """Whether rows and columns of products have the same bits wherever they stand and however many are multiplied."""
    with _one_thread():
        return all(_alike(way, *shape) for shape in _SHAPES) and _alike(way, *_TALL)


def _one_thread() -> AbstractContextManager[object]:
    """A process that has one anyway is spared the search for its BLAS."""
    alone = all(os.environ.get(name) == one for name, one in ONE_THREAD.items())
    return nullcontext() if alone else one_blas_thread()


def settle(way: ProductWay | None = None) -> None:
    """Find out how this process multiplies: once for all forks of one that loads cores, not in each of them."""
    way = way or chosen()
    lone(way)
    packed(way)


@cache
def packed(way: ProductWay) -> Kernel | None:
    """What multiplies by packed weights (`PackedTiles`) with the bits of `way`, if anything."""
    found = kernel()
    if found is None or not way.pieces(1, way.multiple)[0]:
        return None
    with _one_thread():
        few, many = (1, 13), (1, *_HEIGHTS)  # kernels tell heights apart alike, whatever the columns
        heights = few, many, few, few
        return found if all(_packed_alike(found, way, *each) for each in zip(_SHAPES, heights, strict=True)) else None


def _packed_alike(found: Kernel, way: ProductWay, shape: tuple[int, int], heights: tuple[int, ...]) -> bool:
    inner, cols = shape
    x, weights = _numbers(_ROWS, inner), _numbers(inner, cols)
    whole = _kept(way, x, weights)
    for count in (cols, max(cols - way.multiple, way.multiple)):
        tiles, wanted = PackedTiles(found, way, [weights[:, :count]]), whole[:, :count]
        total = np.empty((_ROWS, count), np.float32)
        for height in heights if count == cols else ():
            PackedSums(tiles, x[-height:], total[-height:], False, False)()
            if not _same(total[-height:], wanted[-height:]):
                return False
        total.fill(1)
        PackedSums(tiles, x, total, True, False)()
        if not _same(total, np.add(wanted, np.float32(1))):
            return False
    return True


@cache
def lone(way: ProductWay) -> Function | None:
    """What multiplies one vector alone (`VectorProducts`) with the bits that `way` gives it among others, if any."""
    function = banded()
    if function is None:
        return None
    with _one_thread():
        return function if all(_lone_alike(function, way, *shape) for shape in _SHAPES) else None


def _lone_alike(function: Function, way: ProductWay, inner: int, cols: int) -> bool:
    x, weights = _numbers(_ROWS, inner), _numbers(inner, cols)
    for cuts in ((0, inner), (0, inner // 2, inner)):
        pieces = [slice(*piece) for piece in pairwise(cuts)]
        wanted = [_kept(way, x[:, piece], weights[piece]) for piece in pieces]
        alone = VectorProducts(function, [weights[piece] for piece in pieces])
        for row in (0, 1, _ROWS // 2, _ROWS - 1):
            alone.x[...] = x[row]
            if not all(_same(sums, rows[row]) for sums, rows in zip(alone.multiply(), wanted, strict=True)):
                return False
    return True


def _kept(way: ProductWay, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    cols = weights.shape[1]
    return way.multiply(x, way.factor(weights), cols, np.empty((len(x), cols), np.float32))


def _alike(way: ProductWay, inner: int, cols: int, rows: int = _ROWS) -> bool:
    x, weights = _numbers(rows, inner), _numbers(inner, cols)
    factor = way.factor(weights)

    def product(start: int, stop: int) -> np.ndarray:
        return way.multiply(x[start:stop], factor, cols, np.empty((stop - start, cols), np.float32))

    whole = product(0, rows)
    order = np.roll(np.arange(cols).reshape(-1, COLUMN_MULTIPLE // 2)[::-1], 3, axis=1).ravel()
    turned = way.multiply(x, way.factor(weights[:, order]), cols)
    parts = _parts(rows)
    return _same(turned, whole[:, order]) and all(_same(product(*part), whole[slice(*part)]) for part in parts)


def bits(way: ProductWay) -> bytes:
    """The bits of products of all shapes that are tried: equal ones tell that two machines round alike."""
    with one_blas_thread():
        products = (
            way.multiply(_numbers(_ROWS, inner), way.factor(_numbers(inner, cols)), cols) for inner, cols in _SHAPES
        )
        return b"".join(np.ascontiguousarray(product).tobytes() for product in products)


def _numbers(rows: int, cols: int) -> np.ndarray:
    """Numbers between -1 and 1 of which sums are rounded, f32 [rows, cols]; without the generators, a long import."""
    mixed = (np.arange(1, rows * cols + 1, dtype=np.uint32) * np.uint32(2654435761)) >> np.uint32(7)
    return (mixed.astype(np.float32) / np.float32(1 << 24) - 1).reshape(rows, cols)


def _parts(rows: int) -> Iterator[tuple[int, int]]:
    """Some runs of rows, at the beginning, further on and at the end."""
    for height in (*_HEIGHTS, *((rows // 2 + 7, rows - 5) if rows > _ROWS else ())):
        for start in sorted({0, min(height + 5, rows - height), rows - height}):
            yield start, start + height


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(np.ascontiguousarray(one).view(np.int32), np.ascontiguousarray(other).view(np.int32))
