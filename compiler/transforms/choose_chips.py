"""Pass `choose-chips`: as few chips as the weights of the network need, for all passes that follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.basis.chips import ARCH, digest_of, most_chips, with_chips
from compiler.basis.options import default_cores, of_option
from compiler.dialects import spat
from compiler.mapping.cutting.cut import LayerCutter
from compiler.mapping.cutting.work_table import work_table
from compiler.mapping.tiling.matrix import Packing
from compiler.mapping.tiling.partition import TooLarge
from compiler.session.context import CompilerContext


@dataclass(frozen=True)
class ChooseChipsPass(ModulePass):
    """Sets how many chips there are, and how many cores may be used; the module stays as it is."""

    name = "choose-chips"
    packing: Packing = of_option("packing")
    placement: str = of_option("placement")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the context: its chips, its options and its settings.

        Weights that would fit on no number of chips are left to the passes that give them crossbars.
        """
        context = cast(CompilerContext, ctx)
        described, needed = context.arch, self._least(context, op)
        for chips, cores in _systems(context, needed):
            context.arch, context.options = with_chips(described, chips), replace(context.options, cores=cores)
            try:
                LayerCutter(context, list(op.ops), self.packing, self.placement).allotted()
                break
            except TooLarge as error:
                needed = error.cores
        else:  # whoever allows too few cores hears so, not that there are too few chips
            context.arch = with_chips(described, min(most_chips(described), -(-needed // described.cores)))
        count = str(context.arch.system.chips)
        context.options = replace(context.options, chips=count)
        context.settings |= {"chips": count, "cores": str(context.cores), ARCH: digest_of(context.arch)}

    def _least(self, context: CompilerContext, op: ModuleOp) -> int:
        """No fewer cores hold the weights of the module, and those that are given by number."""
        table = work_table(context, op.ops, self.packing)
        given = [item.core.value.data + 1 for item in op.ops if isinstance(item, spat.ComputeOp) and item.core]
        return max([-(-table.crossbars // max(1, table.room)), *given])


def _systems(context: CompilerContext, least: int) -> Iterator[tuple[int, int]]:
    """Numbers of chips and of their cores that may be used, ascending: the first with `least` cores, and what follows.

    The last one there is if all have fewer. What nobody limits is at first as of one chip (`default_cores`).
    """
    arch, limit = context.arch, context.options.cores
    most = most_chips(arch) if limit is None else -(-limit // arch.cores)
    first = min(most, max(1, -(-least // arch.cores)))
    for chips in range(first, most + 1):
        all_cores = chips * arch.cores
        usual = all_cores if limit is not None else default_cores(with_chips(arch, chips))
        if usual < all_cores and least <= usual:
            yield chips, usual
        yield chips, min(all_cores, limit or all_cores)
