"""The same programs on a chip of which resources are changed: what they would take, and which one is in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.timing.changes import FREE, changed, resources_of
from emu.timing.fast.fast import fast
from emu.timing.repriced import repriced
from launch.text.answer import Table
from launch.text.units import time_text
from launch.timing.timed_image import TimedImage, period_of


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Latency of a sample and time per sample with so many times the cost of each resource (0: free)."""

    changes: Mapping[str, float]
    latency_ps: int
    period_ps: int
    idle: tuple[str, ...] = ()  # resources that take no time on this chip as it is described


def outcome(timed: TimedImage, changes: Mapping[str, float]) -> WhatIf:
    """What `timed` would take."""
    chip, known = changed(timed.chip, changes), resources_of(timed.chip)
    idle = tuple(name for name in changes if name not in known)
    if chip == timed.chip:
        return WhatIf(changes, timed.timing.latency, timed.period, idle)
    timing = fast(repriced(timed.setup, chip, timed.samples), timed.samples)
    return WhatIf(changes, timing.latency, period_of(timing)[0], idle)


def bottlenecks(timed: TimedImage) -> list[WhatIf]:
    """Each resource of the chip free in turn, those first without which the latency would be the least."""
    found = [outcome(timed, {name: FREE}) for name in resources_of(timed.chip)]
    return sorted(found, key=lambda each: (each.latency_ps, each.period_ps, *each.changes))


def outcome_values(timed: TimedImage, found: WhatIf) -> dict[str, Any]:
    """Plain values; `changes` are factors of the time that each resource takes."""
    values = {"changes": dict(found.changes), "latency_ps": found.latency_ps, "period_ps": found.period_ps}
    return values | {"no_effect": no_effect(timed, found)}


def outcome_lines(timed: TimedImage, found: WhatIf) -> list[str]:
    """One line; another one if it is none of the changes, or not all, that make the difference."""
    timing, nothing = timed.timing, no_effect(timed, found)
    return [
        f"with {changes_text(found.changes)}: latency {time_text(found.latency_ps)}"
        f" ({_change(found.latency_ps, timing.latency)}), {time_text(found.period_ps)} per sample"
        f" ({_change(found.period_ps, timed.period)})",
        *([f"{', '.join(nothing)}: {_NOTHING[bool(found.idle)]}"] if nothing else []),
    ]


def no_effect(timed: TimedImage, found: WhatIf) -> list[str]:
    """The resources that were changed without any effect: those that take no time here, or all if nothing changed."""
    same = (found.latency_ps, found.period_ps) == (timed.timing.latency, timed.period)
    return list(found.idle or (found.changes if same else ()))


_NOTHING = {  # by whether it takes no time at all
    True: "changes nothing here, as this chip's description does not say that it takes time",
    False: "changes nothing here: neither the latency nor the time per sample of these programs follows it",
}


def bottleneck_table(timed: TimedImage, found: Sequence[WhatIf]) -> Table:
    """One row per resource that is free."""
    timing = timed.timing
    rows = [
        (
            ", ".join(each.changes),
            time_text(each.latency_ps),
            _change(each.latency_ps, timing.latency),
            time_text(each.period_ps),
            _change(each.period_ps, timed.period),
        )
        for each in found
    ]
    return Table("if a resource were free", ("free", "latency", "", "per sample", ""), rows, "lrrrr")


def changes_text(changes: Mapping[str, float]) -> str:
    """As on the command line."""
    return ",".join(f"{name}={f'{factor:g}x' if factor else 'free'}" for name, factor in changes.items())


def _change(now: int, before: int) -> str:
    return f"{now / before - 1:+.2%}" if before else ""
