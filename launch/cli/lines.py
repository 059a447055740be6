"""Lines for people: verdicts in colour and breaks between words on a terminal, plain lines everywhere else."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from typing import TextIO

import click

from emu.wording import visible
from launch.cli.text_lines import located

GREEN, RED, YELLOW = "green", "red", "yellow"
STYLES = {  # what a line may begin with, or the cell of a table may hold, and its colour
    **dict.fromkeys(("PASS", "proved", "ok", "ready"), GREEN),
    **dict.fromkeys(("FAIL", "refuted", "fail", "WRONG", "error", "not ready"), RED),
    **dict.fromkeys(("unproved", "warn", "warning"), YELLOW),
}
_FIRST = re.compile(rf"({'|'.join(map(re.escape, STYLES))})(?![\w'-])")
_INDENT = "  "  # of what a long line goes on with


def say(text: str, err: bool = False) -> None:
    """Print one line (or several) on stdout, or on stderr."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:  # closed when we started
        return
    coloured = in_colour(stream)
    lines = [part for line in located(text).split("\n") for part in _broken(visible(line), stream)]
    click.echo("\n".join(map(_painted, lines) if coloured else lines), err=err, color=coloured or None)


def in_colour(stream: TextIO | None) -> bool:
    """Whether verdicts are coloured there: on a terminal that can, unless NO_COLOR; always if FORCE_COLOR."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _broken(line: str, stream: TextIO) -> list[str]:
    """The line in pieces that fit on the terminal; itself where it is none."""
    if not stream.isatty():
        return [line]
    width = max(20, shutil.get_terminal_size().columns)
    pieces = textwrap.wrap(
        line, width, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False, expand_tabs=False
    )
    return pieces or [line]


def _painted(line: str) -> str:
    """The line with its first word in the colour of what it means."""
    match = _FIRST.match(line)
    return click.style(match[1], fg=STYLES[match[1]], bold=True) + line[match.end() :] if match else line
