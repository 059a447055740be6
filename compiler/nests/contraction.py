"""Nests that are matrix products: sums of products of two operands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from compiler.nests.nest import Nest
from emu.isa.dtypes import NUMBERS, DType


@dataclass(frozen=True, slots=True)
class Contraction:
    """Types of the operands of a matrix product, in the order of the nest, and of its sums."""

    left: DType
    right: DType
    result: DType


@lru_cache(maxsize=4096)
def contraction_of(nest: Nest, types: tuple[DType, ...]) -> Contraction | None:
    """What a nest on operands of these types is as a matrix product; None if it is none.

    Its body multiplies its two operands, as they are or as integers of the type of the sums; a dimension that is summed
    up counts in both operands, and another one in one of them alone. That one may have a single element: what a part of
    a nest is must not depend on where it is cut, because a product of matrices rounds otherwise than a sum of products.
    """
    if nest.combine != "add" or len(nest.sources) != 2 or not nest.body.steps or len(set(types)) > 2:
        return None
    *casts, product = nest.body.steps
    factors = {place: place for place in (0, 1)}
    for number, step in enumerate(casts, start=2):
        if step.fn != "cast" or step.args[0] not in factors or step.dtype != product.dtype:
            return None
        factors[number] = factors.pop(step.args[0])
    wide = product.dtype
    if (
        product.fn != "mul"
        or set(product.args) != factors.keys()
        or wide not in NUMBERS
        or not NUMBERS.issuperset(types)
    ):
        return None
    if casts and (wide.is_float or any(kind.is_float or kind.size > wide.size for kind in types)):
        return None
    kinds = [(kind_of(nest, dim), size) for dim, size in enumerate(nest.sizes)]
    sums = any(kind == "inner" and size > 1 for kind, size in kinds)
    makes = any(kind in ("row", "column") for kind, _ in kinds)
    return Contraction(types[0], types[1], wide) if sums and makes else None


def kind_of(nest: Nest, dim: int) -> str:
    """What a dimension is in a matrix product, as `role` says."""
    return role(nest.parallel[dim], *(any(index.factor(dim) for index in indices) for indices in nest.sources))


def role(parallel: bool, left: bool, right: bool) -> str:
    """What a dimension is that counts in the `left` operand and in the `right` one, if these hold.

    "row" of the first operand, "column" of the second, "inner", or "other".
    """
    if not parallel:
        return "inner" if left and right else "other"
    return "other" if left == right else "row" if left else "column"
