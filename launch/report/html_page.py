"""The report as one page that needs nothing else: style, script and values are in it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launch.report.forms import PictureOptions

HOME = Path(__file__).parent / "page"
SCRIPTS = (
    "dom",
    "selection",
    "table",
    "chip",
    "timeline",
    "matrix",
    "graph",
    "sections",
    "compare",
    "page",
)  # in order
_PLACE = re.compile("@(title|style|data|script)@")


def html_page(values: Mapping[str, Any], _options: PictureOptions) -> bytes:
    """The page of a report, or of a comparison of two."""
    found = {
        "title": html.escape(_title(values)),
        "style": _text("page.css"),
        "script": "\n".join(_text(f"{name}.js") for name in SCRIPTS),
        "data": embedded(values),
    }
    return _PLACE.sub(lambda place: found[place[1]], _text("page.html")).encode("utf-8", "replace")


def embedded(values: Mapping[str, Any]) -> str:
    """JSON that cannot end the element of a page which it stands in."""
    return json.dumps(values, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _title(values: Mapping[str, Any]) -> str:
    if "reports" in values:
        return "Two compilations: " + " and ".join(str(one["out"]) for one in values["reports"])
    return f"{values['model'] or values['out']} on {values['arch']}"


def _text(name: str) -> str:
    return (HOME / name).read_text("utf-8")
