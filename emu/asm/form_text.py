"""Element type and form of a tensor as text, such as `f32[1, 16, 8, 8] extent 16 8 8 layout 1 C H W`."""

from __future__ import annotations

from collections.abc import Collection

from emu.asm.cursor import Cursor
from emu.asm.lexer import TokenKind
from emu.isa.dtypes import DType
from emu.program.form import CHANNEL, LEAST, MOST, Box, Form, axis_names
from emu.program.limits import MAX_ADDRESS, MAX_INDEX

CHANNELS = "channels"  # the word for axis C
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
        begin = cursor.token
        extent = cursor.list_of_integers("channels, height and width", 0, MAX_ADDRESS)
        if not LEAST <= len(extent) <= MOST:
            cursor.fail(f"an extent holds {LEAST} to {MOST} sizes: channels, ..., height, width", begin)
    if cursor.accept("layout"):
        layout = _layout(cursor, ends)
    return dtype, Form(shape, extent, layout)


def box_words(form: Form, box: Box) -> str:
    """The channels of a box, then the ranges of the other axes of which it is not all: `channels 0:64 H 0:28`."""
    names, whole = form.names, form.whole
    others = [(name, part) for name, part, full in zip(names, box, whole, strict=True) if part != full]
    parts = [(CHANNELS, box[-1]), *(entry for entry in others if entry[0] != CHANNEL)]
    return " ".join(f"{name} {low}:{high}" for name, (low, high) in parts)


def parse_box(cursor: Cursor, form: Form) -> Box:
    """Take ranges of axes up to `at`; all of an axis that is not named."""
    names = axis_names(len(form.extent))
    box = dict(zip(form.names, form.whole, strict=True))
    while not cursor.at("at"):
        word = cursor.one_of((CHANNELS, *names[1:]), f"{CHANNELS}, an axis of {', '.join(names[1:])}, or 'at'")
        first = cursor.integer(f"the first of {word}", 0, MAX_INDEX)
        cursor.expect(":")
        box[CHANNEL if word == CHANNELS else word] = first, cursor.integer(f"the end of {word}", 0, MAX_INDEX)
    return tuple(box.values())


def _shape(cursor: Cursor) -> tuple[int, ...]:
    cursor.expect("[")
    return tuple(cursor.listed(lambda: cursor.integer("a dimension", 0, MAX_ADDRESS)))


def _usual(shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Extent and layout of channels (and pixels) after an optional batch of 1."""
    leading = 1 if len(shape) in (2, 4) and shape[0] == 1 else 0
    axes = _USUAL.get(len(shape) - leading, ())
    sizes = dict(zip(axes, shape[leading:], strict=False))
    return (sizes.get("C", 1), sizes.get("H", 1), sizes.get("W", 1)), ("",) * leading + axes


def _layout(cursor: Cursor, ends: Collection[str]) -> tuple[str, ...]:
    layout: list[str] = []
    while not cursor.at(*ends):
        if cursor.token.kind is TokenKind.NUMBER and cursor.token.text == _UNIT:
            cursor.advance()
            layout.append("")
        else:
            layout.append(cursor.word(f"axes such as C or CHW, 1, {' or '.join(repr(end) for end in ends)}"))
    return tuple(layout)
