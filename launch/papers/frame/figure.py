"""A paper and its figures: what runs for each, the rows that come of it, and what is published of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from emu.errors import InputError, option, shown
from emu.wording import nearest
from launch.runs.repeating import arguments
from launch.text.columns import Column

Row = Mapping[str, Any]  # plain values, by the names that --json has
Numbers = float | tuple[float, float]  # one, or the lowest and the highest


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedOptions:
    """What a figure is made with instead of its own, which () and None stand for: a field for each option.

    `sizes` are pixels of a side of images, `repeat` is how often something is timed; the others are as in `emu time`.
    """

    networks: tuple[str, ...] = ()
    schedules: tuple[str, ...] = ()
    arch: str | None = None
    cores: tuple[int, ...] = ()
    types: str | None = None
    flow: str | None = None
    samples: int | None = None
    sizes: tuple[int, ...] = ()
    repeat: int | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What is not the figure's own, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value not in ((), None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What runs: `function`, as module:function, is called with the plain values `given` and a scratch `folder`.

    All measurements of a run share that folder. It returns plain values; a `reason` why there are none goes with exit
    code 2. `label` is its name in its paper; `commands` are lines of `emu` that come to the same, if there are such.
    """

    label: str
    function: str
    given: Mapping[str, Any]
    commands: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What tells it from all others, in one line."""
        return json.dumps([self.function, self.given], sort_keys=True)


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """What came of a measurement, or the `reason` why nothing did; `seconds` are of this machine."""

    of: Measurement
    values: Mapping[str, Any]
    reason: str = ""
    seconds: float = 0.0


def best_of(values: Sequence[float]) -> float:
    """The highest."""
    return max(values)


def least_of(values: Sequence[float]) -> float:
    """The lowest."""
    return min(values)


def range_of(values: Sequence[float]) -> Numbers:
    """The lowest and the highest, if they differ."""
    low, high = min(values), max(values)
    return low if low == high else (low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedValue:
    """What is published: of rows with these fields (`where`: a value, or several), the field `of`.

    `paper` is what the paper says, `rerun` what its published code gives, if it was run again; one of them may be None.
    Of several rows at a point `pick` makes the one number that is compared; `why` is told where that is far away.
    `source` is where it stands if not in the paper itself.
    """

    what: str
    of: str
    why: str
    where: Mapping[str, Any] = field(default_factory=dict[str, Any])
    paper: Numbers | None = None
    rerun: float | None = None
    pick: Callable[[Sequence[float]], Numbers] = best_of
    source: str = ""

    def is_about(self, row: Row) -> bool:
        """Whether it is published of this row."""
        return all(row[key] in ((value,) if isinstance(value, str) else value) for key, value in self.where.items())


def one_row_each(found: Sequence[MeasuredValue]) -> Sequence[Row]:
    """What came of each measurement is a row."""
    return [{**each.values, "reason": each.reason or None} for each in found]


def no_point(row: Row) -> str:
    """Rows have no points."""
    return ""


def no_notes(found: Sequence[Row]) -> Iterable[str]:
    """There is nothing to be said of rows."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure, a table, or some numbers of a paper.

    `measure` says what runs for it, `rows` what comes of that, `columns` are those of the table; of these, those in
    which no row has anything are left out. `takes` are the fields of `WantedOptions` that mean something to it, `chip`
    is the one that it is about. `notes` are sentences about rows, `chart` makes an Altair chart of them; `point` tells
    rows about one network or kernel apart, that published numbers are compared with one by one.
    """

    name: str
    title: str
    measure: Callable[[WantedOptions], Sequence[Measurement]]
    columns: Sequence[Column]
    rows: Callable[[Sequence[MeasuredValue]], Sequence[Row]] = one_row_each
    published: Sequence[PublishedValue] = ()
    takes: Sequence[str] = ()
    chip: str = ""
    notes: Callable[[Sequence[Row]], Iterable[str]] = no_notes
    point: Callable[[Row], str] = no_point
    chart: Callable[[Sequence[Row]], Any] | None = None

    def shown(self, rows: Sequence[Row]) -> Sequence[Column]:
        """The columns that a table of these rows may have."""
        return self.columns


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: who published it, and the figures that are made again. `about` says what it is in a line."""

    about: str
    source: str
    figures: Sequence[Figure]

    def figure(self, name: str, paper: str) -> Figure:
        """The figure of this name; raises InputError that names the nearest one."""
        known = {figure.name: figure for figure in self.figures}
        if name not in known:
            near = nearest(name, known) or f": it has {', '.join(known)}"
            raise InputError(f"paper {paper} has no figure {shown(name)}{near}")
        return known[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRequest:
    """A figure that is to be made, with what is `wanted` of it; `brief`: told without the table of its own rows."""

    paper: str
    of: Paper
    figure: Figure
    wanted: WantedOptions
    brief: bool = False

    @property
    def name(self) -> str:
        """As the command line has it."""
        return f"{self.paper}/{self.figure.name}"

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments of `emu` that make it."""
        given = {
            name: ",".join(map(str, value)) if isinstance(value, tuple) else value
            for name, value in self.wanted.given.items()
        }
        return ("paper", self.name, *arguments(given))


def requests_for(paper: str, of: Paper, figure: str, wanted: WantedOptions, brief: bool = False) -> list[FigureRequest]:
    """A figure of a paper, or all (""); raises InputError for an option that means nothing to any of them."""
    figures = [of.figure(figure, paper)] if figure else of.figures
    for name in wanted.given:
        if not any(name in each.takes for each in figures):
            which = f"{paper}/{figures[0].name}" if len(figures) == 1 else paper
            raise InputError(f"{option(name)} means nothing to {which}: leave it out")
    return [FigureRequest(paper=paper, of=of, figure=each, wanted=_for(each, wanted), brief=brief) for each in figures]


def _for(figure: Figure, wanted: WantedOptions) -> WantedOptions:
    return WantedOptions(**{name: value for name, value in wanted.given.items() if name in figure.takes})
