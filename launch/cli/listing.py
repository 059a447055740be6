"""Flags that list something and do nothing else: beside them no other option has an effect."""

from __future__ import annotations

import click
from click.core import ParameterSource

_TYPED = ParameterSource.COMMANDLINE
_OF_ANSWERS = frozenset(("as_json", "debug", "table", "plot"))  # in which form, and where


def listed_alone(flag: str, does: str, named: str = "") -> None:
    """UsageError if the command line says more than the `flag`, which `does` something, and the form of the answer.

    Without the flag the error says what is to be `named`, if that is what the command needs.
    """
    ctx = click.get_current_context()
    others = [each for each in ctx.command.params if each.name not in _OF_ANSWERS and flag not in each.opts]
    sources = [(each, ctx.get_parameter_source(str(each.name))) for each in others]
    if idle := [_typed(each) for each, source in sources if source is _TYPED]:
        flags = [each for each in ctx.command.params if flag in each.opts]
        given = any(ctx.get_parameter_source(str(each.name)) is _TYPED for each in flags)
        raise click.UsageError(f"{flag} lists {does}: leave {' and '.join(idle)} out" if given or not named else named)


def _typed(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(click.get_current_context()).strip("[]").partition("|")[0].rstrip(".")
    return parameter.opts[0]
