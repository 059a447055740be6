"""Tables as CSV: rows under columns, and all numbers of nested values as rows of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

CHIP = "chip"  # the part that everything belongs to which is in no list
# Lists by their place in the values: the part that each entry is, and its name, made of its fields.
Lists = Mapping[str, tuple[str, str]]


def csv_text(columns: Sequence[object], rows: Iterable[Iterable[object]]) -> str:
    """A line of `columns`, and one for each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def numbers_csv(values: Mapping[str, Any], lists: Lists, beside: str = "") -> str:
    """Columns part, name, figure, value: a row for each number of `values`, of their `lists`, too; truths are 0 or 1.

    The list at `beside` has two values with the same lists: there are two figures, `a.` and `b.`, for each.
    """
    rows = [*_rows(CHIP, "", values, lists)]
    for side, one in zip("ab", values.get(beside, ()), strict=False):
        rows += [(part, name, f"{side}.{figure}", number) for part, name, figure, number in _rows(CHIP, "", one, lists)]
    return csv_text(("part", "name", "figure", "value"), rows)


def _rows(
    part: str, name: str, values: Mapping[str, Any], lists: Lists, prefix: str = ""
) -> Iterator[tuple[str, str, str, Any]]:
    for key, value in values.items():
        place = f"{prefix}{key}"
        if isinstance(value, int | float):
            yield part, name, place, int(value) if isinstance(value, bool) else value
        elif isinstance(value, Mapping):
            yield from _rows(part, name, value, lists, f"{place}.")
        elif part == CHIP and place in lists:
            inner, form = lists[place]
            named = {field for _, field, _, _ in Formatter().parse(form)}
            for entry in value:
                rest = {field: number for field, number in entry.items() if field not in named}
                yield from _rows(inner, form.format_map(entry), rest, lists)
