"""A click group that imports its commands when they are needed and turns every error into one sentence."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

from emu.errors import EmuError, worded
from emu.wording import nearest
from launch.cli import signals
from launch.cli.config import apply_config, passed_to_children, read_config
from launch.cli.lines import say
from launch.cli.options import as_option, print_json
from launch.cli.output import OutputLost, flush
from launch.cli.schema import asks_for_json
from launch.cli.signals import Terminated
from launch.cli.text_lines import located
from launch.system.by_name import named

INTERRUPTED = 130  # 128 + SIGINT
INTERNAL = 70  # EX_SOFTWARE
BAD_INPUT = 2
NO_CONFIG = "no config"  # of the context: whether none is read
MAX_SUMMARY = 100  # characters of a line of help


class LazyGroup(click.Group):
    """A group over sections of commands: title -> name -> "module:attribute".

    `former` words, which a line began with, lead to those of today, and so do `former_options` of a command.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, str]],
        former: Mapping[str, str] = MappingProxyType({}),
        former_options: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections, self.former, self.former_options = sections, former, former_options
        self.table = {name: path for section in sections.values() for name, path in section.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(self.table)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by section, all summaries in one column."""
        width = max(map(len, self.table), default=0)
        for title, section in self.sections.items():
            commands = [(name, self.get_command(ctx, name)) for name in section]
            rows = [
                (name.ljust(width), command.get_short_help_str(MAX_SUMMARY)) for name, command in commands if command
            ]
            with formatter.section(title):
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; every command understands --debug, too."""
        if cmd_name not in self.table:
            return None
        if cmd_name not in self.commands:
            command = named(self.table[cmd_name])
            command.params.append(debug_option())
            self.commands[cmd_name] = command
        return self.commands[cmd_name]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with; the error for an unknown one names the nearest."""
        name = args[0]
        for count in (2, 1):  # the longer words first
            if name not in self.table and (now := self.former.get(" ".join(args[:count]))):
                rest = shlex.join(args[count:])
                ctx.fail(f"`emu {shlex.join(args)}` is now `emu {now}{' ' if rest else ''}{rest}`")
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command {name!r}{nearest(name, self.table)}")
        config = None if ctx.resilient_parsing or ctx.meta.get(NO_CONFIG) or name.startswith("-") else read_config()
        if config is not None:
            apply_config(ctx, config, name, tuple(self.table), lambda each: self.get_command(ctx, each))
        ctx.with_resource(passed_to_children())
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the group's own options; errors are reported as those of commands are."""
        as_json, arguments = asks_for_json(args), list(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            _print_click_error(error, as_json)
            raise click.exceptions.Exit(BAD_INPUT) from None
        context.meta.update(json=as_json, arguments=arguments)
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors become one sentence on stderr, one object on stdout with --json, and an exit code."""
        try:
            with signals.Raising(), worded(as_option):
                return self._run(ctx)
        except (click.exceptions.Exit, click.Abort):
            raise
        except BaseException as error:
            raise click.exceptions.Exit(self._explained(signals.end_behind(error) or error, ctx)) from None
        finally:
            signals.mark_over()

    def _run(self, ctx: click.Context) -> Any:
        """Run it, and flush its output: its exit code counts only if that could be written."""
        try:
            result = super().invoke(ctx)
        except click.exceptions.Exit:
            flush()
            raise
        flush()
        return result

    def _explained(self, error: BaseException, ctx: click.Context) -> int:
        """Print the error; its exit code."""
        as_json = ctx.meta.get("json", False)
        if isinstance(error, click.NoSuchOption) and error.ctx is not None:
            name = str(error.ctx.info_name)
            if now := self.former_options.get(name, {}).get(error.option_name):
                error = click.UsageError(f"{error.option_name} of `emu {name}` is now {now}", error.ctx)
        if isinstance(error, click.ClickException):
            _print_click_error(error, as_json)
            return BAD_INPUT
        with worded(as_option):
            code, sentence = explain(error)
        if sentence and ctx.find_root().meta.get("debug"):
            traceback.print_exception(error)
            click.echo(getattr(error, "ir", ""), err=True, nl=False)  # the module that a pass of the compiler refused
        if sentence:
            _print_error(sentence, code, as_json and not isinstance(error, OutputLost), getattr(error, "details", {}))
            for note in getattr(error, "__notes__", ()):
                click.echo(note, err=True)
        return code


def config_option() -> click.Option:
    """--no-config, for the group."""

    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        ctx.meta[NO_CONFIG] = value

    return click.Option(
        ["--no-config"],
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Read no defaults from [tool.emu] of pyproject.toml or from emu.toml (docs/usage.md).",
    )


def debug_option() -> click.Option:
    """--debug, for the group and for every command."""

    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().meta["debug"] = True

    return click.Option(
        ["--debug"], is_flag=True, expose_value=False, callback=remember, help="Show the traceback of an error."
    )


def _print_error(sentence: str, code: int, as_json: bool, details: Mapping[str, Any] = MappingProxyType({})) -> None:
    say(f"error: {sentence}", err=True)
    signals.error_printed()
    if as_json:
        try:
            print_json({"error": located(sentence), "exit_code": code, **details})
        except OutputLost as lost:  # the error that is told already counts
            report_lost_output(lost)


def report_lost_output(lost: OutputLost) -> int:
    """Report that standard output is lost; the exit code."""
    if str(lost):
        say(f"error: {lost}", err=True)
    return lost.exit_code


def _print_click_error(error: click.ClickException, as_json: bool) -> None:
    """A usage error as one sentence; `emu` alone shows its help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    sentence = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        sentence = f"{sentence.rstrip('.')}{'' if sentence.endswith('?') else ':'} see {error.ctx.command_path} --help"
    _print_error(sentence, BAD_INPUT, as_json)


def explain(error: BaseException) -> tuple[int, str]:
    """Exit code and sentence of an error; an empty sentence says nothing."""
    if isinstance(error, EmuError):
        return error.exit_code, str(error)
    if isinstance(error, Terminated):
        return error.exit_code, str(error)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "interrupted"
    if isinstance(error, MemoryError):
        return BAD_INPUT, "out of memory: use a smaller network, fewer samples or a machine with more"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return BAD_INPUT, "no thread can be started: raise ulimit -u, or the process limit that `emu doctor` names"
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
