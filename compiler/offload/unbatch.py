"""Pass `unbatch`: contractions of many pairs of factors, one after the other: batches, groups, depthwise windows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as points
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.linalg.structure import Structure
from compiler.dialects.origins import rewriting
from compiler.offload.building import Number, generic, index, put, slice_of
from compiler.offload.contraction import loop_sizes, roles_of, shape_of
from compiler.offload.elements import elements_of
from compiler.offload.emitter import OperationEmitter
from emu.errors import CompileError


@dataclass(frozen=True)
class UnbatchPass(ModulePass):
    """Takes loops of both factors and of the result out of a contraction, as loops of the host around it.

    Up to `written-out` points of them are written out, so that they can be scheduled side by side; of more, those of
    the outer loops are turns of loops.
    """

    name = "unbatch"
    written_out: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a negative number."""
        if self.written_out < 0:
            raise CompileError(f"unbatch: {self.written_out} points cannot be written out: give a number from 0 on")
        for found in [each for each in op.walk() if isinstance(each, GenericOp)]:
            batches = _batches(found)
            if batches:
                with rewriting(found):
                    _rewrite(found, batches, self.written_out)


def _batches(op: GenericOp) -> list[int]:
    """The loops that are dimensions of their own of all three operands; empty for what a device would not multiply."""
    roles = roles_of(op) or ""
    if "k" not in roles or elements_of(op) is None:
        return []
    maps = Structure.of(op).maps
    return [loop for loop, role in enumerate(roles) if role == "b" and all(_is_own(each, loop) for each in maps)]


def _is_own(given: AffineMap, loop: int) -> bool:
    """Whether a loop is one dimension, and stands in no other."""
    using = [result for result in given.results if loop in result.used_dims()]
    return len(using) == 1 and isinstance(using[0], AffineDimExpr)


def _rewrite(op: GenericOp, batches: list[int], most: int) -> None:
    sizes = loop_sizes(op)
    assert sizes is not None
    turning = list[int]()  # outer loops that are loops of the host
    while prod(sizes[loop] for loop in batches[len(turning) :]) > most and len(turning) < len(batches):
        turning.append(batches[len(turning)])
    emit, made, counters, loops = (
        OperationEmitter.before(op),
        SSAValue.get(op.outputs[0]),
        dict[int, Number](),
        list[ForOp](),
    )
    for loop in turning:
        block = Block(arg_types=[IndexType(), made.type])
        low, high, step = (index(emit, number) for number in (0, sizes[loop], 1))
        around = ForOp(low, high, step, [made], block)
        emit.insert(around)
        loops.append(around)
        counters[loop], made = block.args
        emit = OperationEmitter(InsertPoint.at_end(block))
    inner = batches[len(turning) :]
    for point in points(*(range(sizes[loop]) for loop in inner)):
        made = _one(emit, op, made, counters | dict(zip(inner, point, strict=True)))
    for around in reversed(loops):
        block = around.body.block
        block.add_op(YieldOp(made))
        made = around.results[0]
    op.results[0].replace_all_uses_with(made)
    op.detach()
    op.erase()


def _one(emit: OperationEmitter, op: GenericOp, before: SSAValue, point: dict[int, Number]) -> SSAValue:
    """The result with that of one point of the batches."""
    structure = Structure.of(op)
    left = [loop for loop in range(len(structure.parallel)) if loop not in point]
    places: list[AffineExpr] = [
        AffineDimExpr(left.index(loop)) if loop in left else AffineConstantExpr(0)
        for loop in range(len(structure.parallel))
    ]
    parts, maps = list[SSAValue](), list[AffineMap]()
    for value, given in zip((*structure.inputs, before), structure.maps, strict=True):
        at = _offsets(given, point)
        sizes = [1 if offset is not None else size for offset, size in zip(at, shape_of(value), strict=True)]
        dropped = [dim for dim, offset in enumerate(at) if offset is not None]
        parts.append(slice_of(emit, value, [offset or 0 for offset in at], sizes, dropped))
        kept = tuple(result for result, offset in zip(given.results, at, strict=True) if offset is None)
        maps.append(AffineMap(given.num_dims, 0, kept).replace_dims_and_symbols(places, [], len(left), 0))
    flags = [structure.parallel[loop] for loop in left]
    made = generic(emit, (parts[:2], parts[2]), maps, flags, op.body.clone()).results[0]
    at = _offsets(structure.maps[2], point)
    sizes = [1 if offset is not None else size for offset, size in zip(at, shape_of(before), strict=True)]
    return put(emit, made, before, [offset or 0 for offset in at], sizes)


def _offsets(given: AffineMap, point: dict[int, Number]) -> list[Number | None]:
    """Per dimension of an operand, where the point of the batches stands; None where it is all of it."""
    loops = [result.position if isinstance(result, AffineDimExpr) else None for result in given.results]
    return [None if loop is None else point.get(loop) for loop in loops]
