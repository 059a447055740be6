"""Rows of a table chosen by an index: read, written, or combined with what is there."""

from __future__ import annotations

import numpy as np

from emu.core.crossbars.fault import Fault
from emu.core.kernels.spec import Kernel, KernelSpec, Maker

COMBINED = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}  # by suffix


def _places(index: np.ndarray, spec: KernelSpec, role: str) -> np.ndarray:
    """`index` [*box, n] as numbers of rows, int64 and contiguous; faults at the first one that is outside."""
    entries, wraps = spec.arg0, "wrap" in spec.flags
    places = np.array(index, np.int64, order="C")
    wrong = (places < (-entries if wraps else 0)) | (places >= entries)
    if wrong.any():
        raise Fault("index outside the table", role, int(places.reshape(-1)[np.argmax(wrong)]), entries)
    if wraps:
        places[places < 0] += entries
    return places


def _everywhere(box: tuple[int, ...]) -> list[np.ndarray]:
    """Indices of all iterations [*box], that broadcast against places [*box, n]."""
    return [np.arange(count).reshape(count, *[1] * (len(box) - axis)) for axis, count in enumerate(box)]


def _lookup(spec: KernelSpec) -> Kernel:
    narrow = spec.arg1 == 1

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        places, table = _places(sources[0], spec, "src"), sources[1]
        box = dst.shape[:-2]
        if narrow:
            dst, table = dst[..., 0], table[..., 0]
        if any(step and count > 1 for step, count in zip(table.strides, box, strict=False)):
            dst[...] = table[(*_everywhere(box), places)]
            return
        one = table[(0,) * len(box)]
        dst[...] = one.take(places, axis=0) if one.flags.c_contiguous else one[places]

    return kernel


def _put(spec: KernelSpec) -> Kernel:
    combine = next((operation for name, operation in COMBINED.items() if name in spec.flags), None)
    narrow = spec.arg1 == 1

    def kernel(table: np.ndarray, /, *sources: np.ndarray) -> None:
        places, values = _places(sources[0], spec, "index"), sources[1]
        box = table.shape[:-2]
        if np.may_share_memory(table, values):
            values = values.copy()
        if narrow:
            table, values = table[..., 0], values[..., 0]
        # Places are contiguous: NumPy then goes through them in their order, and the last of equal ones stays.
        where = (*_everywhere(box), places)
        if combine is None:
            table[where] = values
        else:
            combine.at(table, where, values)

    return kernel


MAKERS: dict[str, Maker] = {"look up": _lookup, "put": _put}
