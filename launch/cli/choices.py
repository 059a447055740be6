"""Choices of options: the names in the tables that implement them, read as text because help must not import those."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import click

from emu.noc.wire.transports import TRANSPORTS

HOME = Path(__file__).resolve().parents[2]


@cache
def names_in(table: str) -> tuple[str, ...]:
    """The names in a table, given as "module:TABLE": a dictionary's keys or the texts of a `Literal`, in order."""
    module, _, name = table.partition(":")
    text = (HOME / f"{module.replace('.', '/')}.py").read_text("utf-8")
    start = re.search(rf"^{name}\b", text, re.MULTILINE)
    if start is None:
        raise LookupError(f"{module} has no table {name}")
    value = _first_statement(text[start.start() :].splitlines()).value
    return tuple(part.value for part in (value.keys if isinstance(value, ast.Dict) else value.slice.elts))


def _first_statement(lines: list[str]) -> Any:
    """The statement that `lines` begin with; all of a file would take long to parse."""
    for count in range(1, len(lines) + 1):
        with suppress(SyntaxError):
            return ast.parse("\n".join(lines[:count])).body[0]
    raise SyntaxError(lines[0])


class TableChoice(click.Choice):
    """One of the names in `tables`, each "module:TABLE", or of `more`."""

    def __init__(self, *tables: str, more: tuple[str, ...] = ()) -> None:
        self._tables, self._more = tables, more
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:
        """The names, in the order of the tables."""
        return (*(name for table in self._tables for name in names_in(table)), *self._more)


class TableChoices(TableChoice):
    """Several of the names, as `resnet18,vgg16`, each once."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split at commas; a default is no text."""
        if isinstance(value, tuple):
            return value
        return tuple(dict.fromkeys(super(TableChoices, self).convert(part, param, ctx) for part in value.split(",")))


ENGINE = TableChoice("emu.core.engines.core:ENGINES")
TRANSPORT = click.Choice(list(TRANSPORTS))
PACKING = TableChoice("compiler.partition.matrix:Packing")
LOWERING = TableChoice("compiler.passes:SCHEMES")
PLACEMENT = TableChoice("compiler.partition.partition:STRATEGIES")
GOAL = TableChoice("compiler.search.goals:GOALS")
EMITTED = click.Choice(["programs", "mop"])
SCHEDULES = TableChoices("launch.schedules.case:SCHEDULES")
NETWORKS = TableChoices("compiler.zoo.__init__:NETWORKS")
STAGE = TableChoice("compiler.passes:STAGES")
QUANTISED = TableChoice("compiler.zoo.quantised:FORMS")
PROGRAM_FORM = TableChoice("emu.foreign.exporting.forms:FORMS")
WEIGHT_FILE = TableChoice("emu.foreign.exporting.crossbars:WeightFile")
GOLDEN = TableChoice("compiler.frontend.golden.sources:SOURCES", "launch.golden.sources:ALIASES", more=("none",))


class WordOrNumbers(TableChoice):
    """One of the names, or a list of whole numbers, kept as text."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """All names, and that it may be numbers."""
        return f"{'|'.join(self.choices)}|N,N,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the form; the compiler knows how many there have to be."""
        if value not in self.choices and not all(part.isdecimal() and part.isascii() for part in str(value).split(",")):
            self.fail(f"{value!r} is unknown: use {', '.join(self.choices)}, or numbers such as 3,1,2", param, ctx)
        return str(value)


class GoldenType(click.ParamType):
    """An evaluator, `none`, or a file of golden outputs."""

    name = "golden"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """All names, and that it may be a file."""
        return f"{'|'.join(GOLDEN.choices)}|FILE.npz"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Anything that is no known word must be a file."""
        if value not in GOLDEN.choices and not Path(value).is_file():
            *names, last = GOLDEN.choices
            self.fail(f"{value!r} is neither {', '.join(names)}, {last} nor an existing .npz file", param, ctx)
        return value


DUPLICATE = WordOrNumbers("compiler.schedules.duplication:CHOICES")
ARRANGE = WordOrNumbers(more=("traffic",))
