"""NeuroBoard's allocations: what `neuro`, and its calls by name, do with a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Operation

from compiler.dialects import neuro
from compiler.dialects.libraries import NEURO_LIBRARY, LibraryCall
from compiler.interpreter.host.crossbars import Crossbars
from compiler.interpreter.host.numbered import External
from compiler.interpreter.host.values import Array, numpy_type


@dataclass(slots=True)
class _Matrix:
    """A matrix [results, inputs] on crossbars, which hold it turned; `made` is the type of its products."""

    handle: Any
    shape: tuple[int, int]
    held: np.dtype[Any]
    made: np.dtype[Any]

    @property
    def size(self) -> int:
        """Its elements."""
        return self.shape[0] * self.shape[1]


@dataclass(slots=True)
class Allocations:
    """Allocations of one run of a program: flat arrays, in which matrices stand at offsets.

    A matrix that is written over another one of its size and types takes its crossbars; others that it overlaps are
    gone, and their crossbars are given back.
    """

    device: Crossbars
    _sizes: list[int] = field(default_factory=list[int])
    _matrices: dict[tuple[int, int], _Matrix] = field(default_factory=dict[tuple[int, int], _Matrix])

    def alloc(self, size: Array) -> Array:
        """Room for as many elements; returns what it is called."""
        if int(size) < 0:
            raise ValueError(f"cannot allocate {int(size)} elements")
        self._sizes.append(int(size))
        return np.array(len(self._sizes) - 1, np.int64)

    def write(self, handle: Array, offset: Array, matrix: Array, made: np.dtype[Any]) -> None:
        """Write a matrix [results, inputs], whose products are of `made`."""
        at, begin, (rows, cols) = int(handle), int(offset), matrix.shape
        room = self._sizes[at] if 0 <= at < len(self._sizes) else 0
        if begin < 0 or rows < 1 or cols < 1 or begin + rows * cols > room:
            raise ValueError(f"{rows} x {cols} elements at {begin} do not fit into allocation {at}, which has {room}")
        wanted = _Matrix(None, (rows, cols), matrix.dtype, made)
        for place, old in list(self._matrices.items()):
            same = place == (at, begin) and (old.shape, old.held, old.made) == (wanted.shape, wanted.held, made)
            if place[0] == at and place[1] < begin + wanted.size and begin < place[1] + old.size and not same:
                self.device.release(self._matrices.pop(place).handle)
        if (at, begin) not in self._matrices:
            wanted.handle = self.device.acquire(cols, rows, matrix.dtype, made)
            self._matrices[at, begin] = wanted
        self.device.write(self._matrices[at, begin].handle, np.ascontiguousarray(matrix.T))

    def product(self, handle: Array, offset: Array, vector: Array, out: Array) -> Array:
        """A product, in the shape of `out`, to which it is to be added."""
        at, begin = int(handle), int(offset)
        found = self._matrices.get((at, begin))
        rows, cols = out.size, vector.size
        if found is None or found.shape != (rows, cols):
            raise ValueError(f"no matrix of {rows} x {cols} elements is written at {begin} of allocation {at}")
        if (vector.dtype, out.dtype) != (found.held, found.made):
            raise ValueError(
                f"the matrix at {begin} of allocation {at} makes {found.made} of {found.held}, and is asked for"
                f" {out.dtype} of {vector.dtype}"
            )
        future = self.device.gemm(found.handle, np.ascontiguousarray(vector.reshape(1, cols)))
        return np.asarray(self.device.wait(future)).reshape(out.shape)

    def add(self, handle: Array, offset: Array, vector: Array, out: Array) -> None:
        """Add a product to what stands in a memref."""
        out[...] += self.product(handle, offset, vector, out)

    def meanings(self) -> Mapping[type[Operation], Any]:
        """What the operations of `neuro` do."""

        def write(op: neuro.WriteMatrixOp, args: Sequence[Array], world: object) -> list[Array]:
            self.write(args[0], args[1], args[2], args[2].dtype if op.sums is None else numpy_type(op.sums))
            return []

        def matvec(op: neuro.MatvecOp, args: Sequence[Array], world: object) -> list[Array]:
            if op.result is not None:
                return [args[3] + self.product(*args)]
            self.add(*args)
            return []

        return {
            neuro.AllocOp: lambda op, args, world: [self.alloc(args[0])],
            neuro.WriteMatrixOp: write,
            neuro.MatvecOp: matvec,
        }

    def externals(self) -> Mapping[str, External]:
        """What the functions of the library do, by name."""

        def doing(call: LibraryCall) -> External:
            if call.kind is neuro.AllocOp:
                return lambda args: [self.alloc(args[0])]
            if call.sums is not None:
                sums = numpy_type(call.sums)
                return lambda args: self.write(args[0], args[1], args[2], sums) or []
            return lambda args: self.add(args[0], args[1], args[2], args[3]) or []

        return {name: doing(call) for name, call in NEURO_LIBRARY.items()}
