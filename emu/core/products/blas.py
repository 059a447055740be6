"""Functions that the BLAS which NumPy has loaded has beside NumPy's products, and what they take as arguments.

`banded` is part of every BLAS. A `Kernel` is inside of OpenBLAS: what its products of matrices call once they have
copied both matrices into an order of its own ("packed" them). Called by itself it is given weights that were packed
once. Its functions are known by the name of the processor's kind, for which OpenBLAS has chosen them here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

LINE = 64  # bytes of a cache line
BEHIND = 1 << 10  # elements behind packed matrices, which kernels fetch into the cache or read in vain
# In Fortran's way: numbers by their addresses.
BANDED = ("scipy_sgbmv_64_", "sgbmv_64_", "scipy_sgbmv_", "sgbmv_")
KINDS = (
    "scipy_openblas_get_corename64_",
    "openblas_get_corename64_",
    "scipy_openblas_get_corename",
    "openblas_get_corename",
)
# Kinds of processors whose kernels have been tried, as OpenBLAS calls them, and the ends of the names of these.
KERNELS = {
    "Haswell": ("_HASWELL",),
    "Zen": ("_ZEN", "_HASWELL"),
    "Sandybridge": ("_SANDYBRIDGE",),
    "Nehalem": ("_NEHALEM",),
}

Function = Callable[..., object]


class Kernel(NamedTuple):
    """What OpenBLAS multiplies packed matrices with (its order of axes: columns of weights, vectors, rows).

    `add(columns, vectors, rows, factor, weights, vectors, sums, columns from vector to vector of sums)`;
    `pack_weights` and `pack_vectors`: `(rows, columns or vectors, from, distance there, to)`.
    """

    add: Function
    pack_weights: Function
    pack_vectors: Function


@cache
def banded() -> Function | None:
    """The product of a banded matrix and a vector, if there is one by a known name."""
    return function_of(*BANDED)


@cache
def kernel() -> Kernel | None:
    """The kernel for f32 that OpenBLAS has chosen for this processor, if it is one that is known."""
    kind = next((found for name in KINDS if (found := function_of(name))), None)
    if kind is None:
        return None
    kind.restype = ctypes.c_char_p
    name = kind() or b""
    for end in KERNELS.get(name.decode("ascii", "replace"), ()):
        add, *pack = [function_of(f"sgemm_{part}{end}") for part in ("kernel", "itcopy", "oncopy")]
        if add is not None and pack[0] is not None and pack[1] is not None:
            return Kernel(add, pack[0], pack[1])
    return None


@cache
def _library() -> ctypes.PyDLL | None:
    spec = find_spec("numpy._core._multiarray_umath")
    try:
        return ctypes.PyDLL(spec.origin) if spec and spec.origin else None
    except OSError:
        return None


def function_of(*names: str) -> Any:
    """The first function of the BLAS by one of these names, if there is one; it returns nothing."""
    function = next((found for name in names if (found := getattr(_library(), name, None))), None)
    if function is not None:
        function.restype = None
    return function


@lru_cache(1024)
def whole(value: int) -> object:
    """A whole number that is given by value."""
    return ctypes.c_int64(value)


def by_address(value: int) -> object:
    """A whole number for a function of either width: in memory the low half comes first."""
    return ctypes.byref(ctypes.c_int64(value))


def address(array: np.ndarray) -> ctypes.c_void_p:
    """Where `array` stands; it must be kept."""
    return ctypes.c_void_p(array.ctypes.data)


def aligned(count: int) -> np.ndarray:
    """Zeros, f32 [count], from the begin of a cache line on."""
    raw = np.zeros(count + LINE // 4, np.float32)
    start = -raw.ctypes.data % LINE // 4
    return raw[start : start + count]
