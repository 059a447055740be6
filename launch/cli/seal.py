"""`emu seal`: accept deliberate edits of a compiled directory."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.options import IMAGE


@click.command(epilog="\b\nExample:\n  emu seal out/lenet")
@click.argument("out", type=IMAGE)
def command(out: Path) -> None:
    """Compute the digests in the manifest of the directory OUT again, after files were edited on purpose."""
    from emu.image.seal import seal

    count = seal(out)
    click.echo(f"{out}: sealed, {count} file{'' if count == 1 else 's'} had changed")
