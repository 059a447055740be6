"""Flags that list something and do nothing else: beside them no other option has an effect."""

from __future__ import annotations

import click
from click.core import ParameterSource

_OF_ANSWERS = frozenset(("as_json", "debug", "table", "plot"))  # in which form, and where


def listed_alone(flag: str, does: str) -> None:
    """UsageError if the command line says more than the `flag`, which `does` something, and the form of the answer."""
    ctx = click.get_current_context()
    others = [each for each in ctx.command.params if each.name not in _OF_ANSWERS and flag not in each.opts]
    sources = [(each, ctx.get_parameter_source(str(each.name))) for each in others]
    if idle := [_typed(each) for each, source in sources if source is ParameterSource.COMMANDLINE]:
        raise click.UsageError(f"{flag} lists {does}: leave {' and '.join(idle)} out")


def _typed(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(click.get_current_context()).strip("[]").partition("|")[0].rstrip(".")
    return parameter.opts[0]
