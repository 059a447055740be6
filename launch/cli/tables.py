"""Rich tables on stdout: plain text when it is no terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from emu.wording import visible
from launch.cli.lines import STYLES, in_colour

if TYPE_CHECKING:
    from launch.golden.verdict import Verdict

PIPE_WIDTH = 160  # columns when stdout is a file or a pipe


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> None:
    """Print rows under `columns`; columns whose place in `right` holds "r" are aligned right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    for place, column in enumerate(columns):
        justify = "right" if right[place : place + 1] == "r" else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=justify == "right")
    for row in rows:
        table.add_row(*(Text(str(cell), STYLES.get(str(cell), "")) for cell in row))
    coloured, terminal = in_colour(sys.stdout), sys.stdout is not None and sys.stdout.isatty()
    console = Console(
        width=shutil.get_terminal_size().columns if terminal else PIPE_WIDTH,
        markup=False,
        highlight=False,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
    )
    with console.capture() as text:
        if title:  # on one line, however narrow the table is
            console.print(Text(title, "table.title"), soft_wrap=True)
        console.print(table)
    lines = (line.rstrip() for line in text.get().splitlines())
    click.echo("\n".join(line for line in lines if line), color=coloured or None)


def verdict_table(verdict: Verdict, nodes: Mapping[str, str]) -> None:
    """Kept intermediate tensors beside their golden values."""
    rows = [
        (
            visible(nodes.get(t.name, "")),
            visible(t.name),
            f"{t.max_abs:.3g}",
            f"{t.max_golden:.4g}",
            f"{t.relative:.2g}",
            *((t.worst[0], list(t.worst[1:])) if t.worst else ("", "")),
            "PASS" if t.passed else "FAIL",
        )
        for t in verdict.tensors
    ]
    columns = ("node", "tensor", "max|diff|", "max|golden|", "relative", "worst: sample", "index", "")
    limit = f"; limit {max(t.tolerance for t in verdict.tensors):g}" if verdict.tensors else ""
    print_table(f"intermediate tensors, golden {verdict.golden}{limit}", columns, rows, "llrrrrl")
