"""What a panel is made of: the values that it adds to the report, and the blocks that show them, as plain data.

The page and the text make the same of each block: the page by `page/blocks.js`, the text by `launch.report.text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from launch.report.sources.known import KnownSubject
from launch.text.columns import Column
from launch.text.csv_text import Lists

Values = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A table with the id `name`: a row for each entry of the report's list `rows` (a path, as `wear.groups`).

    Its rows follow the selection by the cores in their fields `core`, of which the first is selected by a click, and
    by the nodes in their field `node`. They are in the order of `order`, the greatest first. `limit` are rows on the
    page (0: all), `folded` is what a table says that is to be unfolded.
    """

    kind: ClassVar[str] = "listing"
    name: str
    caption: str
    rows: str
    columns: Sequence[Column]
    core: Sequence[str] = ()
    node: str = ""
    order: str = ""
    limit: int = 0
    folded: str = ""
    filtered: bool = True
    in_text: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Words with bars as long as their part of the greatest: `columns` are word, amount and, under the pointer, more.

    `rows` is a list of the report, or a mapping of words to amounts, read as entries of `word` and `amount`.
    `follows` is the mapping of a core and of a node that is shown while one is selected.
    """

    kind: ClassVar[str] = "bars"
    name: str
    caption: str
    rows: str
    columns: Sequence[Column]
    follows: str = ""
    shares: bool = False  # the text tells which part of all each is
    in_text: bool = True


@dataclass(frozen=True, slots=True)
class Note:
    """Sentences with values of the report in braces, as {wear.cells|count}; one of which a value is missing is none."""

    kind: ClassVar[str] = "note"
    sentences: Sequence[str]
    in_text: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a script beside the panel's file draws, by its name in `DRAWINGS`."""

    kind: ClassVar[str] = "drawing"
    name: str
    in_text: ClassVar[bool] = False


Block = Listing | Bars | Note | Drawing
Absent = dict[str, str]  # what the report has not, and why, as sentences


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A section of the page with the id `name`, and what it is `about`, for docs/report.md.

    `make` makes the values that it adds to the report, and says what it cannot tell in `Absent`; `fields` is what they
    mean, for docs/json.md: by name, what it is (""), and what its fields are. `csv` are lists whose entries are parts
    of their own there, by place: what a part is called, and its name. It is shown if something stands at
    `needs`, `beside` the one before if there is room; if it is `wide`, what it has but sentences stands in two columns.
    """

    name: str
    title: str
    about: str
    blocks: Sequence[Block]
    make: Callable[[KnownSubject, Absent], Values] = lambda known, absent: {}
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    csv: Lists = field(default_factory=dict[str, tuple[str, str]])
    needs: str = ""
    beside: bool = False
    wide: bool = False

    def page(self) -> Values:
        """What the page must know of it."""
        blocks = [{"kind": block.kind, **asdict(block)} for block in self.blocks]
        return {
            "name": self.name,
            "title": self.title,
            "needs": self.needs,
            "beside": self.beside,
            "wide": self.wide,
            "blocks": blocks,
        }


def found(values: Mapping[str, Any], path: str) -> Any:
    """What stands in the report at a path, as `wear.groups`; None if nothing does."""
    value: Any = values
    for key in path.split("."):
        value = None if value is None else value[key]
    return value


def entries(block: Listing | Bars, values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of a block in the report, in their order."""
    rows: Any = found(values, block.rows) or ()
    if isinstance(rows, Mapping):
        words: Iterable[tuple[str, Any]] = sorted(rows.items(), key=lambda item: -item[1])
        return [{"word": word, "amount": amount} for word, amount in words]
    if isinstance(block, Listing) and block.order:
        return sorted(rows, key=lambda entry: -entry[block.order])
    return list(rows)
