"""Nests as properties of operations: `affine_map`s, iterator types, and a body as a list of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap, AffineSymExpr
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.types import ELEMENTS, element_dtype
from compiler.nests.body import BodyStep, NestBody
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest

_PARALLEL, _REDUCTION = "parallel", "reduction"
Maps = ArrayAttr[AffineMapAttr]
Steps = ArrayAttr[DictionaryAttr]


def nest_properties(nest: Nest) -> dict[str, Attribute]:
    """The properties `sizes`, `iterators`, `maps` (operands, then the result), `body` and `combine` of a nest."""
    properties: dict[str, Attribute] = {
        "sizes": attr.ints(nest.sizes),
        "iterators": attr.strings(_PARALLEL if parallel else _REDUCTION for parallel in nest.parallel),
        "maps": ArrayAttr([_map_attribute(indices, len(nest.sizes)) for indices in (*nest.sources, nest.target)]),
        "body": ArrayAttr([_step_attribute(step) for step in nest.body.steps]),
    }
    if nest.combine:
        properties["combine"] = StringAttr(nest.combine)
    return properties


def nest_of(properties: Mapping[str, Attribute]) -> Nest:
    """The inverse of `nest_properties`; raises VerifyException for properties that are none."""
    combine = properties.get("combine")
    sizes, iterators, maps, body = (properties[name] for name in ("sizes", "iterators", "maps", "body"))
    parts = sizes, iterators, maps, body, combine
    key = tuple([id(part) for part in parts])
    known = _known.get(key)
    if known is None:
        nest = _nest(
            cast(DenseArrayBase, sizes),
            cast("ArrayAttr[StringAttr]", iterators),
            cast(Maps, maps),
            cast(Steps, body),
            combine.data if isinstance(combine, StringAttr) else "",
        )
        if len(_known) >= _MOST:
            _known.clear()
        known = _known[key] = parts, nest
    return known[1]


_MOST = 4096
# By the identity of the properties, which stay alive here: their hashes go through whole trees of attributes.
_known: dict[tuple[int, ...], tuple[tuple[Attribute | None, ...], Nest]] = {}


@lru_cache(maxsize=_MOST)
def _nest(sizes: DenseArrayBase, iterators: ArrayAttr[StringAttr], maps: Maps, body: Steps, combine: str) -> Nest:
    kinds = [kind.data for kind in iterators]
    if any(kind not in (_PARALLEL, _REDUCTION) for kind in kinds):
        raise VerifyException(f'iterators must hold "{_PARALLEL}" or "{_REDUCTION}"')
    if not len(maps):
        raise VerifyException("maps must hold one affine_map for each operand, and one for the result")
    *sources, target = [_indices(part.data, len(kinds)) for part in maps]
    parallel = tuple(kind == _PARALLEL for kind in kinds)
    steps = NestBody(tuple(_step(entry) for entry in body))
    return Nest(attr.values(sizes), parallel, tuple(sources), target, steps, combine)


def _map_attribute(indices: Map, dimensions: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap(dimensions, 0, tuple(_expression(index) for index in indices)))


def _expression(index: Linear) -> AffineExpr:
    total: AffineExpr | None = None
    for dim, factor in index.factors:
        term = AffineExpr.dimension(dim)
        term = term if factor == 1 else term * factor
        total = term if total is None else total + term
    if total is None:
        return AffineExpr.constant(index.constant)
    return total + index.constant if index.constant else total


@lru_cache(maxsize=4096)
def _indices(given: AffineMap, dimensions: int) -> Map:
    """The linear functions of an affine map, found by its values at the origin and one step along each dimension."""
    if given.num_dims != dimensions or given.num_symbols:
        raise VerifyException(f"each of maps must be of the {dimensions} dimensions of the space")
    for result in given.results:
        for part in result.dfs():
            product = isinstance(part, AffineBinaryOpExpr) and part.kind is not AffineBinaryOpKind.Add
            if isinstance(part, AffineSymExpr) or (product and not _is_product(part)):
                raise VerifyException("maps must be linear: sums of dimensions times numbers")
    zero = given.eval([0] * dimensions, [])
    units = [given.eval([int(dim == place) for place in range(dimensions)], []) for dim in range(dimensions)]
    return tuple(
        Linear.of(constant, {dim: unit[row] - constant for dim, unit in enumerate(units)})
        for row, constant in enumerate(zero)
    )


def _is_product(part: AffineExpr) -> bool:
    """Whether it multiplies by a number."""
    return (
        isinstance(part, AffineBinaryOpExpr) and part.kind is AffineBinaryOpKind.Mul and part.rhs.used_dims() == set()
    )


def _step_attribute(step: BodyStep) -> DictionaryAttr:
    entry: dict[str, Attribute] = {"fn": StringAttr(step.fn), "type": ELEMENTS[step.dtype]}
    if step.args:
        entry["args"] = attr.ints(step.args)
    else:
        number = step.number
        entry["value"] = IntegerAttr(number, i64) if isinstance(number, int) else FloatAttr(number, f64)
    return DictionaryAttr(entry)


def _step(entry: DictionaryAttr) -> BodyStep:
    name, kind, args, value = (entry.data.get(key) for key in ("fn", "type", "args", "value"))
    number = value.value.data if isinstance(value, IntegerAttr | FloatAttr) else None
    if not isinstance(name, StringAttr) or kind is None or (number is None) == (not isinstance(args, DenseArrayBase)):
        raise VerifyException('a step of body is {fn = "add", type = f32, args = array<i64: 0, 1>}, or has a value')
    if isinstance(args, DenseArrayBase) and args.elt_type != i64:
        raise VerifyException("args of a step of body must be an array<i64>")
    numbers: Sequence[int] = attr.values(args) if isinstance(args, DenseArrayBase) else ()
    return BodyStep(name.data, element_dtype(kind), tuple(numbers), 0 if number is None else number)


def body_attribute(body: NestBody) -> Steps:
    """A body by itself, as the property `body` of a nest."""
    return ArrayAttr([_step_attribute(step) for step in body.steps])


def body_of_attribute(steps: Steps) -> NestBody:
    """The inverse of `body_attribute`; raises VerifyException for what is none."""
    return NestBody(tuple(_step(entry) for entry in steps))
