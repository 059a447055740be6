"""Expressions over names of cases, as `lenet and not (int8 or float16)`."""

from __future__ import annotations

import re
from collections.abc import Callable

from emu.errors import InputError, option, shown

Matches = Callable[[str], bool]
_TOKEN = re.compile(r"""\s*(?:([()])|"([^"]*)"|([^\s()"]+))""")
_WORDS = frozenset(("and", "or", "not"))
_DEEPEST = 100  # parentheses and `not` in each other


def matching(text: str) -> Matches:
    """A predicate of names for the expression `text`; raises InputError.

    A word, or a text in double quotes, matches the names that contain it, ignoring case; `not`, `and` and `or` have the
    precedence of Python, and parentheses group.
    """
    parser = _Parser(text)
    found = parser.either()
    parser.expect_end()
    return found


class _Parser:
    """Tokens of an expression, each with whether it is a name in quotes; the next one is the first."""

    def __init__(self, text: str) -> None:
        self._text, self._depth = text, 0
        self._tokens: list[tuple[str, bool]] = []
        place = 0
        while text[place:].strip():
            token = _TOKEN.match(text, place)
            if token is None:
                raise self._wrong('a " is not closed')
            bracket, quoted, word = token.groups()
            self._tokens.append((bracket or word, False) if quoted is None else (quoted, True))
            place = token.end()

    def either(self) -> Matches:
        """Terms with `or` between them."""
        parts = [self._both()]
        while self._take("or"):
            parts.append(self._both())
        return lambda name: any(part(name) for part in parts)

    def _both(self) -> Matches:
        parts = [self._one()]
        while self._take("and"):
            parts.append(self._one())
        return lambda name: all(part(name) for part in parts)

    def _one(self) -> Matches:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong("too much of it is in parentheses")
        found = self._term()
        self._depth -= 1
        return found

    def _term(self) -> Matches:
        if self._take("not"):
            refused = self._one()
            return lambda name: not refused(name)
        if self._take("("):
            found = self.either()
            if not self._take(")"):
                raise self._wrong("a ( is not closed")
            return found
        if not self._tokens:
            raise self._wrong("it ends where a part of a name must be")
        word, quoted = self._tokens.pop(0)
        if not quoted and word in (*_WORDS, ")"):
            raise self._wrong(f"{word!r} stands where a part of a name must be")
        return lambda name: word.lower() in name.lower()

    def expect_end(self) -> None:
        """Raise InputError if a token is left."""
        if self._tokens:
            raise self._wrong(f"{self._tokens[0][0]!r} needs `and` or `or` before it")

    def _take(self, word: str) -> bool:
        if self._tokens[:1] != [(word, False)]:
            return False
        self._tokens.pop(0)
        return True

    def _wrong(self, why: str) -> InputError:
        return InputError(
            f"{option('select')} {shown(self._text)}: {why}; write it as in 'lenet and not (int8 or mlp)'"
        )
