"""`emu import`: a program of another compiler in, a directory to launch out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers, json_wanted
from launch.cli.choices import TableChoice
from launch.cli.options import NATURAL, output_option
from launch.cli.values import FILE, NEW_FOLDER
from launch.text.answer import Answer, warnings

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
EVENTS = TableChoice("emu.foreign.importing.core_program:EVENT_RULES")
ADDRESSING = TableChoice("emu.foreign.importing.addressing:ADDRESSING")


@click.command(
    "import",
    short_help="Make a directory to launch of a PIM-ISA program.",
    epilog="""\b
Examples:
  emu import program.json.gz -o out/program --arch latency_config.json
  emu import cores/ -o out/program --weights weights/ --types 8=u8,32=i32
  emu launch out/program --save stored.npz
  emu time out/program""",
)
@click.argument("program", type=click.Path(exists=True, path_type=Path))
@output_option(NEW_FOLDER, "Directory to write; an older image there is replaced.", required=True)
@click.option(
    "--arch",
    type=FILE,
    metavar="CONFIG.json",
    help="The chip, as pimsim-nn reads it: sizes of crossbars, and times for `emu time` (default: what the program says"
    " itself, no times).",
)
@click.option(
    "--types",
    metavar="WIDTH=TYPE,...",
    help="Element types by their width in bits (default: 8=i8,16=i16,32=i32,64=i64, or what an export says).",
)
@click.option(
    "--weights",
    type=FOLDER,
    metavar="DIR",
    help="Contents of crossbars: core_<id>_<group>.npy or core_<id>_weights.json, and memory.bin (default: those in a"
    " directory PROGRAM or beside an export, else random).",
)
@click.option(
    "--memory",
    type=FILE,
    metavar="FILE",
    help="Content of global memory from address 0 on (default: memory.bin of --weights, of a"
    " directory PROGRAM or beside an export, else random).",
)
@click.option("--seed", type=NATURAL, default=0, show_default=True, metavar="N", help="Seed of what is random.")
@click.option(
    "--events",
    type=EVENTS,
    default="at-least",
    show_default=True,
    help="When a wait ends: once the register has at least its value, which is subtracted (fork), or when it has it"
    " exactly, and becomes 0 (upstream).",
)
@click.option(
    "--addresses",
    type=ADDRESSING,
    default="auto",
    show_default=True,
    help="Addresses of global memory stand in pairs of registers, or in a single one as PIMCOMP-NN writes them; auto:"
    " in pairs unless these lie beyond 4 GiB.",
)
@click.option("--no-roll", is_flag=True, help="Leave straight-line code as it is, instead of making loops of it.")
@click.option("--strict", is_flag=True, help="Refuse programs that read local bytes which nothing has written.")
@click.option("--no-check", is_flag=True, help="Do not check the programs that were written.")
@answers()
def command(program: Path, output: Path, types: str | None, no_roll: bool, **options: Any) -> Answer:
    """Make an image that can be launched of PROGRAM, which is in PIM-ISA as PIMCOMP-NN and RAPTOR write it.

    PROGRAM is one JSON file, plain or gzip, or a directory with config.json and core_<id>.json or core_<id>.pim. What
    it loads from global memory becomes the input of the image, what it stores its output. docs/interop.md has the
    rules.
    """
    from emu.foreign.importing.element_types import parse_types
    from launch.images.importing import import_image

    widths = parse_types(types) if types is not None else {}
    report = import_image(program, output, quiet=json_wanted(), types=widths, rolls=not no_roll, **options)
    return Answer(report.to_dict(), [report.line()], warnings(report.warnings))
