"""Resources of which a chip may have one more or one less: the keys that say how many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from emu.arch import Arch
from emu.arch.derived import derived
from emu.errors import ArchError, InputError, option
from emu.timing.chip.needed import figure
from emu.timing.chip.product import model_of

BETWEEN_CHIPS = "chip_link"


@dataclass(frozen=True, slots=True)
class Countable:
    """One more of a resource is one more in each of those of its `keys` that a chip gives; `one` says what that is.

    `implied`: how many a chip that gives none of them has, by the first key; None: nobody knows, or there is no limit.
    `wide`: it is a size or a rate, of which one more is little: answers double it instead.
    """

    one: str
    keys: tuple[str, ...]
    implied: Callable[[Arch], int | None] = lambda arch: None
    wide: bool = False


COUNTABLE: Mapping[str, Countable] = {
    "adc": Countable("a converter per crossbar", ("crossbar.adc_count",), lambda arch: arch.crossbar.cols),
    "dac": Countable(
        "a word line per crossbar that is driven at a time, with its converter",
        ("crossbar.dac_count", "crossbar.parallel_rows"),
        lambda arch: arch.crossbar.rows,
    ),
    "vector": Countable("a lane of a vector unit", ("timing.vector.lanes", "timing.vector.chip_lanes")),
    "window": Countable("an operation in flight in a core", ("timing.window",), lambda arch: model_of(arch).window),
    "local_ports": Countable("a port of a local memory", ("timing.local_ports",)),
    "local_memory": Countable("a byte of a word of it", ("timing.local_memory.width_bytes",), wide=True),
    "global_memory": Countable("a byte of a word of it", ("timing.global_memory.width_bytes",), wide=True),
    "bus": Countable("a byte of its width", ("timing.bus.width_bytes",), wide=True),
    "links": Countable("a byte of the width of each link, a flit", ("network.flit_bytes",), wide=True),
    BETWEEN_CHIPS: Countable("a GB/s of a link", (f"timing.{BETWEEN_CHIPS}.bandwidth_gb_per_s",), wide=True),
    "offchip": Countable("a GB/s of all links", ("timing.offchip.bandwidth_gb_per_s",), wide=True),
}
COMPILED: Mapping[str, str] = {  # numbers that programs are compiled for
    **dict.fromkeys(("crossbar", "crossbars"), "core.crossbars"),
    **dict.fromkeys(("core", "cores"), "chip.cores"),
    **dict.fromkeys(("chip", "chips"), "system.chips"),
    "rows": "crossbar.rows",
    "cols": "crossbar.cols",
}


def refuse_uncountable(name: str, written: str) -> None:
    """Raise InputError unless `name` is a resource that can be counted; `written` is what somebody asked for."""
    if name in COUNTABLE:
        return
    if name in COMPILED:
        key = COMPILED[name]
        raise InputError(
            f"{option('what-if')} {written!r}: programs are compiled for {key}, so that another number takes other"
            f" programs: compile and time them with emu sweep MODEL {option('vary', f'{key}=...')}"
        )
    known = ", ".join(f"{each} ({row.keys[0]})" for each, row in COUNTABLE.items())
    raise InputError(f"{option('what-if')} {written!r}: there is no number of {name}; those that have one are {known}")


def steps_of(arch: Arch, more: Mapping[str, int]) -> dict[str, tuple[Any, Any]]:
    """The keys that so many more of each resource change, with their values before and after; raises ArchError."""
    found: dict[str, tuple[Any, Any]] = {}
    for name, count in more.items():
        row = COUNTABLE[name]
        values = {key: value for key in row.keys if (value := figure(arch, key)) is not None}
        if not values and (implied := row.implied(arch)) is not None:
            values = {row.keys[0]: implied}
        if not values or (name == BETWEEN_CHIPS and arch.system.chips == 1):
            why = "is one chip" if values else f"says nothing of {' or '.join(row.keys)}"
            raise ArchError(f"{option('what-if')} {name}={count:+}: {arch.title} {why}, so there is nothing to count")
        found |= {key: (value, value + count) for key, value in values.items()}
    return found


def with_more(arch: Arch, more: Mapping[str, int]) -> Arch:
    """The chip with so many more of each resource, with the energies and areas that follow; raises ArchError."""
    changes = {key: after for key, (before, after) in steps_of(arch, more).items() if after != before}
    try:
        return derived(arch, changes) if changes else arch
    except ArchError as error:
        raise ArchError(f"{option('what-if')} {more_text(more)}: {error}") from None


def more_text(more: Mapping[str, int]) -> str:
    """As on the command line."""
    return ",".join(f"{name}={count:+}" for name, count in more.items())


def one_more(arch: Arch) -> dict[str, int]:
    """By each resource that this chip counts, how many more an answer looks at: one, or as much again.

    0 if there cannot be more of it.
    """
    found: dict[str, int] = {}
    for name, row in COUNTABLE.items():
        try:
            before = max(value for value, _ in steps_of(arch, {name: 0}).values())
        except ArchError:
            continue
        found[name] = max(1, round(before)) if row.wide else 1
        try:
            with_more(arch, {name: found[name]})
        except ArchError:
            found[name] = 0
    return found
