"""Element types of matrices, vectors and results, as callers name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.isa.dtypes import NUMBERS, DType
from emu.program.group import group_types_fit
from launch.devices.failures import DeviceError

# Of results, unless the caller says otherwise: sums of narrow integers are wider than these.
RESULTS = {DType.i8: DType.i32, DType.u8: DType.i32, DType.i16: DType.i32, DType.u16: DType.i32}


def element_type(given: Any) -> DType:
    """A type by its name ("i8", "int8", np.int8); raises DeviceError for one that crossbars do not hold."""
    found = DType.__members__.get(given) if isinstance(given, str) else None
    if found is None:
        try:
            found = DType.of(np.dtype(given))
        except (KeyError, TypeError):
            found = None
    if found is None or found not in NUMBERS:
        name = given if isinstance(given, str) else getattr(given, "__name__", str(given))
        held = ", ".join(kind.name for kind in DType if kind in NUMBERS)
        raise DeviceError(f"crossbars hold no {name}: use one of {held}")
    return found


def types_of(weight: Any, inputs: Any, outputs: Any) -> tuple[DType, DType, DType]:
    """Types of vectors, weights and results; those that are None follow from the weights. Raises DeviceError."""
    held = element_type(weight)
    given = held if inputs is None else element_type(inputs)
    made = RESULTS.get(held, held) if outputs is None else element_type(outputs)
    if not group_types_fit(given, held, made):
        raise DeviceError(f"products of {given.name} vectors with {held.name} weights are floats, not {made.name}")
    return given, held, made


def array_of(given: Any, wanted: DType, what: str) -> np.ndarray:
    """A copy of an array, or of nested lists, in the type `wanted`; raises DeviceError for another type."""
    if isinstance(given, np.ndarray) or not isinstance(given, list | tuple | int | float):
        array = np.asarray(given)
        if array.dtype != wanted.numpy:
            raise DeviceError(
                f"{what} is of {array.dtype}, and the crossbar takes {wanted.numpy.name}: convert it, as by"
                f" astype({wanted.numpy.name!r})"
            )
        return np.array(array, order="C")
    try:
        return np.array(given, wanted.numpy)
    except (ValueError, TypeError, OverflowError) as error:
        raise DeviceError(f"{what} is no array of {wanted.numpy.name}: {error}") from None
