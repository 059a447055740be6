"""Structured operations of `linalg`: the body on all points of the parallel loops at once, reductions in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import FillOp, TransposeOp
from xdsl.interpreter import Interpreter
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from compiler.dialects.linalg import casts
from compiler.dialects.linalg.dialects import LINALG_OPS
from compiler.dialects.linalg.forms import SoftmaxOp
from compiler.dialects.linalg.generic import IndexOp
from compiler.dialects.linalg.structure import Structure
from compiler.interpreter.host.memrefs import put
from compiler.interpreter.host.values import Array, numpy_type, unsigned
from compiler.interpreter.host.world import HostMeaning, HostWorld, RegionMeaning
from compiler.interpreter.nests import Indices

AT_ONCE = 1 << 26  # points of a space whose values may be kept before they are put together
_SUMS, _PRODUCTS = (arith.AddfOp, arith.AddiOp), (arith.MulfOp, arith.MuliOp)
_WIDENING = (arith.ExtFOp, casts.ExtSIOp, casts.ExtUIOp, casts.SIToFPOp, casts.UIToFPOp)
_TOGETHER: Mapping[type[Operation], np.ufunc] = {
    arith.AddfOp: np.add, arith.AddiOp: np.add, arith.MulfOp: np.multiply, arith.MuliOp: np.multiply,
    arith.MaximumfOp: np.maximum, arith.MinimumfOp: np.minimum, arith.MaxSIOp: np.maximum, arith.MinSIOp: np.minimum,
}  # fmt: skip


def structured(
    op: LinalgStructuredOperation, args: Sequence[Array], world: HostWorld, interpreter: Interpreter
) -> Sequence[Array]:
    """Any structured operation."""
    return into_buffers(op, args, _structured(op, args, world, interpreter))


def into_buffers(op: Any, args: Sequence[Array], made: Sequence[Array]) -> list[Array]:
    """The results of a structured operation; those for memrefs are written there."""
    targets, left = args[len(op.inputs) :], list[Array]()
    for output, target, value in zip(op.outputs, targets, made, strict=True):
        if isinstance(output.type, MemRefType):
            put(target, value)
        else:
            left.append(value)
    return left


def _structured(
    op: LinalgStructuredOperation, args: Sequence[Array], world: HostWorld, interpreter: Interpreter
) -> Sequence[Array]:
    structure = Structure.of(op)
    sizes = structure.sizes([arg.shape for arg in args])
    results = [np.array(arg) for arg in args[len(structure.inputs) :]]
    if not all(sizes):
        return results
    maps = [Indices.of(each) for each in structure.maps]
    views = [each.view(np.require(arg, requirements="C"), sizes) for each, arg in zip(maps, args, strict=True)]
    if all(structure.parallel):
        made = _body(structure, views, _all_counters(sizes), world, interpreter)
        for indices, result, value in zip(maps[len(structure.inputs) :], results, made, strict=True):
            indices.view(result, sizes)[...] = value
        return results
    targets = [
        _without(indices, structure.parallel).view(result, _kept(sizes, structure.parallel))
        for indices, result in zip(maps[len(structure.inputs) :], results, strict=True)
    ]
    _reduce(structure, views, targets, sizes, world, interpreter)
    return results


def _kept(values: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    return [value for value, flag in zip(values, flags, strict=True) if flag]


def _without(indices: Indices, parallel: Sequence[bool]) -> Indices:
    """The map of a result in the parallel loops alone."""
    return Indices(indices.constants, tuple(tuple(_kept(row, parallel)) for row in indices.factors))


def _all_counters(sizes: Sequence[int]) -> list[Array]:
    return [
        np.arange(size).reshape([size if place == dim else 1 for place in range(len(sizes))])
        for dim, size in enumerate(sizes)
    ]


def _body(
    structure: Structure, args: Sequence[Array], counters: Sequence[Array], world: HostWorld, interpreter: Interpreter
) -> Sequence[Array]:
    """What the body yields."""
    world.counters.append(counters)
    region = structure.block.parent
    assert region is not None
    made = interpreter.run_ssacfg_region(region, tuple(args), "body")
    world.counters.pop()
    return made


# reductions ---------------------------------------------------------------------------------------------------------


def _reduce(
    structure: Structure,
    views: Sequence[Array],
    targets: Sequence[Array],
    sizes: Sequence[int],
    world: HostWorld,
    interpreter: Interpreter,
) -> None:
    """Put the results into `targets`, which hold what stood there before."""
    found = _combination(structure)
    if found is not None:
        kind, value = found
        factors = _factors(structure, value) if kind in _SUMS else None
        (target,) = targets
        if factors is not None:
            arrays = [_widened(factor, views, structure) for factor in factors]
            target[...] = _contracted(arrays, structure.parallel, target.dtype, np.asarray(target))
            return
        if prod(sizes) <= AT_ONCE:
            made = _before(structure, value, views, sizes, world, interpreter)
            _put_together(_TOGETHER[kind], made, structure.parallel, sizes, target)
            return
    for point in np.ndindex(*_kept(sizes, [not flag for flag in structure.parallel])):
        at: Iterator[int] = iter(point)
        place: list[Any] = [slice(None) if flag else next(at) for flag in structure.parallel]
        counters = _all_counters(_kept(sizes, structure.parallel))
        dims, fixed = iter(counters), iter(point)
        loops = [next(dims) if flag else np.array(next(fixed)) for flag in structure.parallel]
        inputs = [view[tuple(place)] for view in views[: len(structure.inputs)]]
        made = _body(structure, [*inputs, *(np.array(target) for target in targets)], loops, world, interpreter)
        for target, value in zip(targets, made, strict=True):
            target[...] = value


def _combination(structure: Structure) -> tuple[type[Operation], SSAValue] | None:
    """The operation that puts a value to the only result, and that value, if it does not depend on the result."""
    last = structure.block.last_op
    assert last is not None
    if len(structure.accumulators) != 1 or len(last.operands) != 1:
        return None
    (accumulator,), made = structure.accumulators, last.operands[0]
    if not isinstance(made, OpResult) or type(made.owner) not in _TOGETHER or len(list(accumulator.uses)) != 1:
        return None
    values = [value for value in made.owner.operands if value is not accumulator]
    return (type(made.owner), values[0]) if len(values) == 1 else None


def _factors(structure: Structure, value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The two factors of a product of elements, as they are or widened; None if it is anything else."""
    if not isinstance(value, OpResult) or not isinstance(value.owner, _PRODUCTS):
        return None
    a, b = value.owner.operands
    inputs = structure.block.args[: len(structure.inputs)]
    return (a, b) if all(_source(factor) in inputs for factor in (a, b)) else None


def _source(factor: SSAValue) -> SSAValue:
    while isinstance(factor, OpResult) and isinstance(factor.owner, _WIDENING):
        factor = factor.owner.operands[0]
    return factor


def _widened(factor: SSAValue, views: Sequence[Array], structure: Structure) -> Array:
    """The elements of a factor as it stands in the product."""
    if isinstance(factor, BlockArgument):
        return views[factor.index]
    assert isinstance(factor, OpResult)
    inner = _widened(factor.owner.operands[0], views, structure)
    if isinstance(factor.owner, casts.ExtUIOp | casts.UIToFPOp):
        inner = _each(inner, unsigned)
    elif inner.dtype.kind == "b":
        inner = _each(inner, lambda part: -part.astype(np.int8))
    return _each(inner, lambda part: part.astype(numpy_type(factor.type)))


def _each(view: Array, function: Any) -> Array:
    """A function of the elements of a view, not once for each point that repeats them."""
    small = view[tuple(slice(0, 1) if not step else slice(None) for step in view.strides)]
    return np.broadcast_to(function(np.ascontiguousarray(small)), view.shape)


def _contracted(views: Sequence[Array], parallel: Sequence[bool], dtype: np.dtype[Any], before: Array) -> Array:
    """Sums of products by einsum: floats in double precision, integers in 64 bits, which wrap alike in the end."""
    wide = np.dtype(np.float64) if dtype.kind == "f" else np.dtype(np.int64)
    taken: list[Any] = []
    for view in views:
        dims = [dim for dim, (step, size) in enumerate(zip(view.strides, view.shape, strict=True)) if step or size == 1]
        small = view[tuple(slice(None) if dim in dims else 0 for dim in range(view.ndim))]
        taken += [small.astype(wide), dims]
    present = {dim for dims in taken[1::2] for dim in dims}
    absent = [dim for dim in range(len(parallel)) if dim not in present]
    for dim in absent:  # summed, or repeated, as often as the loop runs
        taken += [np.ones(views[0].shape[dim], wide), [dim]]
    kept = [dim for dim, flag in enumerate(parallel) if flag]
    return (before.astype(wide) + np.einsum(*taken, kept, optimize=True)).astype(dtype)


def _before(
    structure: Structure,
    value: SSAValue,
    views: Sequence[Array],
    sizes: Sequence[int],
    world: HostWorld,
    interpreter: Interpreter,
) -> Array:
    """`value` of the body at all points."""
    accumulator = structure.accumulators[0]
    world.counters.append(_all_counters(sizes))
    interpreter.push_scope("body")
    interpreter.set_values(zip(structure.block.args, views, strict=True))
    for op in structure.block.ops:
        if accumulator in op.operands or op is structure.block.last_op:
            continue
        interpreter.set_values(
            zip(op.results, interpreter.run_op(op, interpreter.get_values(op.operands)), strict=True)
        )
    (made,) = interpreter.get_values([value])
    interpreter.pop_scope()
    world.counters.pop()
    return np.broadcast_to(made, sizes)


def _put_together(
    function: np.ufunc, made: Array, parallel: Sequence[bool], sizes: Sequence[int], target: Array
) -> None:
    axes = tuple(dim for dim, flag in enumerate(parallel) if not flag)
    wide = np.float64 if made.dtype.kind == "f" else made.dtype
    if made.dtype.kind == "b":
        made, wide = made.astype(np.int8), np.dtype(np.int8)
        total = function.reduce(made, axis=axes, dtype=wide)
        target[...] = (function(target.astype(np.int8), total) & 1).astype(bool)
        return
    total = function.reduce(made, axis=axes, dtype=wide)
    target[...] = function(target.astype(wide), total).astype(target.dtype)


# the others ---------------------------------------------------------------------------------------------------------


def _fill(op: FillOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return into_buffers(op, args, [np.broadcast_to(args[0].astype(args[1].dtype), args[1].shape)])


def _transpose(op: TransposeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return into_buffers(op, args, [args[0].transpose([int(dim) for dim in op.permutation.get_values()])])


def _index(op: IndexOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.asarray(world.counters[-1][op.dim.value.data], np.int64)]


def _softmax(op: SoftmaxOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    axis, x = op.dimension.value.data, args[0].astype(np.float64)
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return into_buffers(op, args, [(powers / powers.sum(axis=axis, keepdims=True)).astype(args[0].dtype)])


MEANINGS: Mapping[type[Operation], HostMeaning] = {
    FillOp: _fill,
    TransposeOp: _transpose,
    IndexOp: _index,
    SoftmaxOp: _softmax,
}
OF_REGIONS: Mapping[type[Operation], RegionMeaning] = {
    kind: structured for kind in LINALG_OPS if issubclass(kind, LinalgStructuredOperation)
}
