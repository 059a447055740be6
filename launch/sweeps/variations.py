"""The variations of a sweep: keys, one or several that change together, with the values that they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from emu.errors import InputError, option, shown
from emu.wording import counted
from launch.sweeps.keys import SweptKey, swept_key
from launch.sweeps.values import read_value, read_values, split, value_text

FORM = "write it as crossbar.adc_count=1,2,4"
FORM_EQUAL = "crossbar.rows=crossbar.dac_count=64,128"
FORM_STEPS = "crossbar.rows:crossbar.adc_bits=64:7,128:8"
Changes = Mapping[str, Any]  # key -> value


@dataclass(frozen=True, slots=True)
class Variation:
    """Keys that change together, and `rows` of their values, one per key, each once; `typed` is all that as text."""

    keys: tuple[SweptKey, ...]
    rows: tuple[tuple[Any, ...], ...]
    typed: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The keys as one text: a=b where their values are always equal, else a:b."""
        return ("=" if self.equal else ":").join(key.name for key in self.keys)

    @property
    def equal(self) -> bool:
        """Whether all keys have the same value in each row."""
        return all(type(value) is type(row[0]) and value == row[0] for row in self.rows for value in row)

    def values_of(self, key: str) -> list[Any]:
        """The values of one of the keys, each once."""
        place = [each.name for each in self.keys].index(key)
        return list({value_text(row[place]): row[place] for row in self.rows}.values())


def parse_variations(texts: Sequence[str]) -> tuple[Variation, ...]:
    """The variations that `KEY=VALUE,VALUE,...` name, in their order; raises InputError."""
    found = tuple(map(_parse, texts))
    keys = [key.name for variation in found for key in variation.keys]
    if repeated := next((key for key in keys if keys.count(key) > 1), ""):
        raise InputError(f"{option('vary')} {repeated}=... is given more than once: name all its values in one list")
    return found


def changes_text(changes: Changes) -> str:
    """All values of a point, for sentences."""
    return ", ".join(f"{key}={value_text(value)}" for key, value in changes.items())


def _parse(text: str) -> Variation:
    *heads, listed = split(text, "=")
    if not heads or not listed or not all(heads):
        raise InputError(f"{option('vary')} {shown(text)} names no key with values: {FORM}")
    in_step = any(":" in head for head in heads)
    if in_step and len(heads) > 1:
        raise InputError(
            f"{option('vary')} {shown(text)} ties keys both by = and by :: write {FORM_EQUAL} for equal values, and"
            f" {FORM_STEPS} for values in step"
        )
    keys = tuple(swept_key(name) for head in heads for name in split(head, ":"))
    given = [split(part, ":") for part in split(listed, ",")] if in_step else [[part] for part in read_values(listed)]
    rows: dict[str, tuple[Any, ...]] = {}
    for parts in given:
        if in_step and len(parts) != len(keys):
            raise InputError(
                f"{option('vary')} {heads[0]}: {shown(':'.join(parts))} has {counted(len(parts), 'value')} for"
                f" {counted(len(keys), 'key')}:"
                f" write them as {FORM_STEPS}"
            )
        typed = parts if in_step else parts * len(keys)
        row = tuple(_read(key, part) for key, part in zip(keys, typed, strict=True))
        values = ":".join(map(value_text, row if in_step else row[:1]))
        if values in rows:
            raise InputError(f"{option('vary')} {'='.join(heads)}: {values} is named twice: name each value once")
        rows[values] = row
    return Variation(keys, tuple(rows.values()), text.strip())


def _read(key: SweptKey, text: str) -> Any:
    """The checked value; raises InputError."""
    try:
        return key.read(read_value(text))
    except ValueError as error:
        raise InputError(f"{option('vary')} {key.name} {error}") from None
