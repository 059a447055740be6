"""`emu assemble`: assembly text in, a directory to launch out."""

from __future__ import annotations

from pathlib import Path

import click

from emu.wording import counted
from launch.cli.options import json_option, output_option, print_json
from launch.cli.values import NEW_FOLDER


@click.command(
    short_help="Make a directory to launch of assembly text.",
    epilog="\b\nExample:\n  emu assemble ring.asm -o out/ring && emu launch out/ring",
)
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@output_option(NEW_FOLDER, "Directory to write; an older image there is replaced.", required=True)
@json_option
def command(source: Path, output: Path, as_json: bool) -> None:
    """Assemble SOURCE, a text file or a directory that `emu disasm -o` wrote, into an image that can be launched."""
    from emu.asm.assembler import assemble

    manifest = assemble(source, output)
    cores, arch = len(manifest.cores), manifest.arch.name
    if as_json:
        print_json({"source": str(source), "out": str(output), "cores": cores, "arch": arch})
    else:
        click.echo(f"{source} -> {output}: {counted(cores, 'core')}, architecture {arch}")
