"""Pictures drawn by Vega-Lite: which files may be named, whether its packages are there, and a chart as bytes."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from emu.errors import InputError, option

FORMATS = (".svg", ".png")
PACKAGES = {"altair": "altair", "vl_convert": "vl-convert-python"}  # module -> package
SCALE = 2  # pixels of a PNG per pixel of the chart


def missing_packages() -> list[str]:
    """The packages that must be installed before anything can be drawn."""
    return [package for module, package in PACKAGES.items() if find_spec(module) is None]


def check_drawing(path: Path) -> None:
    """Raise InputError unless a file of this name can be drawn with the packages that there are."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{option('plot', path)}: name a file that ends with {' or '.join(FORMATS)}")
    if missing := missing_packages():
        raise InputError(
            f"{option('plot')} draws with {' and '.join(missing)}, not installed here: pip install {' '.join(missing)},"
            " or leave it out"
        )


def picture(chart: Any, kind: str) -> bytes:
    """An altair chart as SVG or PNG: `kind` is one of FORMATS."""
    if kind == ".png":
        image = io.BytesIO()
        chart.save(image, format="png", scale_factor=SCALE)
        return image.getvalue()
    text = io.StringIO()
    chart.save(text, format="svg")
    return text.getvalue().encode()
