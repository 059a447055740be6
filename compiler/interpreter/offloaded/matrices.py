"""Products with matrices on a device: cut into what one crossbar holds, written once where they are constant."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from compiler.basis.weights import Array
from compiler.interpreter.host.crossbars import Crossbars
from emu.errors import EmuError
from emu.isa.dtypes import NUMBERS, DType

VECTORS = 4096  # of one call: what is under way at a time stays small


@dataclass(frozen=True, slots=True)
class _Tile:
    """Rows and columns of a matrix that one crossbar holds."""

    rows: slice
    cols: slice


class DeviceMatrices:
    """Matrices on the crossbars of a device, of which each has `rows`, and `columns` of elements of a type.

    Constant ones stay there from call to call; when none is free, that which was used longest ago makes room.
    """

    def __init__(self, device: Crossbars, rows: int, columns: Callable[[DType], int]) -> None:
        self._device, self._rows, self._columns = device, rows, columns
        self._held: OrderedDict[Hashable, Any] = OrderedDict()  # by key, the one that was used last at the end

    def takes(self, x: np.dtype[Any], w: np.dtype[Any]) -> bool:
        """Whether crossbars hold elements of `w` and multiply those of `x`."""
        try:
            return {DType.of(x), DType.of(w)} <= NUMBERS
        except KeyError:
            return False

    def product(self, x: Array, w: Array, made: np.dtype[Any], key: Hashable = None) -> Array:
        """`x` [m, k] times `w` [k, n], of type `made`: integers wrap. `key` names a `w` that is always the same.

        Raises what the device raises.
        """
        total = np.zeros((len(x), w.shape[1]), made)
        for first in range(0, len(x), VECTORS):
            self._add(total[first : first + VECTORS], x[first : first + VECTORS], w, key)
        return total

    def _add(self, total: Array, x: Array, w: Array, key: Hashable) -> None:
        """Add a product to what is there."""
        waiting = list[tuple[_Tile, Any]]()
        for tile in self._tiles(w):
            part = np.ascontiguousarray(x[:, tile.rows])
            if key is not None:
                crossbar = self._constant((key, tile.rows.start, tile.cols.start, x.dtype, total.dtype), w, tile, x)
                waiting.append((tile, self._device.gemm(crossbar, part)))
                continue
            crossbar = self._acquired(w, tile, x, total.dtype)
            total[:, tile.cols] += self._device.wait(self._device.gemm(crossbar, part))
            self._device.release(crossbar)
        for tile, future in waiting:
            total[:, tile.cols] += self._device.wait(future)

    def tile(self, dtype: np.dtype[Any]) -> tuple[int, int]:
        """Rows and columns of one crossbar, of elements of a type."""
        return self._rows, self._columns(DType.of(dtype))

    def _tiles(self, w: Array) -> Iterator[_Tile]:
        high, wide = self.tile(w.dtype)
        for low in range(0, w.shape[0], high):
            for left in range(0, w.shape[1], wide):
                yield _Tile(slice(low, min(low + high, w.shape[0])), slice(left, min(left + wide, w.shape[1])))

    def _constant(self, key: tuple[Any, ...], w: Array, tile: _Tile, x: Array) -> Any:
        if key not in self._held:
            self._held[key] = self._acquired(w, tile, x, key[-1])
        self._held.move_to_end(key)
        return self._held[key]

    def _acquired(self, w: Array, tile: _Tile, x: Array, made: np.dtype[Any]) -> Any:
        """A crossbar that holds the tile of a matrix."""
        matrix = np.ascontiguousarray(w[tile.rows, tile.cols])
        rows, cols = matrix.shape
        while True:
            try:
                crossbar = self._device.acquire(rows, cols, matrix.dtype, made, x.dtype)
                break
            except EmuError:
                if not self._held:
                    raise
                _, oldest = self._held.popitem(last=False)
                self._device.release(oldest)
        self._device.write(crossbar, matrix)
        return crossbar

    def release(self) -> None:
        """Give back the crossbars of all constants."""
        while self._held:
            _, crossbar = self._held.popitem()
            self._device.release(crossbar)
