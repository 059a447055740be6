"""Pass `interchange`: loops over tiles in another order, so that a tile that was written serves more products."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects.origins import refuse, rewriting
from compiler.offload.nest import TileNest, is_perfect, nests
from compiler.offload.tile import check_order
from emu.errors import CompileError

_FEWEST_WRITES = "nkm"  # a tile of the second factor stays while the rows of the first pass


@dataclass(frozen=True)
class InterchangePass(ModulePass):
    """Brings the loops over tiles into `order`, outer first; with `min-writes` into that of fewest writes."""

    name = "interchange"
    order: str = ""
    min_writes: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for loops that do not stand right in each other."""
        if bool(self.order) == self.min_writes:
            raise CompileError("interchange: give min-writes or an order, as in interchange{order=knm}")
        order = _FEWEST_WRITES if self.min_writes else self.order
        check_order(order)
        for nest in nests(op):
            if not is_perfect(nest):
                raise refuse(nest.root, "has loops over tiles with operations between: run interchange before unroll")
            with rewriting(nest.root):
                _exchange(nest, [letter for letter in order if letter in nest.loops])


def _exchange(nest: TileNest, order: list[str]) -> None:
    loops = list(nest.loops.values())
    bounds = {letter: (loop.lb, loop.ub, loop.step) for letter, loop in nest.loops.items()}
    uses = {letter: list(loop.body.block.args[0].uses) for letter, loop in nest.loops.items()}
    for letter, loop in zip(order, loops, strict=True):
        for place, value in enumerate(bounds[letter]):
            loop.operands[place] = value
        counter = loop.body.block.args[0]
        counter.name_hint = letter
        for use in uses[letter]:
            use.operation.operands[use.index] = counter
