"""The same programs on a chip of which resources are changed: what they would take, and which one is in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.timing.changes import FREE, changed, resources_of
from emu.timing.fast.fast import fast
from emu.timing.repriced import repriced
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
