"""How outputs differ from those that a case of the suite expects, by the suite's own rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.wording import counted


def difference(
    names: Sequence[str], got: Sequence[np.ndarray], want: Sequence[np.ndarray], rtol: float, atol: float
) -> str:
    """What is wrong with the outputs, in one sentence; empty if nothing is.

    As the suite has it, |got - want| may be `atol` + `rtol` x |want| for each element, and NaN equals NaN; but integers
    and truth values must be equal, and so must types and shapes.
    """
    if len(got) != len(want) or not want:
        return f"{counted(len(got), 'output')} came out, {len(want)} are expected"
    faults = (_of_one(name, *pair, rtol, atol) for name, *pair in zip(names, got, want, strict=True))
    return "; ".join(filter(None, faults))


def _of_one(name: str, got: np.ndarray, want: np.ndarray, rtol: float, atol: float) -> str:
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"output '{name}' is {_kind(got)}, {_kind(want)} is expected"
    exact = want.dtype.kind not in "fc"
    wrong = got != want if exact else ~np.isclose(got, want, rtol, atol, equal_nan=True)
    if not wrong.any():
        return ""
    with np.errstate(invalid="ignore"):
        distance = np.abs(got.astype(np.float64) - want.astype(np.float64))
    distance = np.where(wrong, np.nan_to_num(distance, nan=np.inf), -1.0)
    bound = "not equal" if exact else f"beyond rtol {rtol:g}, atol {atol:g}"
    worst = np.unravel_index(int(distance.argmax()), got.shape)
    return (
        f"output '{name}': {np.count_nonzero(wrong)} of {counted(got.size, 'element')} {bound}, "
        f"max|diff| {distance[worst]:.3g}; worst at {[int(place) for place in worst]}: "
        f"{got[worst].item()!r}, {want[worst].item()!r} is expected"
    )


def _kind(array: np.ndarray) -> str:
    return f"{array.dtype.name}{list(array.shape)}"
