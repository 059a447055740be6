"""Statistics of an image, or of two side by side: tables for people, CSV, and plain values for --json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from emu.wording import counted
from launch.images.counts import by_count, families
from launch.stats.counting import Counts, Stats
from launch.text.answer import Table
from launch.text.csv_text import csv_text

# What is told of a core and of all, beside the instructions: title, value.
FIGURES: Sequence[tuple[str, Callable[[Counts], int]]] = (
    ("instructions as written", lambda counts: counts.written.total()),
    ("instructions unrolled", lambda counts: counts.unrolled.total()),
    ("bytes read in local memory", lambda counts: counts.local_read),
    ("bytes written in local memory", lambda counts: counts.local_written),
    ("bytes loaded from global memory", lambda counts: counts.loaded),
    ("bytes stored to global memory", lambda counts: counts.stored),
    ("bytes sent to other cores", lambda counts: counts.sent),
    ("messages", lambda counts: counts.messages),
    ("MACs", lambda counts: counts.macs),
    ("crossbars", lambda counts: counts.crossbars),
)
WRITES: Sequence[tuple[str, Callable[[Counts], int]]] = (  # the same of programs that write crossbars
    ("writes to crossbars", lambda counts: counts.write_events),
    ("rows written", lambda counts: counts.written_rows),
    ("cells written", lambda counts: counts.written_cells),
)
# Columns of the CSV table between the core and the instructions.
COLUMNS = (
    "instructions", "executed", "init", "local_read", "local_written", "loaded", "stored", "sent", "received",
    "messages", "macs", "crossbars", "weights", "cells", "write_events", "written_rows", "written_cells",
)  # fmt: skip
TOTAL = "total"
MOST = 3  # instructions that are named for each core
LEGEND = (
    "of the section main, times and bytes of one sample; as written: rows of the programs, the body of a loop counted"
    " once; unrolled: as often as they run, loops themselves not counted",
    "bytes of messages, loads and stores also count in local memory, which they read or write",
)


@dataclass(frozen=True, slots=True)
class StatsReport:
    """An image, and another to compare it with, if there is one; `by_core`: every core is told, too."""

    image: Stats
    other: Stats | None = None
    by_core: bool = False

    @property
    def images(self) -> tuple[Stats, ...]:
        """One or two."""
        return (self.image,) if self.other is None else (self.image, self.other)

    def values(self) -> dict[str, Any]:
        """Bytes and counts; shares from 0 to 1."""
        return {"image": self.image.to_dict(), "other": None if self.other is None else self.other.to_dict()}

    def lines(self) -> list[str]:
        """What stands above the tables."""
        names = ("", "") if self.other is None else ("A: ", "B: ")
        return [line for name, stats in zip(names, self.images, strict=False) for line in _lines(name, stats)]

    def tables(self) -> list[Table]:
        """The instructions, the figures, the crossbars that are written, and with `by_core` a row for every core."""
        cores = [_cores(stats) for stats in self.images] if self.by_core else []
        return [self._mix(), self._figures(), *(_wear(stats) for stats in self.images if stats.wear), *cores]

    def _mix(self) -> Table:
        kinds = families()
        written, unrolled = ([getattr(stats.total, mix) for stats in self.images] for mix in ("written", "unrolled"))
        every = (*by_count(sum(unrolled, Counter())), *by_count(sum(written, Counter())))  # loops at the end
        cells = _shared if self.other is None else _beside_of
        rows = [(name, kinds[name], *cells(written, name), *cells(unrolled, name)) for name in dict.fromkeys(every)]
        if self.other is None:
            return Table("instructions", ("instruction", "what", "written", "", "unrolled", ""), rows, "llrrrr")
        columns = ("instruction", "what", "written A", "written B", "B / A", "unrolled A", "unrolled B", "B / A")
        return Table("instructions", columns, rows, "llrrrrrr")

    def _figures(self) -> Table:
        totals = [stats.total for stats in self.images]
        figures = (*FIGURES, *(WRITES if any(counts.write_events for counts in totals) else ()))
        rows = [(title, *_beside([of(counts) for counts in totals])) for title, of in figures]
        columns = ("of all cores", "") if self.other is None else ("of all cores", "A", "B", "B / A")
        return Table("figures", columns, rows, "lrrr")

    def csv(self) -> str:
        """A row per core and one for all: figures, then each instruction as written and unrolled."""
        names = [name for name in families() if any(stats.total.written[name] for stats in self.images)]
        mixes = [f"{mix} {name}" for mix in ("written", "unrolled") for name in names]
        rows = [
            (stats.path, core, *_cells(counts.to_dict(), names))
            for stats in self.images
            for core, counts in (*stats.cores.items(), (TOTAL, stats.total))
        ]
        return csv_text(("image", "core", *COLUMNS, "cell_share", *mixes), rows)


def _lines(name: str, stats: Stats) -> Iterator[str]:
    yield (
        f"{name}{stats.path}: {stats.model or '(no model)'} on {stats.arch.name},"
        f" {counted(len(stats.cores), 'core')}, {stats.crossbar_share:.1%} of their crossbars and"
        f" {stats.total.cell_share:.1%} of the cells of those in use"
    )
    if stats.wear:
        yield name + stats.wear.line()


def _wear(stats: Stats) -> Table:
    from launch.timing.wear_tables import crossbar_table

    table = crossbar_table(stats.wear)
    return replace(table, title=f"{table.title}, {stats.path}")


def _cells(values: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    counts = [values[mix].get(name, 0) for mix in ("written", "unrolled") for name in names]
    return [*(values[key] for key in (*COLUMNS, "cell_share")), *counts]


def _cores(stats: Stats) -> Table:
    writes = WRITES if stats.total.write_events else ()
    rows = [
        (
            core,
            *(f"{of(counts):,}" for _, of in (*FIGURES, *writes)),
            f"{counts.cell_share:.0%}" if counts.cells else "",
            ", ".join(_most(counts)),
        )
        for core, counts in stats.cores.items()
    ]
    columns = ("core", "written", "unrolled", "read", "written", "loaded", "stored", "sent", "messages", "MACs")
    more = ("crossbars", *(title for title, _ in writes), "cells", "most")
    return Table(f"cores of {stats.path}", (*columns, *more), rows, "r" * (12 + len(writes)) + "l")


def _most(counts: Counts) -> Iterator[str]:
    """The instructions that run most often, each with its share."""
    whole = counts.unrolled.total()
    for name, count in list(by_count(counts.unrolled).items())[:MOST]:
        yield f"{name} {count / whole:.0%}"


def _shared(mixes: Sequence[Counter[str]], name: str) -> Sequence[str]:
    """A count of the only mix, and its share of all."""
    (mix,) = mixes
    return f"{mix[name]:,}", f"{mix[name] / mix.total():.1%}" if mix.total() else ""


def _beside_of(mixes: Sequence[Counter[str]], name: str) -> Sequence[str]:
    """A count of two mixes, and what the second is over the first."""
    return _beside([mix[name] for mix in mixes])


def _beside(values: Sequence[int]) -> list[str]:
    """One value, or two and what the second is over the first."""
    texts = [f"{value:,}" for value in values]
    return texts if len(values) == 1 else [*texts, f"{values[1] / values[0]:.3g}" if values[0] else ""]
