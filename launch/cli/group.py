"""A click group that imports its commands when they are needed and turns every error into one sentence."""

from __future__ import annotations

import importlib
import os
import select
import sys
import traceback
from collections.abc import Mapping
from typing import Any

import click

from emu.errors import EmuError, worded
from emu.wording import nearest
from launch.cli.lines import say
from launch.cli.options import as_option, print_json
from launch.cli.signals import Terminated

INTERRUPTED = 130  # 128 + SIGINT
PIPE_CLOSED = 141  # 128 + SIGPIPE
INTERNAL = 70  # EX_SOFTWARE
BAD_INPUT = 2


class LazyGroup(click.Group):
    """A group over a table: command name -> "module:attribute"."""

    def __init__(self, *args: Any, table: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; every command understands --debug, too."""
        if cmd_name not in self.table:
            return None
        if cmd_name not in self.commands:
            module, _, attribute = self.table[cmd_name].partition(":")
            command = getattr(importlib.import_module(module), attribute)
            command.params.append(debug_option())
            self.commands[cmd_name] = command
        return self.commands[cmd_name]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with; an unknown one is told with the nearest that there is."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command {name!r}{nearest(name, self.table)}")
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the group's own options; errors are reported as those of commands are."""
        as_json, arguments = "--json" in args, list(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            _tell_click(error, as_json)
            raise click.exceptions.Exit(BAD_INPUT) from None
        context.meta.update(json=as_json, arguments=arguments)
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors become one sentence on stderr, one object on stdout with --json, and an exit code."""
        try:
            with worded(as_option):
                result = super().invoke(ctx)
            if sys.stdout is not None:  # it was closed when we started
                sys.stdout.flush()
            return result
        except (click.exceptions.Exit, click.Abort):
            raise
        except click.ClickException as error:
            _tell_click(error, ctx.meta.get("json", False))
            raise click.exceptions.Exit(BAD_INPUT) from None
        except BaseException as error:
            code, sentence = explain(error)
            if sentence and ctx.find_root().meta.get("debug"):
                traceback.print_exception(error)
                click.echo(
                    getattr(error, "ir", ""), err=True, nl=False
                )  # the module that a pass of the compiler refused
            if sentence:
                _tell(sentence, code, ctx.meta.get("json", False), getattr(error, "injected", None))
                for note in getattr(error, "__notes__", ()):
                    click.echo(note, err=True)
            raise click.exceptions.Exit(code) from None


def debug_option() -> click.Option:
    """--debug, for the group and for every command."""

    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().meta["debug"] = True

    return click.Option(
        ["--debug"], is_flag=True, expose_value=False, callback=remember, help="Show the traceback of an error."
    )


def _tell(sentence: str, code: int, as_json: bool, injected: dict[str, int] | None = None) -> None:
    say(f"error: {sentence}", err=True)
    chaos = {}
    if injected is not None:
        from launch.chaos import injections  # only now: it need not be there for --help

        chaos = {"injected": injected}
        click.echo(f"chaos: {injections(injected)}", err=True)
    if as_json:
        print_json({"error": sentence, "exit_code": code, **chaos})


def _tell_click(error: click.ClickException, as_json: bool) -> None:
    """A usage error as one sentence; `emu` alone shows its help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    sentence = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        sentence = f"{sentence.rstrip('.')}{'' if sentence.endswith('?') else ':'} see {error.ctx.command_path} --help"
    _tell(sentence, BAD_INPUT, as_json)


def explain(error: BaseException) -> tuple[int, str]:
    """Exit code and sentence of an error; an empty sentence says nothing."""
    if isinstance(error, EmuError):
        return error.exit_code, str(error)
    if isinstance(error, Terminated):
        return 128 + error.number, "terminated"
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "interrupted"
    if isinstance(error, BrokenPipeError) and _stdout_closed():
        # Nobody reads any more: what is still buffered goes nowhere, without a complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED, ""
    if isinstance(error, MemoryError):
        return BAD_INPUT, "out of memory: use a smaller network, fewer samples or a machine with more"
    if isinstance(error, OSError) and error.strerror:
        return BAD_INPUT, f"{error.strerror}{f': {error.filename}' if error.filename else ''}"
    if isinstance(error, SystemExit):
        raise error
    return (
        INTERNAL,
        f"internal error ({type(error).__name__}: {_first_line(error)}): run again with --debug and report it",
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no message"])[0][:200]


def _stdout_closed() -> bool:
    """Whether the reader of stdout has gone (a broken pipe elsewhere is an error of ours)."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), select.POLLOUT)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except (OSError, ValueError):
        return True
