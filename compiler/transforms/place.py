"""Pass `place`: every compute gets a core; those that have one keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.basis.options import of_option
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.mapping.placement.place import place
from compiler.mapping.placement.work import work_table
from compiler.mapping.schedules.written_products import wants
from compiler.mapping.tiling.given import weight_types
from compiler.mapping.tiling.matrix import capacity, widest
from compiler.session.context import CompilerContext


@dataclass(frozen=True)
class PlacePass(ModulePass):
    """Sets the `core` of every `spat.compute` that has none, by the table of work."""

    name = "place"
    products: str = of_option("products")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set cores in the module; raises CompileError if weights find no room."""
        context = cast(CompilerContext, ctx)
        computes = [item for item in op.ops if isinstance(item, spat.ComputeOp)]
        kinds = weight_types(context, computes)
        cells = context.arch.cells(widest(context.arch, kinds))
        writes = (lambda kernels: wants(kernels, context.arch, cells)) if self.products == "all" else None
        cores = place(work_table(computes, writes), context.cores, capacity(context.arch, kinds))
        for compute, core in zip(computes, cores, strict=True):
            if compute.core is None:
                compute.properties["core"] = attr.integer(core)
            compute.properties.pop("cluster", None)
