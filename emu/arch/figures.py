"""The tables of figures: [timing], [energy], [area] with a subtable per component, and [published]; None is not known.

They are made of the rows of `components.toml` and `published.toml` when a description has figures: that takes longer
than reading the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from emu.arch.checks import NamesCheck, NumberCheck, TextCheck
from emu.arch.components import COMPONENTS, LEVELS, PRICES, TIMED, TIMES, Rows, rows_of
from emu.arch.cost_models import COST_MODELS
from emu.arch.key import COST, FLAG, POSITIVE_TIME, TEXT, key, key_of_row
from emu.arch.laws.table import LAWS

Cls = TypeVar("Cls", bound=type)


class Figures:
    """A table with keys and subtables that rows of a file name."""

    __slots__ = ()
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

        def __getattr__(self, name: str) -> Any: ...


def _with(members: Iterable[tuple[str, Any]]) -> Callable[[Cls], Cls]:
    """Makes a frozen dataclass with these further fields: keys, and classes of subtables."""

    def made(cls: Cls) -> Cls:
        cls.__annotations__ = {**cls.__annotations__}
        for name, each in members:
            cls.__annotations__[name] = "Any"
            setattr(cls, name, field(default_factory=each) if isinstance(each, type) else each)
        return dataclass(frozen=True, slots=True)(cls)

    return made


def _keys(rows: Rows) -> list[tuple[str, Any]]:
    return [(name, key_of_row(row)) for name, row in rows.items()]


def _scale() -> Any:
    """The key of a component's table that names the laws by which its figures follow the chip."""
    meaning = (
        "the [laws](#laws) by which the figures of this table follow keys of the chip; without it they are as they are"
        " written, whatever else changes"
    )
    return key(NamesCheck(tuple(LAWS)), meaning)


@dataclass(frozen=True, slots=True)
class ComponentTimes(Figures):
    """The times of a component."""

    scale: tuple[str, ...] | None = _scale()


@dataclass(frozen=True, slots=True)
class ComponentEnergy(Figures):
    """The powers of one instance of a component, and pJ of its actions; one without a price costs power for a time."""

    scale: tuple[str, ...] | None = _scale()
    power_mw: float | None = key(COST, "power of one instance at full activity, static power included")
    static_mw: float | None = key(
        COST,
        "power of one instance that does nothing",
        conflict=lambda part, arch: (
            f"{part.static_mw:g} exceeds power_mw {part.power_mw:g}, in which it is included"
            if part.power_mw is not None and part.static_mw > part.power_mw
            else ""
        ),
    )


@dataclass(frozen=True, slots=True)
class ComponentArea:
    """How many instances of a component there are, and how large one is."""

    count: int | None = key(
        NumberCheck(1, 1 << 24),
        "instances per part `per`; without it the number that the crossbars and cores imply",
    )
    per: str | None = key(TextCheck(LEVELS), "the part of the chip that `count` instances belong to")
    mm2: float | None = key(COST, "area of one instance")
    scale: tuple[str, ...] | None = _scale()


def _kind(base: type, rows: Rows) -> type:
    """A table of the keys of `base` and these."""
    return _with(_keys(rows))(type(base.__name__, (base,), {"__doc__": base.__doc__}))


@cache
def _times(kind: str) -> type:
    return _kind(ComponentTimes, TIMES[kind])


@cache
def _price(kind: str) -> type:
    return _kind(ComponentEnergy, PRICES[kind]) if kind else ComponentEnergy


@_with((name, _times(COMPONENTS[name].time)) for name in TIMED)
class Timing(Figures):
    """All times of a chip; network times stand in `Network`."""

    model: str | None = key(
        TextCheck(tuple(COST_MODELS)), "the cost model: how instructions use the components; without it `pipeline`"
    )
    clock_ns: float | None = key(POSITIVE_TIME, "the period of the cores' clock")
    window: int | None = key(NumberCheck(1, 1 << 10), "operations in flight per core; 1: one after the other")
    local_ports: int | None = key(NumberCheck(1, 1 << 10), "accesses that the local memory of a core serves at once")
    pipelined: bool | None = key(
        FLAG, "whether an array takes the next slice of input bits while converters do the last one"
    )
    float_bits: int | None = key(
        NumberCheck(1, 64), "bits of the chip's own numbers, by which values of floating-point types cost"
    )


@_with((name, _price(component.price)) for name, component in COMPONENTS.items())
class Energy(Figures):
    """All energies and powers of a chip."""


@_with((name, ComponentArea) for name in COMPONENTS)
class Area(Figures):
    """Area and number of all components of a chip."""


_TOTALS: Mapping[str, Any] = rows_of("published.toml")


@_with((name, key(TEXT, "why the sum differs, in words")) for name in _TOTALS)
class TotalReason(Figures):
    """Why a published total is not the sum of the published parts."""


@_with([*_keys(_TOTALS), ("why", TotalReason)])
class Published(Figures):
    """Totals that a chip's authors print, for comparison; nothing is computed from them."""

    source: str | None = key(TEXT, "where the totals are printed")
