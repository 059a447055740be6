"""The report for programs: one JSON object, or a CSV table with a row for each number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from launch.report.forms import PictureOptions
from launch.report.panels.table import PANELS
from launch.text.csv_text import Lists, numbers_csv

# Lists of the report whose entries are parts of their own.
LISTS: Lists = {"figures": ("figure", "{figure}")} | {
    place: part for panel in PANELS for place, part in panel.csv.items()
}


def json_form(values: Mapping[str, Any], _options: PictureOptions) -> bytes:
    """One object in one line."""
    return (json.dumps(values, allow_nan=False) + "\n").encode()


def csv_form(values: Mapping[str, Any], _options: PictureOptions) -> bytes:
    """Columns part, name, figure, value. Of two compilations there are two figures, `a.` and `b.`, for each."""
    return numbers_csv(values, LISTS, "reports").encode("utf-8", "replace")
