"""Tiles of any structured operation on tensors: loops in any order, around the operation on slices of its operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, tensor
from xdsl.dialects.builtin import AffineMapAttr, IndexType, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint

from compiler.dialects.linalg.generic import IndexOp
from compiler.dialects.linalg.structure import Structure
from compiler.offload.building import Number, index, put, shorter, slice_of
from compiler.offload.contraction import shape_of
from compiler.offload.emitter import OperationEmitter


@dataclass(frozen=True, slots=True)
class Tiled:
    """`loops` are outer first; `op` is the operation on tiles, inside of all of them."""

    op: LinalgStructuredOperation
    loops: tuple[ForOp, ...]


@dataclass(frozen=True, slots=True)
class _Cut:
    """A slice of an operand; `value` is the operand itself where no loop moves along it."""

    value: SSAValue
    offsets: tuple[Number, ...] = ()
    sizes: tuple[Number, ...] = ()


def tiled(op: LinalgStructuredOperation, tiles: Mapping[int, int], order: Sequence[int], names: str = "") -> Tiled:
    """Put loops over the loops `order` of an operation, outer first, whose tiles have the sizes `tiles`.

    A tile is no larger than what there is. Loops are called by `names`, a letter for each loop of the operation.
    Raises ValueError for what cannot be cut.
    """
    structure = Structure.of(op)
    _check(op, structure)
    emit = OperationEmitter.before(op)
    extents = {loop: extent_of(emit, structure, loop) for loop in order}
    zero = index(emit, 0)
    most, ends = dict[int, int](), dict[int, tuple[SSAValue, SSAValue]]()
    for loop in order:
        end = extents[loop]
        most[loop] = min(tiles[loop], end) if isinstance(end, int) else tiles[loop]
        ends[loop] = (index(emit, end) if isinstance(end, int) else end, index(emit, most[loop]))
    carried, counters, loops = list(structure.outputs), dict[int, SSAValue](), list[ForOp]()
    for loop in order:
        block = Block(arg_types=[IndexType(), *(value.type for value in structure.outputs)])
        made = ForOp(zero, *ends[loop], carried, block)
        emit.insert(made)
        if loops:
            emit.insert(YieldOp(*made.results))
        loops.append(made)
        counters[loop], *carried = block.args
        block.args[0].name_hint = names[loop] if names else None
        emit = OperationEmitter(InsertPoint.at_end(block))
    lengths = {loop: _shorter(emit, counters[loop], most[loop], extents[loop]) for loop in sorted(order)}
    others = {loop for given in structure.maps for loop in _together(given, set(order))}
    lengths |= {loop: extent_of(emit, structure, loop) for loop in others}
    operands = [*structure.inputs, *carried]
    cuts = [_cut(emit, *pair, counters, lengths) for pair in zip(operands, structure.maps, strict=True)]
    inner = _on_tiles(op, [cut.value for cut in cuts], len(carried))
    emit.insert(inner)
    outs = zip(inner.results, carried, cuts[len(structure.inputs) :], strict=True)
    last = [put(emit, part, into, cut.offsets, cut.sizes) if cut.offsets else part for part, into, cut in outs]
    emit.insert(YieldOp(*last))
    for old, new in zip(op.results, loops[0].results, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
    return Tiled(inner, tuple(loops))


def _together(given: AffineMap, moved: set[int]) -> set[int]:
    """The loops that stand still and are added to one that is moved."""
    sums = [result.used_dims() for result in given.results]
    return {loop for loops in sums if loops & moved for loop in loops - moved}


def _check(op: LinalgStructuredOperation, structure: Structure) -> None:
    outs_tensors = all(isinstance(value.type, TensorType) for value in structure.outputs)
    if not outs_tensors or len(op.results) != len(structure.outputs):
        raise ValueError("is not one on tensors")
    if any(isinstance(inner, IndexOp) for inner in structure.block.walk()):
        raise ValueError("uses its counters (linalg.index)")
    for expression in (result for given in structure.maps for result in given.results):
        if any(loop >= 0 and factor < 1 for loop, factor in _terms(expression)):
            raise ValueError(f"reads an operand backwards, by {expression}")


def extent_of(emit: OperationEmitter, structure: Structure, loop: int) -> Number:
    """The size of a loop: a number, or else what an operand has along it."""
    found = None
    for value, given in zip((*structure.inputs, *structure.outputs), structure.maps, strict=True):
        for place, result in enumerate(given.results):
            if result != AffineDimExpr(loop):
                continue
            if (size := shape_of(value)[place]) >= 0:
                return size
            found = found or (value, place)
    if found is None:
        raise ValueError(f"has a loop d{loop} that is no dimension of an operand")
    return emit(tensor.DimOp(found[0], index(emit, found[1])))


def _shorter(emit: OperationEmitter, counter: SSAValue, most: int, extent: Number) -> Number:
    """The size of a tile that begins at `counter`."""
    if isinstance(extent, int):
        return shorter(emit, counter, most, extent)
    if most == 1:
        return 1
    rest = AffineDimExpr(1) - AffineDimExpr(0)
    given = AffineMap(2, 0, (AffineExpr.constant(most), rest))
    return emit(affine.MinOp([counter, extent], AffineMapAttr(given)))


def _terms(expression: AffineExpr) -> Iterator[tuple[int, int]]:
    """(loop, factor) of each term of a sum, (-1, number) of a constant; raises ValueError for what is none."""
    match expression:
        case AffineDimExpr(loop):
            yield loop, 1
        case AffineConstantExpr(number):
            yield -1, number
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, left, right):
            yield from _terms(left)
            yield from _terms(right)
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, inner, AffineConstantExpr(factor)):
            yield from ((loop, factor * own) for loop, own in _terms(inner))
        case _:
            raise ValueError(f"reads an operand by {expression}, which is no sum of multiples of loops")


def _cut(
    emit: OperationEmitter,
    value: SSAValue,
    given: AffineMap,
    counters: Mapping[int, SSAValue],
    lengths: Mapping[int, Number],
) -> _Cut:
    """The part of an operand that a tile reads or writes."""
    if not given.used_dims() & set(counters) or not isinstance(value.type, TensorType):
        return _Cut(value)
    offsets, sizes = list[Number](), list[Number]()
    for place, result in enumerate(given.results):
        terms = list(_terms(result))
        moved = [(counters[loop], factor) for loop, factor in terms if loop in counters]
        if not moved:
            size = shape_of(value)[place]
            offsets.append(0)
            sizes.append(size if size >= 0 else emit(tensor.DimOp(value, index(emit, place))))
            continue
        constant = sum(number for loop, number in terms if loop < 0)
        reach = [(lengths[loop], factor) for loop, factor in terms if loop >= 0]
        offsets.append(_sum(emit, moved, 0))
        sizes.append(_sum(emit, reach, constant + 1 - sum(factor for _, factor in reach)))
    return _Cut(slice_of(emit, value, offsets, sizes), tuple(offsets), tuple(sizes))


def _sum(emit: OperationEmitter, terms: Sequence[tuple[Number, int]], constant: int) -> Number:
    """A sum of multiples of numbers."""
    if not constant and len(terms) == 1 and terms[0][1] == 1:
        return terms[0][0]
    fixed = constant + sum(number * factor for number, factor in terms if isinstance(number, int))
    moving = [(number, factor) for number, factor in terms if not isinstance(number, int)]
    if not moving:
        return fixed
    total: AffineExpr = AffineExpr.constant(fixed)
    for place, (_, factor) in enumerate(moving):
        total = total + AffineDimExpr(place) * factor
    operands = [number for number, _ in moving]
    return emit(affine.ApplyOp(operands, AffineMapAttr(AffineMap(len(moving), 0, (total,)))))


def _on_tiles(op: LinalgStructuredOperation, values: Sequence[SSAValue], outs: int) -> LinalgStructuredOperation:
    """The operation on other operands."""
    made = type(op).create(
        operands=values,
        result_types=[value.type for value in values[len(values) - outs :]],
        properties=op.properties,
        attributes=op.attributes,
        regions=[region.clone() for region in op.regions],
    )
    for old, new in zip(op.results, made.results, strict=True):
        new.name_hint = old.name_hint
    return made
