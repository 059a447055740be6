"""The answer of `emu info`: an image, or two for comparison, as plain values, lines and tables, and CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from emu.census.instructions import by_count, families
from emu.image.manifest import Segment
from emu.wording import counted
from launch.images.host_share import host_lines, host_share
from launch.info.summary import Summary, core_values, read_summaries, total_values
from launch.info.text import image_parts, work_table
from launch.text.answer import Part, Table
from launch.text.csv_text import csv_text

# What is told of all cores, beside the instructions: its name in the values, its title.
FIGURES: Mapping[str, str] = {
    "instructions": "instructions, loops counted once",
    "executed": "instructions unrolled",
    "local_read": "bytes read in local memory",
    "local_written": "bytes written in local memory",
    "loaded": "bytes loaded from global memory",
    "stored": "bytes stored to global memory",
    "message_bytes": "bytes sent to other cores",
    "messages": "messages",
    "macs": "MACs",
    "crossbars": "crossbars",
}
WRITES: Mapping[str, str] = {  # the same of programs that write crossbars
    "write_events": "writes to crossbars",
    "written_rows": "rows written",
    "written_cells": "cells written",
}
COLUMNS = (  # of the CSV table, between the core and the instructions
    "instructions", "executed", "init", "local_read", "local_written", "loaded", "stored", "message_bytes", "received",
    "messages", "macs", "crossbars", "weights", "cells", *WRITES, "cell_share",
)  # fmt: skip
TOTAL = "total"
LEGEND = (
    "of the section main, times and bytes of one sample; as written: rows of the programs, the body of a loop counted"
    " once; unrolled: as often as they run, loops themselves not counted",
    "bytes of messages, loads and stores also count in local memory, which they read or write",
)


@dataclass(frozen=True)
class ImageParts:
    """An image at `path`: its parts that run on cores, itself if it has no `segments`."""

    path: Path
    parts: Sequence[Summary]
    segments: Sequence[Segment] = ()

    @cached_property
    def total(self) -> dict[str, Any]:
        """All cores of all parts in one."""
        return total_values([part.census for part in self.parts])

    @cached_property
    def host(self) -> dict[str, Any] | None:
        """What is left to the host; None without segments."""
        return host_share(self.segments).to_dict() if self.segments else None

    def values(self) -> dict[str, Any]:
        """Plain values: those of the image, or of each of its segments by name."""
        by_part = {part.path.name: part.to_dict() for part in self.parts}
        return {"host": self.host, "segments": by_part} if self.segments else by_part[self.path.name]


def read_held(path: Path) -> ImageParts:
    """What the image at `path` holds; raises InputError."""
    image, parts = read_summaries(path)
    return ImageParts(image.path, parts, image.manifest.segments)


@dataclass(frozen=True, slots=True)
class InfoReport:
    """An image, and another to compare it with; `by_core`: of every core, too, `details`: what instructions do."""

    image: ImageParts
    other: ImageParts | None = None
    by_core: bool = False
    details: bool = False

    @property
    def images(self) -> tuple[ImageParts, ...]:
        """The images, one or two."""
        return (self.image,) if self.other is None else (self.image, self.other)

    def values(self) -> dict[str, Any]:
        """Bytes and counts; shares from 0 to 1."""
        return {**self.image.values(), "other": None if self.other is None else self.other.values()}

    def parts(self) -> Iterator[Part]:
        """The text form."""
        if self.other is None:
            yield from self._nodes()
        else:
            for name, held in zip("AB", self.images, strict=True):
                yield from _lines(name, held)
        if self.details or self.other is not None:
            yield self._mix()
            yield self._figures()
            yield from (_wear(part) for part in self._all() if part.wear)
            if self.by_core:
                yield from map(work_table, self._all())
            yield from LEGEND

    def _all(self) -> list[Summary]:
        return [part for held in self.images for part in held.parts]

    def _nodes(self) -> Iterator[Part]:
        held = self.image
        for part in held.parts:
            if held.segments:
                yield f"segment {part.path.name}"
            yield from image_parts(part, self.by_core)
        if held.host is not None:
            yield from host_lines(held.host)

    def _mix(self) -> Table:
        kinds = families()
        written, unrolled = ([Counter(held.total[mix]) for held in self.images] for mix in ("written", "unrolled"))
        every = (*by_count(sum(unrolled, Counter())), *by_count(sum(written, Counter())))  # loops at the end
        cells = _shared if self.other is None else _beside_of
        rows = [(name, kinds[name], *cells(written, name), *cells(unrolled, name)) for name in dict.fromkeys(every)]
        if self.other is None:
            return Table("instructions", ("instruction", "what", "written", "", "unrolled", ""), rows, "llrrrr")
        columns = ("instruction", "what", "written A", "written B", "B / A", "unrolled A", "unrolled B", "B / A")
        return Table("instructions", columns, rows, "llrrrrrr")

    def _figures(self) -> Table:
        totals = [held.total for held in self.images]
        figures = {**FIGURES, **(WRITES if any(total["write_events"] for total in totals) else {})}
        rows = [(title, *_beside([total[name] for total in totals])) for name, title in figures.items()]
        columns = ("of all cores", "") if self.other is None else ("of all cores", "A", "B", "B / A")
        return Table("figures", columns, rows, "lrrr")

    def csv(self) -> str:
        """A row per core and one for all: figures, then each instruction as written and unrolled."""
        names = [name for name in families() if any(name in held.total["written"] for held in self.images)]
        mixes = [f"{mix} {name}" for mix in ("written", "unrolled") for name in names]
        rows = [
            (path, core, *_cells(values, names))
            for held in self.images
            for path, core, values in (
                *((part.path, core.core, core_values(core)) for part in held.parts for core in part.cores),
                (held.path, TOTAL, held.total),
            )
        ]
        return csv_text(("image", "core", *COLUMNS, *mixes), rows)


def _lines(name: str, held: ImageParts) -> Iterator[str]:
    for part in held.parts:
        census = part.census
        yield (
            f"{name}: {part.path}: {part.manifest.model.name or '(no model)'} on {census.arch.name},"
            f" {counted(len(census.cores), 'core')}, {census.crossbar_share:.1%} of their crossbars and"
            f" {census.cell_share:.1%} of the cells of those in use"
        )
        if part.wear:
            yield f"{name}: {part.wear.line()}"


def _wear(part: Summary) -> Table:
    from launch.timing.tables import crossbar_table

    table = crossbar_table(part.wear and part.wear.to_dict())
    return replace(table, title=f"{table.title}, {part.path}")


def _cells(values: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    counts = [values[mix].get(name, 0) for mix in ("written", "unrolled") for name in names]
    return [*(values[key] for key in COLUMNS), *counts]


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
