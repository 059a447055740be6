"""The files of a command that writes a CSV table and a picture: both, or none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from launch.cli.options import NEW_FILE

plot_option = click.option(
    "--plot", type=NEW_FILE, help="Draw it: a file that ends with .svg or .png (takes altair and vl-convert-python)."
)


class TableAndPlot:
    """Refuses at once what cannot be written or drawn; `option` is the one that names the table."""

    def __init__(self, table: Path | None, plot: Path | None, option: str = "-o") -> None:
        """Raises InputError, and UsageError for one name of two files."""
        from emu.output.whole_file import WholeFile
        from launch.text.picture import check_drawing

        if plot is not None and table is not None and table.absolute() == plot.absolute():
            raise click.UsageError(f"{option} and --plot name the same file: name two")
        if plot is not None:
            check_drawing(plot)
        self.table, self.plot = table, plot
        self._files = {path: WholeFile(path) for path in (table, plot) if path is not None}

    def write(self, csv: Callable[[], str], draw: Callable[[str], bytes] | None) -> None:
        """Write what `csv` gives, and what `draw` makes of the picture's suffix; without `draw` there is no picture."""
        if draw is None:
            self.plot = None
        with ExitStack() as both:
            if self.table is not None:
                both.enter_context(self._files[self.table]).write(csv().encode())
            if self.plot is not None and draw is not None:
                both.enter_context(self._files[self.plot]).write(draw(self.plot.suffix.lower()))

    @property
    def written(self) -> list[Path]:
        """The files."""
        return [path for path in (self.table, self.plot) if path is not None]

    def values(self) -> dict[str, Any]:
        """Their names for --json, or null."""
        return {"table": self.table and str(self.table), "plot": self.plot and str(self.plot)}
