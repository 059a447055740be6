"""Splits assembly text into tokens that know their line and column."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from emu.errors import ProgramError


class TokenKind(Enum):
    """What a token is."""

    WORD = "word"  # letters, digits, "_", and "." between them: vvadd.f32
    STRING = "string"
    NUMBER = "number"
    MARK = "mark"  # one punctuation character
    NEWLINE = "end of line"
    END = "end of file"


class Token(NamedTuple):
    """One token; lines and columns count from 1."""

    kind: TokenKind
    text: str
    line: int
    column: int

    def __str__(self) -> str:
        if self.kind in (TokenKind.NEWLINE, TokenKind.END):
            return self.kind.value
        return self.text if len(self.text) <= 40 else f"{self.text[:37]}..."


_PATTERN = re.compile(
    r"""
    (?P<blank>[ \t\r]+|;[^\n]*)
  | (?P<NEWLINE>\n)
  | (?P<WORD>[A-Za-z_]\w*(?:\.\w+)*)
  | (?P<STRING>"(?:[^"\\\n]|\\.)*")
  | (?P<NUMBER>0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<MARK>[][{}(),:=@*+-])
    """,
    re.VERBOSE | re.ASCII,
)


def tokenize(text: str, file_name: str, line: int = 1, column: int = 1) -> list[Token]:
    """The tokens of `text`, the last one of kind END; raises ProgramError at a character that begins none.

    The text stands at that line and column of its file. Line ends inside of brackets and parentheses are not tokens,
    so that matrices may take several lines.
    """
    tokens: list[Token] = []
    begin, position, brackets = 1 - column, 0, 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            what = "text without a closing quote" if text[position] == '"' else repr(text[position])
            raise ProgramError(f"{file_name}:{line}:{position - begin + 1}: {what} is not part of the language")
        kind, position = match.lastgroup, match.end()
        if kind == "NEWLINE":
            if not brackets:
                tokens.append(Token(TokenKind.NEWLINE, "", line, match.start() - begin + 1))
            line, begin = line + 1, position
        elif kind is not None and kind != "blank":
            tokens.append(Token(TokenKind[kind], match[0], line, match.start() - begin + 1))
            brackets += _BRACKETS.get(match[0], 0)
    tokens.append(Token(TokenKind.END, "", line, position - begin + 1))
    return tokens


_BRACKETS = {"[": 1, "(": 1, "]": -1, ")": -1}
