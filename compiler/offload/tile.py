"""Pass `tile`: loops over tiles that a crossbar holds."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.context import OffloadContext, chip_of
from compiler.offload.contraction import contractions, mark
from compiler.offload.elements import elements_of, is_product
from compiler.offload.kinds import dtype_of_element
from compiler.offload.structured_tiles import tiled
from emu.errors import CompileError


@dataclass(frozen=True)
class TilePass(ModulePass):
    """Cuts every product of matrices into tiles of `sizes`, which are m, n and k, with loops in `order`, outer first.

    Without `sizes` a tile of the second factor fills a crossbar of the chip, and has as many rows of the first.
    """

    name = "tile"
    sizes: tuple[int, ...] = ()
    order: str = "mnk"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a contraction that is no such product."""
        check_order(self.order)
        if self.sizes and (len(self.sizes) != len(self.order) or min(self.sizes) < 1):
            raise CompileError(f"tile: sizes are three numbers from 1 on, m,n,k, not {','.join(map(str, self.sizes))}")
        for found in contractions(list(op.walk())):
            if not is_product(found):
                raise refuse(found, "is no product [m, k] x [k, n] yet: run the pass ttgt before tile")
            with rewriting(found):
                _tile(found, self.sizes or _of_crossbar(found, chip_of(ctx)), self.order)


def check_order(order: str) -> None:
    """Raise CompileError unless it names each loop once."""
    if sorted(order) != sorted("mnk"):
        raise CompileError(f"the order of loops is one of the letters m, n and k, each once, as in nkm, not {order!r}")


def _of_crossbar(op: GenericOp, chip: OffloadContext) -> tuple[int, int, int]:
    found = elements_of(op)
    assert found is not None
    rows = chip.arch.crossbar.rows
    return rows, chip.arch.columns(dtype_of_element(found.held)), rows


def _tile(op: GenericOp, tiles: tuple[int, ...], order: str) -> None:
    """Its loops are m, n and k."""
    loops = ["mnk".index(letter) for letter in order]
    made = tiled(op, dict(enumerate(tiles)), loops, "mnk")
    mark(made.op, "mnk", tile=True)
