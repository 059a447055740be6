"""Pass `unroll`: several tiles per turn of a loop, each for crossbars of its own."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects.origins import rewriting
from compiler.offload.building import index, later
from compiler.offload.context import chip_of
from compiler.offload.emitter import OperationEmitter
from compiler.offload.nest import TileNest, bounds_of, nests, trips
from emu.errors import CompileError

_MOVING = "kn"  # the loops along which tiles of the second factor differ; the first one wins where both are as long


@dataclass(frozen=True)
class UnrollPass(ModulePass):
    """Does `tiles` tiles of the second factor in one turn, in the loop over k, or that over n if it is longer.

    Without `tiles` it is the number of cores. Turns that are left become a loop of their own.
    """

    name = "unroll"
    tiles: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        tiles = chip_of(ctx).cores if self.tiles is None else self.tiles
        if tiles < 1:
            raise CompileError(f"unroll: there are no {tiles} tiles: give a number from 1 on")
        for nest in nests(op):
            moving = [letter for letter in _MOVING if letter in nest.loops]
            longest = max(moving, key=lambda letter: trips(nest.loops[letter]), default="")
            if longest:
                with rewriting(nest.root):
                    _unroll(nest, nest.loops[longest], tiles)


def _unroll(nest: TileNest, loop: ForOp, tiles: int) -> None:
    low, _, step = bounds_of(loop)
    turns = trips(loop)
    factor = min(tiles, turns)
    rest = turns % factor
    if factor == 1:
        return
    numbers = OperationEmitter.before(nest.root)
    if rest:
        middle = low + (turns - rest) * step
        end = index(numbers, middle)
        tail, inner = _tail(loop, nest.body)
        loop.operands[1] = tail.operands[0] = end
        _repeat(tail, inner, rest, index(numbers, rest * step), step)
    _repeat(loop, nest.body, factor, index(numbers, factor * step), step)


def _tail(loop: ForOp, body: Block) -> tuple[ForOp, Block]:
    """A copy of a loop behind it, which goes on with its result, and the copy of the body inside."""
    blocks = dict[Block, Block]()
    tail = loop.clone(block_mapper=blocks)
    emit = OperationEmitter.behind(loop)
    emit.insert(tail)
    loop.results[0].replace_all_uses_with(tail.results[0])
    tail.operands[3] = loop.results[0]
    return tail, blocks[body]


def _repeat(loop: ForOp, body: Block, times: int, step_value: SSAValue, step: int) -> None:
    """The body `times` times in each turn of the loop, which takes larger steps."""
    loop.operands[2] = step_value
    counter, carried = loop.body.block.args[0], body.args[1]
    ops, last = [op for op in body.ops if not isinstance(op, YieldOp)], body.last_op
    assert isinstance(last, YieldOp)
    emit, made = OperationEmitter.before(last), last.operands[0]
    changing = {counter, carried}
    for op in ops:
        changing |= set(op.results) if changing & set(op.operands) else set()
    latest = made
    for turn in range(1, times):
        values: dict[SSAValue, SSAValue] = {counter: later(emit, counter, turn * step), carried: latest}
        for op in ops:
            if changing & set(op.results):
                emit.insert(op.clone(value_mapper=values))
        latest = values[made]
    last.operands[0] = latest
