"""What may not stand beside each other in a parallel block: a write of a crossbar, and a product with it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import cast

from emu.interop.mop.flow import Operator, Register
from emu.interop.mop.operators import OPERATORS


def writes_beside_products(operators: Sequence[Operator]) -> Iterator[tuple[int, str]]:
    """The writes among operators that start at once of which another one multiplies with the crossbar, and why not."""
    products = [operator for operator in operators if OPERATORS[operator.name].crossbars == "multiplies"]
    products.sort(key=lambda product: _multiplied(product).start)
    firsts = [_multiplied(product).start for product in products]
    reaching = list(accumulate(products, _farther))  # of the products up to each, the one that reaches farthest
    for place, operator in enumerate(operators):
        if OPERATORS[operator.name].crossbars != "writes":
            continue
        crossbar = cast(Register, operator.args[0]).crossbar
        before = bisect_right(firsts, crossbar)
        if before and crossbar in _multiplied(reaching[before - 1]):
            yield place, f"writes xb{crossbar}, while {named_beside(reaching[before - 1])} multiplies with it"


def named_beside(operator: Operator) -> str:
    """Another operator of a parallel block, with its place if it stands in a text."""
    where = f"in line {operator.line}, column {operator.column}, " if operator.line else ""
    return f"{operator.name} {where}of its parallel block"


def _farther(a: Operator, b: Operator) -> Operator:
    return b if _multiplied(b).stop > _multiplied(a).stop else a


def _multiplied(product: Operator) -> range:
    """Crossbars that a product uses: several, from the first on, or the one of its rows."""
    first = cast(Register, product.args[0]).crossbar
    several = "crossbar" in OPERATORS[product.name].operands.values()
    return range(first, first + (cast(int, product.args[1]) if several else 1))
