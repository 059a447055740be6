"""The same programs on a chip of which resources are changed: what they would take, beside what they take today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from emu.timing.changes import ChipChanges, changed, resources_of
from emu.timing.chip.sums import levels
from emu.timing.countable import steps_of
from emu.timing.energy.energy import static_pj, static_power
from emu.timing.fast.fast import fast
from emu.timing.repriced import repriced
from launch.text.answer import Table
from launch.text.units import number_text, written
from launch.timing.energy import dynamic_of
from launch.timing.timed_image import TimedImage


@dataclass(frozen=True, slots=True)
class TimedFigures:
    """What a sample takes: ps, pJ of its work, mW at rest of the cores in use, mm2 of the chip; None: not known."""

    latency_ps: int
    period_ps: int
    dynamic_pj: float | None
    static_mw: float | None
    area_mm2: float | None

    @property
    def static_pj(self) -> float | None:
        """Of the static power over the time per sample."""
        return None if self.static_mw is None else static_pj(self.static_mw, self.period_ps)

    @property
    def energy_pj(self) -> float | None:
        """Of a sample in the steady state."""
        return None if self.dynamic_pj is None else self.dynamic_pj + (self.static_pj or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values by the names of `FIGURES`."""
        return {name: getattr(self, name) for name in FIGURES}


FIGURES: Mapping[str, tuple[str, str]] = {  # of what changes: title and unit
    "latency_ps": ("latency of a sample", "ps"),
    "period_ps": ("time per sample", "ps"),
    "energy_pj": ("energy of a sample", "pj"),
    "dynamic_pj": ("  dynamic", "pj"),
    "static_pj": ("  static", "pj"),
    "area_mm2": ("area, mm2", "number"),
}


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What a sample takes `then`, with `changes`; `steps` are the keys of the chip that were changed, from and to.

    `idle` are resources that take no time on this chip as it is described; `remarks` are on the changed chip alone.
    """

    changes: ChipChanges
    today: TimedFigures
    then: TimedFigures
    steps: Mapping[str, tuple[Any, Any]]
    idle: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def no_effect(self) -> tuple[str, ...]:
        """The resources that were changed without any effect: those that take no time, or all if nothing changed."""
        return self.idle or (self.changes.names if self.today == self.then else ())

    def share(self, figure: str) -> float | None:
        """By how much a figure changes, as a share of what it is today."""
        before, after = getattr(self.today, figure), getattr(self.then, figure)
        return after / before - 1 if before and after is not None else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `changes` are factors of the time that each resource takes, `more` how many more there are."""
        return {
            "changes": dict(self.changes.factors),
            "more": dict(self.changes.more),
            "keys": {key: list(values) for key, values in self.steps.items()},
            **self.then.to_dict(),
            "no_effect": list(self.no_effect),
            "remarks": list(self.remarks),
        }


def figures_of(timed: TimedImage) -> TimedFigures:
    """What a sample takes."""
    chip = timed.chip
    known = chip.energy is not None
    return TimedFigures(
        timed.timing.latency,
        timed.period,
        dynamic_of(timed) if known else None,
        sum(static_power(chip, timed.programs).used.values()) if known else None,
        levels(chip)[-1].mm2,
    )


def retimed(timed: TimedImage, changes: ChipChanges) -> TimedImage:
    """The same programs on the changed chip; raises ArchError for one that cannot be."""
    chip = changed(timed.chip, changes)
    if chip == timed.chip:
        return timed
    setup = repriced(timed.setup, chip, timed.samples)
    return replace(timed, chip=chip, setup=setup, timing=fast(setup, timed.samples))


def what_if(timed: TimedImage, changes: ChipChanges, today: TimedFigures | None = None) -> WhatIf:
    """What a sample would take; `today` are the figures of `timed`, if they are known already."""
    known, then = resources_of(timed.chip), retimed(timed, changes)
    return WhatIf(
        changes,
        today or figures_of(timed),
        figures_of(then),
        steps_of(timed.chip, changes.more),
        tuple(name for name in changes.factors if name not in known),
        tuple(remark for remark in then.chip.remarks if remark not in timed.chip.remarks),
    )


def what_if_table(found: WhatIf) -> Table:
    """A row per figure that is known: today, then, and the change."""
    rows = [
        (title, written(before, unit), written(getattr(found.then, name), unit), change_text(found.share(name)))
        for name, (title, unit) in FIGURES.items()
        if (before := getattr(found.today, name)) is not None
    ]
    keys = ", ".join(f"{key} {_text(before)} -> {_text(after)}" for key, (before, after) in found.steps.items())
    return Table(f"with {found.changes.text}{f' ({keys})' if keys else ''}", ("", "today", "then", ""), rows, "lrrr")


def what_if_notes(found: WhatIf) -> list[str]:
    """What of the changes makes no difference, and what is to be known of the changed chip."""
    nothing = found.no_effect
    return [
        *([f"{', '.join(nothing)}: {_NOTHING[bool(found.idle)]}"] if nothing else []),
        *(f"{found.changes.text}: {remark}" for remark in found.remarks),
    ]


_NOTHING = {  # by whether it takes no time at all
    True: "changes nothing here, as this chip's description does not say that it takes time",
    False: "changes nothing here: no figure of these programs follows it",
}


def change_text(share: float | None) -> str:
    """A change for people."""
    return "" if share is None else f"{share:+.2%}"


def _text(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
