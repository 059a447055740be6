"""Tiles that fill the whole of a crossbar, in the type that it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, TensorType
from xdsl.dialects.linalg.ops import FillOp, YieldOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap

from compiler.dialects import attributes as attr
from compiler.dialects.linalg import casts
from compiler.interpreter.host.tensors import DYNAMIC
from compiler.offload.building import Number, element, generic, index
from compiler.offload.contraction import shape_of
from compiler.offload.emitter import OperationEmitter


def size_of(emit: OperationEmitter, value: SSAValue, place: int) -> Number:
    """A size of a tensor; one that is not in its type is a value."""
    size = shape_of(value)[place]
    return size if size >= 0 else emit(tensor.DimOp(value, index(emit, place)))


def padded(emit: OperationEmitter, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """A matrix with zeros behind, up to a shape (DYNAMIC: as it is there)."""
    if all(wanted in (size, DYNAMIC) for size, wanted in zip(shape_of(value), shape, strict=True)):
        return value
    sizes = [size_of(emit, value, place) for place in range(len(shape))]
    whole = [size if wanted == DYNAMIC else wanted for size, wanted in zip(sizes, shape, strict=True)]
    zeros = _zeros(emit, whole, element(value))
    static = {
        "static_offsets": attr.ints([0] * len(shape)),
        "static_sizes": attr.ints([size if isinstance(size, int) else DYNAMIC for size in sizes]),
        "static_strides": attr.ints([1] * len(shape)),
    }
    dynamic = [[], _values(sizes), []]
    op = tensor.InsertSliceOp.build(operands=[value, zeros, *dynamic], result_types=[zeros.type], properties=static)
    return emit(op)


def widened(emit: OperationEmitter, value: SSAValue, kind: Attribute) -> SSAValue:
    """A matrix of the same numbers in a wider type."""
    if element(value) == kind:
        return value
    block = Block(arg_types=[element(value), kind])
    widen = casts.ExtSIOp if isinstance(kind, IntegerType) else arith.ExtFOp
    wide = widen(block.args[0], cast(Any, kind))
    block.add_ops([wide, YieldOp(wide.result)])
    space = _space(emit, [size_of(emit, value, place) for place in range(2)], kind)
    maps = [AffineMap.identity(2)] * 2
    return generic(emit, ([value], space), maps, [True, True], Region(block)).results[0]


def _space(emit: OperationEmitter, sizes: Sequence[Number], kind: Attribute) -> SSAValue:
    made = TensorType(kind, [size if isinstance(size, int) else DYNAMIC for size in sizes])
    return emit(tensor.EmptyOp(_values(sizes), made))


def _zeros(emit: OperationEmitter, sizes: Sequence[Number], kind: Attribute) -> SSAValue:
    space = _space(emit, sizes, kind)
    number: Any = IntegerAttr(0, kind) if isinstance(kind, IntegerType) else FloatAttr(0.0, cast(Any, kind))
    zero = emit(arith.ConstantOp(number))
    return emit(FillOp([zero], [space], [space.type]))


def _values(sizes: Sequence[Number]) -> list[SSAValue]:
    return [size for size in sizes if not isinstance(size, int)]
