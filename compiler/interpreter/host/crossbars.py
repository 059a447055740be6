"""What a host program calls for its products: a device that is handed in, or plain NumPy; and the meaning of `cim`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from xdsl.ir import Operation

from compiler.dialects import cim, cinm
from compiler.interpreter.host.values import Array, numpy_type

DType = np.dtype[Any]


class Crossbars(Protocol):
    """A device; what it calls crossbars and futures is its own business."""

    def acquire(self, rows: int, cols: int, held: DType, made: DType, given: DType | None = None) -> Any:
        """Crossbars for a matrix of elements `held`, whose products with vectors of `given` are of `made`.

        Without `given` vectors are of `held`, too.
        """
        ...

    def write(self, crossbar: Any, matrix: Array) -> None:
        """Write all of it."""
        ...

    def gemm(self, crossbar: Any, vectors: Array) -> Any:
        """A future of `vectors` times the matrix."""
        ...

    def wait(self, future: Any) -> Array:
        """The value of a future."""
        ...

    def release(self, crossbar: Any) -> None:
        """Give crossbars back."""
        ...


class NumpyCrossbars:
    """As many crossbars as are asked for, in NumPy: exact for integers, double precision for floats."""

    def acquire(self, rows: int, cols: int, held: DType, made: DType, given: DType | None = None) -> Any:
        """A place for a matrix."""
        return [np.zeros((rows, cols), held), made]

    def write(self, crossbar: Any, matrix: Array) -> None:
        """Put a copy there: the memory that it stands in may have another use afterwards."""
        crossbar[0] = np.array(matrix)

    def gemm(self, crossbar: Any, vectors: Array) -> Any:
        """At once."""
        matrix, made = crossbar
        wide = np.float64 if made.kind == "f" else np.int64
        return (vectors.astype(wide) @ matrix.astype(wide)).astype(made)

    def wait(self, future: Any) -> Array:
        """It is there."""
        return future

    def release(self, crossbar: Any) -> None:
        """Nothing to do."""


@dataclass(slots=True)
class _Held:
    """Crossbars of a program, with the size of what was written last."""

    handle: Any
    shape: tuple[int, int]
    dtype: DType
    written: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Promised:
    handle: Any
    cols: int


def crossbar_meanings(device: Crossbars) -> Mapping[type[Operation], Any]:
    """What the operations of `cim`, and products of `cinm`, do with a device."""

    def acquire(op: cim.AcquireOp, args: Sequence[Any], world: object) -> list[Any]:
        kind: Any = op.crossbar.type
        rows, cols = kind.matrix.get_shape()
        held = numpy_type(kind.matrix)
        return [_Held(device.acquire(rows, cols, held, numpy_type(kind.sums)), (rows, cols), held)]

    def write(op: cim.WriteOp, args: Sequence[Any], world: object) -> list[Any]:
        crossbar, matrix = args
        if matrix.shape[0] > crossbar.shape[0] or matrix.shape[1] > crossbar.shape[1]:
            raise ValueError(f"a matrix of {matrix.shape} is larger than the {crossbar.shape} of the crossbar: tile it")
        device.write(crossbar.handle, _padded(matrix, crossbar.shape))
        crossbar.written = matrix.shape
        return []

    def gemm(op: cim.GemmOp, args: Sequence[Any], world: object) -> list[Any]:
        crossbar, vectors = args
        if crossbar.written is None:
            raise ValueError("multiplies by a crossbar that nobody has written")
        if vectors.shape[1] != crossbar.written[0]:
            raise ValueError(f"multiplies vectors of {vectors.shape[1]} by a matrix of {crossbar.written[0]} rows")
        padded = _padded(vectors, (len(vectors), crossbar.shape[0]))
        return [_Promised(device.gemm(crossbar.handle, padded), crossbar.written[1])]

    def barrier(op: cim.BarrierOp, args: Sequence[Any], world: object) -> list[Any]:
        return [np.asarray(device.wait(args[0].handle))[:, : args[0].cols]]

    def release(op: cim.ReleaseOp, args: Sequence[Any], world: object) -> list[Any]:
        device.release(args[0].handle)
        return []

    def product(op: cinm.GemmOp | cinm.GemvOp, args: Sequence[Any], world: object) -> list[Any]:
        lhs, rhs = args if isinstance(op, cinm.GemmOp) else (args[1].reshape(1, -1), args[0].T)
        crossbar = device.acquire(rhs.shape[0], rhs.shape[1], rhs.dtype, numpy_type(op.result.type))
        device.write(crossbar, np.ascontiguousarray(rhs))
        value = device.wait(device.gemm(crossbar, np.ascontiguousarray(lhs)))
        device.release(crossbar)
        return [value if isinstance(op, cinm.GemmOp) else value[0]]

    return {
        cinm.GemmOp: product,
        cinm.GemvOp: product,
        cim.AcquireOp: acquire,
        cim.WriteOp: write,
        cim.GemmOp: gemm,
        cim.BarrierOp: barrier,
        cim.ReleaseOp: release,
    }


def _padded(tile: Array, shape: tuple[int, int]) -> Array:
    """A tile with zeros behind its rows and columns."""
    if tile.shape == shape:
        return np.ascontiguousarray(tile)
    made = np.zeros(shape, tile.dtype)
    made[: tile.shape[0], : tile.shape[1]] = tile
    return made
