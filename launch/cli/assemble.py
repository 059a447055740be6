"""`emu assemble`: assembly text in, a directory to launch out."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.options import NEW_FOLDER


@click.command(epilog="\b\nExample:\n  emu assemble ring.asm -o out/ring && emu launch out/ring")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o", "--out", type=NEW_FOLDER, required=True, help="Directory to write; an older image there is replaced."
)
def command(source: Path, out: Path) -> None:
    """Assemble SOURCE, a text file or a directory that `emu disasm -o` wrote, into an image that can be launched."""
    from emu.asm.assembler import assemble

    manifest = assemble(source, out)
    count = len(manifest.cores)
    click.echo(f"{source} -> {out}: {count} core{'' if count == 1 else 's'}, architecture {manifest.arch.name}")
