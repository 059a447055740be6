"""Pass `pipeline`: each compute makes some rows at a time, so that layers overlap within one image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.mapping.schedules.pipelining import at_most, finer, rows_of_parts, with_room
from compiler.mapping.tiling.given import check_cores
from compiler.session.context import CompilerContext
from compiler.streaming.lowering import lower_computes
from compiler.transforms.lower_spat_to_pim import fits


@dataclass(frozen=True)
class PipelinePass(ModulePass):
    """Sets the `rows` of every `spat.compute` that has none and makes its results in several parts.

    They are the largest with which every core's buffers fit into its local memory, of those that let layers overlap;
    with `parts`, those of so many parts of an image, whatever fits.
    """

    name = "pipeline"
    parts: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set rows in the module, whose computes have cores; raises CompileError if one has none."""
        context, ops = cast(CompilerContext, ctx), list(op.ops)
        computes = [item for item in ops if isinstance(item, spat.ComputeOp)]
        check_cores(context, computes)
        limit, chosen = context.arch.core.local_memory, [item for item in computes if item.rows is None]
        before = dict[spat.ComputeOp, int]()
        for parts in (self.parts,) if self.parts is not None else finer():
            rows = rows_of_parts(chosen, parts)
            if rows == before:  # no finer ones
                break
            before = rows
            for compute in chosen:
                compute.properties.pop("rows", None)
                if compute in rows:
                    compute.properties["rows"] = attr.integer(rows[compute])
            room = with_room(computes, limit)
            if max(at_most(computes).values(), default=0) <= limit or fits(
                context, lower_computes(ops, context.weights, None, room)
            ):
                break
