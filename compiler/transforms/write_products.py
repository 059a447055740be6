"""Pass `write-products`: products of two results go to crossbars of their core that constant weights leave free."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from compiler.dialects import spat
from compiler.kernels.nest import NestOp
from compiler.kernels.written_product import WrittenProductOp
from compiler.mapping.schedules.written_products import decide, products_among
from compiler.mapping.tiling.core_load import CoreLoad, kernels_of
from compiler.mapping.tiling.given import check_cores, weight_types
from compiler.mapping.tiling.matrix import widest
from compiler.session.context import CompilerContext
from emu.errors import option
from emu.wording import counted

PRODUCTS = Literal["constant", "all"]  # which of them crossbars take
NAMED = 4  # nodes of one reason


@dataclass(frozen=True)
class WriteProductsPass(ModulePass):
    """Makes every `kernel.nest` that is a product of two tiles a `kernel.written_product`, where crossbars are free.

    What stays on the digital unit is told with its reason, as a warning.
    """

    name = "write-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace kernels in place; raises CompileError for a compute without a core."""
        context = cast(CompilerContext, ctx)
        computes = [item for item in op.ops if isinstance(item, spat.ComputeOp)]
        check_cores(context, computes)
        cells = context.arch.cells(widest(context.arch, weight_types(context, computes)))
        loads: dict[int, CoreLoad] = defaultdict(lambda: CoreLoad(context.arch, cells))
        products: dict[int, list[NestOp]] = defaultdict(list)
        for compute in computes:
            loads[compute.number].add(compute, context.weights)
            products[compute.number] += products_among(kernels_of([compute]))
        reasons: dict[str, dict[str, None]] = defaultdict(dict)  # nodes by reason, each once
        for core, kernels in products.items():
            for kernel, decided in decide(kernels, loads[core]):
                if isinstance(decided, str):
                    reasons[decided][_node(kernel)] = None
                else:
                    _replace(kernel, decided)
        for reason, nodes in reasons.items():
            context.warn(_told(list(nodes), reason))


def _node(kernel: NestOp) -> str:
    compute = kernel.parent_op()
    assert isinstance(compute, spat.ComputeOp)
    return compute.node.data


def _replace(kernel: NestOp, properties: Mapping[str, Attribute]) -> None:
    block = kernel.parent_block()
    assert block is not None
    made = WrittenProductOp.create(
        operands=list(kernel.inputs), result_types=[value.type for value in kernel.made], properties=dict(properties)
    )
    block.insert_op_before(made, kernel)
    for old, new in zip(kernel.made, made.made, strict=True):
        old.replace_all_uses_with(new)
    kernel.detach()
    kernel.erase()


def _told(nodes: Sequence[str], reason: str) -> str:
    """One sentence."""
    more = f" and {len(nodes) - NAMED} more" if len(nodes) > NAMED else ""
    what = f"{option('products', 'all')}: {counted(len(nodes), 'product')} of two results"
    return f"{what} ({', '.join(nodes[:NAMED])}{more}) on the digital unit: {reason}"
