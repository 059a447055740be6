"""Compares tensors with their golden values: limits per sample, the numbers, and the verdict as text and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from emu.errors import InputError
from launch.golden.differences import Differences, classes, measure
from launch.golden.tensor_verdict import TensorVerdict

# Default limits, as parts of the largest golden magnitude of a sample, by element size in bytes: for whole networks.
FLOAT_TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-4}
# What rounding may leave of a sample whose elements cancel out, as parts of the largest golden magnitude of all
# samples: some units in the last place. Of an output that is 0 throughout, nothing tells the size: one unit of 1.
FLOOR_UNITS = 8
# Intermediate tensors may be this many times as far off: an activation that clips hides the size of what was rounded.
KEPT_SLACK = 10
# Where golden values are uncertain: two right evaluators are two draws from what rounding makes of the network.
MORE, FEW = 2, 1e-3
SHOWN = 20  # samples of which the largest element differs, in JSON


@dataclass(frozen=True, slots=True)
class GoldenVerdict:
    """The comparison of all tensors with the golden of one source."""

    source: str  # such as "onnxruntime 1.31.1"
    tensors: tuple[TensorVerdict, ...]
    origin: str = ""  # where the golden values are from if that is no file, such as "stored in the image"

    @property
    def golden(self) -> str:
        """Whose golden values they are, and where from."""
        return f"{self.source} ({self.origin})" if self.origin else self.source

    @property
    def passed(self) -> bool:
        """Whether there are elements to compare, and every tensor passed."""
        return any(tensor.elements for tensor in self.tensors) and all(tensor.passed for tensor in self.tensors)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        tensors = [tensor.to_dict() for tensor in self.tensors]
        return {"source": self.source, "origin": self.origin, "passed": self.passed, "tensors": tensors}


def compare_all(
    got: Mapping[str, np.ndarray],
    golden: Mapping[str, np.ndarray],
    source: str,
    tolerance: float | None = None,
    allow_nan: bool = False,
    slack: float = 1,
    perturbed: Sequence[Mapping[str, np.ndarray]] = (),
) -> GoldenVerdict:
    """Compare every tensor of `got` with `golden`, both (samples,) + logical shape; see `compare`."""
    check_names(got, golden, source)
    compared = (
        compare(name, array, golden[name], tolerance, allow_nan, slack, [other[name] for other in perturbed])
        for name, array in got.items()
    )
    return GoldenVerdict(source, tuple(compared))


def check_names(names: Mapping[str, Any], golden: Mapping[str, Any], source: str) -> None:
    """Raise InputError naming a tensor without golden values."""
    missing = [name for name in names if name not in golden]
    if missing:
        raise InputError(
            f"the golden values ({source}) have no output {missing[0]!r}: they hold "
            f"{', '.join(map(repr, golden)) or 'nothing'}"
        )


def compare(
    name: str,
    got: np.ndarray,
    want: np.ndarray,
    tolerance: float | None = None,
    allow_nan: bool = False,
    slack: float = 1,
    perturbed: Sequence[np.ndarray] = (),
) -> TensorVerdict:
    """Compare one tensor: floats within `slack` x `tolerance` (None: the default) of each sample's size, else exactly.

    `allow_nan`: a tensor of which all golden elements are NaN may pass. `perturbed` are golden values of runs in which
    floats were perturbed by rounding errors before they were rounded to integers: elements may then differ by `MORE`
    times what those differ from `want`, and `MORE` times as many of them, or the share `FEW` of all.
    """
    if any(array.shape != want.shape for array in (got, *perturbed)):
        raise InputError(
            f"output {name!r} has shape {got.shape}, its golden values {want.shape}: other network or inputs"
        )
    if tolerance is not None and not (0 <= tolerance < np.inf):
        raise InputError(f"tolerance {tolerance!r} is impossible: give a finite number, at least 0")
    exact = got.dtype.kind != "f" or want.dtype.kind != "f"
    share = 0.0 if exact else slack * (FLOAT_TOLERANCE[got.dtype.itemsize] if tolerance is None else tolerance)
    floors = 0.0 if exact else min(share, FLOOR_UNITS * _unit(got)), min(share, _unit(got))
    others = [measure(other, want, share, *floors) for other in perturbed]
    room = MORE * np.max([other.per_sample for other in others], axis=0) if others else None
    measured = measure(got, want, share, *floors, room)
    agree, differs, wrong = None, np.zeros(0, np.int64), 0
    if not exact and got.size and can_be_classes(got.shape[1:]):
        agree, differs, wrong = _argmax(got, want, measured)
    worst = measured.worst
    return TensorVerdict(
        name,
        len(got),
        got.size,
        measured.max_abs,
        measured.max_golden,
        share,
        measured.floor,
        measured.relative,
        measured.mismatches,
        measured.odd,
        measured.failed_samples,
        worst,
        got[worst].item() if worst else 0,
        want[worst].item() if worst else 0,
        agree,
        tuple(differs[:SHOWN].tolist()),
        wrong,
        measured.nans,
        float(room.max(initial=0.0)) if room is not None else 0.0,
        measured.moved,
        max(ceil(FEW * got.size), *(MORE * other.mismatches for other in others)) if others else 0,
        0 < measured.golden_nans == got.size,
        allow_nan,
    )


def _unit(array: np.ndarray) -> float:
    """The unit in the last place of 1; 0 for integers."""
    return float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else 0.0


def _argmax(got: np.ndarray, want: np.ndarray, measured: Differences) -> tuple[int, np.ndarray, int]:
    """Samples that agree on the largest element; those that do not; how many of these are no near tie."""
    ours, theirs = classes(got), classes(want)
    differs = np.flatnonzero(ours != theirs)
    flat = want.reshape(len(want), -1)
    with np.errstate(invalid="ignore"):
        gap = flat[differs, theirs[differs]].astype(np.float64) - flat[differs, ours[differs]].astype(np.float64)
    return len(got) - len(differs), differs, int(np.count_nonzero(gap > measured.limits[differs]))


def can_be_classes(shape: tuple[int, ...]) -> bool:
    """Whether the elements of a sample of this shape can be one score per class: [N], [1, N] or [1, N, 1, 1]."""
    batch = shape[:1] == (1,) and len(shape) > 1
    return len(shape) in (1, 2, 4) and (len(shape) == 1 or batch) and shape[2:] in ((), (1, 1)) and max(shape) > 1
