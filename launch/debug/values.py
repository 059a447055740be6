"""Values as lines: arrays with their type and shape, shortened when they are large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

WIDTH = 100
SMALL = 200  # elements: larger arrays are shortened
EDGE = 3
ROUGH = 4  # digits of a shortened one


def value_lines(value: Any) -> Iterator[str]:
    """A number on its line; an array; of several values, one after the other."""
    if isinstance(value, tuple) and any(isinstance(member, np.ndarray | tuple) for member in value):
        for member in value:
            yield from value_lines(member)
    elif isinstance(value, np.ndarray) and value.ndim:
        yield from array_lines(value)
    elif isinstance(value, tuple):
        yield str(tuple(member.item() if isinstance(member, np.generic) else member for member in value))
    else:
        yield str(value)


def array_lines(array: np.ndarray) -> Iterator[str]:
    """Type and shape, then the elements."""
    yield f"{array.dtype}{list(array.shape)}"
    style = {"precision": ROUGH, "suppress_small": True} if array.size > SMALL else {}
    text = np.array2string(array, separator=", ", threshold=SMALL, edgeitems=EDGE, max_line_width=WIDTH, **style)
    yield from filter(None, text.splitlines())
