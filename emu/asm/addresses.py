"""Addresses as text: `l[0x0000 + r3 + 2176*((y + 2) mod 3)] stride 4`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from emu.asm.cursor import Cursor
from emu.asm.lexer import TokenKind
from emu.isa.address import Address, Term
from emu.program.limits import MAX_ADDRESS, MAX_TERMS
from emu.wording import address_text

REGISTER = re.compile(r"r(0|[1-9][0-9]{0,2})")
MAX_REGISTER = 127
MAX_STRIDE = (1 << 31) - 1


def print_address(space: str, address: Address) -> str:
    """The text of an address; counters are named i0, i1, ..."""
    parts = [f"{space}[{address_text(address.base)}"]
    if address.reg >= 0:
        parts.append(f" + r{address.reg}")
    parts += [_print_term(term) for term in address.terms]
    stride = "" if address.stride == 1 else f" stride {address.stride}"
    pitch = f" pitch {address.pitch}" if address.pitch else ""
    return f"{''.join(parts)}]{stride}{pitch}"


def _print_term(term: Term) -> str:
    counter = f"i{term.loop}"
    if term.modulus:
        shifted = f"({counter} {'-' if term.offset < 0 else '+'} {abs(term.offset)})" if term.offset else counter
        counter = f"({shifted} mod {term.modulus})"
    size = abs(term.stride)
    return f" {'-' if term.stride < 0 else '+'} {'' if size == 1 else f'{size}*'}{counter}"


class AddressParser:
    """Takes one address inside of `loops` (names of their counters, outermost first)."""

    def __init__(self, cursor: Cursor, loops: Sequence[str]) -> None:
        self._cursor, self._loops = cursor, loops
        self._base, self._register = 0, -1
        self._terms: list[Term] = []

    def parse(self, space: str, strided: bool, pitched: bool = False) -> Address:
        """The address of memory `space` ("l" or "g"), with an element stride and a pitch if it may have them."""
        cursor = self._cursor
        begin = cursor.expect(space)
        cursor.expect("[")
        sign = -1 if cursor.accept("-") else 1
        self._part(sign)
        while cursor.at("+", "-"):
            self._part(-1 if cursor.advance().text == "-" else 1)
        if not cursor.at("]"):
            cursor.expected("'+', '-' or ']'")
        cursor.advance()
        if abs(self._base) > MAX_ADDRESS:
            cursor.fail(f"address {self._base} is beyond any memory", begin)
        stride = 1
        if strided and cursor.accept("stride"):
            stride = cursor.integer("an element stride", -MAX_STRIDE, MAX_STRIDE)
        pitch = 0
        if pitched and cursor.accept("pitch"):
            pitch = cursor.integer("the distance of rows", -MAX_STRIDE, MAX_STRIDE)
        return Address(self._base, tuple(self._terms), self._register, stride, pitch)

    def _part(self, sign: int) -> None:
        """One summand: a number, a register, a counter, or a number times a counter."""
        cursor = self._cursor
        if cursor.token.kind is TokenKind.NUMBER:
            value = sign * cursor.integer("a number")
            if cursor.accept("*"):
                self._add_counter(value)
            else:
                self._base += value
        elif cursor.token.kind is TokenKind.WORD and REGISTER.fullmatch(cursor.token.text):
            self._add_register(sign)
        else:
            self._add_counter(sign)

    def _add_register(self, sign: int) -> None:
        if sign < 0 or self._register >= 0:
            self._cursor.fail("an address adds at most one register, and subtracts none")
        self._register = parse_register(self._cursor)

    def _add_counter(self, factor: int) -> None:
        """A loop counter, alone or as `(y + 2)`, `(y mod 3)`, `((y + 2) mod 3)`, times `factor`."""
        cursor = self._cursor
        begin = cursor.token
        modulus = 0
        if cursor.accept("("):
            loop, offset = self._shifted() if cursor.accept("(") else (self._counter(), 0)
            if offset == 0 and cursor.at("+", "-"):
                offset = self._offset()
            elif cursor.accept("mod"):
                modulus = cursor.integer("a modulus", 1, MAX_ADDRESS)
            if not cursor.at(")"):
                cursor.expected("')' (a shifted counter with modulus is written ((y + 2) mod 3))")
            cursor.advance()
        else:
            loop, offset = self._counter(), 0
        if len(self._terms) == MAX_TERMS or max(abs(factor), abs(offset)) > MAX_ADDRESS:
            cursor.fail(f"an address has at most {MAX_TERMS} terms, of numbers up to {MAX_ADDRESS}", begin)
        if not modulus:
            self._base, offset = self._base + factor * offset, 0
        self._terms.append(Term(loop, factor, offset, modulus))

    def _shifted(self) -> tuple[int, int]:
        loop = self._counter()
        offset = self._offset() if self._cursor.at("+", "-") else 0
        self._cursor.expect(")")
        return loop, offset

    def _offset(self) -> int:
        sign = -1 if self._cursor.advance().text == "-" else 1
        return sign * self._cursor.integer("a number", 0, MAX_ADDRESS)

    def _counter(self) -> int:
        cursor = self._cursor
        if cursor.token.kind is not TokenKind.WORD or cursor.token.text not in self._loops:
            cursor.expected(f"a number, a register or a loop counter ({', '.join(self._loops) or 'here are none'})")
        return self._loops.index(cursor.advance().text)


def parse_register(cursor: Cursor) -> int:
    """Take a register, r0 to r127."""
    text = cursor.token.text
    if cursor.token.kind is not TokenKind.WORD or not REGISTER.fullmatch(text) or int(text[1:]) > MAX_REGISTER:
        cursor.expected(f"a register r0 to r{MAX_REGISTER}")
    cursor.advance()
    return int(text[1:])
