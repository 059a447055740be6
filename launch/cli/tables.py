"""Rich tables on stdout: plain text when it is no terminal."""

from __future__ import annotations

import shutil
import sys

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from emu.wording import visible
from launch.cli.lines import STYLES, in_colour
from launch.text.answer import Table

PIPE_WIDTH = 160  # columns when stdout is a file or a pipe


def print_table(table: Table) -> None:
    """Print its title on one line, and its rows under the columns."""
    drawn = Drawn(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    for place, column in enumerate(table.columns):
        justify = "right" if table.right[place : place + 1] == "r" else "left"
        drawn.add_column(column, justify=justify, overflow="fold", no_wrap=justify == "right")
    for row in table.rows:
        drawn.add_row(*(Text(visible(str(cell)), STYLES.get(str(cell), "")) for cell in row))
    coloured, terminal = in_colour(sys.stdout), sys.stdout is not None and sys.stdout.isatty()
    console = Console(
        width=shutil.get_terminal_size().columns if terminal else PIPE_WIDTH,
        markup=False,
        highlight=False,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
    )
    with console.capture() as text:
        if table.title:  # on one line, however narrow the table is
            console.print(Text(table.title, "table.title"), soft_wrap=True)
        console.print(drawn)
    lines = (line.rstrip() for line in text.get().splitlines())
    click.echo("\n".join(line for line in lines if line), color=coloured or None)
