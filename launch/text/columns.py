"""Columns of tables: what of an entry stands in a cell and how it is written, said once for text and for pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from launch.text.answer import Table
from launch.text.units import UNKNOWN, WRITE, ranges, written

LONGEST = 60  # characters of a list in a cell

# How values are written which are no numbers, words or units of `launch.text.units`.
LISTS: Mapping[str, Callable[[Any], str]] = {
    "core": str,
    "cores": ranges,
    "names": lambda names: ", ".join(map(str, names)),
    "counts": lambda counts: ", ".join(f"{name} {written(count, 'count')}" for name, count in counts.items()),
    "place": lambda place: f"[{', '.join(map(str, place))}]" if place else "",
    "passed": lambda passed: "pass" if passed else "FAIL",
    "flag": lambda value: "yes" if value else "",
    "error": lambda error: written(error["relative"], "number") + ("" if error["passed"] else " WRONG"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: of an entry that at `of` (`key` if that is empty), in a `unit` of `WRITE` or a kind of `LISTS`.

    A function in place of the unit writes a value by itself. `of` is a field, `a|b` the first one that is known, `a+b`
    a sum or `a-b` a difference; an empty text is not known, and written as `unknown`. `hint` is told under the pointer;
    `short` is the title of the text, which leaves out what is not `in_text`, and with `if_any` what is zero everywhere.
    """

    key: str
    title: str
    unit: str | Callable[[Any], str] = "text"
    of: str = ""
    hint: str = ""
    short: str = ""
    in_text: bool = True
    if_any: bool = False
    unknown: str = UNKNOWN
    to_left: bool = False  # whatever the unit

    @property
    def is_number(self) -> bool:
        """Whether it is set to the right."""
        return not self.to_left and (callable(self.unit) or self.unit in (*WRITE, "core", "error"))

    def value(self, entry: Mapping[str, Any]) -> Any:
        """That of an entry of the report; None if it is not known."""
        of = self.of or self.key
        for sign in "+-":
            if sign in of:
                parts: list[Any] = [entry.get(name) for name in of.split(sign)]
                if None in parts:
                    return None
                return sum(parts) if sign == "+" else parts[0] - sum(parts[1:])
        return next((entry[name] for name in of.split("|") if entry.get(name) not in (None, "")), None)

    def is_shown(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry has something in it."""
        value = self.value(entry)
        return bool(value) if self.if_any or isinstance(value, list | tuple | Mapping) else value is not None

    def text(self, entry: Mapping[str, Any]) -> str:
        """What people read."""
        value = self.value(entry)
        if value is None:
            return self.unknown
        if callable(self.unit):
            return self.unit(value)
        if self.unit not in LISTS:
            return str(value) if self.unit == "text" else written(value, self.unit)
        text = LISTS[self.unit](value) or self.unknown
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def listed(title: str, columns: Sequence[Column], entries: Iterable[Mapping[str, Any]], shown: int = 0) -> Table:
    """A table with a row for each entry, for the first `shown` (0: for all).

    Columns in which nothing is known are left out, but for the first.
    """
    rows = list(entries)
    known = [
        column
        for place, column in enumerate(columns)
        if column.in_text and (not place or any(map(column.is_shown, rows)))
    ]
    more = f" (the first {shown} of {len(rows)})" if 0 < shown < len(rows) else ""
    cells = [[column.text(row) for column in known] for row in rows[: shown or None]]
    align = "".join("r" if column.is_number else "l" for column in known)
    return Table(title + more, [column.short or column.title for column in known], cells, align)
