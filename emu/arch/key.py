"""A key of a chip's description: a field that says what it may be, what it means, and what it cannot stand beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from emu.arch.checks import FlagCheck, NumberCheck, Real, TextCheck, ValueCheck

PICOSECOND = 1e-3  # ns; the smallest step of simulated time
SMALLEST_RATE = 1e-9

# What most keys are. Names end with the unit: `_ns`, `_pj`, `_nj`, `_mw`, `mm2`, `_bytes`, `_bits`.
TIME, POSITIVE_TIME, COST, RATE = Real(), Real(PICOSECOND), Real(), Real(SMALLEST_RATE)
COUNT, FLAG, TEXT = NumberCheck(1, 1 << 20), FlagCheck(), TextCheck()
TYPES: Mapping[str, ValueCheck] = {  # by the names of components.toml and published.toml
    "time": TIME,  # of a step that may take none
    "positive time": POSITIVE_TIME,
    "cost": COST,  # energy, power or area
    "rate": RATE,
    "count": COUNT,
}


@dataclass(frozen=True, slots=True)
class Key:
    """What a key may be, and what it means.

    `conflict` is asked of the table that the key stands in and the chip: what is wrong with its value beside others, as
    the rest of a sentence about the key; empty if nothing is. `implied`: descriptions were written without the key,
    which meant its default: manifests have it only where it is something else. `zero_if_absent`: without it what it
    stands for takes no time, and reports name it. `fallback`: the action whose price counts for one without its own.
    `compiled`: programs depend on it; on figures that a description may leave out they do not, unless it says so.
    """

    check: ValueCheck
    meaning: str
    conflict: Callable[[Any, Any], str] | None = None
    implied: bool = False
    zero_if_absent: bool = False
    fallback: str = ""
    compiled: bool = False


def key(check: ValueCheck, meaning: str, default: Any = None, **more: Any) -> Any:
    """A key as a field of a dataclass. A `default` of None stands for a figure that is not known."""
    more.setdefault("compiled", default is not None)
    return field(default=default, metadata={"key": Key(check, meaning, **more)})


def key_of_row(row: Mapping[str, Any]) -> Any:
    """The same of a row of components.toml or published.toml."""
    more = {name: value for name, value in row.items() if name not in ("type", "meaning")}
    return key(TYPES[row.get("type", "cost")], row["meaning"], **more)


def keys_of(cls: Any) -> dict[str, Key]:
    """The keys of a table's dataclass by name."""
    return {f.name: f.metadata["key"] for f in fields(cls) if "key" in f.metadata}


def tables_of(cls: Any) -> dict[str, type]:
    """The tables below a table's dataclass by name, with the dataclass of each."""
    return {f.name: f.default_factory for f in fields(cls) if isinstance(f.default_factory, type)}


def values_of(table: Any, inner: bool = False) -> dict[str, Any]:
    """A table as plain values, without unknown figures and what is usual.

    Without empty tables in an `inner` one, and those whose keys are all implied.
    """
    found: dict[str, Any] = {}
    for f in fields(table):
        value, own = getattr(table, f.name), f.metadata.get("key")
        if own is None:
            if hasattr(value, "__dataclass_fields__"):
                below = values_of(value, inner=True)
                usual = inner or all(known.implied for known in keys_of(value).values())
                if below or not usual:
                    found[f.name] = below
        elif value is not None and not (own.implied and value == f.default):
            found[f.name] = value
    return found
