"""Pass `lower-spat-to-pim`: computes become core programs with buffers and messages, of whole tiles or some rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from compiler.basis.options import of_option
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.mapping.schedules.pipelining import with_room
from compiler.mapping.tiling.given import check_cores
from compiler.session.context import CompilerContext
from compiler.session.refusal import label
from compiler.streaming.core_builder import CoreBuilder, finish_cores
from compiler.streaming.lowering import lower_computes
from compiler.transforms.allocate_buffers import plan
from emu.errors import CompileError


@dataclass(frozen=True)
class LowerSpatToPimPass(ModulePass):
    """Replaces the `spat` operations of a module by `pim.tensor` and `pim.core` operations."""

    name = "lower-spat-to-pim"
    granularity: str = of_option("granularity")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lower in place, in the granularity that is asked for; `auto` becomes what was chosen. Raises CompileError."""
        context, ops = cast(CompilerContext, ctx), list(op.ops)
        if whole := [item for item in ops if isinstance(item, spat.LayerOp | spat.JoinOp)]:
            raise CompileError(
                f"{context.line_of(whole[0])}{label(whole[0])} is not cut: run the pass cut-layers before"
            )
        computes = [item for item in ops if isinstance(item, spat.ComputeOp)]
        check_cores(context, computes)
        room = with_room(computes, context.arch.core.local_memory)
        lowered, chosen = list[Operation](), ""
        for rows in _granularities(self.granularity, ops):
            lowered = lower_computes(ops, context.weights, rows, room)
            chosen = "image" if rows is None else f"rows:{rows}"
            if self.granularity != "auto" or fits(context, lowered):
                break
        context.granularity = chosen
        for item in reversed(ops):
            item.detach()
            item.erase()
        if not any(isinstance(item, pim.CoreOp) for item in lowered):  # outputs without elements need no work
            lowered += finish_cores({0: CoreBuilder()})
        for item in lowered:
            op.body.block.add_op(item)


def _granularities(option: str, ops: list[Operation]) -> Iterator[int | None]:
    """How many rows at a time to try, in this order; None is whole tiles. There is always one.

    `auto` prefers few, large messages: whole tiles, then the largest power of two of rows.
    """
    if option.startswith("rows:"):
        yield int(option.removeprefix("rows:"))
        return
    yield None
    if option == "auto":
        heights = [attr.shape_of(value)[0] for op in ops if isinstance(op, spat.ComputeOp) for value in op.outputs]
        rows = 1 << (max(heights, default=1) // 2).bit_length()
        while rows := rows >> 1:
            yield rows


def fits(context: CompilerContext, lowered: Sequence[Operation]) -> bool:
    """Whether the buffers of every `pim.core` among `lowered` fit into its local memory."""
    limit = context.arch.core.local_memory
    return all(plan(core)[0] <= limit for core in lowered if isinstance(core, pim.CoreOp))
