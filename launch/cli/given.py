"""What a command line says, and what means nothing beside something else that it says."""

from __future__ import annotations

from collections.abc import Collection

import click
from click.core import ParameterSource

_OF_ANSWERS = frozenset(("as_json", "debug", "table", "plot"))  # in which form, and where


def is_typed(ctx: click.Context, name: str | None) -> bool:
    """Whether the parameter stands on the command line."""
    return ctx.get_parameter_source(str(name)) is ParameterSource.COMMANDLINE


def given_besides(*names: str) -> list[str]:
    """The parameters that the command line gives, as they are typed, but for `names` and the form of the answer."""
    ctx = click.get_current_context()
    others = [each for each in ctx.command.params if each.name not in (*_OF_ANSWERS, *names)]
    return [_typed(each) for each in others if is_typed(ctx, each.name)]


def refuse_besides(names: Collection[str], what: str) -> None:
    """UsageError if the command line says more than the parameters `names`, which are all that `what` has a use for."""
    if idle := given_besides(*names):
        one = len(idle) == 1
        words = f"{' and '.join(idle)} {'has' if one else 'have'} no effect with {what}"
        raise click.UsageError(f"{words}: leave {'it' if one else 'them'} out")


def refuse_given(name: str, why: str) -> None:
    """UsageError if the command line gives the parameter `name`, which is of no use here, as `why` says."""
    ctx = click.get_current_context()
    if is_typed(ctx, name):
        (typed,) = (_typed(each) for each in ctx.command.params if each.name == name)
        raise click.UsageError(f"{typed} {why}: leave it out")


def listed_alone(flag: str, does: str, named: str = "") -> None:
    """UsageError if the command line says more than the `flag`, which `does` something, and the form of the answer.

    Without the flag the error says what is to be `named`, if that is what the command needs.
    """
    ctx = click.get_current_context()
    own = [str(each.name) for each in ctx.command.params if flag in each.opts]
    if idle := given_besides(*own):
        typed = any(is_typed(ctx, name) for name in own)
        raise click.UsageError(f"{flag} lists {does}: leave {' and '.join(idle)} out" if typed or not named else named)


def _typed(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(click.get_current_context()).strip("[].").partition("|")[0]
    return parameter.opts[0]
