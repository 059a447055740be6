"""Where tiles of a matrix stand in an allocation, and tensors in the shapes that products take."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from compiler.dialects.origins import refuse
from compiler.offload.building import Number, element, index
from compiler.offload.contraction import shape_of
from compiler.offload.emitter import OperationEmitter

MATRIX = 2  # dimensions


def offset_of(
    by: Operation, emit: OperationEmitter, matrix: SSAValue, roots: Sequence[SSAValue], rows: int
) -> SSAValue:
    """Where a tile stands in an allocation: tiles one behind the other, those of one set of rows together."""
    at: list[Number] = [0, 0]
    value = matrix
    while value not in roots:
        source = value.owner
        whole = isinstance(source, tensor.ExtractSliceOp) and len(source.static_offsets) == len(shape_of(value))
        if not isinstance(source, tensor.ExtractSliceOp) or not whole:
            raise refuse(by, "writes what is no part of what the allocation was made for: create one for it")
        dynamic = iter(source.offsets)
        own: list[Number] = [
            next(dynamic) if number < 0 else int(number) for number in source.static_offsets.get_values()
        ]
        at = [_linear(emit, [(a, 1), (b, 1)]) for a, b in zip(at, own, strict=True)]
        value = source.source
    if at == [0, 0]:
        return index(emit, 0)
    height = shape_of(matrix)[rows]
    if height < 0:
        height = emit(tensor.DimOp(matrix, index(emit, rows)))
    width = shape_of(value)[1 - rows]
    if width < 0:
        raise refuse(by, f"writes a part of a {value.type}, whose size is not known")
    found = _linear(emit, [(at[rows], width), (_times(emit, at[1 - rows], height), 1)])
    return index(emit, found) if isinstance(found, int) else found


def _linear(emit: OperationEmitter, terms: Sequence[tuple[Number, int]]) -> Number:
    """A sum of multiples."""
    fixed = sum(number * factor for number, factor in terms if isinstance(number, int))
    moving = [(number, factor) for number, factor in terms if not isinstance(number, int)]
    if not moving:
        return fixed
    if len(moving) == 1 and moving[0][1] == 1 and not fixed:
        return moving[0][0]
    total: AffineExpr = AffineExpr.constant(fixed)
    for place, (_, factor) in enumerate(moving):
        total = total + AffineDimExpr(place) * factor
    operands = [number for number, _ in moving]
    return emit(affine.ApplyOp(operands, AffineMapAttr(AffineMap(len(moving), 0, (total,)))))


def _times(emit: OperationEmitter, number: Number, factor: Number) -> Number:
    """A product."""
    if isinstance(factor, int):
        return _linear(emit, [(number, factor)])
    if isinstance(number, int):
        return _linear(emit, [(factor, number)])
    return emit(arith.MuliOp(number, factor))


def _groups(rank: int) -> Any:
    return ArrayAttr([ArrayAttr([IntegerAttr(place, i64) for place in range(rank)])])


def as_vector(emit: OperationEmitter, value: SSAValue) -> SSAValue:
    """All elements in one dimension."""
    shape = shape_of(value)
    if len(shape) == 1:
        return value
    size = -(1 << 63) if min(shape) < 0 else prod(shape)
    made = TensorType(element(value), [size])
    return emit(
        tensor.CollapseShapeOp.build(
            operands=[value], result_types=[made], properties={"reassociation": _groups(len(shape))}
        )
    )


def as_matrix(by: Operation, emit: OperationEmitter, value: SSAValue) -> SSAValue:
    """A vector as a matrix of one row; raises CompileError for what is neither."""
    shape = shape_of(value)
    if len(shape) == MATRIX:
        return value
    if len(shape) != 1:
        raise refuse(by, f"adds to a matrix or a vector, not to a {value.type}")
    size = [emit(tensor.DimOp(value, index(emit, 0)))] if shape[0] < 0 else []
    made = TensorType(element(value), [1, shape[0]])
    return emit(tensor.ExpandShapeOp(value, size, _groups(MATRIX), [1, shape[0]], made))


def fitted(by: Operation, emit: OperationEmitter, value: SSAValue, old: SSAValue) -> SSAValue:
    """A value as one of the type of another."""
    if value.type == old.type:
        return value
    shapes = [kind.type.get_shape() if isinstance(kind.type, TensorType) else None for kind in (value, old)]
    made, wanted = shapes
    if made is None or wanted is None or element(value) != element(old):
        raise refuse(by, f"cannot make a {old.type} of a {value.type}")
    kind = TensorType(element(old), wanted)
    if len(made) == len(wanted) and all(a == b or min(a, b) < 0 for a, b in zip(made, wanted, strict=True)):
        return emit(tensor.CastOp(value, kind))
    if len(wanted) == 1:
        return as_vector(emit, value)
    raise refuse(by, f"cannot make a {old.type} of a {value.type}")
