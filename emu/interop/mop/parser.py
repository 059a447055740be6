"""Reads the text of flows: the declarations at once, the operators block by block, as they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from emu.errors import ProgramError, shown
from emu.files import read_text
from emu.interop.mop.declarations import MARK, HeaderReader
from emu.interop.mop.flow import Flow, Operand, Operator, OperatorBlock
from emu.interop.mop.operands import parse_operand
from emu.interop.mop.operators import OPERATORS
from emu.wording import counted, nearest

MAX_FILE = 1 << 28  # bytes of a flow
MAX_BLOCK = 1 << 20  # operators of one parallel block
_BLANK = re.compile(r"(?:[ \t\r\n]+|//(?!@)[^\n]*)*")
_DECLARATION = re.compile(rf"{MARK}([^\n]*)")
_PARALLEL = re.compile(r"parallel\s*\{")
_OPERATOR = re.compile(r"([A-Za-z_][\w.]*)[ \t]*\(([^(){}\n]*)\)", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_PIECE = re.compile(r"[][,]|[^][,]+")
_DEPTH = {"[": 1, "]": -1}


def read_flow(path: Path) -> Flow:
    """The flow of a file of at most `MAX_FILE` bytes; its blocks raise ProgramError while they are taken."""
    return parse_flow(read_text(path, MAX_FILE, ProgramError), str(path))


def parse_flow(text: str, file_name: str) -> Flow:
    """The flow of a text, whose blocks are read while they are taken, once.

    What is wrong raises ProgramError with file, line and column: in a declaration at once, else at its block.
    """
    reader = _Reader(text, file_name)
    header = HeaderReader(file_name)
    while (match := reader.accept(_DECLARATION)) is not None:
        header.take(match[1], *reader.where(match.start(1)))
    return Flow(header.header, reader.blocks())


class _Reader:
    """A position in a text, and the line on which it is."""

    def __init__(self, text: str, file_name: str) -> None:
        self._text, self._file = text, file_name
        self._at = self._line = self._begin = self._counted = 0  # begin: of the line; lines are counted up to there
        self._skip()

    # positions --------------------------------------------------------------------------------------------------

    def _skip(self) -> None:
        """To the next character that counts."""
        match = _BLANK.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at

    def accept(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take what `pattern` matches here, and what follows without meaning; None if it does not match."""
        match = pattern.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            self._skip()
        return match

    def where(self, at: int) -> tuple[int, int]:
        """Line and column, from 1, of a position behind those that were asked for before."""
        lines = self._text.count("\n", self._counted, at)
        if lines:
            self._line += lines
            self._begin = self._text.rindex("\n", self._counted, at) + 1
        self._counted = at
        return self._line + 1, at - self._begin + 1

    def _fail(self, at: int, what: str) -> NoReturn:
        line, column = self.where(at)
        raise ProgramError(f"{self._file}:{line}:{column}: {what}")

    # blocks -----------------------------------------------------------------------------------------------------

    def blocks(self) -> Iterator[OperatorBlock]:
        """The blocks from here on."""
        while self._at < len(self._text):
            if (match := self.accept(_PARALLEL)) is not None:
                yield self._parallel(match.start())
            else:
                yield OperatorBlock((self._operator(),))

    def _parallel(self, begin: int) -> OperatorBlock:
        operators: list[Operator] = []
        where = self.where(begin)
        while not self._text.startswith("}", self._at):
            if self._at >= len(self._text):
                raise ProgramError(f"{self._file}:{where[0]}:{where[1]}: this parallel block has no closing '}}'")
            if len(operators) == MAX_BLOCK:
                self._fail(self._at, f"a parallel block has at most {counted(MAX_BLOCK, 'operator')}")
            operators.append(self._operator())
        self._at += 1
        self._skip()
        return OperatorBlock(tuple(operators), parallel=True)

    def _operator(self) -> Operator:
        at = self._at
        match = self.accept(_OPERATOR)
        if match is None:
            self._refuse(at)
        line, column = self.where(at)
        name = match[1]
        if name not in OPERATORS:
            self._fail(at, f"there is no operator {shown(name)}{nearest(name, OPERATORS)}")
        return Operator(name, self._operands(name, match[2], match.start(2)), line, column)

    def _refuse(self, at: int) -> NoReturn:
        """Say what is wrong with what is no operator."""
        if self._text.startswith("}", at):
            self._fail(at, "this '}' closes no parallel block")
        if self._text.startswith(MARK, at):
            self._fail(at, "declarations stand before the operators")
        if _PARALLEL.match(self._text, at):
            self._fail(at, "parallel blocks hold operators, no parallel blocks")
        name = _NAME.match(self._text, at)
        if name is None:
            self._fail(at, f"expected an operator or a parallel block, got {shown(self._text[at : at + 20])}")
        self._fail(name.end(), f"expected the operands of {shown(name[0])} in parentheses, on one line")

    def _operands(self, name: str, text: str, begin: int) -> tuple[Operand, ...]:
        wanted = OPERATORS[name].operands
        parts = _split(text)
        if len(parts) != len(wanted):
            form = f"{name}({', '.join(wanted)})"
            self._fail(begin, f"{form} takes {counted(len(wanted), 'operand')}, got {len(parts)}")
        found, at = list[Operand](), begin
        for part, (operand, kind) in zip(parts, wanted.items(), strict=True):
            try:
                found.append(parse_operand(kind, part))
            except ValueError as error:
                self._fail(at + len(part) - len(part.lstrip()), f"{operand} of {name}: {error}")
            at += len(part) + 1
        return tuple(found)


def _split(text: str) -> list[str]:
    """The text at its commas, but for those inside of brackets."""
    if "[" not in text:
        return text.split(",")
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        if piece == "," and not depth:
            parts.append("")
        else:
            depth += _DEPTH.get(piece, 0)
            parts[-1] += piece
    return parts
