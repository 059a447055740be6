"""The tables of figures: [timing], [energy], [area] with a subtable per component, and [published]; None is not known.

They are made of the rows of `components.toml` and `published.toml` when a description has figures: that takes longer
than reading the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from emu.arch.checks import Number, Text
from emu.arch.components import COMPONENTS, LEVELS, PRICES, TIMED, TIMES, Rows, rows_of
from emu.arch.key import COST, FLAG, POSITIVE_TIME, TEXT, key, key_of_row

Cls = TypeVar("Cls", bound=type)
MODELS = ("pipeline", "isaac", "puma", "cim-mlc")


class Figures:
    """A table with keys and subtables that rows of a file name."""

    __slots__ = ()
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _more(members: Iterable[tuple[str, Any]]) -> Callable[[Cls], Cls]:
    """A dataclass with further fields: keys, or classes of subtables."""

    def made(base: Cls) -> Cls:
        parts = {name: field(default_factory=each) if isinstance(each, type) else each for name, each in members}
        added = [(name, object, each) for name, each in parts.items()]
        named = {"__doc__": base.__doc__, "__module__": base.__module__}
        return make_dataclass(base.__name__, added, bases=(base,), namespace=named, frozen=True, slots=True)  # pyright: ignore

    return made


def _keys(rows: Rows) -> list[tuple[str, Any]]:
    return [(name, key_of_row(row)) for name, row in rows.items()]


@dataclass(frozen=True, slots=True)
class Times(Figures):
    """The times of a component."""


@dataclass(frozen=True, slots=True)
class Power(Figures):
    """The powers of one instance of a component, and pJ of its actions; one without a price costs power for a time."""

    power_mw: float | None = key(COST, "power of one instance at full activity, static power included")
    static_mw: float | None = key(
        COST,
        "power of one instance that does nothing",
        beside=lambda part, arch: (
            f"{part.static_mw:g} exceeds power_mw {part.power_mw:g}, in which it is included"
            if part.power_mw is not None and part.static_mw > part.power_mw
            else ""
        ),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """How many instances of a component there are, and how large one is."""

    count: int | None = key(
        Number(1, 1 << 24),
        "instances per part `per`; without it the number that the crossbars and cores imply",
    )
    per: str | None = key(Text(LEVELS), "the part of the chip that `count` instances belong to")
    mm2: float | None = key(COST, "area of one instance")


@cache
def _times(kind: str) -> type:
    return _more(_keys(TIMES[kind]))(Times)


@cache
def _price(kind: str) -> type:
    return _more(_keys(PRICES[kind]))(Power) if kind else Power


@_more((name, _times(COMPONENTS[name].time)) for name in TIMED)
@dataclass(frozen=True, slots=True)
class Timing(Figures):
    """All times of a chip; network times stand in `Network`."""

    model: str | None = key(Text(MODELS), "the cost model: how instructions use the components; without it `pipeline`")
    clock_ns: float | None = key(POSITIVE_TIME, "the period of the cores' clock")
    window: int | None = key(Number(1, 1 << 10), "operations in flight per core; 1: one after the other")
    local_ports: int | None = key(Number(1, 1 << 10), "accesses that the local memory of a core serves at once")
    pipelined: bool | None = key(
        FLAG, "whether an array takes the next slice of input bits while converters do the last one"
    )
    float_bits: int | None = key(
        Number(1, 64), "bits of the chip's own numbers, by which values of floating-point types cost"
    )


@_more((name, _price(component.price)) for name, component in COMPONENTS.items())
@dataclass(frozen=True, slots=True)
class Energy(Figures):
    """All energies and powers of a chip."""


@_more((name, Part) for name in COMPONENTS)
@dataclass(frozen=True, slots=True)
class Area(Figures):
    """Area and number of all components of a chip."""


_TOTALS: Mapping[str, Any] = rows_of("published.toml")


@_more((name, key(TEXT, "why the sum differs, in words")) for name in _TOTALS)
@dataclass(frozen=True, slots=True)
class Why(Figures):
    """Why a published total is not the sum of the published parts."""


@_more([*_keys(_TOTALS), ("why", Why)])
@dataclass(frozen=True, slots=True)
class Published(Figures):
    """Totals that a chip's authors print, for comparison; nothing is computed from them."""

    source: str | None = key(TEXT, "where the totals are printed")
