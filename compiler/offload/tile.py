"""Pass `tile`: loops over tiles that a crossbar holds."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from compiler.dialects.linalg.forms import GenericOp
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.building import index, plain, put, shorter, slice_of
from compiler.offload.context import OffloadContext, chip_of
from compiler.offload.contraction import contractions, loop_sizes
from compiler.offload.elements import elements_of, is_product
from compiler.offload.emitter import Emitter
from compiler.offload.kinds import dtype_of_element
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
    extents = loop_sizes(op)
    assert extents is not None
    size = dict(zip("mnk", extents, strict=True))
    most = {letter: min(tile, size[letter]) for letter, tile in zip("mnk", tiles, strict=True)}
    (a, b), (before,) = op.inputs, op.outputs
    emit = Emitter.before(op)
    zero = index(emit, 0)
    bounds = {letter: (index(emit, size[letter]), index(emit, most[letter])) for letter in order}
    counters, carried, root = dict[str, SSAValue](), SSAValue.get(before), None
    for letter in order:
        block = Block(arg_types=[IndexType(), before.type])
        loop = ForOp(zero, *bounds[letter], [carried], block)
        emit.insert(loop)
        root = root or loop
        if loop is not root:
            _close(loop)
        counters[letter], carried = block.args
        block.args[0].name_hint = letter
        emit = Emitter(InsertPoint.at_end(block))
    length = {letter: shorter(emit, counters[letter], most[letter], size[letter]) for letter in "mnk"}

    def part(of: SSAValue, rows: str, cols: str) -> SSAValue:
        return slice_of(emit, of, [counters[rows], counters[cols]], [length[rows], length[cols]])

    tile = plain(emit, part(a, "m", "k"), part(b, "k", "n"), part(carried, "m", "n"), op.body.clone(), tile=True)
    offsets, lengths = [counters["m"], counters["n"]], [length["m"], length["n"]]
    made = put(emit, tile.results[0], carried, offsets, lengths)
    emit.insert(YieldOp(made))
    assert root is not None
    op.results[0].replace_all_uses_with(root.results[0])
    op.detach()
    op.erase()


def _close(inner: ForOp) -> None:
    """End the body around a loop with what that makes."""
    block = inner.parent_block()
    assert block is not None
    block.add_op(YieldOp(inner.results[0]))
