"""Option types and option sets that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from emu.errors import InputError
from emu.options import refuse_together
from launch.cli import signals
from launch.cli.completion import presets
from launch.cli.config import place_of, used_file
from launch.cli.numbers import Finite, WholeNumber
from launch.cli.option_fields import options_of
from launch.cli.schema import SCHEMA
from launch.cli.text_lines import located, renamed
from launch.cli.values import ImagePath
from launch.processes.options import RunOptions
from launch.system.spelling import flag_of

Command = TypeVar("Command", bound=Callable[..., Any])

IMAGE = ImagePath()
LATER_FILE = click.Path(dir_okay=False, path_type=Path)  # another command of a pipe may write it first


def as_typed(name: str, value: Any = None) -> str:
    """The parameter `name`, with a value if there is one, as it is typed."""
    text = flag_of(name)
    if value is None or value is True:
        return text
    if isinstance(value, Mapping):
        return " ".join(f"{text} {key}={','.join(map(str, sizes))}" for key, sizes in value.items())
    return f"{text} {value}"


def as_option(name: str, value: Any = None) -> str:
    """As `as_typed`, in errors: what is of a configuration, and so was not typed, with its place there."""
    ctx = click.get_current_context(silent=True)
    place = place_of(ctx, name) if ctx is not None and value in (None, ctx.params.get(name)) else ""
    return f"{as_typed(name, value)} ({place})" if place else as_typed(name, value)


COUNT, NATURAL = WholeNumber(min=1), WholeNumber(min=0)
POSITIVE = Finite(min=0, min_open=True)


def apply(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator out of several, the first one on top of --help."""

    def wrap(function: Command) -> Command:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return wrap


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")


def output_option(
    kind: click.ParamType, text: str, name: str = "output", **settings: Any
) -> Callable[[Command], Command]:
    """-o of every command that writes, with both long spellings; `name` is that of its parameter."""
    return click.option("-o", "--out", "--output", name, type=kind, help=text, **settings)


arch_option = click.option(
    "--arch",
    default="default",
    show_default=True,
    shell_complete=presets,
    help="Architecture: a preset's name or a TOML file.",
)
running_options = options_of(RunOptions, without=("cores",))
verbosity_options = apply(
    click.option("-q", "--quiet", is_flag=True, help="Print the verdict and errors alone."),
    click.option("-v", "--verbose", is_flag=True, help="Print the files, processes and times of the run on stderr."),
)
deadline_option = click.option(
    "--deadline",
    type=POSITIVE,
    metavar="S",
    help="Time limit in seconds of the whole command; what still runs then is ended as a timeout (default: none).",
)


def reject_unsupported_options(options: Mapping[str, Any]) -> None:
    """Raise a usage error for an option, of those of a command line, that means nothing beside the others.

    What the fields of options say of each other counts here, too.
    """
    from launch.runs.validate_options import ValidateOptions

    empty = (value is None or value is False or value in ("", ()) for value in options.values())
    given = {_FIELDS.get(name, name) for name, nothing in zip(options, empty, strict=True) if not nothing}
    if {"quiet", "verbose"} <= given:
        raise click.UsageError("--verbose has no effect with --quiet: leave one of them out")
    try:
        for known in (RunOptions, ValidateOptions):
            refuse_together(known, given)
    except InputError as error:
        raise click.UsageError(str(error)) from None


_FIELDS = {"input_file": "input"}  # parameters that are called otherwise than the fields of their options


def print_to_stderr(text: str) -> None:
    """One line on stderr, at once: above a view that is drawn there, which has put itself in the place of stderr."""
    click.echo(located(text), file=sys.stderr, err=True)


def print_json(values: Mapping[str, Any]) -> None:
    """One object on stdout, with the version of the form that all commands share."""
    file = used_file(click.get_current_context(silent=True))
    answer = {"schema": SCHEMA, **values, **({"config": str(file)} if file else {})}
    text = renamed(json.dumps(answer, allow_nan=False))
    with signals.Answering() as free:
        if free:
            click.echo(text)
