"""What is known of a value that has room behind what counts of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from compiler.basis.weights import Array


class Tail(IntEnum):
    """What stands behind the end of an axis; a larger one says less."""

    ZERO = 0
    FINITE = 1
    ANY = 2


@dataclass(frozen=True, slots=True)
class Facts:
    """`tails` of the axes that grow; `cache` is one that reaches the value, for errors."""

    tails: Mapping[int, Tail] = field(default_factory=dict[int, Tail])
    cache: str = ""


def content(array: Array | None) -> Tail:
    """What elements are, all of them; `None` for ones that nobody knows."""
    if array is None:
        return Tail.ANY
    if not np.any(array):
        return Tail.ZERO
    return Tail.FINITE if array.dtype.kind in "biu" or bool(np.all(np.isfinite(array))) else Tail.ANY


def joined(tails: Iterable[Tail]) -> Tail:
    """What is true of all of them."""
    return max(tails, default=Tail.ANY)
