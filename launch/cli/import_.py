"""`emu import`: programs of others, assembly text, or edits of an image in; a directory to launch out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from emu.errors import InputError, option
from emu.wording import counted
from launch.cli.answering import answers, json_wanted
from launch.cli.choices import TableChoice
from launch.cli.given import refuse_besides
from launch.cli.options import IMAGE, NATURAL, output_option
from launch.cli.values import FILE, NEW_FOLDER
from launch.text.answer import Answer, warnings

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
EVENTS = TableChoice("emu.interop.pim_isa.importing.core_program:EVENT_RULES")
ADDRESSING = TableChoice("emu.interop.pim_isa.importing.addressing:ADDRESSING")
_JSON, _GZIP, _BEGIN = (b"{", b"["), b"\x1f\x8b", 4096  # what programs begin with; bytes in which it is looked for


@click.command(
    "import",
    short_help="Make a directory to launch of PIM-ISA or assembly text.",
    epilog="""\b
Examples:
  emu import ring.asm -o out/ring && emu launch out/ring
  emu import --seal out/lenet
  emu import program.json.gz -o out/program --chip latency_config.json
  emu import cores/ -o out/program --weights weights/ --types 8=u8,32=i32
  emu launch out/program --save stored.npz
  emu time out/program""",
)
@click.argument("source", metavar="PROGRAM|TEXT|OUT", type=click.Path(exists=True, path_type=Path))
@output_option(NEW_FOLDER, "Directory to write; an older image there is replaced.")
@click.option(
    "--seal",
    "sealing",
    is_flag=True,
    help="Accept deliberate edits of the directory OUT: compute the digests in its manifest again.",
)
@click.option(
    "--chip",
    "arch",
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
def command(source: Path, output: Path | None, sealing: bool, **options: Any) -> Answer:
    """Make an image that can be launched of a PROGRAM in PIM-ISA, or of assembly TEXT; or accept edits of an image OUT.

    PROGRAM, as PIMCOMP-NN and RAPTOR write it, is one JSON file, plain or gzip, or a directory with config.json and
    core_<id>.json or core_<id>.pim. What it loads from global memory becomes the input of the image, what it stores its
    output. docs/interop.md has the rules. All options but -o are about such programs.

    TEXT is a file, or a directory that `emu export --to asm -o` wrote.
    """
    if sealing:
        refuse_besides(("source", "sealing"), "--seal, which changes OUT itself")
        return _sealed(_folder(source))
    if output is None:
        raise click.UsageError("say by -o DIRECTORY where the image goes (--seal changes one in its place)")
    if is_text(source):
        refuse_besides(("source", "output"), "assembly text")
        return _assembled(source, output)
    from emu.interop.pim_isa.importing.element_types import parse_types
    from launch.images.importing import import_image

    types, rolls = options.pop("types"), not options.pop("no_roll")
    widths = parse_types(types) if types is not None else {}
    report = import_image(source, output, quiet=json_wanted(), types=widths, rolls=rolls, **options)
    return Answer(report.to_dict(), [report.line()], warnings(report.warnings))


def is_text(source: Path) -> bool:
    """Whether it is assembly text, by its name or by how it begins, and no program in PIM-ISA.

    Raises InputError for an image, and for a directory that holds both.
    """
    from emu.asm.assembler import SOURCE_FILE
    from emu.files import open_file
    from emu.image.manifest_json import MANIFEST_FILE

    if source.suffix in (".json", ".gz"):
        return False
    if not source.is_dir():
        with open_file(source, InputError) as file:
            begin = file.read(_BEGIN).lstrip()
        return not begin.startswith((*_JSON, _GZIP))
    text, program, image = (source / name for name in (SOURCE_FILE, "config.json", MANIFEST_FILE))
    if image.exists():
        raise InputError(f"{source} is an image already: launch it, or accept edits of it by {option('seal')}")
    if text.exists() and program.exists():
        raise InputError(f"{source} holds {text.name} and {program.name}: name {text} for the text, or move it away")
    return text.exists()


def _folder(source: Path) -> Path:
    ctx = click.get_current_context()
    return IMAGE.convert(source, ctx.command.params[0], ctx)


def _assembled(source: Path, output: Path) -> Answer:
    from emu.asm.assembler import assemble

    manifest = assemble(source, output)
    cores, arch = len(manifest.cores), manifest.arch.name
    return Answer(
        {"source": str(source), "out": str(output), "cores": cores, "arch": arch},
        [f"{source} -> {output}: {counted(cores, 'core')}, architecture {arch}"],
    )


def _sealed(out: Path) -> Answer:
    from emu.image.seal import seal

    changed = seal(out)
    return Answer({"out": str(out), "changed": changed}, [f"{out}: sealed, {counted(changed, 'file')} had changed"])
