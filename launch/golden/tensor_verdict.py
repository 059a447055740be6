"""How one tensor compares with its golden values: the numbers, whether that passes, and a line of text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from emu.wording import visible
from launch.golden.rounding import UNITS

DIGITS = (7, 9, 17)  # of a float, as many as are needed: the last two tell all of float32 and of float64 apart


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
    # Of networks that round inexact floats to integers, see `compare`: how far elements may be off because the golden
    # values move themselves, how many are off by more than the limit but no more than that, and how many may be.
    room: float = 0.0
    moved: int = 0
    may_move: int = 0
    only_nan: bool = False  # every golden element is NaN
    allow_nan: bool = False

    @property
    def passed(self) -> bool:
        """Whether samples were compared, every element is within the limit, and no other class wins clearly.

        A tensor that has no elements by its shape differs in none.
        """
        compared = self.samples > 0 and (self.allow_nan or not self.only_nan)
        return compared and not self.mismatches and not self.argmax_wrong and self.moved <= self.may_move

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = asdict(self) | {"passed": self.passed, "worst": list(self.worst)}
        return {key: _plain(value) for key, value in values.items()}

    @property
    def difference(self) -> str:
        """The comparison in one line."""
        parts = [self._size(), *self._faults(), *self._moved(), *self._argmax()]
        return f"{visible(self.name)}: {', '.join(parts)}; {self._worst()}"

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

    def _moved(self) -> list[str]:
        """How many elements are only as far off as the golden values are uncertain."""
        if not self.moved:
            return []
        most = "" if self.moved <= self.may_move else f"; more than {self.may_move} is wrong"
        return [
            f"{self.moved} of {self.elements} elements beyond by a rounded float, up to {self.room:.3g} may be (twice"
            f" what the golden moves by where floats are {UNITS} units in the last place off before they become"
            f" integers{most})"
        ]

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
        got, want = _apart(self.got, self.want)
        return f"worst at {place}: {got}, golden {want}"


def _apart(one: float | int, other: float | int) -> tuple[str, str]:
    """Both as text, with as many digits as it takes that values which differ look different."""
    for digits in DIGITS:
        texts = _number(one, digits), _number(other, digits)
        if texts[0] != texts[1] or one == other:
            break
    return texts


def _number(value: float | int, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinities: they become text."""
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
