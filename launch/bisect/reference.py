"""Compiles the model once more, as the image says that it was, and lists what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from compiler.basis.options import CompileOptions
from compiler.codegen.generate import CoreProgram, generate
from compiler.compiling import lower
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.session.refusal import refusals
from emu.asm.section_printer import print_instruction
from emu.census.instructions import MULTIPLIES
from emu.errors import EmuError
from emu.image.groups import place_groups
from emu.image.manifest import Manifest
from emu.image.reader import Image
from emu.operands.timeline import TooMuch
from emu.options import found
from emu.program.codec import encode_program
from emu.program.group import GroupSpec
from emu.program.program import Program
from launch.bisect.differences import differences
from launch.bisect.finding import Change, Site
from launch.bisect.network import OnnxNetwork
from launch.bisect.statements import CoreStatements

MOST = 64  # changes that are told


def options_of(manifest: Manifest) -> dict[str, Any] | None:
    """The options of `make_request` that an image was made with; None if it does not tell enough."""
    options = manifest.options
    if "from" in options or not {"cores", "packing", "placement", "granularity"} <= options.keys():
        return None
    return {"arch": manifest.arch, "pipeline": options.get("passes"), **found(CompileOptions, options)}


def compare_with_recompilation(image: Image, network: OnnxNetwork) -> tuple[Change, ...] | None:
    """What differs from a fresh compilation, in order of cores; None if there can be none."""
    options = options_of(image.manifest)
    if options is None:
        return None
    try:
        fresh = compile_again(network.path, **options)
    except EmuError:
        return None
    return tuple(islice(_changes(image, fresh, network), MOST))


def compile_again(model: Path, **options: Any) -> dict[int, CoreProgram]:
    """The programs of a model by core, as `compile_image` would write them; nothing is written.

    `options` are those of `make_request`. Raises EmuErrors.
    """
    request = make_request(model, **options)
    context = make_context(request.arch, request.options)
    module, where = lower(request, context)
    with refusals(where, context):
        return {core.program.core: core for core in generate(module, context.weights)}


def _changes(image: Image, fresh: Mapping[int, CoreProgram], network: OnnxNetwork) -> Iterator[Change]:
    for files in sorted(image.manifest.cores, key=lambda each: each.core):
        if files.core not in fresh:
            yield Change(Site(files.core, ""), "a program", "none")
            continue
        compiled = fresh[files.core]
        want = replace(compiled.program, groups=place_groups(compiled.program.groups))
        if encode_program(want) != (image.path / files.program).read_bytes():
            yield from _of_programs(image.program(files.core), want, network, image)
        yield from _of_weights(image, compiled, network)
    for core in sorted(fresh.keys() - set(image.cores)):
        yield Change(Site(core, ""), "no program", "one")


def _of_programs(got: Program, want: Program, network: OnnxNetwork, image: Image) -> Iterator[Change]:
    statements = CoreStatements(got, image.arch)
    for name in ("init", "main"):
        for index, text, here, there in differences(getattr(got, name), getattr(want, name)):
            node = network.owner(statements.node(index)) if name == "main" and index is not None else ""
            yield Change(Site(got.core, node, name, index, text), here, there)
    yield from _of_data(got, want, network, statements)


def _of_data(got: Program, want: Program, network: OnnxNetwork, statements: CoreStatements) -> Iterator[Change]:
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
    """The first instruction of `main` that may read the byte at `address`; None if none, or too much to follow."""
    view = statements.view
    try:
        (low, high, known), used = view.extents, view.used
    except TooMuch:
        return None
    reads = used & view.accesses.read & ~view.accesses.is_global & (~known | ((low <= address) & (address < high)))
    rows = np.flatnonzero(reads)
    return int(view.accesses.instruction[rows].min()) if len(rows) else None


def _of_weights(image: Image, compiled: CoreProgram, network: OnnxNetwork) -> Iterator[Change]:
    core, program = compiled.program.core, image.program(compiled.program.core)
    statements = CoreStatements(program, image.arch)
    held = image.multiplied(core)
    for number, (mine, theirs) in enumerate(zip_longest(program.groups, compiled.program.groups)):
        if mine is None or theirs is None or replace(mine, offset=0) != theirs:
            node = _user(statements, number, network)
            yield Change(Site(core, node, what=f"group {number}"), _group_text(mine), _group_text(theirs))
            continue
        group = held[number]
        if group is None:
            continue  # a group in the bank, which another program fills in another way: its instructions differ
        got, want = group[:, : mine.cols], compiled.weights[number].make()
        if np.array_equal(got, want):
            continue
        cells = np.argwhere(got != want)
        row, column = (int(k) for k in cells[np.argmax(np.abs((got.astype(float) - want)[tuple(cells.T)]))])
        what = cell_text(program, number, row, column)
        more = f" ({len(cells)} cells of the group differ)" if len(cells) > 1 else ""
        user = user_of_group(program, number)
        text = print_instruction(program.main.decode(user)) if user is not None else ""
        site = Site(core, _user(statements, number, network), "main", user, text, what=what)
        yield Change(site, f"{got[row, column]}{more}", str(want[row, column]))


def _group_text(group: GroupSpec | None) -> str:
    if group is None:
        return "none"
    types = ".".join(kind.name for kind in (group.input, group.weight, group.output))
    place = f", from crossbar {group.bank} of the bank on" if group.shares else ""
    return f"{types} of row tiles {list(group.row_tiles)} and column tiles {list(group.col_tiles)}{place}"


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


def _user(statements: CoreStatements, number: int, network: OnnxNetwork) -> str:
    user = user_of_group(statements.program, number)
    return network.owner(statements.node(user)) if user is not None else ""
