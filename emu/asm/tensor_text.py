"""Network inputs and outputs as text: shape, extent, layout and place in global memory."""

from __future__ import annotations

from collections.abc import Iterator

from emu.asm.cursor import Cursor
from emu.asm.form_text import form_text, parse_form, parse_range
from emu.asm.section_printer import INDENT, quote
from emu.image.layout import layout_fault
from emu.image.manifest import TensorSpec, TensorTile
from emu.program.limits import MAX_ADDRESS


def tensor_lines(kind: str, spec: TensorSpec) -> Iterator[str]:
    """The lines of an `input` or `output` statement."""
    yield f"{kind} {quote(spec.name)} {form_text(spec.form, spec.dtype)} {{"
    for tile in spec.tiles:
        yield f"{INDENT}channels {tile.channels[0]}:{tile.channels[1]} at 0x{tile.address:04x}"
    yield "}"


def parse_tensor(cursor: Cursor) -> TensorSpec:
    """Take what follows `input` or `output`."""
    begin = cursor.token
    name = cursor.string("a tensor name")
    dtype, form = parse_form(cursor, ("at", "{"))
    spec = TensorSpec(name, form.shape, dtype, form.extent, form.layout, tuple(_tiles(cursor, form.extent[0])))
    fault = layout_fault(spec)
    if fault:
        cursor.fail(f"tensor {name!r}: {fault}", begin)
    return spec


def _tiles(cursor: Cursor, channels: int) -> Iterator[TensorTile]:
    if cursor.accept("at"):
        yield TensorTile((0, channels), cursor.integer("a global address", 0, MAX_ADDRESS))
        return
    if not cursor.at("{"):
        cursor.expected("'at' or '{'")
    cursor.open_block()
    while cursor.in_block():
        cursor.expect("channels")
        tile = parse_range(cursor)
        cursor.expect("at")
        yield TensorTile(tile, cursor.integer("a global address", 0, MAX_ADDRESS))
        cursor.end_statement()
