"""Short forms for what the passes build: numbers, casts, shapes, slices, contractions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import TransposeOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from compiler.dialects import attributes as attr
from compiler.dialects.linalg.generic import GenericOp
from compiler.offload.contraction import mark, shape_of
from compiler.offload.emitter import OperationEmitter

Number = SSAValue | int
_PLAIN_MAPS = ((0, 2), (2, 1), (0, 1))


def index(emit: OperationEmitter, number: int) -> SSAValue:
    """A number as a value."""
    return emit(arith.ConstantOp(IntegerAttr(number, IndexType())))


def element(value: SSAValue) -> Attribute:
    """The type of the elements of a tensor."""
    return cast("TensorType[Attribute]", value.type).get_element_type()


def empty(emit: OperationEmitter, shape: Sequence[int], kind: Attribute) -> SSAValue:
    """A tensor that nobody has written."""
    return emit(tensor.EmptyOp([], TensorType(kind, shape)))


def reshaped(emit: OperationEmitter, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """The same elements in another shape, by way of one dimension."""
    own, kind = shape_of(value), element(value)
    if own == tuple(shape):
        return value
    if not own or not shape:  # a single element: it has no dimension that could be cut, or none is left
        zeros = [index(emit, 0)] * len(own)
        single = emit(tensor.ExtractOp(value, zeros, kind))
        return emit(tensor.FromElementsOp(single, result_type=TensorType(kind, shape)))
    if len(own) > 1:
        groups = _groups(len(own))
        made = TensorType(kind, [prod(own)])
        value = emit(
            tensor.CollapseShapeOp.build(operands=[value], result_types=[made], properties={"reassociation": groups})
        )
    if len(shape) == 1:
        return value
    return emit(tensor.ExpandShapeOp(value, [], _groups(len(shape)), list(shape), TensorType(kind, shape)))


def _groups(rank: int) -> Any:
    return ArrayAttr([ArrayAttr([IntegerAttr(place, i64) for place in range(rank)])])


def turned(emit: OperationEmitter, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """A tensor with its dimensions in `order`, by a copy."""
    if list(order) == sorted(order):
        return value
    own = shape_of(value)
    open_sizes = [emit(tensor.DimOp(value, index(emit, place))) for place in order if own[place] < 0]
    kind = TensorType(element(value), [own[place] for place in order])
    init = emit(tensor.EmptyOp(open_sizes, kind))
    return emit(TransposeOp(value, init, attr.ints(order), kind))


def slice_of(
    emit: OperationEmitter,
    source: SSAValue,
    offsets: Sequence[Number],
    sizes: Sequence[Number],
    dropped: Collection[int] = (),
) -> SSAValue:
    """A part of a tensor, without those dimensions, of size 1, that are `dropped`."""
    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    kind = TensorType(element(source), [size for dim, size in enumerate(shape) if dim not in dropped])
    return emit(tensor.ExtractSliceOp(source, offsets, sizes, [1] * len(sizes), kind))


def put(
    emit: OperationEmitter, part: SSAValue, into: SSAValue, offsets: Sequence[Number], sizes: Sequence[Number]
) -> SSAValue:
    """A tensor with a part replaced."""
    lists = {"offsets": offsets, "sizes": sizes, "strides": [1] * len(sizes)}
    static = {
        f"static_{name}": DenseArrayBase.from_list(i64, [n if isinstance(n, int) else DYNAMIC_INDEX for n in numbers])
        for name, numbers in lists.items()
    }
    dynamic = [[number for number in numbers if not isinstance(number, int)] for numbers in lists.values()]
    return emit(
        tensor.InsertSliceOp.build(operands=[part, into, *dynamic], result_types=[into.type], properties=static)
    )


def shorter(emit: OperationEmitter, counter: SSAValue, most: int, size: int) -> Number:
    """The size of a tile that begins at `counter`, of `size` in all: less than `most` only where that does not fit."""
    if size % most == 0:
        return most
    rest = AffineExpr.constant(size) - AffineDimExpr(0)
    return emit(affine.MinOp([counter], AffineMapAttr(AffineMap(1, 0, (AffineExpr.constant(most), rest)))))


def later(emit: OperationEmitter, counter: SSAValue, by: int) -> SSAValue:
    """A counter that is `by` larger."""
    return emit(affine.ApplyOp([counter], AffineMapAttr(AffineMap(1, 0, (AffineDimExpr(0) + by,)))))


def generic(
    emit: OperationEmitter,
    operands: tuple[Sequence[SSAValue], SSAValue],
    maps: Sequence[AffineMap],
    parallel: Sequence[bool],
    body: Region,
) -> GenericOp:
    """A structured operation with one result."""
    kinds = [IteratorTypeAttr.parallel() if flag else IteratorTypeAttr.reduction() for flag in parallel]
    op = GenericOp.build(
        operands=[list(operands[0]), [operands[1]]],
        result_types=[[operands[1].type]],
        properties={
            "indexing_maps": ArrayAttr([AffineMapAttr(each) for each in maps]),
            "iterator_types": ArrayAttr(kinds),
        },
        regions=[body],
    )
    emit(op)
    return op


def plain(emit: OperationEmitter, a: SSAValue, b: SSAValue, c: SSAValue, body: Region) -> GenericOp:
    """`c` [m, n] plus `a` [m, k] times `b` [k, n]."""
    maps = [AffineMap(3, 0, tuple(map(AffineDimExpr, loops))) for loops in _PLAIN_MAPS]
    op = generic(emit, ([a, b], c), maps, (True, True, False), body)
    mark(op, "mnk")
    return op


def each(emit: OperationEmitter, value: SSAValue, casts: Sequence[Operation]) -> SSAValue:
    """A tensor whose elements are widened, by one cast after another."""
    if not casts:
        return value
    kind = casts[-1].results[0].type
    block = Block(arg_types=[element(value), kind])
    made: SSAValue = block.args[0]
    for cast_op in casts:
        copy = type(cast_op).create(operands=[made], result_types=[cast_op.results[0].type])
        block.add_op(copy)
        made = copy.results[0]
    block.add_op(YieldOp(made))
    shape = shape_of(value)
    maps = [AffineMap.identity(len(shape))] * 2
    return generic(emit, ([value], empty(emit, shape, kind)), maps, [True] * len(shape), Region(block)).results[0]


def cast_to(kind: type[Operation], made: Attribute) -> Operation:
    """A cast of single elements, for `each`."""
    return kind.create(result_types=[made])


def product_body(held: Attribute, kind: Attribute) -> Region:
    """The body of a contraction with factors of one type, and sums of the same, or of a wider float."""
    block = Block(arg_types=[held, held, kind])
    before = block.args[2]
    factors = [arith.ExtFOp(value, kind) for value in block.args[:2]] if held != kind else []
    block.add_ops(factors)
    first, second = [cast_op.result for cast_op in factors] or block.args[:2]
    multiplying, adding = (arith.MulfOp, arith.AddfOp) if isinstance(kind, AnyFloat) else (arith.MuliOp, arith.AddiOp)
    product = multiplying(first, second)
    total = adding(before, product)
    block.add_ops([product, total, YieldOp(total)])
    return Region(block)
