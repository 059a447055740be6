"""Loops around the tile of a contraction: which counter moves along m, n and k."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from compiler.dialects.linalg.generic import GenericOp
from compiler.offload.contraction import contractions


@dataclass(frozen=True, slots=True)
class TileNest:
    """`loops` are those of the tiles, by letter, outer first; `body` is the block inside of all of them."""

    loops: dict[str, ForOp]
    body: Block

    @property
    def root(self) -> ForOp:
        """The outermost loop."""
        return next(iter(self.loops.values()))


def nests(module: ModuleOp) -> list[TileNest]:
    """One for each body that holds tiles."""
    bodies = dict[Block, GenericOp]()
    for op in contractions(list(module.walk()), tile=True):
        block = op.parent_block()
        if block is not None:
            bodies.setdefault(block, op)
    found = [_nest(block, op) for block, op in bodies.items()]
    return [nest for nest in found if nest is not None]


def _nest(block: Block, op: GenericOp) -> TileNest | None:
    """That of a body, by what moves the slices of its first tile; None for a tile in no loop."""
    letters = dict[BlockArgument, str]()
    for value, names in zip(op.inputs, ("mk", "kn"), strict=True):
        if isinstance(value.owner, tensor.ExtractSliceOp):
            for offset, letter in zip(value.owner.offsets, names, strict=False):
                letters |= dict.fromkeys(counters_of(offset), letter)
    loops, around = list[tuple[str, ForOp]](), block.parent_op()
    while isinstance(around, ForOp) and around.body.block.args[0] in letters:
        loops.insert(0, (letters[around.body.block.args[0]], around))
        around = around.parent_op()
    return TileNest(dict(loops), block) if loops else None


def counters_of(value: SSAValue) -> set[BlockArgument]:
    """The counters that a number is computed of."""
    if isinstance(value, BlockArgument):
        return {value} if isinstance(value.owner.parent_op(), ForOp) and value.index == 0 else set()
    owner = cast(OpResult, value).owner
    if not isinstance(owner, affine.ApplyOp | affine.MinOp):
        return set()
    return {counter for operand in owner.operands for counter in counters_of(operand)}


def is_perfect(nest: TileNest) -> bool:
    """Whether nothing stands between the loops."""
    loops = list(nest.loops.values())
    return all(loop.body.block.first_op is inner for loop, inner in pairwise(loops))


def bounds_of(loop: ForOp) -> tuple[int, int, int]:
    """First counter, end and step of a loop over tiles."""
    low, high, step = (number_of(value) for value in (loop.lb, loop.ub, loop.step))
    return low, high, step


def number_of(value: SSAValue) -> int:
    """A number that is a constant of the text."""
    owner = value.owner
    assert isinstance(owner, Operation) and isinstance(owner, arith.ConstantOp)
    return cast(IntegerAttr, owner.value).value.data


def trips(loop: ForOp) -> int:
    """How often a loop runs."""
    low, high, step = bounds_of(loop)
    return -(-(high - low) // step)


def static_trips(loop: ForOp) -> int | None:
    """How often any loop runs; None if that is not known."""
    numbers = [value.owner for value in (loop.lb, loop.ub, loop.step)]
    known = all(isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr) for owner in numbers)
    return max(trips(loop), 0) if known and number_of(loop.step) > 0 else None
