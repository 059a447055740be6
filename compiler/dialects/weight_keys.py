"""Which properties of operations name arrays of the weight store."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

WEIGHT_KEYS = ("weights", "bias", "constant", "key")  # properties that name an array of the weight store


def weight_keys(module: ModuleOp) -> Iterator[tuple[Operation, str, str]]:
    """Operation, property and key of everything that names an array of the weight store."""
    for op in module.walk():
        for name in WEIGHT_KEYS:
            key = op.properties.get(name)
            if isinstance(key, StringAttr):
                yield op, name, key.data
