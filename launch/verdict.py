"""Compares tensors with their golden values: the numbers, the verdict, and its text and JSON forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from emu.errors import InputError

# Default limits, as parts of the largest golden magnitude, by element size in bytes: for whole networks.
FLOAT_TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-4}


@dataclass(frozen=True, slots=True)
class TensorVerdict:
    """How one tensor, (samples,) + logical shape, compares with its golden values.

    `max_abs` and `max_golden` are over the elements where both are finite; `mismatches` counts elements beyond
    the limit, and those where only one side is NaN or the infinities differ. `worst` is (sample, *index).
    """

    name: str
    samples: int
    elements: int
    max_abs: float
    max_golden: float
    tolerance: float  # relative to max_golden; 0 means exact
    mismatches: int
    worst: tuple[int, ...]
    got: float | int
    want: float | int
    argmax_agree: int | None = None  # samples whose largest element agrees; None: no classifier's output
    nans: int = 0  # elements that came out as NaN

    @property
    def passed(self) -> bool:
        """Whether every element is within the limit."""
        return self.mismatches == 0

    @property
    def relative(self) -> float:
        """Largest absolute difference over largest golden magnitude (0 / 0 is 0)."""
        return self.max_abs / self.max_golden if self.max_golden else (np.inf if self.max_abs else 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = asdict(self) | {"relative": self.relative, "passed": self.passed, "worst": list(self.worst)}
        return {key: _plain(value) for key, value in values.items()}

    def __str__(self) -> str:
        argmax = f", argmax {self.argmax_agree}/{self.samples}" if self.argmax_agree is not None else ""
        if self.tolerance:
            limit = f"max|diff| {self.max_abs:.3g}, max|golden| {self.max_golden:.4g}, relative {self.relative:.2g}"
        else:
            limit = f"{self.mismatches} of {self.elements} elements differ, max|diff| {self.max_abs:.3g}"
        bad = f", {self.mismatches} elements beyond {self.tolerance:g}" if self.mismatches and self.tolerance else ""
        nans = f", {self.nans} of {self.elements} elements are NaN" if self.nans else ""
        where = (
            f"worst at {list(self.worst)}: {_number(self.got)}, golden {_number(self.want)}" if self.worst else "empty"
        )
        return f"{'PASS' if self.passed else 'FAIL'}  {self.name}: {limit}{bad}{nans}{argmax}; {where}"


def _number(value: float | int) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinities: they become text."""
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of all tensors with the golden of one source."""

    source: str  # such as "onnxruntime 1.31.1"
    tensors: tuple[TensorVerdict, ...]

    @property
    def passed(self) -> bool:
        """Whether every tensor passed."""
        return all(tensor.passed for tensor in self.tensors)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"source": self.source, "passed": self.passed, "tensors": [tensor.to_dict() for tensor in self.tensors]}


def compare_all(
    got: Mapping[str, np.ndarray], golden: Mapping[str, np.ndarray], source: str, tolerance: float | None = None
) -> Verdict:
    """Compare every tensor of `got` with `golden`, both (samples,) + logical shape."""
    missing = [name for name in got if name not in golden]
    if missing:
        raise InputError(
            f"the golden values ({source}) have no output {missing[0]!r}: they hold {', '.join(map(repr, golden))}"
        )
    return Verdict(source, tuple(compare(name, array, golden[name], tolerance) for name, array in got.items()))


def compare(name: str, got: np.ndarray, want: np.ndarray, tolerance: float | None = None) -> TensorVerdict:
    """Compare one tensor; floats within `tolerance * max|golden|` (None: `FLOAT_TOLERANCE`), all else exactly."""
    if got.shape != want.shape:
        raise InputError(
            f"output {name!r} has shape {got.shape}, its golden values {want.shape}: other network or inputs"
        )
    if tolerance is not None and not (0 <= tolerance < np.inf):
        raise InputError(f"tolerance {tolerance!r} is impossible: give a finite number, at least 0")
    exact = got.dtype.kind != "f" or want.dtype.kind != "f"
    share = 0.0 if exact else FLOAT_TOLERANCE[got.dtype.itemsize] if tolerance is None else tolerance
    diff, max_golden = _differences(got, want)
    worst = tuple(int(i) for i in np.unravel_index(int(diff.argmax()), diff.shape)) if diff.size else ()
    finite = diff[np.isfinite(diff)]
    return TensorVerdict(
        name,
        len(got),
        got.size,
        float(finite.max()) if finite.size else 0.0,
        max_golden,
        share,
        int(np.count_nonzero(diff > share * max_golden)),
        worst,
        got[worst].item() if worst else 0,
        want[worst].item() if worst else 0,
        None if exact else argmax_agreement(got, want),
        int(np.count_nonzero(np.isnan(got))) if got.dtype.kind == "f" else 0,
    )


def _differences(got: np.ndarray, want: np.ndarray) -> tuple[np.ndarray, float]:
    """|got - want| (infinite where only one is NaN or infinities differ) and the largest finite |want|."""
    wide = np.float64 if "f" in got.dtype.kind + want.dtype.kind else object if got.dtype.itemsize == 8 else np.int64
    a, b = got.astype(wide), want.astype(wide)
    if wide is not np.float64:
        diff, size = abs(a - b), abs(b)
        return diff.astype(np.float64), float(size.max()) if size.size else 0.0
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    diff = np.where(same, 0.0, np.inf)
    diff[finite] = abs(a[finite] - b[finite])
    return diff, float(abs(b[np.isfinite(b)]).max(initial=0.0))


def argmax_agreement(got: np.ndarray, want: np.ndarray) -> int | None:
    """Samples whose largest element is at the same place; None unless a sample is one vector of at least 2."""
    if sum(size > 1 for size in got.shape[1:]) != 1:
        return None
    return int(np.count_nonzero(classes(got) == classes(want)))


def classes(outputs: np.ndarray) -> np.ndarray:
    """Index of the largest element of each sample."""
    return outputs.reshape(len(outputs), -1).argmax(axis=1)
