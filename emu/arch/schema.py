"""The tables of an architecture file with their keys; subtables are written `timing.adc`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Any

from emu.arch.chip import FIGURES, Arch
from emu.arch.key import Key, keys_of, tables_of

Schema = Mapping[str, Mapping[str, Key]]  # a table stands before its subtables
MADE_OF: Schema = {"chip": keys_of(Arch), **{name: keys_of(cls) for name, cls in tables_of(Arch).items()}}
OUTER = (*MADE_OF, *FIGURES)  # the tables that stand in no other


@cache
def figure_classes() -> Mapping[str, type]:
    """The dataclasses of the tables of figures, imported when a description has figures."""
    from emu.arch.figures import Area, Energy, Published, Timing

    return dict(zip(FIGURES, (Timing, Energy, Area, Published), strict=True))


@cache
def schema() -> Schema:
    """All tables."""
    found = dict(MADE_OF)
    for name, cls in figure_classes().items():
        found[name] = keys_of(cls)
        found.update({f"{name}.{part}": keys_of(part_cls) for part, part_cls in tables_of(cls).items()})
    return found


def part_of(arch: Arch, table: str) -> Any:
    """What a chip says in a table; None if its description has no figures of that kind."""
    if table == "chip":
        return arch
    return reduce(lambda part, name: None if part is None else getattr(part, name), table.split("."), arch)


def figure(arch: Arch, key: str) -> Any:
    """The figure `key` of a chip, written as in its file (`timing.adc.convert_ns`); None if it is not known.

    Raises AttributeError for a key that no description has: a mistake of the program, not of the chip.
    """
    table, _, name = key.rpartition(".")
    part = part_of(arch, table)
    return None if part is None else getattr(part, name)


def values_in(arch: Arch, known: Schema) -> Iterator[tuple[str, str, Any, Key]]:
    """Table, name, value and key of every key among `known` that has a value."""
    for table, keys in known.items():
        part = part_of(arch, table)
        for name, key in keys.items() if part is not None else ():
            if (value := getattr(part, name)) is not None:
                yield table, name, value, key
