"""The forms of a report: a table with a row for each; a new one is a new row and a function that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from emu.errors import InputError, option
from launch.system.by_name import named
from launch.text.picture import missing_packages

Figure = Literal["chip", "timeline", "matrix"]


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """Of pictures: which `figure`, and `by` which metric cores are coloured; None: the first of each."""

    figure: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class ReportForm:
    """`maker` ("module:function") makes bytes of the report and `PictureOptions`, "" if the command prints it.

    `on_stdout`: it may go there, as it is text for people or programs; `picture`: it draws one figure.
    """

    name: str
    suffixes: tuple[str, ...]
    maker: str
    on_stdout: bool = False
    picture: bool = False

    def make(self, values: Mapping[str, Any], options: PictureOptions) -> bytes:
        """The report in this form."""
        return named(self.maker)(values, options)

    def check(self, options: PictureOptions, compare: bool, output: Path | None) -> None:
        """Raise InputError for options that mean nothing here, or if what is needed is not there."""
        if output is None and not self.on_stdout:
            raise InputError(f"{option('form', self.name)} is for a file: name it by -o FILE{self.suffixes[0]}")
        if not self.picture:
            idle = [name for name in ("figure", "by") if getattr(options, name) is not None]
            if idle:
                raise InputError(
                    f"{option(idle[0])} is of pictures: take {option('form', 'svg')} or png, or leave it out"
                )
            return
        if compare:
            raise InputError(
                f"{option('form', self.name)} draws one directory: take {option('form', 'html')} with"
                f" {option('compare')}"
            )
        if options.by is not None and options.figure not in (None, "chip"):
            raise InputError(f"{option('by')} colours cores: take {option('figure', 'chip')}, or leave it out")
        check_packages(self.name)


FORMS: Mapping[str, ReportForm] = {
    "html": ReportForm("html", (".html", ".htm"), "launch.report.html_page:html_page"),
    "text": ReportForm("text", (".txt", ".text"), "", on_stdout=True),
    "json": ReportForm("json", (".json",), "launch.report.plain:json_form", on_stdout=True),
    "csv": ReportForm("csv", (".csv",), "launch.report.plain:csv_form", on_stdout=True),
    "svg": ReportForm("svg", (".svg",), "launch.report.drawing:svg", picture=True),
    "png": ReportForm("png", (".png",), "launch.report.drawing:png", picture=True),
}


def form_for(name: str | None, output: Path | None) -> ReportForm:
    """The form of that name; without one that of the file's name, or text for stdout; raises InputError."""
    if name is not None:
        return FORMS[name]
    if output is None:
        return FORMS["text"]
    for form in FORMS.values():
        if output.suffix.lower() in form.suffixes:
            return form
    endings = ", ".join(suffix for form in FORMS.values() for suffix in form.suffixes)
    raise InputError(f"{output}: its name tells no form (one of {endings}): say which by {option('form', 'html')}")


def check_packages(name: str) -> None:
    """Raise InputError unless pictures can be drawn with the packages that there are."""
    if missing := missing_packages():
        raise InputError(
            f"{option('form', name)} draws with {' and '.join(missing)}, not installed here: pip install"
            f" {' '.join(missing)}, or take {option('form', 'html')}, which needs nothing"
        )
