"""`emu disasm`: the programs of a compiled directory as assembly text."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.answering import answers
from launch.cli.options import IMAGE, NATURAL, output_option
from launch.cli.values import NEW_FOLDER
from launch.text.answer import Answer, Verbatim


@click.command(
    short_help="Print compiled programs as assembly text.",
    epilog="""\b
Examples:
  emu disasm out/lenet --core 3
  emu disasm out/lenet -o lenet.asm && emu assemble lenet.asm -o out/again""",
)
@click.argument("out", type=IMAGE)
@click.option("--core", type=NATURAL, metavar="N", help="Print only this core's program.")
@output_option(NEW_FOLDER, "Write text, weights and arrays into this directory, to assemble.")
@answers()
def command(out: Path, core: int | None, output: Path | None) -> Answer:
    """Print the programs of the directory OUT as assembly text, or write them as a directory that assembles again.

    Comments number the instructions as errors do: main[12].
    """
    from emu.asm.disassembler import disassemble

    text = disassemble(out, output, core)
    values = {"out": str(out), "core": core, ("text" if output is None else "file"): text}
    return Answer(values, [Verbatim(text) if output is None else text])
