"""Compiles the model once more, as the image says that it was, and lists what differs."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from compiler.api import MAX_LENGTH
from emu.asm.section_printer import print_instruction
from emu.errors import EmuError
from emu.image.manifest import Manifest
from emu.image.reader import Image, open_image
from emu.output.scratch import ScratchFolder
from emu.program.program import Program
from launch.bisect.finding import Change, Site
from launch.bisect.network import Network
from launch.bisect.statements import CoreStatements
from launch.images.summary import MULTIPLIES

MOST = 64  # changes that are told
_SHAPE, _STATE = "shape ", "state "


def options_of(manifest: Manifest) -> dict[str, Any] | None:
    """The options of `compile_image` that an image was made with; None if it does not tell enough."""
    options = manifest.options
    if "from" in options or not {"cores", "packing", "placement", "granularity"} <= options.keys():
        return None
    shapes = {k.removeprefix(_SHAPE): v for k, v in options.items() if k.startswith(_SHAPE)}
    states = {k.removeprefix(_STATE): v for k, v in options.items() if k.startswith(_STATE)}
    return {
        "arch": manifest.arch,
        "cores": int(options["cores"]),
        **{name: options[name] for name in ("packing", "placement", "granularity")},
        "shapes": tuple((name, tuple(int(n) for n in sizes.split(",") if n)) for name, sizes in shapes.items()),
        "states": states or None,
        "max_length": int(options[MAX_LENGTH]) if MAX_LENGTH in options else None,
        **({"pipeline": options["passes"]} if "passes" in options else {}),
        **({"lowering": options["lowering"]} if "lowering" in options else {}),
    }


def compare_with_recompilation(image: Image, network: Network) -> tuple[Change, ...] | None:
    """What differs from a fresh compilation, in order of cores; None if there can be none."""
    options = options_of(image.manifest)
    if options is None:
        return None
    from launch.images.compilation import compile_image

    with ScratchFolder("bisect") as folder:
        try:
            compile_image(network.path, folder / "out", **options, golden="none", quiet=True, no_check=True)
        except EmuError:
            return None
        fresh = open_image(folder / "out", verify=False)
        return tuple(change for _, change in zip(range(MOST), _changes(image, fresh, network), strict=False))


def _changes(image: Image, fresh: Image, network: Network) -> Iterator[Change]:
    for core in sorted({*image.cores, *fresh.cores}):
        if core not in fresh.cores or core not in image.cores:
            there, compiled = ("a program", "none") if core in image.cores else ("no program", "one")
            yield Change(Site(core, ""), there, compiled)
            continue
        files, others = ({each.core: each for each in i.manifest.cores}[core] for i in (image, fresh))
        digests = [i.manifest.files for i in (image, fresh)]
        if digests[0].get(files.program) != digests[1].get(others.program):
            yield from _of_programs(image.program(core), fresh.program(core), network, image)
        if files.xbar and digests[0].get(files.xbar) != digests[1].get(others.xbar):
            yield from _of_weights(image, fresh, core, network)


def _of_programs(got: Program, want: Program, network: Network, image: Image) -> Iterator[Change]:
    statements = CoreStatements(got, image.arch)
    for name in ("init", "main"):
        mine, theirs = getattr(got, name), getattr(want, name)
        lines = [[print_instruction(section.decode(k)) for k in range(len(section))] for section in (mine, theirs)]
        if lines[0] == lines[1]:
            continue
        for tag, a, b, c, d in SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
            if tag == "equal":
                continue
            for k in range(max(b - a, d - c)):
                index = min(a + k, len(mine) - 1)
                node = network.owner(statements.node(index)) if name == "main" else ""
                texts = (
                    lines[0][a + k] if a + k < b else "nothing",
                    lines[1][c + k] if c + k < d else "nothing",
                )
                yield Change(Site(got.core, node, name, index, lines[0][index]), *texts)
    yield from _of_data(got, want, network, statements)


def _of_data(got: Program, want: Program, network: Network, statements: CoreStatements) -> Iterator[Change]:
    """Constants in local memory: the first byte of each that differs, and who reads it."""
    theirs = {data.address: data.content for data in want.data}
    for data in got.data:
        other = theirs.get(data.address)
        if other == data.content:
            continue
        a, b = (np.frombuffer(x, np.uint8) for x in (data.content, (other or b"").ljust(len(data.content), b"\0")))
        place = int(np.flatnonzero(a != b[: len(a)])[0]) if (a != b[: len(a)]).any() else 0
        address = data.address + place - place % 4
        reader = _reader(statements, address)
        node = network.owner(statements.node(reader)) if reader is not None else ""
        text = print_instruction(got.main.decode(reader)) if reader is not None else ""
        cut = slice(place - place % 4, place - place % 4 + 4)
        yield Change(
            Site(got.core, node, "main", reader, text, what=f"constant at l[{address:#x}]"),
            f"bytes {data.content[cut].hex()}",
            f"bytes {(other or b'')[cut].hex() or 'none'}",
        )


def _reader(statements: CoreStatements, address: int) -> int | None:
    """The first instruction of `main` that may read the byte at `address`."""
    view = statements.view
    low, high, known = view.extents
    reads = view.used & view.accesses.read & ~view.accesses.is_global & (~known | ((low <= address) & (address < high)))
    rows = np.flatnonzero(reads)
    return int(view.accesses.instruction[rows].min()) if len(rows) else None


def _of_weights(image: Image, fresh: Image, core: int, network: Network) -> Iterator[Change]:
    program = image.program(core)
    statements = CoreStatements(program, image.arch)
    for number, (got, want) in enumerate(zip(image.weights(core), fresh.weights(core), strict=False)):
        if got.shape != want.shape:
            yield Change(
                Site(core, _user(statements, number, network), what=f"group {number}"),
                *map(str, (got.shape, want.shape)),
            )
            continue
        cells = np.argwhere(got != want)
        if len(cells):
            row, column = (int(k) for k in cells[np.argmax(np.abs((got.astype(float) - want)[tuple(cells.T)]))])
            what = cell_text(program, number, row, column)
            more = f" ({len(cells)} cells of the group differ)" if len(cells) > 1 else ""
            user = user_of_group(program, number)
            text = print_instruction(program.main.decode(user)) if user is not None else ""
            site = Site(core, _user(statements, number, network), "main", user, text, what=what)
            yield Change(site, f"{got[row, column]}{more}", str(want[row, column]))


def cell_text(program: Program, number: int, row: int, column: int) -> str:
    """A cell of a group in words: the crossbar as row tile and column tile, and where in it."""
    group = program.groups[number]
    tile, rest = _tile(group.row_tiles, row)
    across, aside = _tile(group.col_tiles, column)
    return f"group {number}, crossbar {tile}:{across}, row {rest}, column {aside}"


def _tile(sizes: tuple[int, ...], place: int) -> tuple[int, int]:
    for number, size in enumerate(sizes):
        if place < size:
            return number, place
        place -= size
    return len(sizes) - 1, place


def user_of_group(program: Program, number: int) -> int | None:
    """The first instruction that multiplies with a group."""
    columns = program.main.columns
    users = np.flatnonzero(MULTIPLIES[columns["op"]] & (columns["arg0"] == number))
    return int(users[0]) if len(users) else None


def _user(statements: CoreStatements, number: int, network: Network) -> str:
    user = user_of_group(statements.program, number)
    return network.owner(statements.node(user)) if user is not None else ""
