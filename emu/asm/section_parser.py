"""Parses the body of `init` or `main` into a section."""

from __future__ import annotations

import re
from typing import NamedTuple

from emu.asm.addresses import REGISTER, AddressParser
from emu.asm.cursor import Cursor
from emu.asm.fields import parse_field
from emu.asm.lexer import Token, TokenKind
from emu.isa.dtypes import DType
from emu.isa.instruction import Instruction
from emu.isa.table import BY_NAME
from emu.program.builder import SectionBuilder
from emu.program.limits import MAX_DEPTH, MAX_TRIPS
from emu.program.program import Source
from emu.program.section import Section
from emu.wording import nearest

_RESERVED = frozenset({"mod", "stride", "pitch", "l", "g", "inf", "nan"})


class ParsedSection(NamedTuple):
    """A section and the line of each of its instructions."""

    section: Section
    lines: list[int]


class SourceTable:
    """The source map of a program as it grows."""

    def __init__(self) -> None:
        self.entries: list[Source] = []
        self._index: dict[Source, int] = {}

    def add(self, source: Source) -> int:
        """Append an entry, even if there is an equal one; returns its index."""
        self.entries.append(source)
        self._index.setdefault(source, len(self.entries) - 1)
        return len(self.entries) - 1

    def index(self, source: Source) -> int:
        """The first equal entry, appended if there is none."""
        known = self._index.get(source)
        return self.add(source) if known is None else known


class SectionParser:
    """Takes one section; entries of the source map are looked up in, and added to, `sources`."""

    def __init__(self, cursor: Cursor, sources: SourceTable) -> None:
        self._cursor, self._sources = cursor, sources
        self._build = SectionBuilder()
        self._loops: list[str] = []
        self._lines: list[int] = []

    def parse(self) -> ParsedSection:
        """The section between braces."""
        self._block()
        return ParsedSection(self._build.finish(), self._lines)

    def _block(self) -> None:
        cursor = self._cursor
        cursor.open_block()
        while cursor.in_block():
            if cursor.accept("@"):
                self._build.source = self._source()
            elif cursor.at("loop"):
                self._loop()
            else:
                self._instruction()
            cursor.end_statement()

    def _source(self) -> int:
        cursor = self._cursor
        if cursor.accept("none"):
            return -1
        if cursor.token.kind is TokenKind.NUMBER:
            begin = cursor.token
            index = cursor.integer("the number of a source", 0)
            if index >= len(self._sources.entries):
                cursor.fail(f"source {index} is not declared: the core has {len(self._sources.entries)}", begin)
            return index
        return self._sources.index(parse_source(cursor))

    def _loop(self) -> None:
        cursor = self._cursor
        self._lines.append(cursor.advance().line)
        name = self._loop_name() if cursor.token.kind is TokenKind.WORD else f"loop {len(self._loops)}"
        if len(self._loops) == MAX_DEPTH:
            cursor.fail(f"more than {MAX_DEPTH} nested loops")
        trips = cursor.integer("the number of iterations", 0, MAX_TRIPS)
        self._loops.append(name)
        with self._build.loop(trips):
            self._block()
        self._loops.pop()

    def _loop_name(self) -> str:
        token = self._cursor.token
        taken = token.text in _RESERVED or token.text in self._loops or REGISTER.fullmatch(token.text)
        if taken or not re.fullmatch(r"[A-Za-z_]\w*", token.text, re.ASCII):
            self._cursor.fail(f"{token.text!r} cannot name a loop counter: it is taken or reserved")
        return self._cursor.advance().text

    def _instruction(self) -> None:
        cursor = self._cursor
        begin = cursor.token
        spec, types, suffixes = self._mnemonic()
        values: dict[str, float] = {}
        operands = list(spec.operands)
        rest = [name for name in spec.fields if name not in spec.leading]
        addresses = []
        for index, part in enumerate([*spec.leading, *operands, *rest]):
            if index:
                cursor.expect(",")
            if isinstance(part, str):
                values[part] = parse_field(cursor, part)
            else:
                addresses.append(AddressParser(cursor, self._loops).parse(part.space, part.strided, part.pitched))
        flags = [*suffixes, *self._flags(spec)]
        self._build.emit(spec.name, types, addresses, flags, **values)
        self._lines.append(begin.line)

    def _flags(self, spec: Instruction) -> list[str]:
        names: list[str] = []
        while self._cursor.at(*spec.flags):
            if self._cursor.token.text in names:
                self._cursor.fail(f"flag {self._cursor.token.text} occurs twice")
            names.append(self._cursor.advance().text)
        return names

    def _mnemonic(self) -> tuple[Instruction, list[DType], list[str]]:
        cursor = self._cursor
        token = cursor.token
        name, *parts = cursor.word("an instruction, a loop, '@' or '}'").split(".")
        if name not in BY_NAME:
            cursor.fail(f"unknown instruction {name!r}{nearest(name, BY_NAME)}", token)
        spec = BY_NAME[name]
        types, suffixes = parts[: spec.types], parts[spec.types :]
        if len(types) != spec.types or any(part not in DType.__members__ for part in types):
            self._mnemonic_expected(spec, token)
        if any(part not in spec.suffixes for part in suffixes) or len(set(suffixes)) != len(suffixes):
            self._mnemonic_expected(spec, token)
        return spec, [DType[part] for part in types], suffixes

    def _mnemonic_expected(self, spec: Instruction, token: Token) -> None:
        types = f"{spec.name}{'.<type>' * spec.types}"
        suffixes = f" and at most .{' or .'.join(spec.suffixes)}" if spec.suffixes else ""
        kinds = f" (types are {', '.join(DType.__members__)})" if spec.types else ""
        self._cursor.fail(f"expected {types}{suffixes}{kinds}, got {token}", token)


def parse_source(cursor: Cursor) -> Source:
    """Take a node and, optionally, a part of it."""
    node = cursor.string("a node")
    return Source(node, cursor.string("a part") if cursor.token.kind is TokenKind.STRING else "")
