"""Figures that follow a chip by laws: those of a chip that another one was changed into."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from emu.arch.chip import Arch
from emu.arch.followed import SCALE, Followed, followed
from emu.arch.key import keys_of
from emu.arch.laws.law import POWER, STATIC, Law, Measure
from emu.arch.remarks import remarks
from emu.arch.schema import figure, part_of
from emu.errors import ArchError


def scaled(base: Arch, chip: Arch, stated: Collection[str], locate: Callable[[str, str], str]) -> Arch:
    """`chip`, which is `base` with keys changed, with the figures that laws give where it has those of `base`.

    Figures whose keys are `stated` stay as they are. Each other is its value times, for each law of its table, the
    ratio of what it is proportional to at the two chips; so at equal geometry it is the same number. Raises ArchError,
    which begins with the place that `locate` gives for a table and key, for one that leaves the range of its key.
    """
    found: dict[str, dict[str, float]] = {}
    for each in followed(chip):
        if f"{each.table}.{each.key}" not in stated and (value := _value(base, chip, each)) != each.value:
            found.setdefault(each.table, {})[each.key] = _checked(chip, each, value, locate)
    for table, values in found.items():
        chip = _with(chip, table.split("."), values)
    as_base = replace(chip, name=base.name, note=base.note, system=base.system, published=base.published)
    if chip.published == base.published and as_base != base:
        chip = replace(chip, published=None)  # what authors print is of their chip, of which there may be several
    return replace(chip, remarks=remarks(base, chip))


def _value(base: Arch, chip: Arch, each: Followed) -> float:
    """The figure at the changed chip; a power at work is that at rest, by its law, and the rest by its own."""
    ratio = _ratio(base, chip, each.laws)
    static = getattr(part_of(base, each.table), STATIC, None) if each.key == POWER else None
    if static is None:
        return each.value * ratio
    rest = _ratio(base, chip, ((law, measure) for law, _ in each.laws if (measure := law.measure(STATIC))))
    return each.value * ratio if rest == ratio else (each.value - static) * ratio + static * rest


def _ratio(base: Arch, chip: Arch, laws: Iterable[tuple[Law, Measure]]) -> float:
    ratio, old, new = 1.0, partial(figure, base), partial(figure, chip)
    for _, measure in laws:
        before, after = measure.of(old), measure.of(new)
        ratio *= 1.0 if before == after else after / before
    return ratio


def _checked(chip: Arch, each: Followed, value: float, locate: Callable[[str, str], str]) -> float:
    try:
        return keys_of(part_of(chip, each.table))[each.key].check.read(value)
    except ValueError as error:
        by = " and ".join(each.names)
        raise ArchError(
            f"{locate(each.table, each.key)}{each.table}.{each.key}, which follows {by}, {error}: change less, or leave"
            f" {each.table}.{SCALE} out"
        ) from None


def _with(part: Any, path: list[str], values: dict[str, float]) -> Any:
    """A table with other values in a table below it."""
    if not path:
        return replace(part, **values)
    return replace(part, **{path[0]: _with(getattr(part, path[0]), path[1:], values)})
