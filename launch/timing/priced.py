"""What a timed image takes on chips that differ in energies and areas alone: timed once, and priced for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from emu.arch import Arch
from emu.arch.chip import PHYSICS
from emu.arch.key import TEXT
from emu.arch.remarks import UNTIMED
from emu.arch.schema import schema
from emu.timing.chip.sums import levels, totals
from emu.timing.energy.counts import counts_of
from emu.timing.energy.energy import by_component, dynamic_pj, static_pj, static_power
from emu.timing.energy.prices import prices_of
from launch.images.idle import idle_of
from launch.timing.timed_image import TimedImage, period_of

_PRICES = ("energy", "area", "published")  # tables that no time depends on
_ANSWERS = tuple(name for name in PHYSICS if name != "mapping")  # nor on these, of what is computed


def kind_of_times(arch: Arch) -> str:
    """All of a description that times of programs may depend on: on chips with the same one they take the same.

    It is all that programs depend on, too, also those that a schedule makes.
    """
    values = {table: value for table, value in arch.to_dict().items() if table not in _PRICES}
    for table, keys in schema().items():
        said = values if table == "chip" else values.get(table, {})
        for name, key in keys.items():
            untimed = table in _ANSWERS or f"{table}.{name}" in UNTIMED
            if key.check is TEXT or (untimed and not key.compiled):
                said.pop(name, None)
    return json.dumps(values, sort_keys=True)


def timed_facts(timed: TimedImage) -> dict[str, Any]:
    """The facts of which `priced` makes figures, as plain values: times in ps, and actions of one sample."""
    counts = counts_of(timed.setup, "main", timed.timing.main).totals()
    period, steady = period_of(timed.timing)
    idle = idle_of(timed.image.manifest, timed.chip, len(timed.programs))
    return {
        "latency_ps": timed.timing.latency,
        "period_ps": period,
        "steady": bool(steady) or timed.samples < 3,
        "cores": sorted(timed.programs),
        "counts": [[*action, count // timed.samples] for action, count in sorted(counts.items())],
        "idle": idle and idle.to_dict(),
    }


def priced(facts: Mapping[str, Any], chip: Arch) -> dict[str, Any]:
    """Figures of a network on a chip, as `emu time` has them, and those of the chip alone; None is not known.

    Beside the `figures` stand the actions that have no price.
    """
    counts = {(component, action): count for component, action, count in facts["counts"]}
    latency, period = facts["latency_ps"], facts["period_ps"]
    figures: dict[str, float | None] = {"latency_ps": latency, "period_ps": period}
    unpriced: tuple[tuple[str, str], ...] = ()
    if chip.energy is not None:
        prices = prices_of(chip, counts)
        unpriced = prices.unpriced
        dynamic = sum(by_component(dynamic_pj(counts, prices)).values())  # in the order of `emu time`
        power = sum(static_power(chip, facts["cores"]).used.values())
        static = static_pj(power, period)
        figures |= {
            "energy_pj": dynamic + static,
            "dynamic_pj": dynamic,
            "static_pj": static,
            "power_mw": dynamic / period * 1000 + power if period else None,
        }
    return {
        "figures": figures | chip_figures(chip),
        "steady": facts["steady"],
        "idle": facts["idle"],
        "unpriced": [".".join(action) for action in unpriced],
    }


def chip_figures(chip: Arch) -> dict[str, float | None]:
    """Those of a chip by itself: its area, and what `emu arch` sums and computes."""
    return {"area_mm2": levels(chip)[-1].mm2, **totals(chip)}


def priced_chip(chip: Arch) -> dict[str, Any]:
    """As `priced`, of a chip without a network."""
    return {"figures": chip_figures(chip), "steady": True, "idle": None, "unpriced": []}
