"""The laws that a chip names in its tables, and whether they make sense there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from emu.arch.chip import Arch
from emu.arch.laws.law import OPTIONAL, Law, Measure
from emu.arch.laws.table import LAWS
from emu.arch.schema import Schema, figure, part_of, schema, values_in

SCALE = "scale"  # the key that names laws
KINDS = {"timing": "time", "energy": "energy", "area": "area"}  # the tables of figures, and what they are figures of


@dataclass(frozen=True, slots=True)
class Followed:
    """A figure of a chip that follows laws, each with what it is proportional to by it."""

    table: str
    key: str
    value: float
    laws: tuple[tuple[Law, Measure], ...]

    @property
    def names(self) -> list[str]:
        """Of its laws."""
        return [law.name for law, _ in self.laws]


def laws_in(arch: Arch, table: str) -> tuple[Law, ...]:
    """The laws that a table of a chip names, in its order."""
    return tuple(LAWS[name] for name in getattr(part_of(arch, table), SCALE, None) or ())


def scaled_tables(arch: Arch) -> tuple[str, ...]:
    """The tables of a chip that name laws."""
    return tuple(table for table, name, _, _ in values_in(arch, scalable()) if name == SCALE)


def followed(arch: Arch) -> Iterator[Followed]:
    """All figures of a chip that follow laws."""
    for table in scaled_tables(arch):
        laws = laws_in(arch, table)
        for _, key, value, _ in values_in(arch, {table: schema()[table]}):
            found = tuple((law, measure) for law in laws if (measure := law.measure(key)))
            if found and key != SCALE:
                yield Followed(table, key, value, found)


def wrong_laws(arch: Arch, table: str) -> str:
    """What is wrong with the laws that a table names, as the rest of a sentence; empty if nothing is."""
    kind, _, component = table.partition(".")
    laws = laws_in(arch, table)
    for law in laws:
        if not law.holds(table):
            fit = [other.name for other in LAWS.values() if other.holds(table)]
            instead = f"use {' or '.join(fit)}" if fit else "leave it out"
            return f"names {law.name}, which is no law of the {KINDS[kind]} of {component}: {instead}"
        keys = {key for measure in law.within(kind).values() for key in measure.keys}
        if lacking := [key for key in sorted(keys - OPTIONAL) if figure(arch, key) is None]:
            them = "it" if len(lacking) == 1 else "them"
            return f"names {law.name}, which follows {' and '.join(lacking)}: add {them} to the description"
    for one, other in combinations(laws, 2):
        for name in (*one.within(kind), *other.within(kind)):
            first, second = one.measure(name), other.measure(name)
            if first and second and (both := [key for key in first.keys if key in second.keys]):
                return f"names {one.name} and {other.name}, which both follow {both[0]}: leave one of them out"
    return ""


@cache
def scalable() -> Schema:
    """The tables that may name laws, with that key alone."""
    return {table: {SCALE: keys[SCALE]} for table, keys in schema().items() if SCALE in keys}
