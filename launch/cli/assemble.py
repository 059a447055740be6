"""`emu assemble`: assembly text in, a directory to launch out."""

from __future__ import annotations

from pathlib import Path

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.options import output_option
from launch.cli.values import NEW_FOLDER
from launch.text.answer import Answer


@click.command(
    short_help="Make a directory to launch of assembly text.",
    epilog="\b\nExample:\n  emu assemble ring.asm -o out/ring && emu launch out/ring",
)
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@output_option(NEW_FOLDER, "Directory to write; an older image there is replaced.", required=True)
@answers()
def command(source: Path, output: Path) -> Answer:
    """Assemble SOURCE, a text file or a directory that `emu disasm -o` wrote, into an image that can be launched."""
    from emu.asm.assembler import assemble

    manifest = assemble(source, output)
    cores, arch = len(manifest.cores), manifest.arch.name
    return Answer(
        {"source": str(source), "out": str(output), "cores": cores, "arch": arch},
        [f"{source} -> {output}: {counted(cores, 'core')}, architecture {arch}"],
    )
