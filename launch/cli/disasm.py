"""`emu disasm`: the programs of a compiled directory as assembly text."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.options import IMAGE, NEW_FILE


@click.command(epilog="\b\nExamples:\n  emu disasm out/lenet --core 3\n  emu disasm out/lenet -o lenet.asm")
@click.argument("out", type=IMAGE)
@click.option("--core", type=click.IntRange(min=0), metavar="N", help="Only this core (default: all).")
@click.option("-o", "--output", type=NEW_FILE, help="Write to this file instead of stdout.")
def command(out: Path, core: int | None, output: Path | None) -> None:
    """Print the programs of the directory OUT as assembly text."""
