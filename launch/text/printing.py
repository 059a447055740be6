"""The outputs themselves, for `emu launch --print`: lines for people, lists for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from emu.isa.dtypes import DType
from emu.wording import counted

SMALL = 1000  # elements: larger arrays are shortened in lines, and left out of JSON
SAMPLES = 10  # samples in lines
WIDTH = 100
_NAMES = {dtype.numpy: dtype.name for dtype in DType}


def output_lines(outputs: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Every output, (samples,) + shape, sample by sample."""
    for name, array in outputs.items():
        for sample, values in enumerate(array[:SAMPLES]):
            head = f"{name}, sample {sample}: " if len(array) > 1 else f"{name}: "
            yield head + _text(values, len(head))
        if len(array) > SAMPLES:
            yield f"{name}: {counted(len(array) - SAMPLES, 'more sample')} (--save FILE.npz stores all)"


def _text(values: np.ndarray, indent: int) -> str:
    return np.array2string(
        np.asarray(values),
        separator=", ",
        threshold=SMALL,
        max_line_width=WIDTH,
        prefix=" " * indent,
        formatter={"float_kind": lambda value: str(value).removesuffix(".0")},
    )


def output_values(outputs: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Type, shape (samples first) and, of small ones, the values as nested lists; NaN and infinities are text."""
    return {
        name: {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "values": _plain(array.tolist()) if array.size <= SMALL else None,
        }
        for name, array in outputs.items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
