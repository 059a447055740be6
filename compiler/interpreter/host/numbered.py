"""Crossbars that a program knows by numbers: what `memristor`, and its calls by name, do with a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from compiler.dialects import memristor
from compiler.dialects.libraries import MEMRISTOR_LIBRARY, LibraryCall
from compiler.interpreter.host.crossbars import Crossbars
from compiler.interpreter.host.memrefs import put
from compiler.interpreter.host.values import Array, numpy_type

External = Callable[[Sequence[Any]], Sequence[Any]]  # what a function of a library does with its arguments


@dataclass(slots=True)
class _Held:
    """Crossbars that a number stands for: of a shape, with elements `held` and sums `made`."""

    handle: Any
    shape: tuple[int, ...]
    held: np.dtype[Any]
    made: np.dtype[Any]


@dataclass(slots=True)
class NumberedCrossbars:
    """Numbers of one run of a program. A write of another size or type gives crossbars back and acquires others."""

    device: Crossbars
    _held: dict[int, _Held] = field(default_factory=dict[int, _Held])
    _open: dict[int, list[tuple[Any, Array]]] = field(default_factory=dict[int, list[tuple[Any, Array]]])

    def write(self, number: Array, matrix: Array, sums: Attribute) -> None:
        """Write a matrix, whose products are of `sums`."""
        at, made = int(number), numpy_type(sums)
        found = self._held.get(at)
        if found is None or (found.shape, found.held, found.made) != (matrix.shape, matrix.dtype, made):
            self.release(number)
            rows, cols = matrix.shape
            found = _Held(self.device.acquire(rows, cols, matrix.dtype, made), matrix.shape, matrix.dtype, made)
            self._held[at] = found
        self.device.write(found.handle, np.ascontiguousarray(matrix))

    def multiply(self, number: Array, lhs: Array, result: Array) -> None:
        """Call a product of matrices, or of a vector, which the next barrier puts into `result`."""
        at = int(number)
        found = self._held.get(at)
        if found is None:
            raise ValueError(f"a product with crossbar {at} comes before its matrix: write one first")
        rows, cols = found.shape
        if (lhs.dtype, result.dtype) != (found.held, found.made):
            raise ValueError(
                f"crossbar {at} makes {found.made} of {found.held}, and is asked for {result.dtype} of {lhs.dtype}"
            )
        if lhs.shape[-1] != rows or result.shape != (*lhs.shape[:-1], cols):
            raise ValueError(
                f"crossbar {at} holds {rows} x {cols}, of which {list(lhs.shape)} makes no {list(result.shape)}"
            )
        future = self.device.gemm(found.handle, np.ascontiguousarray(lhs.reshape(-1, rows)))
        self._open.setdefault(at, []).append((future, result))

    def barrier(self, number: Array) -> None:
        """Wait for the products of a number, in order, and fill their results."""
        for future, result in self._open.pop(int(number), []):
            put(result, np.asarray(self.device.wait(future)).reshape(result.shape))

    def release(self, number: Array) -> None:
        """Give its crossbars back, if it has any."""
        found = self._held.pop(int(number), None)
        if found is not None:
            self.device.release(found.handle)

    def meanings(self) -> Mapping[type[Operation], Any]:
        """What the operations of `memristor` do."""
        return {
            memristor.WriteOp: lambda op, args, world: self._do(op.types[1], type(op), args),
            **{
                kind: lambda op, args, world: self._do(None, type(op), args)
                for kind in (memristor.GemmOp, memristor.GevmOp, memristor.BarrierOp, memristor.ReleaseOp)
            },
        }

    def externals(self) -> Mapping[str, External]:
        """What the functions of the library do, by name."""

        def doing(call: LibraryCall) -> External:
            return lambda args: self._do(call.sums, call.kind, args)

        return {name: doing(call) for name, call in MEMRISTOR_LIBRARY.items()}

    def _do(self, sums: Attribute | None, kind: type[Operation], args: Sequence[Array]) -> list[Array]:
        if sums is not None:
            self.write(args[0], args[1], sums)
        elif issubclass(kind, memristor.ProductOp):
            self.multiply(args[0], args[1], args[2])
        elif issubclass(kind, memristor.BarrierOp):
            self.barrier(args[0])
        else:
            self.release(args[0])
        return []
