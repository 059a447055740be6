"""What a kernel is to the compiler: its two operations, its needs, and its instructions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from compiler.codegen.emitter import Emitter
from compiler.dialects.pim import BufferKernel
from compiler.kernels.row_map import RowMap, same_rows
from compiler.weights import Array, WeightStore

Shape = tuple[int, int, int]


def no_scratch(op: Operation, streamed: bool) -> Sequence[Shape]:
    """A kernel without scratch memory."""
    return ()


def no_constants(op: Operation, weights: WeightStore, streamed: bool) -> Sequence[Array]:
    """A kernel without constant data."""
    return ()


def no_variants(op: Operation, first: int, count: int) -> Hashable:
    """A kernel whose instructions depend on its row ranges only."""
    return None


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kind of kernel.

    `scratch` and `constants` look at the `spat` operation: shapes [h][w][c] of float32 scratch buffers, and arrays
    [h][w][c] that stand in local memory from power-on; `streamed` says that the kernel will work on some rows at a
    time. `emit` appends the instructions of the `pim` operation. If `in_place`, the output may be the buffer of an
    input of the same shape that nothing needs any more.

    `rows` tells, per input, which rows an output row needs; if `at_once`, all output rows are made together. Instances
    on rows [first, first + count) of different `variant` are never iterations of one loop.
    """

    spat: type[Operation]
    pim: type[BufferKernel]
    emit: Callable[[Emitter, BufferKernel], None]
    scratch: Callable[[Operation, bool], Sequence[Shape]] = no_scratch
    constants: Callable[[Operation, WeightStore, bool], Sequence[Array]] = no_constants
    in_place: bool = False
    rows: Callable[[Operation], Sequence[RowMap]] = same_rows
    at_once: bool = False
    variant: Callable[[Operation, int, int], Hashable] = no_variants
