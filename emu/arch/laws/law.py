"""What a law is: of which components, which figures follow which keys, and within which range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

Chip = Callable[[str], Any]  # what a chip says of a key, or of what follows from keys; None if it says nothing
ALL = ("*",)  # the components of a law that is one of all
ACTION, POWER, STATIC, AREA, TIME = "_pj", "power_mw", "static_mw", "mm2", "_ns"  # keys of figures, or their ends
# Keys without which a chip is no less described: what they default to is in `Crossbar`, `Core` and the laws.
OPTIONAL = frozenset(
    {
        "chip.supply_v",
        "core.crossbars_per_mvmu",
        "crossbar.adc_arrays",
        "crossbar.adc_count",
        "crossbar.dac_count",
        "crossbar.parallel_rows",
    }
)


def kind_of(figures: str) -> str:
    """The outer table in which figures of a key stand: timing, energy or area."""
    return {AREA: "area", TIME: "timing"}.get(figures, "energy")


@dataclass(frozen=True, slots=True)
class Measure:
    """What a figure is proportional to: a positive number, computed of the values of `keys` alone."""

    formula: str
    keys: tuple[str, ...]
    of: Callable[[Chip], float]


@dataclass(frozen=True, slots=True)
class Law:
    """How figures of `components` follow a chip: each is proportional to the measure of its key, or of its key's end.

    `ranges`: from where to where, both included, each key may go by the law's source; None has no bound.
    """

    name: str
    components: tuple[str, ...]
    figures: Mapping[str, Measure]
    source: str
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict[str, tuple[None, None]])

    def holds(self, table: str) -> bool:
        """Whether a table (`energy.adc`) may name it."""
        kind, _, component = table.partition(".")
        return bool(self.within(kind)) and (self.components == ALL or component in self.components)

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys that it follows."""
        return tuple(dict.fromkeys(key for measure in self.figures.values() for key in measure.keys))

    def measure(self, key: str) -> Measure | None:
        """What the figure of a key is proportional to; None if it follows nothing."""
        return self.figures.get(key) or self.figures.get(key[key.rfind("_") :])

    def within(self, kind: str) -> Mapping[str, Measure]:
        """Those of its measures whose figures stand in tables of a kind."""
        return {name: measure for name, measure in self.figures.items() if kind_of(name) == kind}


def linear(*keys: str, formula: str = "") -> Measure:
    """Proportional to each of these keys; one that a chip leaves out counts as 1."""
    text = formula or " x ".join(key.rpartition(".")[2] for key in keys)
    return Measure(text, keys, lambda chip: prod(chip(key) or 1 for key in keys))
