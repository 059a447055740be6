"""A position in a list of tokens: what comes next, what must come next, and errors that say so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, TypeVar

from emu.asm.lexer import Token, TokenKind, tokenize
from emu.errors import ProgramError
from emu.image.json_fields import is_file_name
from emu.isa.dtypes import DType

MAX_INTEGER = (1 << 63) - 1
Item = TypeVar("Item")


class Cursor:
    """Reads tokens one after the other."""

    def __init__(self, text: str, file_name: str, line: int = 1, column: int = 1) -> None:
        """At the begin of `text`, which stands at that line and column of the file."""
        self.file_name = file_name
        self._tokens = tokenize(text, file_name, line, column)
        self._next = 0

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._next]

    def advance(self) -> Token:
        """Take the next token (the END token again and again)."""
        token = self.token
        self._next += token.kind is not TokenKind.END
        return token

    def fail(self, what: str, token: Token | None = None) -> NoReturn:
        """Raise ProgramError at the next token (or at `token`)."""
        at = token or self.token
        raise ProgramError(f"{self.file_name}:{at.line}:{at.column}: {what}")

    def expected(self, what: str) -> NoReturn:
        """Raise ProgramError: `what` was expected instead of the next token."""
        self.fail(f"expected {what}, got {self.token}")

    def at(self, *texts: str) -> bool:
        """Whether the next token is one of these words or marks."""
        return self.token.kind in (TokenKind.WORD, TokenKind.MARK) and self.token.text in texts

    def accept(self, text: str) -> bool:
        """Take the next token if it is this word or mark."""
        present = self.at(text)
        if present:
            self.advance()
        return present

    def expect(self, text: str) -> Token:
        """Take the next token, which must be this word or mark."""
        if not self.at(text):
            self.expected(f"'{text}'")
        return self.advance()

    def word(self, what: str) -> str:
        """Take a word."""
        if self.token.kind is not TokenKind.WORD:
            self.expected(what)
        return self.advance().text

    def one_of(self, words: Iterable[str], what: str) -> str:
        """Take one of these words."""
        if self.token.kind is not TokenKind.WORD or self.token.text not in words:
            self.expected(what)
        return self.advance().text

    def hyphenated(self, names: Sequence[str], what: str) -> str:
        """Take one of these names, which may have hyphens; `what` is told with all of them in its braces."""
        begin, wanted = self.token, what.format(", ".join(names))
        found = self.word(wanted)
        while self.accept("-"):
            found += f"-{self.word(wanted)}"
        if found not in names:
            self.fail(f"expected {wanted}, got {found}", begin)
        return found

    def string(self, what: str) -> str:
        """Take a quoted string (JSON escapes)."""
        if self.token.kind is not TokenKind.STRING:
            self.expected(f"{what} in quotes")
        try:
            text = json.loads(self.token.text)
            text.encode("utf-8")
        except (ValueError, RecursionError):
            self.fail(f"{self.token} is not a valid string")
        self.advance()
        return text

    def beside(self) -> str:
        """Take the quoted name of a file that stands beside the text."""
        begin = self.token
        name = self.string("a file name")
        if not is_file_name(name):
            self.fail(f"{begin} is not the name of a file in the same directory", begin)
        return name

    def integer(self, what: str, low: int = -MAX_INTEGER, high: int = MAX_INTEGER) -> int:
        """Take an integer, with an optional minus."""
        begin = self.token
        value = self.number(what)
        if not isinstance(value, int):
            self.fail(f"expected {what}, got {value}", begin)
        if not low <= value <= high:
            allowed = f"from {low} to {high}" if low < high else f"{low}"
            self.fail(f"expected {what} {allowed}, got {value}", begin)
        return value

    def number(self, what: str) -> int | float:
        """Take an integer or a float (also `inf` and `nan`), with an optional minus."""
        sign = -1 if self.accept("-") else 1
        token = self.token
        if self.at("inf", "nan"):
            return sign * float(self.advance().text)
        if token.kind is not TokenKind.NUMBER or len(token.text) > 40:
            self.expected(what)
        self.advance()
        if token.text[:2] in ("0x", "0X"):
            return sign * int(token.text, 16)
        return sign * (int(token.text) if token.text.isdecimal() else float(token.text))

    def dtype(self, what: str = "an element type") -> DType:
        """Take an element type."""
        return DType[self.one_of(DType.__members__, f"{what} ({', '.join(DType.__members__)})")]

    def list_of_integers(self, what: str, low: int, high: int) -> tuple[int, ...]:
        """Take all integers that follow, at least one."""
        integers = [self.integer(what, low, high)]
        while self.token.kind is TokenKind.NUMBER:
            integers.append(self.integer(what, low, high))
        return tuple(integers)

    def listed(self, take: Callable[[], Item]) -> list[Item]:
        """Take what `take` takes, with commas between, up to the bracket that closes the list."""
        items: list[Item] = []
        while not self.accept("]"):
            if items:
                self.expect(",")
            items.append(take())
        return items

    def skip_lines(self) -> None:
        """Skip line ends."""
        while self.token.kind is TokenKind.NEWLINE:
            self.advance()

    def end_statement(self) -> None:
        """Take the end of a statement: a line end, or what closes the block."""
        if not self.at("}") and self.token.kind is not TokenKind.END:
            if self.token.kind is not TokenKind.NEWLINE:
                self.expected("the end of the line")
            self.skip_lines()

    def in_block(self) -> bool:
        """Whether a block goes on; takes its closing brace if not."""
        self.skip_lines()
        if self.token.kind is TokenKind.END:
            self.expected("'}'")
        return not self.accept("}")

    def open_block(self) -> None:
        """Take the opening brace of a block."""
        self.expect("{")
