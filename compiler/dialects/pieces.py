"""Where the weights of a layer are, as an attribute: `<core 0 segment 1 [0:2, 0:1]>`."""

from __future__ import annotations

from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser

from compiler.dialects.names import RESIDENT
from compiler.dialects.typed import ListAttribute, Range, range_text, read_number, read_range

Placed = tuple[int, int, Range, Range]  # segment (RESIDENT: always), core, row tiles, column tiles


@irdl_attr_definition
class PiecesAttr(ListAttribute[Placed]):
    """Pieces of weights: their core, their segment if they are not there all the time, and row and column tiles."""

    name = "spat.pieces"

    @staticmethod
    def item_text(item: Placed) -> str:
        """Core, segment, and ranges of row and column tiles."""
        segment, core, rows, columns = item
        stay = "" if segment == RESIDENT else f" segment {segment}"
        return f"core {core}{stay} [{range_text(rows)}, {range_text(columns)}]"

    @classmethod
    def read_item(cls, parser: AttrParser) -> Placed:
        """A piece; raises ParseError."""
        parser.parse_keyword("core")
        core = read_number(parser)
        segment = read_number(parser) if parser.parse_optional_keyword("segment") else RESIDENT
        with parser.in_square_brackets():
            rows = read_range(parser)
            parser.parse_punctuation(",")
            return segment, core, rows, read_range(parser)
