"""Prints the answer of a command: as text, as one JSON object, and into the files that were asked for."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Callable, Iterable
from typing import Any

import click

from emu.wording import visible
from launch.cli.answer_files import AnswerFiles, file_options
from launch.cli.lines import say
from launch.cli.options import apply, json_option, print_json
from launch.cli.signals import Terminated
from launch.text.answer import Answer, Part, Table, Verbatim


def answers(csv: str = "", plot: bool = False) -> Callable[[Callable[..., Answer]], Any]:
    """A command that returns an `Answer`, with --json, and options for the files of its answer.

    `csv` is what --csv writes, which `Answer.csv` makes, in the words of help; `plot` is whether there
    is --plot. What cannot be written or drawn is refused before the command begins.
    """

    def wrap(command: Callable[..., Answer]) -> Any:
        @functools.wraps(command)
        def answering(*args: Any, as_json: bool, **given: Any) -> None:
            files = AnswerFiles({kind: given.pop(kind) for kind in ("table", "plot") if kind in given})
            try:
                answer = command(*args, **given)
            except (Terminated, KeyboardInterrupt) as end:
                _print_unfinished(end, files, as_json)
                raise
            print_answer(files.written(answer), as_json)
            click.get_current_context().exit(answer.exit_code)

        vars(answering)["answers"] = True
        return apply(*file_options(csv, plot), json_option)(answering)

    return wrap


def json_wanted() -> bool:
    """Whether the command at work answers with one JSON object: it says nothing else on stdout, and draws no bar."""
    return click.get_current_context().params["as_json"]


def print_answer(answer: Answer, as_json: bool) -> None:
    """Print it: asides and the failure on stderr, and on stdout one JSON object, or lines and tables."""
    for line in answer.asides:
        say(line, err=True)
    if answer.failure:
        say(f"error: {answer.failure}", err=True)
    if as_json:
        print_json(answer.values)
    else:
        show(answer.parts)


def show(parts: Iterable[Part]) -> None:
    """Lines, tables and texts on stdout: a line stays one, whatever the names in it hold."""
    for part in parts:
        if isinstance(part, Table):
            from launch.cli.tables import print_table

            print_table(part)
        elif isinstance(part, Verbatim):
            click.echo(part.text, nl=False)
        else:
            say(visible(part))


def printed(parts: Iterable[Part]) -> bytes:
    """The text of `parts` as it is printed into a file."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        show(parts)
    return text.getvalue().encode("utf-8", "replace")


def unfinished(end: BaseException, answer: Answer) -> None:
    """Print the partial answer of a command that a signal ended, before it ends."""
    vars(end)["answer"] = answer


def _print_unfinished(end: BaseException, files: AnswerFiles, as_json: bool) -> None:
    answer = vars(end).get("answer")
    if answer is None:
        return
    from launch.system.cleanup import Cleaning

    with Cleaning():  # what is found is worth waiting for
        answer = files.written(answer)
        vars(end)["details"] = answer.values  # beside the error in the JSON object
        if not as_json:
            show(answer.parts)
