"""The report for programs: one JSON object, or a CSV table with a row for each number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from launch.report.forms import PictureOptions
from launch.report.panels.table import PANELS
from launch.text.csv_text import csv_text
from launch.timing.values import COLUMNS

CHIP = "chip"  # the part that everything belongs to which is no entry of a list
# Lists of the report, by their place in it, whose entries are parts of their own: part, fields that name an entry.
LISTS = {"figures": ("figure", ("figure",))} | {place: part for panel in PANELS for place, part in panel.csv.items()}


def json_form(values: Mapping[str, Any], _options: PictureOptions) -> bytes:
    """One object in one line."""
    return (json.dumps(values, allow_nan=False) + "\n").encode()


def csv_form(values: Mapping[str, Any], _options: PictureOptions) -> bytes:
    """Columns part, name, figure, value. Of two compilations there are two figures, `a.` and `b.`, for each."""
    return csv_text(COLUMNS, _rows(CHIP, "", values)).encode("utf-8", "replace")


def _rows(part: str, name: str, values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str, str, Any]]:
    for key, value in values.items():
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            yield part, name, f"{prefix}{key}", value
        elif isinstance(value, Mapping):
            yield from _rows(part, name, value, f"{prefix}{key}.")
        elif part == CHIP and f"{prefix}{key}" in LISTS:
            inner, keys = LISTS[f"{prefix}{key}"]
            for entry in value:
                called = " ".join(str(entry[field]) for field in keys)
                rest = {field: number for field, number in entry.items() if field not in keys}
                yield from _rows(inner, called, rest)
        elif key == "reports":
            for one, side in zip(value, "ab", strict=True):
                yield from (
                    (kind, called, f"{side}.{figure}", number) for kind, called, figure, number in _rows(CHIP, "", one)
                )
