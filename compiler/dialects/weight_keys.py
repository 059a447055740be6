"""Which properties of operations name arrays of the weight store."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

# Properties that name an array of the weight store, or a list of arrays.
_RECURRENT = ("hidden_bias", "peepholes", "initial_h", "initial_c", "lengths")
WEIGHT_KEYS = ("weights", "bias", "constant", "key", "arrays", *_RECURRENT)


def weight_keys(module: ModuleOp) -> Iterator[tuple[Operation, str, str]]:
    """Operation, property and key of everything that names an array of the weight store."""
    for op in module.walk():
        for name in WEIGHT_KEYS:
            key = op.properties.get(name)
            for item in key if isinstance(key, ArrayAttr) else (key,):
                if isinstance(item, StringAttr):
                    yield op, name, item.data
