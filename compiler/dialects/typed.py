"""Attributes that hold values of Python and are written in words of their own, between angle brackets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

from xdsl.ir import Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer

_LARGEST = (1 << 63) - 1  # of a number, as in an array<i64>
Range = tuple[int, int]  # half-open

T = TypeVar("T")
Item = TypeVar("Item")


class TypedAttribute(Data[T], ABC):
    """A value that stands as `<...>` where a property can be nothing else, and as `#name<...>` elsewhere."""

    @abstractmethod
    def text(self) -> str:
        """What stands between the brackets."""

    def print_parameter(self, printer: Printer) -> None:
        """Print the value with its brackets."""
        printer.print_string(f"<{self.text()}>")

    @classmethod
    @abstractmethod
    def read(cls, parser: AttrParser) -> T:
        """The value of what stands behind the opening bracket, with the closing one; raises ParseError."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> T:
        """Read the value with its brackets; raises ParseError."""
        parser.parse_punctuation("<")
        return cls.read(parser)


class ListAttribute(TypedAttribute[tuple[Item, ...]], ABC):
    """Any number of items, written one after another."""

    @staticmethod
    @abstractmethod
    def item_text(item: Item) -> str:
        """An item as it is written."""

    @classmethod
    @abstractmethod
    def read_item(cls, parser: AttrParser) -> Item:
        """The item that stands there; raises ParseError."""

    def text(self) -> str:
        """The items with commas."""
        return ", ".join(map(self.item_text, self.data))

    @classmethod
    def read(cls, parser: AttrParser) -> tuple[Item, ...]:
        """The items up to the bracket; raises ParseError."""
        if parser.parse_optional_punctuation(">"):
            return ()
        items = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: cls.read_item(parser))
        parser.parse_punctuation(">")
        return tuple(items)

    def __len__(self) -> int:
        return len(self.data)


def read_number(parser: AttrParser) -> int:
    """A number of 64 bits; raises ParseError."""
    number = parser.parse_integer(allow_boolean=False)
    if abs(number) > _LARGEST:
        parser.raise_error(f"{number} has more than 64 bits")
    return number


def read_range(parser: AttrParser) -> Range:
    """A range as `0:8`; raises ParseError."""
    low = read_number(parser)
    parser.parse_punctuation(":")
    return low, read_number(parser)


def range_text(bounds: Range) -> str:
    """A range as `read_range` reads it."""
    return f"{bounds[0]}:{bounds[1]}"
