"""Network inputs and outputs as text: shape, extent, layout and place in global memory."""

from __future__ import annotations

from collections.abc import Iterator

from emu.asm.core_parser import parse_range
from emu.asm.cursor import Cursor
from emu.asm.lexer import Kind
from emu.asm.section_printer import INDENT, quote
from emu.image.layout import layout_fault
from emu.image.manifest import TensorSpec, TensorTile
from emu.program.limits import MAX_ADDRESS

_UNIT = "1"  # how a dimension without physical axes is written
# Without `layout`, a shape of this many dimensions (a first 1 aside) is laid out so.
_USUAL = {1: ("C",), 3: ("C", "H", "W")}


def tensor_lines(kind: str, spec: TensorSpec) -> Iterator[str]:
    """The lines of an `input` or `output` statement."""
    shape, extent = ", ".join(map(str, spec.shape)), " ".join(map(str, spec.extent))
    layout = "".join(f" {axes or _UNIT}" for axes in spec.layout)
    yield f"{kind} {quote(spec.name)} {spec.dtype.name}[{shape}] extent {extent} layout{layout} {{"
    for tile in spec.tiles:
        yield f"{INDENT}channels {tile.channels[0]}:{tile.channels[1]} at 0x{tile.address:04x}"
    yield "}"


def parse_tensor(cursor: Cursor) -> TensorSpec:
    """Take what follows `input` or `output`."""
    begin = cursor.token
    name = cursor.string("a tensor name")
    dtype = cursor.dtype()
    shape = _shape(cursor)
    extent, layout = _usual(shape)
    if cursor.accept("extent"):
        sizes = [cursor.integer("channels, height and width", 1, MAX_ADDRESS) for _ in range(3)]
        extent = (sizes[0], sizes[1], sizes[2])
    if cursor.accept("layout"):
        layout = _layout(cursor)
    spec = TensorSpec(name, shape, dtype, extent, layout, tuple(_tiles(cursor, extent[0])))
    fault = layout_fault(spec)
    if fault:
        cursor.fail(f"tensor {name!r}: {fault}", begin)
    return spec


def _shape(cursor: Cursor) -> tuple[int, ...]:
    cursor.expect("[")
    shape: list[int] = []
    while not cursor.accept("]"):
        if shape:
            cursor.expect(",")
        shape.append(cursor.integer("a dimension", 1, MAX_ADDRESS))
    return tuple(shape)


def _usual(shape: tuple[int, ...]) -> tuple[tuple[int, int, int], tuple[str, ...]]:
    """Extent and layout of channels (and pixels) after an optional batch of 1."""
    leading = 1 if len(shape) in (2, 4) and shape[0] == 1 else 0
    axes = _USUAL.get(len(shape) - leading, ())
    sizes = dict(zip(axes, shape[leading:], strict=False))
    return (sizes.get("C", 1), sizes.get("H", 1), sizes.get("W", 1)), ("",) * leading + axes


def _layout(cursor: Cursor) -> tuple[str, ...]:
    layout: list[str] = []
    while not cursor.at("{", "at"):
        if cursor.token.kind is Kind.NUMBER and cursor.token.text == _UNIT:
            cursor.advance()
            layout.append("")
        else:
            layout.append(cursor.word("axes such as C or CHW, 1, 'at' or '{'"))
    return tuple(layout)


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
