"""The report of a search, as lines for people and as plain values for --json."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from emu.errors import option
from emu.wording import counted
from launch.text.units import energy_text, power_text, time_text

if TYPE_CHECKING:
    from compiler.search.search import SearchState, Tried


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What to look for: a row of `GOALS`, for so many seconds or candidates (None: no such limit), judged under `flow`.

    The options `fixed` stay as they are.
    """

    goal: str
    budget: float | None
    candidates: int | None
    seed: int = 0
    flow: str = "rendezvous"
    fixed: frozenset[str] = frozenset()


# By field of `Figures`: what it is called, and a value with its unit.
WORDS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "latency_ps": ("latency of a sample", time_text),
    "period_ps": ("time per sample", time_text),
    "energy_pj": ("energy of a sample", energy_text),
    "peak_power_mw": ("peak power", power_text),
    "bytes_sent": ("bytes sent", str),
    "byte_hops": ("bytes times links", str),
}


@dataclass(frozen=True, slots=True)
class Optimised:
    """A search as it was `asked`, and what it has found."""

    asked: SearchRequest
    found: SearchState

    @property
    def settings(self) -> Mapping[str, Any]:
        """The options of the best candidate that are not as they were given; none if it is the default."""
        return self.found.best.settings if self.found.best else {}

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        from compiler.search.search import STOPPED

        return self.found.ended == STOPPED

    def share(self) -> float:
        """How much of the budget is used, 0 to 1."""
        tried = self.found.tried
        shares = [tried[-1].seconds / self.asked.budget] if self.asked.budget else []
        shares += [len(tried) / self.asked.candidates] if self.asked.candidates else []
        return min(1.0, max(shares, default=0.0))

    def standing(self) -> str:
        """The best candidate so far, in short."""
        best = self.found.best
        return f"{counted(len(self.found.tried), 'candidate')}, {self._value(best) if best else 'none possible yet'}"

    def progress(self, tried: Tried) -> str:
        """One line about a candidate that is the best so far."""
        what = f"candidate {tried.number}: {words(tried.settings)}" if tried.number else "the default"
        return f"{tried.seconds:.1f} s, {what}: {self._value(tried)}"

    def lines(self) -> list[str]:
        """The best candidate, and its effect on the other figures."""
        found, best, first = self.found, self.found.best, self.found.tried[0]
        assert best is not None
        refused = sum(tried.figures is None for tried in found.tried)
        about = (
            f"{counted(len(found.tried), 'candidate')}, {refused} of them refused, in {found.seconds:.1f} s"
            f" ({found.ended}), seed {self.asked.seed}, {self.asked.flow}"
        )
        if not best.number:
            return [
                f"optimised for {self.asked.goal}: nothing is better than the default, {self._value(best)}; {about}"
            ]
        lines = [f"optimised for {self.asked.goal}: {self._value(best)}; {about}", f"chosen: {words(best.settings)}"]
        others = [name for name in WORDS if name != found.goal.figure and self._known(name)]
        return [*lines, *([f"beside it: {'; '.join(map(self._beside, others))}"] if first.figures and others else [])]

    def to_dict(self) -> dict[str, Any]:
        """Plain values: ps, pJ, mW, bytes."""
        found = self.found
        return {
            "goal": self.asked.goal,
            "figure": found.goal.figure,
            "seed": self.asked.seed,
            "flow": self.asked.flow,
            "budget": self.asked.budget,
            "limit": self.asked.candidates,
            "seconds": round(found.seconds, 3),
            "ended": found.ended,
            "best": found.best and found.best.number,
            "settings": dict(self.settings),
            "candidates": [
                {
                    "number": tried.number,
                    "settings": dict(tried.settings),
                    "figures": tried.figures and asdict(tried.figures),
                    "reason": tried.reason or None,
                    "seconds": round(tried.seconds, 3),
                }
                for tried in found.tried
            ],
        }

    def _value(self, tried: Tried) -> str:
        """The goal's figure of a candidate, and what part of the default's it is."""
        found = self.found
        value, before = found.value(tried), found.value(found.tried[0])
        name, text = WORDS[found.goal.figure]
        if not tried.number or math.isinf(before) or not before:
            return f"{name} {text(tried.figures and found.goal.of(tried.figures))}"
        return f"{name} {text(value)} instead of {text(before)} ({value / before:.3g} of it)"

    def _known(self, name: str) -> bool:
        best = self.found.best
        return best is not None and getattr(best.figures, name) is not None

    def _beside(self, name: str) -> str:
        best, first = self.found.best, self.found.tried[0]
        assert best is not None and first.figures is not None
        words, text = WORDS[name]
        value, before = getattr(best.figures, name), getattr(first.figures, name)
        part = f" ({value / before:.3g})" if before else ""
        return f"{words} {text(value)} instead of {text(before)}{part}"


def words(settings: Mapping[str, Any]) -> str:
    """Settings as they are typed."""
    return " ".join(option(name, value) for name, value in settings.items())
