"""Where weights stand, for `emu info --node`, `--core`, `--crossbar` and `--cell`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from emu.errors import InputError
from emu.wording import counted
from launch.cli.completion import nodes
from launch.cli.options import NATURAL, apply
from launch.text.answer import Answer, Part, Table

if TYPE_CHECKING:
    from emu.image.manifest import Manifest
    from launch.images.weights_map import WeightsMap


PART = "part of another node"  # that makes its result, too


class NaturalNumbers(click.ParamType):
    """Natural numbers with a sign between them: `count` of them (0: any number)."""

    def __init__(self, name: str, sign: str, count: int = 2) -> None:
        self.name, self._sign, self._count = name, sign, count

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The form."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """All numbers."""
        if isinstance(value, tuple):
            return value
        parts = value.split(self._sign)
        whole = all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts)
        if not whole or self._count not in (0, len(parts)):
            self.fail(f"{value!r} is not of the form {self.name}, with numbers from 0 on", param, ctx)
        return tuple(map(int, parts))


map_options = apply(
    click.option(
        "--node",
        "nodes",
        multiple=True,
        metavar="NAME",
        shell_complete=nodes,
        help="Where the weights of this ONNX node stand.",
    ),
    click.option(
        "--core", "of_cores", multiple=True, type=NATURAL, metavar="N", help="What this core holds, and where."
    ),
    click.option(
        "--crossbar",
        "crossbars",
        multiple=True,
        type=NaturalNumbers("C:G", ":"),
        help="What stands in each row and column of array group G of core C.",
    ),
    click.option(
        "--element",
        type=NaturalNumbers("I,J,...", ",", 0),
        help="With --node: the cells that hold this element of its weights.",
    ),
    click.option(
        "--cell", type=NaturalNumbers("ROW,COLUMN", ","), help="With --crossbar: what stands in this cell of it."
    ),
)


def found_of(maps: Sequence[WeightsMap], manifest: Manifest, asked: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The parts of the map that were asked for, as plain values for text and --json."""
    from launch.images.weights_map import node_of

    return {
        "nodes": [_node(maps, manifest, node_of(name, maps, manifest), asked["element"]) for name in asked["nodes"]],
        "cores": [_core(part, core) for core in asked["of_cores"] for part in _with_core(maps, core)],
        "crossbars": [
            _crossbar(part, *place, asked["cell"])
            for place in asked["crossbars"]
            for part in _with_core(maps, place[0])
        ],
    }


def _with_core(maps: Sequence[WeightsMap], core: int) -> list[WeightsMap]:
    """The images in which the core has a program; raises InputError if there is none."""
    from launch.text.units import ranges

    found = [part for part in maps if core in part.image.cores]
    if not found:
        numbers = ranges(sorted({number for part in maps for number in part.image.cores}))
        raise InputError(f"core {core} holds no program: {f'cores {numbers} do' if numbers else 'no core does'}")
    return found


def _node(maps: Sequence[WeightsMap], manifest: Manifest, name: str, element: tuple[int, ...] | None) -> dict[str, Any]:
    from launch.images.elements import cells_with, refuse_outside
    from launch.images.weights_map import plain

    found = [part.node(name) for part in maps]
    cores = sorted({core for on, _ in found for core in on})
    absent = next((origin.absent for origin in manifest.tensors if origin.node == name), "") or PART
    groups = [plain(use) for _, groups in found for use in groups]
    values = {"node": name, "cores": cores, "absent": "" if cores else absent, "groups": groups}
    if element is None:
        return {**values, "cells": None}
    refuse_outside(name, [use for _, uses in found for use in uses], element)
    cells = [
        {"segment": use.segment, "core": use.core, "group": use.group, "tensor": use.tensor, **plain(cell)}
        for part, (_, uses) in zip(maps, found, strict=True)
        for use, cell in cells_with(part, uses, element)
    ]
    return {**values, "cells": cells}


def _core(part: WeightsMap, core: int) -> dict[str, Any]:
    from launch.images.weights_map import plain

    return {
        "segment": part.segment,
        "core": core,
        "nodes": part.nodes_of(core),
        "groups": [plain(use) for use in part.groups_of(core)],
        "memory": [plain(use) for use in part.memory(core)],
    }


def _crossbar(part: WeightsMap, core: int, group: int, cell: tuple[int, int] | None) -> dict[str, Any]:
    from launch.images.weights_map import plain

    use, cells = part.group(core, group), part.cells(core)[group]
    exact = cells.rows is not None and cells.columns is not None
    return {
        **plain(use),
        "row_elements": cells.rows.tolist() if exact else None,
        "column_elements": cells.columns.tolist() if exact else None,
        "blocks": cells.blocks,
        "channels": cells.channels,
        "runs": [{"rows": [first, end], "holds": text} for first, end, text in part.runs(core, group)],
        "cell": plain(part.cell(core, group, *cell)) if cell is not None else None,
    }


def weights_answer(out: Path, asked: dict[str, Any]) -> Answer:
    """Where the weights of the image at `out` stand that were asked for; raises InputError."""
    from emu.image.reader import open_image
    from emu.image.segments import core_images
    from launch.images.weights_map import WeightsMap

    image = open_image(out)
    parts = core_images(image, verify=True)
    maps = [WeightsMap(part, part.path.name if image.manifest.segments else "") for part in parts]
    found = found_of(maps, image.manifest, asked)
    return Answer({"weights": found}, found_parts(found, image.arch.crossbar.cell_bits))


# text ---------------------------------------------------------------------------------------------------------------


def found_parts(found: dict[str, list[dict[str, Any]]], arch_bits: int) -> Iterator[Part]:
    """The text form; `arch_bits` are the bits of a cell, 0 where a cell holds any number."""
    for node in found["nodes"]:
        yield from _node_parts(node)
    for core in found["cores"]:
        yield from _core_parts(core)
    for crossbar in found["crossbars"]:
        yield from _crossbar_parts(crossbar, arch_bits)


def _node_parts(node: dict[str, Any]) -> Iterator[Part]:
    from launch.text.units import ranges

    plural = "" if len(node["cores"]) == 1 else "s"
    cores = f"on core{plural} {ranges(node['cores'])}" if node["cores"] else f"on no core: {node['absent']}"
    for cell in node["cells"] or ():
        where = f"{cell['core']}:{cell['group']}" + (f" of {cell['segment']}" if cell["segment"] else "")
        yield f"crossbar {where}, {_cell_text(cell, cell['tensor'])}"
    if node["cells"] is not None:
        return
    if not node["groups"]:
        yield f"{node['node']}: no weights on crossbars, {cores}"
        return
    held = counted(sum(group["elements"] for group in node["groups"]), "element")
    yield f"{node['node']}: {counted(len(node['groups']), 'array group')}, {held} of weights, {cores}"
    yield from _groups_parts(node["groups"])


def _core_parts(core: dict[str, Any]) -> Iterator[Part]:
    where = f"{core['segment']}, " if core["segment"] else ""
    yield f"{where}core {core['core']}: {', '.join(core['nodes']) or 'no node'}"
    if core["groups"]:
        yield from _groups_parts(core["groups"])
    rows = [(f"{use['first']:#x}", use["end"] - use["first"], use["kind"], use["holds"]) for use in core["memory"]]
    if rows:
        yield Table("local memory", ("address", "bytes", "what", "tensor and box"), rows, "rrll")


def _groups_parts(groups: Iterable[dict[str, Any]]) -> Iterator[Part]:
    groups = list(groups)
    several = any(group["segment"] for group in groups)
    rows = [
        (
            *([group["segment"]] if several else []),
            f"{group['core']}:{group['group']}",
            group["node"],
            f"{group['rows']} x {group['columns']}",
            _grid(group),
            f"{group['filled']:.0%}",
            group["holds"],
        )
        for group in groups
    ]
    names = (*(["segment"] if several else []), "crossbar", "node", "rows x cols", "arrays", "cells", "holds")
    yield Table("crossbars", names, rows, ("l" if several else "") + "llrrrl")


def _grid(group: dict[str, Any]) -> str:
    high = len({array["row_tile"] for array in group["arrays"]})
    return f"{high} x {len(group['arrays']) // high}" + (f" x {group['slices']}" if group["slices"] > 1 else "")


def _crossbar_parts(group: dict[str, Any], bits: int) -> Iterator[Part]:
    name = f"{group['core']}:{group['group']}" + (f" of {group['segment']}" if group["segment"] else "")
    read, weight, made = group["types"]
    yield (
        f"crossbar {name}: node {group['node']}, {group['rows']} rows x {group['columns']} columns of {weight}"
        f" ({read} in, {made} out), {group['holds']}"
    )
    if group["slices"] > 1:
        yield f"each weight is spread over {group['slices']} arrays, {bits} bits of it in each, the sign apart"
    if group["blocks"] > 1:
        yield f"block-diagonal, {group['blocks']} blocks of {group['channels']} channels: all other cells are zero"
    cell = group["cell"]
    if cell is not None:
        yield _cell_text(cell, group["tensor"])
        return
    arrays = [
        (f"{a['row_tile']},{a['column_tile']}", _span(a["rows"]), _span(a["columns"]), f"{a['filled']:.0%}", a["holds"])
        for a in group["arrays"]
    ]
    yield Table("arrays", ("array", "rows", "columns", "cells", "holds"), arrays, "lllrl")
    if group["runs"]:
        rows = [(_span(run["rows"]), run["holds"]) for run in group["runs"]]
        yield Table("rows, in all columns", ("rows", "holds"), rows, "ll")


def _cell_text(cell: dict[str, Any], tensor: str) -> str:
    at = cell["element"]
    what = f"{tensor}[{', '.join(map(str, at))}]" if at is not None else "no element of a tensor"
    (i, j), value = cell["array"], cell["value"]
    value = f"{value:.8g}" if isinstance(value, float) else value  # all digits of float32
    return (
        f"row {cell['row']}, column {cell['column']}: {what}, value {value}; array {i},{j},"
        f" wordline {cell['wordline']}, bitline {cell['bitline']}"
    )


def _span(bounds: Sequence[int]) -> str:
    return f"{bounds[0]}:{bounds[1]}"
