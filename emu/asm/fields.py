"""How each field of an instruction is written: with a keyword, as a register, as a bare number or as an immediate."""

from __future__ import annotations

from collections.abc import Callable

from emu.asm.addresses import parse_register
from emu.asm.cursor import MAX_INTEGER, Cursor

_KEYWORDS = ("core", "group", "event", "row", "rows", "entries", "width")
_REGISTERS = ("rd", "rs1", "rs2")

# What errors call the fields that are written as a bare number.
_NAMES = {
    "n": "the number of elements",
    "size": "the number of bytes",
    "trips": "the number of iterations",
    "m": "the rows m of the product",
    "k": "the number k",
    "byte": "the byte to fill with",
    "value": "the value to wait for",
}


def parse_field(cursor: Cursor, name: str) -> float:
    """Take the field `name` of an instruction."""
    if name in _REGISTERS:
        return parse_register(cursor)
    if name == "imm":
        return float(cursor.number("an immediate"))
    if name in _KEYWORDS:
        cursor.expect(name)
    return cursor.integer(_NAMES.get(name, f"the {name} number"), 0, MAX_INTEGER)


def print_field(name: str, value: float) -> str:
    """The text of the field `name`."""
    if name == "imm":
        return print_number(value)
    return _PRINT.get(name, str)(int(value))


def print_number(value: float) -> str:
    """A number that reads back as exactly `value`."""
    whole = abs(value) < 1 << 53 and value == int(value) and str(value) != "-0.0"
    return str(int(value)) if whole else repr(float(value))


_PRINT: dict[str, Callable[[int], str]] = {
    **{name: (lambda value, name=name: f"{name} {value}") for name in _KEYWORDS},
    **dict.fromkeys(_REGISTERS, lambda value: f"r{value}"),
}
