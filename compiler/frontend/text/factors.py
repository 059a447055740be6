"""The factors of a product: elements of two operands, as they are or widened, one of which is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.integer import FACTORS
from compiler.dialects.nest import GenericOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.bodies import OPERAND, TracedBody
from compiler.frontend.text.reader import Empty, TextNode, TextReader, machine_array
from compiler.interpreter.host.values import Array
from compiler.nests.body import CONSTANT
from compiler.nests.expression import Value, cast
from compiler.nests.linear import Map, identity
from emu.isa.dtypes import DType

_NARROW = (DType.i8, DType.u8, DType.i16)
_MOST_SUM = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Factor:
    """The element of operand `place`, without a `zero` point; `unsigned`: its bits are a number without sign."""

    place: int
    zero: int = 0
    unsigned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """`x` (of the module) times `weights`, with the maps of both; integers as crossbars take them."""

    x: SSAValue
    weights: Array
    source: Map
    kept: Map
    zero: int = 0


def factor_of(value: Value, wide: DType) -> Factor | None:
    """What a factor is; None if it is another function of an element."""
    if value.fn == "sub" and value.args[1].fn == CONSTANT and not wide.is_float:
        inner = factor_of(value.args[0], wide)
        return None if inner is None else Factor(inner.place, inner.zero + int(value.args[1].number), inner.unsigned)
    if value.fn == "bit_and" and value.args[1].fn == CONSTANT:
        inner = value.args[0].args[0] if value.args[0].fn == "cast" else value.args[0]
        mask = (1 << 8 * inner.dtype.size) - 1
        return Factor(int(inner.number), 0, True) if inner.fn == OPERAND and value.args[1].number == mask else None
    while value.fn == "cast":
        if value.args[0].dtype == DType.bool or (value.args[0].dtype.is_float and not value.dtype.is_float):
            return None
        value = value.args[0]
    return Factor(int(value.number)) if value.fn == OPERAND else None


def pair_of(reader: TextReader, node: TextNode, traced: TracedBody, value: Value) -> Pair | None:
    """The factors of a product that crossbars multiply, one operand of which is known; None if it is anything else."""
    if value.fn != "mul" or (value.dtype.is_float and value.dtype != DType.f32):
        return None
    factors = [factor_of(arg, value.dtype) for arg in value.args]
    a, b = factors
    if a is None or b is None or a.place == b.place:
        return None
    founds = [traced.operands[factor.place].found for factor in (a, b)]
    fixed = [place for place, found in enumerate(founds) if not isinstance(found, SSAValue | Empty)]
    if len(fixed) != 1 or not isinstance(founds[1 - fixed[0]], SSAValue):
        return None
    (known,), running = fixed, 1 - fixed[0]
    array, x = founds[known], founds[running]
    assert isinstance(x, SSAValue) and not isinstance(array, SSAValue | Empty)
    source, kept = (traced.operands[(a, b)[place].place].map for place in (running, known))
    if value.dtype.is_float:
        x = x if dtype_of(x) == DType.f32 else elementwise(node, reader.scope, [x], _as_f32, "wide")
        weights = reader.derived(array, "f32", lambda: machine_array(array).astype(np.float32, copy=False))
        return Pair(x, weights, source, kept)
    return _of_integers(
        reader, node, (x, (a, b)[running], source), (array, (a, b)[known], kept), value.dtype, traced.parallel
    )


def _as_f32(value: Value) -> Value:
    return cast(value, DType.f32)


def _of_integers(
    reader: TextReader,
    node: TextNode,
    running: tuple[SSAValue, Factor, Map],
    known: tuple[Array, Factor, Map],
    wide: DType,
    parallel: Sequence[bool],
) -> Pair | None:
    """Integers that crossbars take, with sums that 32 bits hold, or that wrap in as many bits or fewer."""
    (x, factor, source), (array, other, kept) = running, known
    if array.dtype.kind == "b":
        return None
    weights = reader.derived(array, other, lambda: _weights_of(array, other))
    x, unsigned = narrowed(x), factor.unsigned
    if weights.dtype == np.int64 or dtype_of(x) not in FACTORS or (unsigned and dtype_of(x) != DType.i8):
        return None
    kind = DType.u8 if unsigned else dtype_of(x)
    limits = np.iinfo(kind.numpy)
    reach = max(abs(int(limits.min) - factor.zero), abs(int(limits.max) - factor.zero))
    if factor.zero and reach > np.iinfo(np.int16).max:
        return None
    if wide == DType.i64 and reach * _largest_sum(weights, kept, parallel) > _MOST_SUM:
        return None
    if unsigned or factor.zero:
        zero, mask = factor.zero, 0xFF

        def write(value: Value) -> Value:
            value = cast(value, DType.i16)
            value = value & mask if unsigned else value
            return value - zero if zero else value

        x = elementwise(node, reader.scope, [x], write, "shifted")
    return Pair(x, weights, source, kept)


def _largest_sum(weights: Array, kept: Map, parallel: Sequence[bool]) -> int:
    """The most that the sizes of the weights of one sum are together."""
    summed = tuple(axis for axis, index in enumerate(kept) if not any(parallel[dim] for dim, _ in index.factors))
    return int(np.abs(weights.astype(np.int64)).sum(axis=summed).max(initial=0))


def _weights_of(array: Array, factor: Factor) -> Array:
    if factor.unsigned:
        array = np.asarray(array).view(np.dtype(f"<u{array.dtype.itemsize}"))
    return narrow(array.astype(np.int64) - factor.zero)


def narrow(array: Array) -> Array:
    """Integers of 64 bits in the narrowest type of crossbars that holds them; as they are if none does."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for kind in _NARROW:
        limits = np.iinfo(kind.numpy)
        if limits.min <= low and high <= limits.max:
            return array.astype(kind.numpy)
    return array


def narrowed(x: SSAValue) -> SSAValue:
    """What a value was before it was widened, if a nest does nothing but that."""
    while isinstance(owner := x.owner, GenericOp):
        nest = owner.nest
        (step, *others) = nest.body.steps or (None,)
        widens = step is not None and not others and step.fn == "cast" and len(owner.inputs) == 1
        if not widens or not nest.elementwise or nest.sources[0] != identity(len(nest.sizes)):
            break
        inner = owner.inputs[0]
        kinds = dtype_of(inner), dtype_of(x)
        if shape_of(inner) != shape_of(x) or any(kind.is_float or kind == DType.bool for kind in kinds):
            break
        if kinds[0].size >= kinds[1].size:
            break
        x = inner
    return x
