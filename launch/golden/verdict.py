"""Compares tensors with their golden values: limits per sample, the numbers, and the verdict as text and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from emu.errors import InputError
from launch.golden.differences import Differences, classes, measure

# Default limits, as parts of the largest golden magnitude of a sample, by element size in bytes: for whole networks.
FLOAT_TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-4}
# What rounding may leave of a sample whose elements cancel out, as parts of the largest golden magnitude of all
# samples: some units in the last place. Of an output that is 0 throughout, nothing tells the size: one unit of 1.
FLOOR_UNITS = 8
# Intermediate tensors may be this many times as far off: an activation that clips hides the size of what was rounded.
KEPT_SLACK = 10
SHOWN = 20  # samples of which the largest element differs, in JSON


@dataclass(frozen=True, slots=True)
class TensorVerdict:
    """How one tensor, (samples,) + logical shape, compares with its golden values.

    `max_abs` and `max_golden` are over the elements where both are finite. A difference may be as large as `tolerance`
    times the largest golden magnitude of its sample, or as `floor`. `relative` is the largest difference relative to
    the magnitude of its sample (or to `floor` / `tolerance` where that is more). `worst` is (sample, *index).
    """

    name: str
    samples: int
    elements: int
    max_abs: float
    max_golden: float
    tolerance: float  # 0 means exact
    floor: float
    relative: float
    mismatches: int  # elements beyond the limit, and those of `odd`
    odd: int  # elements where only one side is NaN, or infinities differ
    failed_samples: int
    worst: tuple[int, ...]  # empty if nothing differs
    got: float | int
    want: float | int
    argmax_agree: int | None = None  # samples whose largest element agrees; None: no classifier's output
    argmax_differs: tuple[int, ...] = ()  # the first samples where it does not
    argmax_wrong: int = (
        0  # samples where it does not, and the golden values of the two are apart by more than the limit
    )
    nans: int = 0  # elements that came out as NaN
    only_nan: bool = False  # every golden element is NaN
    allow_nan: bool = False

    @property
    def passed(self) -> bool:
        """Whether samples were compared, every element is within the limit, and no other class wins clearly.

        A tensor that has no elements by its shape differs in none.
        """
        compared = self.samples > 0 and (self.allow_nan or not self.only_nan)
        return compared and not self.mismatches and not self.argmax_wrong

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = asdict(self) | {"passed": self.passed, "worst": list(self.worst)}
        return {key: _plain(value) for key, value in values.items()}

    @property
    def difference(self) -> str:
        """The comparison in one line."""
        parts = [self._size(), *self._faults(), *self._argmax()]
        return f"{self.name}: {', '.join(parts)}; {self._worst()}"

    def __str__(self) -> str:
        return f"{'PASS' if self.passed else 'FAIL'}  {self.difference}"

    def _size(self) -> str:
        finite = " where both are finite" if self.odd else ""
        if not self.tolerance:
            return f"{self.mismatches} of {self.elements} elements differ, max|diff| {self.max_abs:.3g}{finite}"
        return (
            f"max|diff| {self.max_abs:.3g}{finite}, max|golden| {self.max_golden:.4g}, relative {self.relative:.2g} "
            f"(limit {self.tolerance:g} per sample, floor {self.floor:.2g})"
        )

    def _faults(self) -> list[str]:
        flaws: list[str] = []
        if not self.elements:
            flaws.append(f"it has no {'elements' if self.samples else 'samples'}: nothing is verified")
        beyond = self.mismatches - self.odd
        if beyond and self.tolerance:
            flaws.append(f"{beyond} of {self.elements} elements beyond")
        if self.odd:
            flaws.append(f"{self.odd} elements are NaN or infinite where the golden is not, or the reverse")
        if self.mismatches and self.samples > 1:
            flaws.append(f"in {self.failed_samples} of {self.samples} samples")
        if self.nans:
            flaws.append(f"{self.nans} of {self.elements} elements are NaN")
        if self.only_nan:
            flaws.append("all golden elements are NaN: nothing is verified" + (" (allowed)" if self.allow_nan else ""))
        return flaws

    def _argmax(self) -> list[str]:
        if self.argmax_agree is None:
            return []
        text = f"argmax {self.argmax_agree}/{self.samples}"
        if self.argmax_differs:
            others = self.samples - self.argmax_agree - 1
            text += f" DIFFERS at sample {self.argmax_differs[0]}{f' and {others} more' if others else ''}"
            text += ", beyond the limit" if self.argmax_wrong else ", within the limit"
        return [text]

    def _worst(self) -> str:
        if not self.worst:
            return "no element differs"
        place = f"sample {self.worst[0]}" + (f" {list(self.worst[1:])}" if self.worst[1:] else "")
        return f"worst at {place}: {_number(self.got)}, golden {_number(self.want)}"


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
        """Whether there are elements to compare, and every tensor passed."""
        return any(tensor.elements for tensor in self.tensors) and all(tensor.passed for tensor in self.tensors)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"source": self.source, "passed": self.passed, "tensors": [tensor.to_dict() for tensor in self.tensors]}


def compare_all(
    got: Mapping[str, np.ndarray],
    golden: Mapping[str, np.ndarray],
    source: str,
    tolerance: float | None = None,
    allow_nan: bool = False,
    slack: float = 1,
) -> Verdict:
    """Compare every tensor of `got` with `golden`, both (samples,) + logical shape; see `compare`."""
    check_names(got, golden, source)
    compared = (compare(name, array, golden[name], tolerance, allow_nan, slack) for name, array in got.items())
    return Verdict(source, tuple(compared))


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
) -> TensorVerdict:
    """Compare one tensor: floats within `slack` x `tolerance` (None: the default) of each sample's size, else exactly.

    `allow_nan`: a tensor of which all golden elements are NaN may pass.
    """
    if got.shape != want.shape:
        raise InputError(
            f"output {name!r} has shape {got.shape}, its golden values {want.shape}: other network or inputs"
        )
    if tolerance is not None and not (0 <= tolerance < np.inf):
        raise InputError(f"tolerance {tolerance!r} is impossible: give a finite number, at least 0")
    exact = got.dtype.kind != "f" or want.dtype.kind != "f"
    share = 0.0 if exact else slack * (FLOAT_TOLERANCE[got.dtype.itemsize] if tolerance is None else tolerance)
    measured = measure(got, want, share, 0.0 if exact else min(share, FLOOR_UNITS * _unit(got)), min(share, _unit(got)))
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
