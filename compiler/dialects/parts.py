"""Parts of tensors that kernels name, as attributes: ranges, row tiles of inputs, boxes and where they go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser

from compiler.dialects.typed import ListAttribute, Range, range_text, read_number, read_range
from emu.program.form import box_text

Sizes = tuple[int, ...]  # a number per axis, in the order of memory
Part = tuple[Sizes, Sizes, Sizes]  # where a box goes, where it begins in what it comes from, and its sizes
RowTile = tuple[int, int, int]  # a range of the rows of an input: its number, the first row, the one after the last


@irdl_attr_definition
class RangesAttr(ListAttribute[Range]):
    """Half-open ranges: `0:16, 16:32`."""

    name = "tile.ranges"

    @staticmethod
    def item_text(item: Range) -> str:
        """A range."""
        return range_text(item)

    @classmethod
    def read_item(cls, parser: AttrParser) -> Range:
        """A range; raises ParseError."""
        return read_range(parser)

    @property
    def whole(self) -> Range:
        """From the beginning of the first to the end of the last."""
        return self.data[0][0], self.data[-1][1]


@irdl_attr_definition
class PlacesAttr(ListAttribute[Sizes]):
    """Places, each a number per axis: `[0, 0], [0, 1]`."""

    name = "tile.places"

    @staticmethod
    def item_text(item: Sizes) -> str:
        """A place."""
        return str(list(item))

    @classmethod
    def read_item(cls, parser: AttrParser) -> Sizes:
        """A place; raises ParseError."""
        return _read_place(parser)


@irdl_attr_definition
class PartsAttr(ListAttribute[Part]):
    """A box of each input, and where it goes: `[0:8, 0:6, 0:1] at [1, 1, 0]`."""

    name = "kernel.parts"

    @staticmethod
    def item_text(item: Part) -> str:
        """A box and a place."""
        origin, start, sizes = item
        box = tuple((low, low + size) for low, size in zip(start, sizes, strict=True))
        return f"{box_text(box)} at {list(origin)}"

    @classmethod
    def read_item(cls, parser: AttrParser) -> Part:
        """A box and a place; raises ParseError."""
        box = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: read_range(parser))
        parser.parse_keyword("at")
        return _read_place(parser), tuple(low for low, _ in box), tuple(high - low for low, high in box)


@irdl_attr_definition
class RowTilesAttr(ListAttribute[RowTile]):
    """Ranges of the rows of inputs: `0[0:128], 1[0:9]`."""

    name = "kernel.row_tiles"

    @staticmethod
    def item_text(item: RowTile) -> str:
        """The number of an input with a range of its rows."""
        return f"{item[0]}[{range_text(item[1:])}]"

    @classmethod
    def read_item(cls, parser: AttrParser) -> RowTile:
        """A row tile; raises ParseError."""
        index = read_number(parser)
        with parser.in_square_brackets():
            return index, *read_range(parser)


def parts(given: Iterable[tuple[Sequence[int], Sequence[int], Sequence[int]]]) -> PartsAttr:
    """Boxes, each with its origin, start and sizes, as an attribute."""
    return PartsAttr(tuple((tuple(origin), tuple(start), tuple(sizes)) for origin, start, sizes in given))


def whole_parts(origins: Iterable[Sequence[int]], shapes: Iterable[Sequence[int]]) -> PartsAttr:
    """Whole tiles of these shapes, each at its origin."""
    return parts((origin, (0,) * len(shape), shape) for origin, shape in zip(origins, shapes, strict=True))


def _read_place(parser: AttrParser) -> Sizes:
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: read_number(parser)))
