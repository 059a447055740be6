"""What a kernel is to the compiler: its two operations, its needs, and its instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from compiler.codegen.emitter import Emitter
from compiler.dialects.pim import BufferKernel
from compiler.weights import Array, WeightStore

Shape = tuple[int, int, int]


def no_scratch(op: Operation) -> Sequence[Shape]:
    """A kernel without scratch memory."""
    return ()


def no_constants(op: Operation, weights: WeightStore) -> Sequence[Array]:
    """A kernel without constant data."""
    return ()


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kind of kernel.

    `scratch` and `constants` look at the `spat` operation: shapes [h][w][c] of float32 scratch buffers, and arrays
    [h][w][c] that stand in local memory from power-on. `emit` appends the instructions of the `pim` operation; if
    `in_place`, the output may be the buffer of an input of the same shape that nothing needs any more.
    """

    spat: type[Operation]
    pim: type[BufferKernel]
    emit: Callable[[Emitter, BufferKernel], None]
    scratch: Callable[[Operation], Sequence[Shape]] = no_scratch
    constants: Callable[[Operation, WeightStore], Sequence[Array]] = no_constants
    in_place: bool = False
