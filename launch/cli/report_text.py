"""The report as text, printed; long tables show their first rows, the other forms have all."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

from launch.cli.lines import say
from launch.cli.tables import print_table
from launch.report.text import lines, notes, tables

SHOWN = 20  # rows


def show(values: Mapping[str, Any]) -> None:
    """Print the report, or the comparison of two."""
    for line in lines(values):
        say(line)
    for table in tables(values):
        more = f" (the first {SHOWN} of {len(table.rows)})" if len(table.rows) > SHOWN else ""
        print_table(table.title + more, table.columns, table.rows[:SHOWN], table.right)
    for line in notes(values):
        say(line)


def printed(values: Mapping[str, Any]) -> bytes:
    """The same as it is printed into a file."""
    text = io.StringIO()
    with redirect_stdout(text):
        show(values)
    return text.getvalue().encode("utf-8", "replace")
