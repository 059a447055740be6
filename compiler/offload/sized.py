"""Operations that have sizes among their operands, or make them, once these sizes are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, IntegerType, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from compiler.interpreter.host.run import MEANINGS
from compiler.interpreter.host.tensors import shape_of
from compiler.interpreter.host.values import numpy_type
from compiler.interpreter.host.world import HostWorld
from compiler.offload.emitter import OperationEmitter

Tensor = TensorType[Attribute]
_FOLDED = ("arith", "affine", "tensor")


def number_in(value: SSAValue) -> int | None:
    """The number that a value is a constant of."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def folded(op: Operation) -> arith.ConstantOp | None:
    """A constant in place of an operation that computes a whole number of constants, or asks for a known size."""
    kind = op.results[0].type if len(op.results) == 1 else None
    if not isinstance(kind, IndexType | IntegerType) or not op.operands:
        return None
    numbers = [number_in(value) for value in op.operands]
    if isinstance(op, tensor.DimOp):
        place, shape = numbers[1], shape_of(op.source)
        known = place is not None and 0 <= place < len(shape) and shape[place] >= 0
        return arith.ConstantOp(IntegerAttr(shape[cast(int, place)], kind)) if known else None
    if op.name.partition(".")[0] not in _FOLDED or type(op) not in MEANINGS or None in numbers:
        return None
    args = [np.array(number, numpy_type(value.type)) for number, value in zip(numbers, op.operands, strict=True)]
    (made,) = MEANINGS[type(op)](op, args, HostWorld())
    return arith.ConstantOp(IntegerAttr(int(made), kind))


def _settled(static: Any, dynamic: Sequence[SSAValue]) -> tuple[list[int], list[SSAValue]]:
    """Numbers of a list, with those operands that are constants, and the operands that are left."""
    left, numbers = list[SSAValue](), list[int]()
    operands = iter(dynamic)
    for number in static.get_values():
        if number == DYNAMIC_INDEX:
            value = next(operands)
            known = number_in(value)
            if known is None:
                left.append(value)
            else:
                number = known
        numbers.append(number)
    return numbers, left


def _sized_slice(op: Any, operands: Sequence[SSAValue], kind: Attribute) -> Operation:
    """A slice that is taken or put."""
    lists = {
        name: _settled(getattr(op, f"static_{name}"), getattr(op, name)) for name in ("offsets", "sizes", "strides")
    }
    return type(op).build(
        operands=[*operands, *(left for _, left in lists.values())],
        result_types=[kind],
        properties={f"static_{name}": DenseArrayBase.from_list(i64, numbers) for name, (numbers, _) in lists.items()},
        attributes=op.attributes,
    )


def _kept(op: Any, part: Attribute) -> Tensor:
    """The type of a part of a tensor, whose rank may be smaller: its sizes are those in the list that are known."""
    given, declared = cast(Tensor, part), list[int]()
    sizes, left = op.static_sizes.get_values(), len(op.static_sizes) - len(given.get_shape())
    known, _ = _settled(op.static_sizes, op.sizes)
    for size, number in zip(sizes, known, strict=True):
        at = len(declared)
        wanted = given.get_shape()[at] if at < len(given.get_shape()) else None
        if left and size == 1 and wanted != 1:
            left -= 1
        else:
            declared.append(number)
    return TensorType(given.element_type, declared)


def _extract(op: tensor.ExtractSliceOp, kind: Attribute) -> Operation:
    return _sized_slice(op, [op.source], _kept(op, op.result.type))


def _insert(op: tensor.InsertSliceOp, kind: Attribute) -> Operation:
    part, source = _kept(op, op.source.type), op.source
    if source.type != part:
        source = OperationEmitter.before(op)(tensor.CastOp(source, part))
    return _sized_slice(op, [source, op.dest], op.dest.type)


def _pad(op: tensor.PadOp, kind: Attribute) -> Operation:
    (low, below), (high, above) = _settled(op.static_low, op.low), _settled(op.static_high, op.high)
    sizes = [
        DYNAMIC_INDEX if size < 0 or DYNAMIC_INDEX in (a, b) else size + a + b
        for size, a, b in zip(shape_of(op.source), low, high, strict=True)
    ]
    properties = op.properties | {
        "static_low": DenseArrayBase.from_list(i64, low),
        "static_high": DenseArrayBase.from_list(i64, high),
    }
    return tensor.PadOp.build(
        operands=[op.source, below, above],
        result_types=[TensorType(cast(Tensor, kind).element_type, sizes)],
        properties=properties,
        regions=[op.detach_region(op.region)],
        attributes=op.attributes,
    )


def _open(before: Attribute, kind: Attribute, operands: Sequence[SSAValue]) -> list[SSAValue]:
    """Of the operands that are sizes of a result those that its type still leaves open."""
    sizes = zip(cast(Tensor, before).get_shape(), cast(Tensor, kind).get_shape(), strict=True)
    now_open = [after < 0 for size, after in sizes if size < 0]
    return [value for value, still in zip(operands, now_open, strict=True) if still]


def _empty(op: tensor.EmptyOp, kind: Attribute) -> Operation:
    return tensor.EmptyOp(_open(op.tensor.type, kind, op.dynamic_sizes), kind)


def _splat(op: tensor.SplatOp, kind: Attribute) -> Operation:
    return tensor.SplatOp(op.input, _open(op.result.type, kind, op.dynamicSizes), cast(Tensor, kind))


def _expand(op: tensor.ExpandShapeOp, kind: Attribute) -> Operation:
    sizes, operands = list(cast(Tensor, kind).get_shape()), iter(op.dynamic_output_shape)
    dynamic = [next(operands) if size == DYNAMIC_INDEX else None for size in op.static_output_shape.get_values()]
    left = [value for value, size in zip(dynamic, sizes, strict=True) if size < 0 and value is not None]
    return tensor.ExpandShapeOp(op.src, left, op.reassociation, sizes, cast(Tensor, kind), op.attributes)


def _collapse(op: tensor.CollapseShapeOp, kind: Attribute) -> Operation:
    own, sizes = shape_of(op.src), list[int]()
    for group in op.reassociation:
        parts = [own[int(dim.value.data)] for dim in group]
        sizes.append(prod(parts) if min(parts, default=1) >= 0 else DYNAMIC_INDEX)
    return tensor.CollapseShapeOp.build(
        operands=[op.src],
        result_types=[TensorType(cast(Tensor, kind).element_type, sizes)],
        properties=op.properties,
        attributes=op.attributes,
    )


# The operation again, with a result of this type, or of what its operands make it.
REBUILT: Mapping[type[Operation], Callable[[Any, Attribute], Operation]] = {
    tensor.ExtractSliceOp: _extract,
    tensor.InsertSliceOp: _insert,
    tensor.PadOp: _pad,
    tensor.EmptyOp: _empty,
    tensor.SplatOp: _splat,
    tensor.ExpandShapeOp: _expand,
    tensor.CollapseShapeOp: _collapse,
}
