"""Operations of `memref` and `bufferization`: a memref is a view of an array, which is written in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import bufferization, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable

from compiler.dialects.linalg import buffers
from compiler.interpreter.host.tensors import (
    DYNAMIC,
    collapsed,
    cuts_of,
    dimension,
    dropped,
    expanded,
    part_of,
    place_in,
    shape_of,
    sized,
)
from compiler.interpreter.host.values import Array, constant, numpy_type
from compiler.interpreter.host.world import HostMeaning, HostWorld


def poison(kind: np.dtype[Any]) -> Any:
    """What stands where nobody has written, or nobody may read any more: no number that a program could count on."""
    return np.nan if kind.kind == "f" else 0x55


def laid_out(array: Array, kind: Attribute) -> Array:
    """A copy of an array with the strides and the offset that its type says, of a type that has a layout."""
    strides = cast("MemRefType[Attribute]", kind).get_strides()
    offset = cast("MemRefType[Attribute]", kind).get_offset() or 0
    steps = [
        own if wanted in (None, DYNAMIC) else wanted for own, wanted in zip(_dense(array), strides or (), strict=False)
    ]
    size, count = array.dtype.itemsize, sum(step * max(n - 1, 0) for step, n in zip(steps, array.shape, strict=True))
    if array.size == 0:
        return np.array(array)
    whole = np.zeros(offset + count + 1, array.dtype)
    made = np.ndarray(array.shape, array.dtype, whole, offset * size, [step * size for step in steps])
    made[...] = array
    return made


def has_layout(kind: MemRefType[Attribute]) -> bool:
    """Whether a type is one of strides that go up."""
    try:
        strides, offset = kind.get_strides(), kind.get_offset()
    except NotImplementedError:
        return False
    numbers = [] if strides is None else [step for step in (*strides, offset) if step not in (None, DYNAMIC)]
    return strides is not None and min(numbers, default=0) >= 0


def _dense(array: Array) -> list[int]:
    """Strides without gaps, in elements."""
    return [prod(array.shape[place + 1 :]) for place in range(array.ndim)]


def _alloc(op: buffers.AllocOp | buffers.AllocaOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    kind = numpy_type(op.memref.type)
    made = np.full(sized(op.memref, args), poison(kind), kind)
    return [made if isinstance(op.memref.type.layout, NoneAttr) else laid_out(made, op.memref.type)]


def _dealloc(op: memref.DeallocOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    args[0][...] = poison(args[0].dtype)
    return []


def _load(op: memref.LoadOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.array(args[0][place_in(args[0], args[1:])])]


def _store(op: memref.StoreOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    value, target, *indices = args
    target[place_in(target, indices)] = value
    return []


def _subview(op: memref.SubviewOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    offsets, sizes, strides = cuts_of(op, args[1:])
    part = part_of(args[0], offsets, sizes, strides)
    return [np.squeeze(part, tuple(dropped(sizes, shape_of(op.result))))]


def _copy(op: buffers.CopyOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    put(args[1], args[0])
    return []


def put(target: Array, value: Array) -> None:
    """Write all elements of a memref; raises ValueError for another shape."""
    if target.shape != value.shape:
        raise ValueError(f"writes elements of shape {list(value.shape)} to a memref of {list(target.shape)}")
    target[...] = value


def _cast(op: buffers.CastOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    _check(args[0], op.dest.type)
    return [args[0]]


def _check(array: Array, kind: MemRefType[Attribute]) -> None:
    """Raise ValueError unless sizes and strides are those that a type says."""
    if any(a not in (b, DYNAMIC) for a, b in zip(kind.get_shape(), array.shape, strict=True)):
        raise ValueError(f"casts a memref of shape {list(array.shape)} to {kind}")
    strides, size = kind.get_strides(), array.dtype.itemsize
    for wanted, own, count in zip(strides or (), array.strides, array.shape, strict=False):
        if count > 1 and wanted is not None and wanted != DYNAMIC and wanted * size != own:
            raise ValueError(f"casts a memref of strides {[step // size for step in array.strides]} to {kind}")


def _dim(op: memref.DimOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [dimension(args[0], int(args[1]))]


def _rank(op: buffers.RankOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.array(args[0].ndim, np.int64)]


def _collapse(op: memref.CollapseShapeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [_reshaped(args[0], collapsed(args[0].shape, op))]


def _expand(op: memref.ExpandShapeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [_reshaped(args[0], expanded(op, args[1:]))]


def _reshaped(array: Array, shape: Sequence[int]) -> Array:
    """A view in another shape; raises ValueError where strides do not allow it."""
    try:
        return np.reshape(array, shape, copy=False)
    except ValueError:
        raise ValueError(f"makes {list(shape)} of {list(array.shape)}, whose strides do not allow it") from None


def _reinterpret(op: memref.ReinterpretCastOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    (offset,), sizes, strides = cuts_of(op, args[1:])
    whole = args[0]
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    ends = [step * max(size - 1, 0) for step, size in zip(strides, sizes, strict=True)]
    low, high = offset + sum(min(end, 0) for end in ends), offset + sum(max(end, 0) for end in ends)
    if min(sizes, default=1) < 0 or (0 not in sizes and (low < 0 or high >= whole.size)):
        raise ValueError(f"reaches from element {low} to {high} of {whole.size}")
    each = whole.dtype.itemsize
    return [np.ndarray(sizes, whole.dtype, whole, offset * each, [step * each for step in strides])]


def _get_global(op: memref.GetGlobalOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    name = op.name_.string_value()
    if name not in world.globals:
        found = SymbolTable.lookup_symbol(op, op.name_)
        if not isinstance(found, buffers.GlobalOp):
            raise ValueError(f"there is no memref.global @{name}")
        world.globals[name] = _value_of(found, world)
    return [world.globals[name]]


def _value_of(op: buffers.GlobalOp, world: HostWorld) -> Array:
    if not isinstance(op.initial_value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        return np.full(op.type.get_shape(), poison(numpy_type(op.type)), numpy_type(op.type))
    made = np.array(constant(op.initial_value, world.blobs))
    made.flags.writeable = op.constant is None
    return made


def _to_tensor(op: buffers.ToTensorOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.array(args[0], order="C")]


def _alloc_tensor(op: bufferization.AllocTensorOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    if op.copy is not None:
        return [args[len(op.dynamic_sizes)]]
    kind = numpy_type(op.tensor.type)
    return [np.full(sized(op.tensor, args), poison(kind), kind)]


def _materialize(op: buffers.MaterializeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    if op.result is not None:
        return [args[0]]
    put(args[1], args[0])
    return []


MEANINGS: Mapping[type[Operation], HostMeaning] = {
    buffers.AllocOp: _alloc,
    buffers.AllocaOp: _alloc,
    memref.DeallocOp: _dealloc,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    memref.SubviewOp: _subview,
    memref.DimOp: _dim,
    memref.CollapseShapeOp: _collapse,
    memref.ExpandShapeOp: _expand,
    memref.ReinterpretCastOp: _reinterpret,
    memref.GetGlobalOp: _get_global,
    buffers.CopyOp: _copy,
    buffers.CastOp: _cast,
    buffers.RankOp: _rank,
    bufferization.AllocTensorOp: _alloc_tensor,
    bufferization.CloneOp: _to_tensor,
    buffers.ToTensorOp: _to_tensor,
    buffers.ToBufferOp: _to_tensor,
    buffers.ToMemRefOp: _to_tensor,
    buffers.MaterializeOp: _materialize,
}
