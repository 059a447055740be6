"""The variations of a sweep: keys of the architecture file with their values, and the resulting chips."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.arch.schema import schema
from emu.errors import InputError, option, shown
from emu.wording import nearest

MOST = 10_000  # points of a sweep
FORM = "write it as crossbar.adc_count=1,2,4"
Changes = Mapping[str, Any]  # key -> value


@dataclass(frozen=True, slots=True)
class Variation:
    """A key, written with its table as in `crossbar.adc_count`, and the values that it takes, each once."""

    key: str
    values: tuple[Any, ...]


def parse_variations(texts: Sequence[str]) -> tuple[Variation, ...]:
    """The variations that `KEY=VALUE,VALUE,...` name, in their order; raises InputError."""
    found = tuple(map(_parse, texts))
    keys = [variation.key for variation in found]
    if repeated := next((key for key in keys if keys.count(key) > 1), ""):
        raise InputError(f"{option('vary')} {repeated}=... is given more than once: name all its values in one list")
    points = math.prod(len(variation.values) for variation in found)
    if points > MOST:
        raise InputError(f"{option('vary')}: these values make {points} points, more than {MOST}: name fewer")
    return found


def combinations(variations: Sequence[Variation]) -> list[Changes]:
    """Every combination of the values; those of the last key change first."""
    keys = [variation.key for variation in variations]
    return [
        dict(zip(keys, values, strict=True))
        for values in itertools.product(*(variation.values for variation in variations))
    ]


def value_text(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_item_text, value))}]"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def changes_text(changes: Changes) -> str:
    """All values of a point, for sentences."""
    return ", ".join(f"{key}={value_text(value)}" for key, value in changes.items())


def _item_text(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else value_text(value)


def _parse(text: str) -> Variation:
    key, equals, listed = (part.strip() for part in text.partition("="))
    if not equals or not key or not listed:
        raise InputError(f"{option('vary')} {shown(text)} names no key with values: {FORM}")
    table, _, name = key.rpartition(".")
    known = schema().get(table, {}).get(name)
    if known is None:
        raise InputError(f"{option('vary')} {key}: an architecture file has no such key{_suggestion(key)}")
    values: list[Any] = []
    for given in _listed(listed):
        try:
            value = known.check.read(given)
        except ValueError as error:
            raise InputError(f"{option('vary')} {key} {error}") from None
        if value in values:
            raise InputError(f"{option('vary')} {key}: {value_text(value)} is named twice: name each value once")
        values.append(value)
    return Variation(key, tuple(values))


def _suggestion(key: str) -> str:
    """The key most like this one; of keys without their table the first that there is."""
    known = [f"{table}.{name}" for table, names in schema().items() for name in names]
    homes = [name for name in known if name.endswith(f".{key}")]
    return f"; did you mean {homes[0]!r}?" if homes else nearest(key, known)


def _listed(text: str) -> list[Any]:
    """Values as TOML has them; words need no quotes."""
    whole = _toml(f"[{text}]")
    if isinstance(whole, list):
        return whole
    return [part if (value := _toml(part)) is None else value for part in map(str.strip, text.split(","))]


def _toml(text: str) -> Any:
    """A TOML value; None if the text is none."""
    try:
        found = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return None
    return found["value"] if found.keys() == {"value"} else None
