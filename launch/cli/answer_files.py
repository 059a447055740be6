"""The files of an answer, a CSV table and a picture: both are written, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from launch.cli.values import NEW_FILE
from launch.text.answer import Answer

CSV = "--csv"
_plot_option = click.option(
    "--plot", type=NEW_FILE, help="Draw it: a file that ends with .svg or .png (takes altair and vl-convert-python)."
)


def file_options(csv: str, plot: bool) -> list[Callable[[Any], Any]]:
    """The options, as parameters `table` and `plot`; those that an answer has not are left out."""
    tables = [click.option(CSV, "table", type=NEW_FILE, help=csv)] if csv else []
    return [*tables, *([_plot_option] if plot else [])]


class AnswerFiles:
    """`paths` are those that were given, by parameter, or None."""

    def __init__(self, paths: Mapping[str, Path | None]) -> None:
        """Raises InputError for what cannot be written or drawn, and UsageError for one name of two files."""
        self._paths = dict(paths)
        given = {kind: path for kind, path in paths.items() if path is not None}
        if not given:
            self._files = {}
            return
        from emu.output.whole_file import WholeFile

        if len({path.absolute() for path in given.values()}) < len(given):
            raise click.UsageError(f"{CSV} and --plot name the same file: name two")
        if "plot" in given:
            from launch.text.picture import check_drawing

            check_drawing(given["plot"])
        self._files = {kind: WholeFile(path, streams=kind == "table") for kind, path in given.items()}

    def written(self, answer: Answer) -> Answer:
        """Write them; the answer with their names. What has no picture, because nothing was found, leaves it out."""
        if not self._paths:
            return answer
        lacking = {"table": answer.csv is None, "plot": answer.draw is None and not answer.failure}
        for kind, option in (("table", CSV), ("plot", "--plot")):
            if kind in self._files and lacking[kind]:
                raise click.UsageError(f"{option} has nothing to write here: leave it out (--json has everything)")
        made = {kind: file for kind, file in self._files.items() if kind == "table" or answer.draw is not None}
        with ExitStack() as both:
            for kind, file in made.items():
                both.enter_context(file).write(self._content(kind, answer))
        names = {kind: str(path) if kind in made else None for kind, path in self._paths.items()}
        lines = (f"written: {name}" for name in names.values() if name)
        return replace(answer, values={**answer.values, **names}, parts=chain(answer.parts, lines))

    def _content(self, kind: str, answer: Answer) -> bytes:
        path = self._paths[kind]
        assert path is not None
        if kind == "plot":
            assert answer.draw is not None
            return answer.draw(path.suffix.lower())
        assert answer.csv is not None
        return answer.csv().encode()
