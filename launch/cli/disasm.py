"""`emu disasm`: the programs of a compiled directory as assembly text."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.options import IMAGE, NEW_FOLDER


@click.command(
    epilog="""\b
Examples:
  emu disasm out/lenet --core 3
  emu disasm out/lenet -o lenet.asm && emu assemble lenet.asm -o out/again"""
)
@click.argument("out", type=IMAGE)
@click.option("--core", type=click.IntRange(min=0), metavar="N", help="Print only this core's program.")
@click.option(
    "-o", "--output", type=NEW_FOLDER, help="Write text, weights and arrays into this directory, to assemble."
)
def command(out: Path, core: int | None, output: Path | None) -> None:
    """Print the programs of the directory OUT as assembly text, or write them as a directory that assembles again."""
    from emu.asm.disassembler import disassemble

    text = disassemble(out, output, core)
    click.echo(text, nl=output is not None)
