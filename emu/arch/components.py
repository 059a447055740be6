"""The components of a chip, as the rows of `components.toml` say: read once a description has figures of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

LEVELS = ("crossbar", "mvmu", "core", "cluster", "chip", "system")  # from the smallest part of a chip to all chips
Rows = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Component:
    """What a component is; the part of a chip that it belongs to, and how many of it such a part has.

    `once`: several chips have it together. `count`: the first of these keys that the chip has, or a number. `time` and
    `price` name its kinds of keys, if it has any; `duration` is, by action, the key of the time that an action without
    a price costs power for.
    """

    meaning: str
    level: str
    once: bool = False
    count: Sequence[str] | int = 1
    time: str = ""
    price: str = ""
    duration: Mapping[str, str] = field(default_factory=dict[str, str])


def rows_of(name: str) -> dict[str, Any]:
    """The tables of a file of rows beside this module."""
    return tomllib.loads(resources.files("emu.arch").joinpath(name).read_text("utf-8"))


_FILE = rows_of("components.toml")
TIMES: Mapping[str, Rows] = _FILE["time"]  # kinds of keys of [timing]: rows of keys by name
PRICES: Mapping[str, Rows] = _FILE["price"]  # of [energy]
COMPONENTS: Mapping[str, Component] = {name: Component(**row) for name, row in _FILE["component"].items()}
TIMED = tuple(name for name, component in COMPONENTS.items() if component.time)
