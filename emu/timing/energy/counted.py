"""What a chip's description counts at all: where figures do not count the same, the smaller one may be no win."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from emu.arch import Arch
from emu.arch.components import COMPONENTS, PRICES
from emu.timing.chip.needed import missing
from emu.timing.chip.sums import areas_of
from emu.timing.energy.energy import static_power
from emu.timing.energy.prices import BUSY, MVM_UNIT, prices_of
from emu.timing.model.costs import Action
from emu.timing.prepare import timing_keys

MVM = "MVM units"  # what chips price part by part, or as a whole, under one name
SHOWN = 6  # parts that a sentence names
Parts = Mapping[str, float]  # by name: mW, or mm2; 0 if no more is known than that it counts


@dataclass(frozen=True, slots=True)
class Counted:
    """The parts that the figures of a chip are made of, by kind of figure; None if it has no figure of that kind.

    `work`: components whose actions have a price; `rest`: those with a static power, mW of all instances; `area`: those
    with a size, mm2 of all; `time`: keys of `[timing]` and `[network]` without which what they stand for takes no time.
    """

    work: Parts | None
    rest: Parts | None
    area: Parts | None
    time: Parts | None


def part_name(component: str) -> str:
    """Under which name a component is compared with those of other chips."""
    return MVM if component in MVM_UNIT else component


def counted_of(arch: Arch) -> Counted:
    """What the description of a chip counts."""
    priced = dict.fromkeys((component for component, _ in prices_of(arch, ACTIONS).prices), 0.0)
    return Counted(
        work=_parts(priced) if arch.energy else None,
        rest=_parts(static_power(arch, ()).chip) if arch.energy else None,
        area=_parts(areas_of(arch)) if arch.area else None,
        time={key: 0.0 for key in timing_keys(arch) if not missing(arch, [key])} if arch.timing else None,
    )


def unlike(arches: Mapping[str, Arch]) -> list[str]:
    """A sentence for each kind of figure and each set of chips, by name, that say nothing of what others count.

    None about chips that do not have that kind of figure at all: they have nothing to compare.
    """
    found = {name: counted_of(arch) for name, arch in arches.items()}
    sentences: list[str] = []
    for field in fields(Counted):
        sides: dict[str, Parts] = {
            name: parts for name, each in found.items() if (parts := getattr(each, field.name)) is not None
        }
        split: dict[tuple[str, ...], list[str]] = {}  # parts by the chips that count them
        for part in dict.fromkeys(part for parts in sides.values() for part in parts):
            having = tuple(name for name, parts in sides.items() if part in parts)
            if len(having) < len(sides):
                split.setdefault(having, []).append(part)
        for having, parts in split.items():
            lacking = [name for name in sides if name not in having]
            size = {
                part: sorted({min(sizes), max(sizes)}) for part in parts for sizes in [[sides[n][part] for n in having]]
            }
            says = "says" if len(lacking) == 1 else "say"
            sentences.append(
                f"{_TITLES[field.name]}: {_names(having)} {'counts' if len(having) == 1 else 'count'}"
                f" {_shown(size, _UNITS[field.name])}, of which {_names(lacking)} {says} nothing"
            )
    return sentences


def _parts(amounts: Mapping[str, float]) -> Parts:
    """By the names that are compared, in the order of the components."""
    found: dict[str, float] = {}
    for component in COMPONENTS:
        if component in amounts:
            name = part_name(component)
            found[name] = found.get(name, 0.0) + amounts[component]
    return found


def _shown(size: Mapping[str, list[float]], unit: str) -> str:
    """The largest parts, with what they are, from the least to the most of the chips that count them."""
    parts = sorted(size, key=lambda part: -size[part][-1])
    amounts = {part: " to ".join(_amount(each, unit) for each in size[part]) for part in parts if size[part][-1]}
    shown = [f"{part} ({amounts[part]})" if part in amounts else part for part in parts[:SHOWN]]
    return _names([*shown, f"{len(parts) - SHOWN} more"] if len(parts) > SHOWN else shown)


def _amount(size: float, unit: str) -> str:
    return f"{size / 1000:.4g} W" if unit == "mW" and size >= 1000 else f"{size:.4g} {unit}"


def _names(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


_TITLES = {"work": "energy of the work", "rest": "static power", "area": "area", "time": "times"}
_UNITS = {"work": "", "rest": "mW", "area": "mm2", "time": ""}
ACTIONS: tuple[Action, ...] = (
    *((name, key.removesuffix("_pj")) for name, row in COMPONENTS.items() for key in PRICES.get(row.price, ())),
    ("mvmu", BUSY),
)
