"""Element type and form of a tensor as text, such as `f32[1, 16, 8, 8] extent 16 8 8 layout 1 C H W`."""

from __future__ import annotations

from collections.abc import Collection

from emu.asm.cursor import Cursor
from emu.asm.lexer import Kind
from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.limits import MAX_ADDRESS, MAX_INDEX

_UNIT = "1"  # how a dimension without physical axes is written
# Without `layout`, a shape of this many dimensions (a first 1 aside) is laid out so.
_USUAL = {1: ("C",), 3: ("C", "H", "W")}


def form_text(form: Form, dtype: DType) -> str:
    """The text of a form."""
    shape, extent = ", ".join(map(str, form.shape)), " ".join(map(str, form.extent))
    layout = "".join(f" {axes or _UNIT}" for axes in form.layout)
    return f"{dtype.name}[{shape}] extent {extent} layout{layout}"


def parse_form(cursor: Cursor, ends: Collection[str]) -> tuple[DType, Form]:
    """Take a form; a word of `ends` comes after a layout."""
    dtype = cursor.dtype()
    shape = _shape(cursor)
    extent, layout = _usual(shape)
    if cursor.accept("extent"):
        sizes = [cursor.integer("channels, height and width", 1, MAX_ADDRESS) for _ in range(3)]
        extent = (sizes[0], sizes[1], sizes[2])
    if cursor.accept("layout"):
        layout = _layout(cursor, ends)
    return dtype, Form(shape, extent, layout)


def parse_range(cursor: Cursor) -> tuple[int, int]:
    """Take a half-open range of channels such as 0:64."""
    first = cursor.integer("the first channel", 0, MAX_INDEX)
    cursor.expect(":")
    return first, cursor.integer("the channel after the last", 0, MAX_INDEX)


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


def _layout(cursor: Cursor, ends: Collection[str]) -> tuple[str, ...]:
    layout: list[str] = []
    while not cursor.at(*ends):
        if cursor.token.kind is Kind.NUMBER and cursor.token.text == _UNIT:
            cursor.advance()
            layout.append("")
        else:
            layout.append(cursor.word(f"axes such as C or CHW, 1, {' or '.join(repr(end) for end in ends)}"))
    return tuple(layout)
