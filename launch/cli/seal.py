"""`emu seal`: accept deliberate edits of a compiled directory."""

from __future__ import annotations

from pathlib import Path

import click

from emu.wording import counted
from launch.cli.options import IMAGE, json_option, print_json


@click.command(
    short_help="Accept deliberate edits of a compiled directory.", epilog="\b\nExample:\n  emu seal out/lenet"
)
@click.argument("out", type=IMAGE)
@json_option
def command(out: Path, as_json: bool) -> None:
    """Compute the digests in the manifest of the directory OUT again, after files were edited on purpose."""
    from emu.image.seal import seal

    changed = seal(out)
    if as_json:
        print_json({"out": str(out), "changed": changed})
    else:
        click.echo(f"{out}: sealed, {counted(changed, 'file')} had changed")
