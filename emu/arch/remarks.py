"""What people should know of a changed chip: laws beyond their range, and keys that no figure follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from emu.arch.chip import Arch
from emu.arch.components import COMPONENTS, Component
from emu.arch.followed import KINDS, SCALE, followed, laws_in, scaled_tables
from emu.arch.laws.law import Law, kind_of
from emu.arch.laws.table import FOLLOWED, LAWS
from emu.arch.schema import figure, part_of, schema, values_in

# Keys that no cost model reads: times stay as they are. All others change how often, or how long, parts are at work.
UNTIMED = frozenset(
    {
        *("chip.node_nm", "chip.supply_v", "core.local_memory", "global_memory.size"),
        *("crossbar.adc_bits", "crossbar.endurance"),
    }
)


def remarks(base: Arch, chip: Arch) -> tuple[str, ...]:
    """Sentences on a chip that is `base` with keys changed."""
    changed = [key for key in FOLLOWED if figure(base, key) != figure(chip, key)]
    return tuple(dict.fromkeys((*_beyond(chip, {*changed}), *unfollowed(chip, changed))))


def unfollowed(chip: Arch, keys: Iterable[str]) -> Iterator[str]:
    """Sentences on those of `keys` that no figure of some kind follows."""
    for key in keys:
        if lacking := _lacking(chip, key):
            kinds = " or ".join(filter(None, (", ".join(lacking[:-1]), lacking[-1])))
            yield f"{key}: no {kinds} of this chip follows it"


def _beyond(chip: Arch, changed: set[str]) -> Iterator[str]:
    """The laws that a change has used, at a value that their source says nothing of."""
    for table in scaled_tables(chip):
        for law in laws_in(chip, table):
            if changed & {*law.keys}:
                yield from _outside(chip, law, table.partition(".")[2])


def _outside(chip: Arch, law: Law, component: str) -> Iterator[str]:
    for key, (low, high) in law.ranges.items():
        value: Any = figure(chip, key)
        if value is not None and ((low is not None and value < low) or (high is not None and value > high)):
            yield f"law {law.name} of {component}: {key} {value:g} is outside its range {range_text(low, high)}"


def range_text(low: float | None, high: float | None) -> str:
    """A range in words: `of 4 to 10`."""
    if low is None or high is None:
        return f"from {low:g} on" if low is not None else f"up to {high:g}"
    return f"of {low:g} to {high:g}"


def _lacking(chip: Arch, key: str) -> list[str]:
    """The kinds of figures that a chip has of which none follows a key, though there are laws by which some would."""
    known = {kind_of(name) for law in LAWS.values() for name, measure in law.figures.items() if key in measure.keys}
    given = [kind for kind in KINDS if getattr(chip, kind) is not None and kind in {"timing", *known}]
    there = following(chip, key)
    return [KINDS[kind] for kind in given if kind not in there]


def following(chip: Arch, key: str) -> set[str]:
    """The kinds of figures (timing, energy, area) of which some follow a key, by a law or by what they are."""
    found = {
        each.table.partition(".")[0] for each in followed(chip) if any(key in measure.keys for _, measure in each.laws)
    }
    if key not in UNTIMED:
        found.add("timing")
    for name, component in COMPONENTS.items():
        tables = [f"{kind}.{name}" for kind in ("energy", "area") if _figures(chip, f"{kind}.{name}")]
        if tables and (_counts(chip, name, component) == key):
            found |= {table.partition(".")[0] for table in tables}
        if key in _lasting(chip, name, component):
            found.add("energy")
    return found


def _figures(chip: Arch, table: str) -> bool:
    """Whether a chip says what a component takes."""
    return any(name not in (SCALE, "count", "per") for _, name, _, _ in values_in(chip, {table: schema()[table]}))


def _counts(chip: Arch, name: str, component: Component) -> str:
    """The key that says how many of a component there are; empty if none does, or the chip states it."""
    stated = part_of(chip, f"area.{name}")
    if isinstance(component.count, int) or (stated and (stated.count or stated.per)):
        return ""
    return next((key for key in component.count if figure(chip, key)), "")


def _lasting(chip: Arch, name: str, component: Component) -> tuple[str, ...]:
    """The times for which a component costs power, as its actions have no prices."""
    prices = part_of(chip, f"energy.{name}")
    if prices is None or prices.power_mw is None:
        return ()
    if name == "mvmu":
        return ("timing.crossbar.read_ns", "timing.adc.convert_ns")  # it costs power as long as a product lasts
    return tuple(time for action, time in component.duration.items() if getattr(prices, f"{action}_pj") is None)
