"""The table of work that placement decides by: a row per compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.mapping.tiling.core_load import crossbars
from compiler.mapping.work import Work

Wants = tuple[int, int]  # logical crossbars: so that each matrix has its own, and as few as will do


@dataclass(frozen=True, slots=True)
class ComputeRow:
    """What one compute is: its work, without results, and what it needs from whom.

    `operands` are pairs: the row of the compute that makes the tile (-1 for a network input), and its bytes. Computes
    of one `cluster` were cut to stand on one core; `core` is where the compute is placed already. With `wanted`
    crossbars all that its products of two results write has a place of its own, with `least` they take turns.
    """

    compute: spat.ComputeOp
    work: Work
    operands: tuple[tuple[int, int], ...]
    cluster: int | None
    core: int | None
    wanted: int = 0
    least: int = 0


def work_table(
    computes: Sequence[spat.ComputeOp], writes: Callable[[Sequence[Kernel]], Wants] | None = None
) -> list[ComputeRow]:
    """The table: a row for each of `computes`, in their order; `writes` tells what kernels would write to crossbars."""
    makers: dict[SSAValue, int] = {}
    table: list[ComputeRow] = []
    for row, op in enumerate(computes):
        kernels = [kernel for kernel in op.body.block.ops if isinstance(kernel, Kernel)]
        table.append(
            ComputeRow(
                op,
                Work(crossbars(op), sum(kernel.mvms for kernel in kernels)),
                tuple((makers.get(value, -1), attr.bytes_of(value)) for value in op.tiles),
                None if op.cluster is None else op.cluster.value.data,
                None if op.core is None else op.core.value.data,
                *(writes(kernels) if writes is not None else ()),
            )
        )
        makers.update(dict.fromkeys(op.outputs, row))
    return table


def consumers(table: Sequence[ComputeRow]) -> list[list[tuple[int, int]]]:
    """Per row, the rows that use its tiles and the bytes of each tile: for a placement that minimises what is sent."""
    users: list[list[tuple[int, int]]] = [[] for _ in table]
    for number, row in enumerate(table):
        for maker, nbytes in row.operands:
            if maker >= 0:
                users[maker].append((number, nbytes))
    return users
