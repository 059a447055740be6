"""`emu seal`: accept deliberate edits of a compiled directory."""

from __future__ import annotations

from pathlib import Path

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.options import IMAGE
from launch.text.answer import Answer


@click.command(
    short_help="Accept deliberate edits of a compiled directory.", epilog="\b\nExample:\n  emu seal out/lenet"
)
@click.argument("out", type=IMAGE)
@answers()
def command(out: Path) -> Answer:
    """Compute the digests in the manifest of the directory OUT again, after files were edited on purpose."""
    from emu.image.seal import seal

    changed = seal(out)
    return Answer({"out": str(out), "changed": changed}, [f"{out}: sealed, {counted(changed, 'file')} had changed"])
