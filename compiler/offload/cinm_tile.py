"""Pass `cinm-tile`: products whose matrix no core can hold are cut into those that one can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType, f32
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from compiler.dialects.cinm import PRODUCTS, GemmOp, GemvOp
from compiler.dialects.origins import rewriting
from compiler.offload.building import Number, element, empty, index, later, put, reshaped, slice_of, turned
from compiler.offload.context import OffloadContext, chip_of
from compiler.offload.contraction import shape_of
from compiler.offload.emitter import OperationEmitter
from compiler.offload.granted import granted, spec_of_product

AT_ONCE = 64  # products that are written out, side by side; more of them are turns of a loop


@dataclass(frozen=True)
class CinmTilePass(ModulePass):
    """Cuts products whose matrix takes more crossbars than one core has, or more than `crossbars`, into as few as do.

    Tiles stand side by side, so that they can be scheduled so, up to 64; more of them are turns of a loop of so many.
    """

    name = "cinm-tile"
    crossbars: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for fewer than one crossbar."""
        chip = chip_of(ctx)
        most = granted(op, chip, self.crossbars, self.name).most
        for found in [each for each in op.walk() if isinstance(each, PRODUCTS)]:
            if most and spec_of_product(found, chip).crossbars > most:
                with rewriting(found):
                    _cut(found, most, chip)


def _cut(op: GemmOp | GemvOp, most: int, chip: OffloadContext) -> None:
    emit, lhs, rhs = OperationEmitter.before(op), op.lhs, op.rhs
    if isinstance(op, GemvOp):
        lhs, rhs = reshaped(emit, op.rhs, [1, *shape_of(op.rhs)]), turned(emit, op.lhs, [1, 0])
    spec = spec_of_product(op, chip)
    high, wide = _grid(len(spec.row_tiles), len(spec.col_tiles), most)
    tile = high * chip.arch.crossbar.rows, wide * chip.arch.columns(spec.weight)
    made = _Tiles(lhs, rhs, element(op.result), tile).make(emit)
    op.result.replace_all_uses_with(reshaped(emit, made, shape_of(op.result)))
    op.detach()
    op.erase()


def _grid(rows: int, cols: int, most: int) -> tuple[int, int]:
    """How many crossbars below and beside each other a tile takes, so that there are the fewest; then, fewest sums."""
    options = [(high, min(cols, most // high)) for high in range(1, min(rows, most) + 1)]
    return min(options, key=lambda grid: (-(-rows // grid[0]) * -(-cols // grid[1]), -(-rows // grid[0]), grid))


class _Tiles:
    """`lhs` [m, k] times `rhs` [k, n], of elements `kind`, in tiles of `tile` rows and columns of the second factor."""

    def __init__(self, lhs: SSAValue, rhs: SSAValue, kind: object, tile: tuple[int, int]) -> None:
        self.lhs, self.rhs, self.kind = lhs, rhs, kind
        self.rows, (self.depth, self.cols) = shape_of(lhs)[0], shape_of(rhs)
        self.high, self.wide = min(tile[0], self.depth), min(tile[1], self.cols)
        self.groups = -(-self.depth // self.high) * -(-self.cols // self.wide) > AT_ONCE

    def make(self, emit: OperationEmitter) -> SSAValue:
        """The whole product: columns of tiles, one beside the other."""
        if self.wide == self.cols:
            return self._column(emit, 0, self.cols)
        made = empty(emit, (self.rows, self.cols), self.kind)  # pyright: ignore[reportArgumentType]
        whole, rest = divmod(self.cols, self.wide)

        def add(emit: OperationEmitter, at: Number, into: SSAValue, width: int = self.wide) -> SSAValue:
            return self._put(emit, self._column(emit, at, width), into, at, width)

        if self.groups:
            made = _loop(emit, (0, whole * self.wide, self.wide), made, add)
        else:
            for turn in range(whole):
                made = add(emit, turn * self.wide, made)
        return add(emit, whole * self.wide, made, rest) if rest else made

    def _column(self, emit: OperationEmitter, at: Number, width: int) -> SSAValue:
        """The product with some columns of the matrix: the sum of its tiles, from the first row on."""
        whole, rest = divmod(self.depth, self.high)
        made, row = self._tile(emit, 0, at, self.high, width), self.high

        def several(emit: OperationEmitter, row: Number, before: SSAValue, count: int = AT_ONCE) -> SSAValue:
            for turn in range(count):
                by = turn * self.high
                place = row + by if isinstance(row, int) else later(emit, row, by) if by else row
                before = self._more(emit, before, self._tile(emit, place, at, self.high, width))
            return before

        turns, left = divmod(whole - 1, AT_ONCE)
        if turns > 1:
            step = AT_ONCE * self.high
            made, row = _loop(emit, (row, row + turns * step, step), made, several), row + turns * step
        else:
            left = whole - 1
        made = several(emit, row, made, left)
        row += left * self.high
        return self._more(emit, made, self._tile(emit, row, at, rest, width)) if rest else made

    def _tile(self, emit: OperationEmitter, row: Number, col: Number, height: int, width: int) -> SSAValue:
        lhs = slice_of(emit, self.lhs, [0, row], [self.rows, height]) if height < self.depth else self.lhs
        rhs = slice_of(emit, self.rhs, [row, col], [height, width])
        kind = TensorType(self.kind, [self.rows, width])  # pyright: ignore[reportArgumentType]
        return emit(GemmOp.create(operands=[lhs, rhs], result_types=[kind]))

    def _more(self, emit: OperationEmitter, before: SSAValue, value: SSAValue) -> SSAValue:
        return emit((arith.AddfOp if self.kind == f32 else arith.AddiOp)(before, value))

    def _put(self, emit: OperationEmitter, part: SSAValue, into: SSAValue, at: Number, width: int) -> SSAValue:
        return put(emit, part, into, [0, at], [self.rows, width])


def _loop(
    emit: OperationEmitter,
    bounds: tuple[int, int, int],
    carried: SSAValue,
    turn: Callable[[OperationEmitter, SSAValue, SSAValue], SSAValue],
) -> SSAValue:
    """A loop from, to, by, each turn of which makes of its counter, and of what the one before left, something new."""
    block = Block(arg_types=[IndexType(), carried.type])
    low, high, step = (index(emit, number) for number in bounds)
    loop = ForOp(low, high, step, [carried], block)
    emit.insert(loop)
    inside = OperationEmitter(InsertPoint.at_end(block))
    inside.insert(YieldOp(turn(inside, *block.args)))
    return loop.results[0]
