"""Where tiles stand in tensors, and tensors in memory, as attributes: `<[0:8, 0:6]>`, `<[1, C, H, W] with ...>`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser

from compiler.dialects import attributes as attr
from compiler.dialects.typed import ListAttribute, TypedAttribute, read_number, read_range
from emu.program.form import Box, Form, axis_names, box_text


@irdl_attr_definition
class BoxesAttr(ListAttribute[Box]):
    """Boxes, each with a half-open range for every axis in the order of memory."""

    name = "tile.boxes"

    @staticmethod
    def item_text(item: Box) -> str:
        """A box as elsewhere in this project."""
        return box_text(item)

    @classmethod
    def read_item(cls, parser: AttrParser) -> Box:
        """A box; raises ParseError."""
        return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: read_range(parser)))


def boxes_at(begins: Iterable[Sequence[int]], tiles: Sequence[SSAValue]) -> BoxesAttr:
    """The boxes of tiles that begin at these places."""
    return BoxesAttr(
        tuple(
            tuple((low, low + size) for low, size in zip(begin, attr.shape_of(tile), strict=True))
            for begin, tile in zip(begins, tiles, strict=True)
        )
    )


@irdl_attr_definition
class FormAttr(TypedAttribute[Form]):
    """How a tensor stands in memory: each dimension as the axes that it is made of, 1 for none; then their sizes."""

    name = "tile.form"

    def text(self) -> str:
        """Such as `[1, C, H, W] with H = 8, W = 6, C = 4`."""
        return form_text(self.data)

    @classmethod
    def read(cls, parser: AttrParser) -> Form:
        """A form; raises ParseError."""
        form = read_form(parser)
        parser.parse_punctuation(">")
        return form


@irdl_attr_definition
class FormsAttr(ListAttribute[Form | None]):
    """A form for each of several tensors; `none` for what is only a part of a sum."""

    name = "tile.forms"

    @staticmethod
    def item_text(item: Form | None) -> str:
        """A form in parentheses."""
        return "none" if item is None else f"({form_text(item)})"

    @classmethod
    def read_item(cls, parser: AttrParser) -> Form | None:
        """A form in parentheses, or `none`; raises ParseError."""
        if parser.parse_optional_keyword("none"):
            return None
        with parser.in_parens():
            return read_form(parser)


def form_text(form: Form) -> str:
    """A form as `read_form` reads it."""
    axes = ", ".join(f"{name} = {size}" for name, size in zip(form.names, form.sizes, strict=True))
    return f"[{', '.join(part or '1' for part in form.layout)}] with {axes}"


def read_form(parser: AttrParser) -> Form:
    """`[1, CHW] with H = 8, W = 6, C = 4`; raises ParseError, also for what is no form."""
    layout = tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _read_part(parser)))
    parser.parse_keyword("with")
    sizes = dict(parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _read_axis(parser)))
    names = axis_names(len(sizes))
    if list(sizes) != [*names[1:], names[0]]:
        parser.raise_error(f"axes are named {', '.join([*names[1:], names[0]])}, in this order")
    shape = tuple(prod(sizes.get(axis, 1) for axis in part) for part in layout)
    form = Form(shape, tuple(sizes[name] for name in names), layout)
    if fault := form.fault():
        parser.raise_error(fault)
    return form


def _read_part(parser: AttrParser) -> str:
    """The axes of a dimension; empty for `1`."""
    axes = parser.parse_optional_identifier()
    if axes is None and read_number(parser) != 1:
        parser.raise_error("a dimension is 1, or the axes that it is made of")
    return axes or ""


def _read_axis(parser: AttrParser) -> tuple[str, int]:
    name = parser.parse_identifier(" as the name of an axis")
    parser.parse_punctuation("=")
    return name, read_number(parser)
