"""Network inputs and outputs as text: shape, extent, layout and place in global memory."""

from __future__ import annotations

from collections.abc import Iterator

from emu.asm.cursor import Cursor
from emu.asm.form_text import box_words, form_text, parse_box, parse_form
from emu.asm.section_printer import INDENT, quote
from emu.image.layout import layout_fault
from emu.image.manifest import TensorSpec, TensorTile
from emu.program.form import Form
from emu.program.limits import MAX_ADDRESS
from emu.wording import address_text


def tensor_lines(kind: str, spec: TensorSpec) -> Iterator[str]:
    """The lines of an `input` or `output` statement."""
    yield f"{kind} {quote(spec.name)} {form_text(spec.form, spec.dtype)} {{"
    for tile in spec.tiles:
        yield f"{INDENT}{box_words(spec.form, tile.box)} at {address_text(tile.address)}"
    yield "}"


def parse_tensor(cursor: Cursor) -> TensorSpec:
    """Take what follows `input` or `output`."""
    begin = cursor.token
    name = cursor.string("a tensor name")
    dtype, form = parse_form(cursor, ("at", "{"))
    spec = TensorSpec(name, form, dtype, tuple(_tiles(cursor, form)))
    fault = layout_fault(spec)
    if fault:
        cursor.fail(f"tensor {name!r}: {fault}", begin)
    return spec


def _tiles(cursor: Cursor, form: Form) -> Iterator[TensorTile]:
    if cursor.accept("at"):
        yield TensorTile(form.whole, cursor.integer("a global address", 0, MAX_ADDRESS))
        return
    if not cursor.at("{"):
        cursor.expected("'at' or '{'")
    cursor.open_block()
    while cursor.in_block():
        box = parse_box(cursor, form)
        cursor.expect("at")
        yield TensorTile(box, cursor.integer("a global address", 0, MAX_ADDRESS))
        cursor.end_statement()
