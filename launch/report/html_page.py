"""The report as one page that needs nothing else: style, script and values are in it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from launch.report.compare import FIGURES
from launch.report.forms import PictureOptions
from launch.report.panels.panel import Drawing
from launch.report.panels.table import PANELS

HOME = Path(__file__).parent / "page"
PANELS_HOME = HOME.parent / "panels"
SCRIPTS = ("dom", "selection", "table", "blocks", "head", "compare", "page")  # in order; drawings stand before the last
_PLACE = re.compile("@(title|style|data|script)@")


def html_page(values: Mapping[str, Any], _options: PictureOptions) -> bytes:
    """The page of a report, or of a comparison of two."""
    found = {
        "title": html.escape(_title(values)),
        "style": _text("page.css"),
        "script": _script(),
        "data": embedded(values),
    }
    return _PLACE.sub(lambda place: found[place[1]], _text("page.html")).encode("utf-8", "replace")


def _script() -> str:
    """What the page must know of panels and figures, its scripts, and those of the panels."""
    *first, last = (HOME / f"{name}.js" for name in SCRIPTS)
    blocks = [block for panel in PANELS for block in panel.blocks]
    drawings = [PANELS_HOME / f"{block.name}.js" for block in blocks if isinstance(block, Drawing)]
    tables = {"PANELS": [panel.page() for panel in PANELS], "FACTS": [asdict(figure) for figure in FIGURES]}
    return "\n".join(
        [
            *(f"const {name} = {embedded(table)};" for name, table in tables.items()),
            *(file.read_text("utf-8") for file in (*first, *drawings, last)),
        ]
    )


def embedded(values: object) -> str:
    """JSON that cannot end the element of a page which it stands in."""
    return json.dumps(values, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _title(values: Mapping[str, Any]) -> str:
    if "reports" in values:
        return "Two compilations: " + " and ".join(str(one["out"]) for one in values["reports"])
    return f"{values['model'] or values['out']} on {values['arch']}"


def _text(name: str) -> str:
    return (HOME / name).read_text("utf-8")
