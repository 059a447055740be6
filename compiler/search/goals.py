"""What can be searched for: a figure of each goal, and where its search begins. A new goal is a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.search.figures import SampleFigures
from compiler.search.space import Settings

_NO_TIMES = "the chip has no table [timing]: name one that has, such as puma, isaac or pimsim-latency"
_NO_PRICES = "the chip has no tables [timing] and [energy]: name one that has, such as puma or isaac"


@dataclass(frozen=True, slots=True)
class SearchGoal:
    """Less of `figure`, a field of `SampleFigures`, is better; `words` say what it is, `lack` why it may be unknown.

    `starts` are tried behind the default, before anything near the best one.
    """

    figure: str
    words: str
    lack: str
    starts: tuple[Settings, ...] = ()

    def of(self, figures: SampleFigures) -> float | None:
        """The figure."""
        return getattr(figures, self.figure)


GOALS: Mapping[str, SearchGoal] = {
    "latency": SearchGoal(
        "latency_ps",
        "latency of a sample",
        _NO_TIMES,
        (
            {"duplicate": "latency", "pipelined": True},
            {"duplicate": "latency"},
            {"pipelined": True},
            {"placement": "scatter", "pipelined": True},
        ),
    ),
    "throughput": SearchGoal(
        "period_ps",
        "time per sample",
        _NO_TIMES,
        (
            {"duplicate": "throughput"},
            {"duplicate": "latency"},
            {"placement": "scatter"},
            {"duplicate": "throughput", "pipelined": True},
        ),
    ),
    "energy": SearchGoal(
        "energy_pj",
        "energy of a sample",
        _NO_PRICES,
        (
            {"arrange": "traffic"},
            {"placement": "pack", "arrange": "traffic"},
            {"duplicate": "throughput"},
            {"duplicate": "latency"},
            {"pipelined": True},
        ),
    ),
    "traffic": SearchGoal(
        "byte_hops",
        "bytes times links",
        "",
        (
            {"arrange": "traffic"},
            {"placement": "pack", "arrange": "traffic"},
            {"placement": "scatter", "arrange": "traffic"},
        ),
    ),
    "power": SearchGoal(
        "peak_power_mw",
        "peak power",
        _NO_PRICES,
        (
            {"stagger": True},
            {"placement": "pack"},
            {"stagger": True, "placement": "pack"},
            {"stagger": True, "pipelined": True},
        ),
    ),
}
