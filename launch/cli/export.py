"""`emu export`: the programs of a compiled directory as PIM-ISA."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.answering import answers
from launch.cli.choices import PROGRAM_FORM, WEIGHT_FILE
from launch.cli.options import IMAGE, output_option
from launch.cli.values import NEW_FOLDER
from launch.text.answer import Answer


@click.command(
    short_help="Write compiled programs in PIM-ISA, for other tools.",
    epilog="""\b
Examples:
  emu export out/lenet --to pimsim -o lenet.pimsim
  emu time lenet.pimsim/program.json --arch lenet.pimsim/chip.json
  emu export out/lenet --to pim --weights json -o lenet.pim --json""",
)
@click.argument("out", type=IMAGE)
@click.option(
    "--to",
    "to",
    type=PROGRAM_FORM,
    default="pimsim",
    show_default=True,
    help="One JSON file (json-gz: packed by gzip), or a file per core: JSON or binary (pim).",
)
@click.option(
    "--weights",
    type=WEIGHT_FILE,
    default="npy",
    show_default=True,
    help="Contents of crossbars: a .npy file per array group, or one JSON file per core.",
)
@output_option(NEW_FOLDER, "Directory to write; an earlier export there is replaced.", required=True)
@answers()
def command(out: Path, to: str, weights: str, output: Path) -> Answer:
    """Write the programs of the directory OUT in PIM-ISA, which PIMCOMP-NN and RAPTOR emit and pimsim-nn times.

    Loops are unrolled, addresses go into registers, and what PIM-ISA lacks is made of what it has; what it cannot
    express is refused with core, instruction and ONNX node. Beside the program stand the contents of crossbars and of
    global memory (with the stored input), and a chip for `emu time`. docs/interop.md has the forms.
    """
    from emu.foreign.exporting.export import export_image
    from emu.image.reader import open_image

    exported = export_image(open_image(out), output, to, weights)
    return Answer(exported.to_dict(), [exported.line()])
