"""Choices of options: the names in the tables that implement them, read as text because help must not import those."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from emu.options import Kind, Word, names_in


class TableChoice(click.Choice):
    """One of the names in `tables`, each "module:TABLE", or of `more`."""

    def __init__(self, *tables: str, more: tuple[str, ...] = ()) -> None:
        self.tables, self._more = tables, more
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:
        """The names, each once, in the order of the tables."""
        return (*dict.fromkeys(name for table in self.tables for name in names_in(table)), *self._more)


class TableChoices(TableChoice):
    """Several of the names, as `resnet18,vgg16`, each once."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split at commas; a default is no text."""
        if isinstance(value, tuple):
            return value
        return tuple(dict.fromkeys(super(TableChoices, self).convert(part, param, ctx) for part in value.split(",")))


GOAL = TableChoice("compiler.search.goals:GOALS")
EMITTED = click.Choice(["programs", "mop"])
SCHEDULES = TableChoices("launch.papers.schedules.case:SCHEDULES", "launch.papers.schedules.case:OFFLOADS")
NETWORKS = TableChoices(
    "launch.zoo.__init__:NETWORKS", "compiler.offload.kernels:KERNELS", "compiler.offload.kernels:GRAPHS"
)
ELEMENT = TableChoice("compiler.offload.host_text:SUMS")
LEVEL = TableChoice("compiler.offload.pipeline:LEVELS")
RECIPE = TableChoice("compiler.offload.pipeline:RECIPES")
STAGE = TableChoice("compiler.passes:STAGES")
QUANTISED = TableChoice("launch.zoo.quantised:FORMS")
FORM = TableChoice("emu.interop.pim_isa.exporting.forms:FORMS", more=("asm", "onnx"))
WEIGHT_FILE = TableChoice("emu.interop.pim_isa.exporting.crossbars:WeightFile")
GOLDEN = TableChoice("compiler.evaluation.sources:SOURCES", "launch.golden.sources:ALIASES", more=("none",))


class OfKind(click.ParamType):
    """A text of a kind of option, kept as text."""

    def __init__(self, kind: Kind) -> None:
        self._kind, self.name = kind, "text"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The metavar of the kind; of words that may be numbers, all of them."""
        kind = self._kind
        return f"{'|'.join(kind.words)}|N,N,..." if isinstance(kind, Word) else kind.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the form; whoever reads it parses it."""
        if fault := self._kind.fault(str(value)):
            self.fail(f"{value!r} {fault}", param, ctx)
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
