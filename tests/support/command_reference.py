"""The reference of the commands in docs/commands.md: what `emu COMMAND --help` says, as tables, from the commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from launch.cli import cli
from launch.cli.root import COMMANDS
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

_HELP = ("help", "debug")  # options of every command


def command_reference() -> str:
    """A section per command, in the order of `emu --help`."""
    context = click.Context(cli, info_name="emu")
    return "\n\n".join(_section(name, cli.get_command(context, name), context) for name in COMMANDS)


def _section(name: str, command: click.Command | None, parent: click.Context) -> str:
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(["emu", name, *command.collect_usage_pieces(context)])
    options = [option for option in command.params if isinstance(option, click.Option) and option.name not in _HELP]
    rows = [record for option in options if (record := option.get_help_record(context))]
    table = markdown_table(
        Table("", ("option", "what it does"), [[f"`{flags}`", _text(words)] for flags, words in rows], "ll")
    )
    parts = [
        f"## emu {name}",
        _block([usage]),
        _prose(command.help or ""),
        table,
        _prose(command.epilog or ""),
    ]
    return "\n\n".join(filter(None, parts))


def _text(words: str) -> str:
    """Words of a help as Markdown: nothing but what stands between backticks is markup."""
    parts = " ".join(words.split()).split("`")
    parts[::2] = [re.sub(r"([*_<>\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _prose(text: str) -> str:
    """Paragraphs; those that click leaves as they are (after \\b) are code."""
    paragraphs = [part.strip("\n") for part in text.split("\n\n") if part.strip()]
    return "\n\n".join(_paragraph(paragraph) for paragraph in paragraphs)


def _paragraph(text: str) -> str:
    if not text.lstrip().startswith("\b"):
        return _text(text)
    return _block(text.replace("\b", "").strip("\n").splitlines())


def _block(lines: Sequence[str]) -> str:
    return "\n".join(["```text", *lines, "```"])
