"""Figures as tables for people, as Markdown and CSV, and as plain values for --json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from emu.wording import counted
from launch.papers.frame.comparing import CLOSE, Comparison, compared
from launch.papers.frame.figure import FigureRequest, MeasuredValue, Numbers, Row
from launch.text.answer import Answer, Part, Table, Verbatim
from launch.text.columns import listed
from launch.text.csv_text import csv_text
from launch.text.markdown_page import markdown_table
from launch.text.picture import picture
from launch.text.units import UNKNOWN


@dataclass(frozen=True)
class FigureReport:
    """A figure that was asked for, and what came of its measurements, of which there are `total`."""

    request: FigureRequest
    found: Sequence[MeasuredValue]
    total: int

    @cached_property
    def rows(self) -> Sequence[Row]:
        """Those of the figure."""
        return self.request.figure.rows(self.found)

    @cached_property
    def published(self) -> list[Comparison]:
        """What is published of these."""
        return compared(self.request, self.rows)

    @property
    def has_values(self) -> bool:
        """Whether a measurement has come to more than a reason."""
        return any(each.values for each in self.found)

    @property
    def seconds(self) -> float:
        """Of this machine, for all measurements."""
        return sum(each.seconds for each in self.found)

    def values(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "paper": self.request.paper,
            "figure": self.request.figure.name,
            "title": self.request.figure.title,
            "rows": [dict(row) for row in self.rows],
            "published": [entry.to_dict() for entry in self.published],
            "met": sum(entry.met for entry in self.published),
            "missed": sum(not entry.met for entry in self.published),
            "source": self.request.of.source,
            "seconds": round(self.seconds, 1),
        }

    def csv(self) -> str:
        """A row for each of the figure's."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return csv_text(list(names), ([_cell(row.get(name)) for name in names] for row in self.rows))

    def draw(self, kind: str) -> bytes:
        """Its picture as SVG or PNG."""
        chart = self.request.figure.chart
        assert chart is not None
        return picture(chart(self.rows).properties(title=self.request.figure.title), kind)

    def tables(self) -> list[Table]:
        """The rows, unless it is to be brief, and what is published beside ours."""
        found: list[Table] = []
        if self.rows and not self.request.brief:
            found.append(listed("", self.request.figure.shown(self.rows), self.rows))
        return [*found, *([self._beside()] if self.published else [])]

    def _beside(self) -> Table:
        named, pointed = (any(getattr(each, name) for each in self.published) for name in ("network", "point"))
        head = (*(["network"] if named else []), *(["chip with"] if pointed else []), "figure")
        cells = [
            (
                *([entry.network] if named else []),
                *([entry.point or "any"] if pointed else []),
                entry.what,
                *(UNKNOWN if value is None else _numbers(value) for value in (entry.paper, entry.rerun, entry.ours)),
                UNKNOWN if entry.ratio is None else f"{entry.ratio:.2f}",
            )
            for entry in self.published
        ]
        titles = (*head, "paper", "re-run", "ours", "ratio")
        return Table("beside the published figures", titles, cells, "l" * len(head) + "rrrr")

    def sentences(self) -> list[str]:
        """What is to be said of rows, what is missed and why, and whose figures these are."""
        why: Mapping[str, list[str]] = {text: [] for text in dict.fromkeys(each.why for each in self.published)}
        for entry in self.published:
            at = f" with {entry.point}" if entry.point else ""
            ratio = _numbers(entry.ours) if entry.ratio is None else f"{entry.ratio:.2f}"
            why[entry.why].append(" ".join(filter(None, (entry.network, f"{entry.what}{at}", ratio))))
        missed = [f"missed by more than {CLOSE:.0%} ({'; '.join(of)}): {text}" for text, of in why.items() if text]
        return [*self.request.figure.notes(self.rows), *missed, *self._last()]

    def _last(self) -> list[str]:
        if not self.published:
            return []
        close = sum(entry.met for entry in self.published)
        sources = dict.fromkeys(entry.source for entry in self.published)
        return [
            f"met within {CLOSE:.0%}: {close} of {counted(len(self.published), 'published figure')}",
            *(f"source: {source}" for source in sources),
        ]

    def parts(self) -> list[Part]:
        """What people read."""
        made = "" if len(self.found) == self.total else f", {len(self.found)} of {self.total} measurements"
        return [
            f"{self.request.name}: {self.request.figure.title}{made}",
            *self.tables(),
            *self.sentences(),
            f"measured in {self.seconds:.0f} s",
        ]

    def markdown(self) -> str:
        """The same for a page, without its title, and without times of this machine."""
        said = "\n".join(f"* {sentence}" for sentence in self.sentences())
        return "\n\n".join(filter(None, [*map(markdown_table, self.tables()), said]))


def paper_answer(
    figures: Sequence[FigureReport], failed: Sequence[str], exit_code: int, as_markdown: bool = False
) -> Answer:
    """What `emu paper` answers: of one figure also its CSV and its picture."""
    one = figures[0] if len(figures) == 1 and figures[0].rows else None
    whole = [figure for figure in figures if figure.found]
    parts: list[Part] = [part for figure in whole for part in figure.parts()]
    if as_markdown:
        parts = [Verbatim(f"{figure.markdown()}\n") for figure in whole]
    reasons = [found.reason for figure in figures for found in figure.found if found.reason]
    return Answer(
        {"figures": [figure.values() for figure in figures], "exit_code": exit_code},
        [*parts, *failed],
        failure=reasons[0] if exit_code == 2 and reasons else "",
        exit_code=exit_code,
        csv=one.csv if one else None,
        draw=one.draw if one and one.request.figure.chart else None,
    )


def _cell(value: Any) -> Any:
    """A value of a CSV table: of several, all in one cell."""
    return " ".join(f"{name}={each}" for name, each in value.items()) if isinstance(value, dict) else value


def _numbers(value: Numbers) -> str:
    """A number in short; of a range both ends."""
    return " to ".join(map(_short, value)) if isinstance(value, tuple) else _short(value)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
