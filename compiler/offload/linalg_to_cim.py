"""Pass `linalg-to-cim`: tiles become writes and products on crossbars of a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects import cim
from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.contraction import contractions, shape_of
from compiler.offload.elements import CrossbarTypes, elements_of
from compiler.offload.emitter import OperationEmitter
from compiler.offload.nest import TileNest, bounds_of, counters_of, nests


@dataclass(frozen=True)
class LinalgToCimPass(ModulePass):
    """Writes the second factor of each tile to crossbars, multiplies by it, and adds what comes on the host.

    Crossbars are acquired before the loops of a contraction and released behind them. A tile is written before the
    innermost loop that moves it; all products of a turn are called before the first one is waited for.
    """

    name = "linalg-to-cim"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a contraction that is not tiled."""
        for found in contractions(list(op.walk())):
            raise refuse(found, "is not tiled yet: run the pass tile before linalg-to-cim")
        roots = dict[ForOp, list[TileNest]]()
        for nest in nests(op):
            roots.setdefault(nest.root, []).append(nest)
        for root, inside in roots.items():
            with rewriting(root):
                _lower(root, inside)


def _lower(root: ForOp, inside: Sequence[TileNest]) -> None:
    """The contraction whose loops stand in `root`."""
    tiles = [contractions(list(nest.body.ops), tile=True) for nest in inside]
    elements = elements_of(tiles[0][0])
    assert elements is not None
    kind = cim.CrossbarType(TensorType(elements.held, _largest(inside)), elements.result)
    before, behind = OperationEmitter.before(root), OperationEmitter.behind(root)
    crossbars = list[SSAValue]()
    for _ in range(max(map(len, tiles))):
        crossbars.append(before(cim.AcquireOp.create(result_types=[kind])))
    for nest, ops in zip(inside, tiles, strict=True):
        _lower_body(nest, ops, crossbars, elements)
    for crossbar in crossbars:
        behind.insert(cim.ReleaseOp.create(operands=[crossbar]))


def _largest(inside: Sequence[TileNest]) -> list[int]:
    """The rows and columns of the largest tile of the second factor, which has sizes that are known or smaller ones."""
    op = contractions(list(inside[0].body.ops), tile=True)[0]
    source: Any = op.inputs[1].owner
    assert isinstance(source, tensor.ExtractSliceOp)
    return [_most(inside, letter, size) for letter, size in zip("kn", shape_of(source.result), strict=True)]


def _most(inside: Sequence[TileNest], letter: str, size: int) -> int:
    """A size, or, where it is not known, the smallest step of the loop: that of turns which do one tile."""
    if size >= 0:
        return size
    steps = [bounds_of(nest.loops[letter])[2] // _turns(nest, letter) for nest in inside]
    return max(steps)


def _turns(nest: TileNest, letter: str) -> int:
    """How many tiles along a letter a turn does."""
    place = "kn".index(letter)
    offsets = set[SSAValue]()
    for op in contractions(list(nest.body.ops), tile=True):
        source: Any = op.inputs[1].owner
        offsets.add(source.offsets[place])
    return len(offsets)


def _lower_body(
    nest: TileNest, tiles: Sequence[GenericOp], crossbars: Sequence[SSAValue], elements: CrossbarTypes
) -> None:
    body = nest.body
    late = _depending(body)
    first = next(op for op in body.ops if op in late)
    for op in [op for op in body.ops if op not in late]:  # what the products need, before all that waits
        op.detach()
        OperationEmitter.before(first).insert(op)
    calls, futures = OperationEmitter.before(first), list[SSAValue]()
    for tile, crossbar in zip(tiles, crossbars, strict=False):
        _write(nest, tile.inputs[1], crossbar)
        lhs = tile.inputs[0]
        rows, cols = shape_of(lhs)[0], shape_of(tile.inputs[1])[1]
        made = cim.FutureType(TensorType(elements.result, [rows, cols]))
        futures.append(calls(cim.GemmOp.create(operands=[crossbar, lhs], result_types=[made])))
    adding = arith.AddfOp if elements.result == f32 else arith.AddiOp
    for tile, future in zip(tiles, futures, strict=True):
        emit, kind = OperationEmitter.before(tile), future.type
        assert isinstance(kind, cim.FutureType)
        value = emit(cim.BarrierOp.create(operands=[future], result_types=[kind.value]))
        total = emit(adding(tile.outputs[0], value))
        tile.results[0].replace_all_uses_with(total)
        tile.detach()
        tile.erase()
    for op in reversed(list(body.ops)):  # of matrices that are written outside
        if isinstance(op, tensor.ExtractSliceOp | affine.ApplyOp | affine.MinOp) and not list(op.results[0].uses):
            op.detach()
            op.erase()


def _depending(body: Block) -> set[Operation]:
    """The operations that need what earlier turns have made."""
    carried, late = set[SSAValue](body.args[1:]), set[Operation]()
    for op in body.ops:
        if carried & set(op.operands) or op is body.last_op:
            late.add(op)
            carried |= set(op.results)
    return late


def _write(nest: TileNest, matrix: SSAValue, crossbar: SSAValue) -> None:
    """Write a tile in the innermost loop that moves it, with what it is computed by."""
    needed = _computed_by(matrix, nest.body)
    moving = {counter for op in needed for operand in op.operands for counter in counters_of(operand)}
    loops = list(nest.loops.values())
    inner = list[ForOp]()
    while len(loops) > len(inner) and loops[-1 - len(inner)].body.block.args[0] not in moving:
        inner.append(loops[-1 - len(inner)])
    if inner:
        emit = OperationEmitter.before(inner[-1])
        values = dict[SSAValue, SSAValue]()
        for op in needed:
            emit.insert(op.clone(value_mapper=values))
        matrix = values[matrix]
    else:
        owner = matrix.owner
        assert isinstance(owner, Operation)
        emit = OperationEmitter.behind(owner)
    emit.insert(cim.WriteOp.create(operands=[crossbar, matrix]))


def _computed_by(value: SSAValue, block: Block) -> list[Operation]:
    """The operations of a block that a value needs, in order."""
    needed, todo = set[Operation](), [value]
    while todo:
        owner = todo.pop().owner
        if isinstance(owner, Operation) and owner.parent_block() is block and owner not in needed:
            needed.add(owner)
            todo += owner.operands
    return [op for op in block.ops if op in needed]
