"""Named arrays of flows: matrices of weights, vectors of constants, whole or in boxes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.interop.mop.flow import Named, NumberFormats
from emu.isa.dtypes import DType

_BYTES = (np.dtype(np.int8), np.dtype(np.uint8))


class Arrays:
    """The arrays of a weights file; every method raises ValueError with a sentence for one that does not fit."""

    def __init__(self, arrays: Mapping[str, np.ndarray], numbers: NumberFormats) -> None:
        self._arrays, self._numbers = arrays, numbers

    def get(self, named: Named) -> np.ndarray:
        """The elements of the box of an array."""
        if named.name not in self._arrays:
            known = ", ".join(list(self._arrays)[:8]) or "nothing"
            raise ValueError(f"the weights have no array {named.name!r}: they hold {known}")
        array = self._arrays[named.name]
        if named.box and (len(named.box) != array.ndim or any(map(_beyond, named.box, array.shape))):
            raise ValueError(f"array {named.name!r} has shape {array.shape}: no such box")
        return array[tuple(slice(low, high) for low, high in named.box)]

    def matrix(self, named: Named) -> np.ndarray:
        """Weights [row][column], as crossbars hold them: int8 or uint8, or else float32."""
        array = self.get(named)
        integers = self._numbers.inputs is not None
        fits = array.dtype in _BYTES if integers else array.dtype == np.float32
        if array.ndim != 2 or not fits:
            wanted = "int8 or uint8" if integers else "float32"
            raise ValueError(f"weights {named.name!r} are {array.dtype} {array.shape}: a matrix of {wanted} is needed")
        return array

    def vector(self, named: Named, element: DType, length: int) -> np.ndarray:
        """A vector of `element`, of which `length` is a multiple: it is repeated, as it broadcasts along channels."""
        array = self.get(named).reshape(-1)
        if not array.size or length % array.size:
            raise ValueError(f"{length} elements are no multiple of the {array.size} of array {named.name!r}")
        made = array.astype(element.numpy) if array.dtype.kind in ("biuf" if element.is_float else "biu") else None
        if made is None or not (element.is_float or np.array_equal(made, array)):
            raise ValueError(f"array {named.name!r} holds {array.dtype}: elements that are {element.name} are needed")
        return made


def _beyond(part: tuple[int, int], size: int) -> bool:
    return part[1] > size
