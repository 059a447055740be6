"""Tensors that exist once per power-on as text: `readonly "w" f32[64, 64] at 0x1000 from "w.npy"`."""

from __future__ import annotations

from emu.asm.cursor import Cursor
from emu.asm.section_printer import quote
from emu.image.manifest import ReadOnlySpec
from emu.image.read_only import MAX_RANK
from emu.program.limits import MAX_ADDRESS
from emu.wording import address_text


def read_only_line(spec: ReadOnlySpec) -> str:
    """The `readonly` statement."""
    shape = ", ".join(map(str, spec.shape))
    place = f"at {address_text(spec.address)} from {quote(spec.file)}"
    return f"readonly {quote(spec.name)} {spec.dtype.name}[{shape}] {place}"


def parse_read_only(cursor: Cursor) -> ReadOnlySpec:
    """Take what follows `readonly`."""
    name, dtype = cursor.string("a tensor name"), cursor.dtype()
    begin = cursor.expect("[")
    shape = tuple(cursor.listed(lambda: cursor.integer("a dimension", 0, MAX_ADDRESS)))
    if len(shape) > MAX_RANK:
        cursor.fail(f"{len(shape)} dimensions, more than {MAX_RANK}", begin)
    cursor.expect("at")
    address = cursor.integer("a global address", 0, MAX_ADDRESS)
    cursor.expect("from")
    return ReadOnlySpec(name, dtype, shape, address, cursor.beside())
