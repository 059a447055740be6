"""Annotations and job summaries of GitHub Actions."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from emu.wording import visible
from launch.campaigns.campaign import CampaignReport
from launch.campaigns.case import CaseResult
from launch.text.markdown_page import markdown_table

# Characters with a meaning in workflow commands, the escape first; in properties, also the separators.
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def escaped(text: str, as_property: bool = False) -> str:
    """Text of a workflow command, or the value of a property of one."""
    return text.translate(str.maketrans(_PROPERTY if as_property else _DATA))


def annotations(report: CampaignReport) -> Iterator[str]:
    """One line `::error ...` per case that is not right: at its line of the suite file, or at its model."""
    return (_annotation(report.campaign.name, result) for result in report.failed)


def _annotation(campaign: str, result: CaseResult) -> str:
    case = result.case
    line = case.origin.line("") if case.origin.file else 0
    places = {
        "file": case.origin.file or case.file,
        "line": str(line or ""),
        "title": f"emu {case.command or campaign} {visible(case.name)}",
    }
    properties = ",".join(f"{key}={escaped(visible(value), True)}" for key, value in places.items() if value)
    repeat = f"; repeat: {visible(case.command_line)}" if case.repeat else ""
    sentence = f"{visible(result.reason)}{repeat}"
    return f"::error {properties}::{escaped(sentence)}"


def step_summary(report: CampaignReport) -> str:
    """The table in Markdown, with the reasons below it."""
    table = report.table()
    escaped_rows = [[html.escape(str(cell), quote=False) for cell in row] for row in table.rows]
    *reasons, last = (html.escape(line, quote=False) for line in report.lines())
    block = f"\n\n<pre>\n{chr(10).join(reasons)}\n</pre>" if reasons else ""
    return f"### emu {report.campaign.name}: {last}\n\n{markdown_table(replace(table, rows=escaped_rows))}{block}\n"


def append_summary(path: Path, report: CampaignReport) -> None:
    """Write the summary at the end of a file; raises OSError."""
    with path.open("a", encoding="utf-8") as file:
        file.write(step_summary(report))
