"""Shares of answers that are right, over trials, and the interval in which the true share lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

CONFIDENCE = 0.95


def wilson(right: int, of: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Lower and upper bound of the share of which `right` of `of` draws are a sample (Wilson 1927, without correction).

    [0, 1] of no draw.
    """
    if not of:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, more = right / of, z * z / of
    middle, half = share + more / 2, z * sqrt(share * (1 - share) / of + more / of / 4)
    low, high = (middle - half) / (1 + more), (middle + half) / (1 + more)
    return (0.0 if not right else low), (1.0 if right == of else high)  # there they are exact


@dataclass(frozen=True, slots=True)
class Proportion:
    """How many of the `samples` of each trial are right."""

    by_trial: Sequence[int]
    samples: int

    @property
    def right(self) -> int:
        """Of all trials."""
        return sum(self.by_trial)

    @property
    def of(self) -> int:
        """Answers of all trials."""
        return len(self.by_trial) * self.samples

    @property
    def share(self) -> float:
        """Of all answers those that are right, 0 to 1."""
        return self.right / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound of the share, with `CONFIDENCE`; each answer counts as a draw of its own."""
        return wilson(self.right, self.of)

    @property
    def shares(self) -> list[float]:
        """Of each trial."""
        return [right / self.samples for right in self.by_trial]

    @property
    def spread(self) -> float | None:
        """Standard deviation of the shares of trials (n - 1); None of one trial."""
        return stdev(self.shares) if len(self.by_trial) > 1 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        low, high = self.interval
        return {
            "right": self.right,
            "of": self.of,
            "share": self.share,
            "low": low,
            "high": high,
            "confidence": CONFIDENCE,
            "mean": fmean(self.shares),
            "spread": self.spread,
            "by_trial": list(self.by_trial),
        }

    def line(self, what: str) -> str:
        """As a sentence that begins with `what`."""
        low, high = self.interval
        between = f"{_percent(low)} to {_percent(high)} with {100 * CONFIDENCE:g} % confidence"
        text = f"{what} {self.right}/{self.of} ({_percent(self.share)}), {between}"
        if self.spread is None:
            return text
        least, most = min(self.shares), max(self.shares)
        spread = f"per trial {_percent(fmean(self.shares))} +- {100 * self.spread:.2f}"
        return f"{text}; {spread}, {_percent(least)} to {_percent(most)}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"
