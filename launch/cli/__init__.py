"""The command `emu`: one file per command, imported only when the command runs."""

from __future__ import annotations

from collections.abc import Sequence

from launch.cli.group import LazyGroup
from launch.cli.root import cli
from launch.cli.signals import raise_on_signals
from launch.standard_streams import open_standard_streams

__all__ = ["LazyGroup", "cli", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `emu` with `arguments` (default: those of the process) and exit with its code."""
    open_standard_streams()
    raise_on_signals()
    cli.main(args=arguments, prog_name="emu")
