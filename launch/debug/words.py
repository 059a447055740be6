"""The words that a command is given, and the columns that it answers with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from emu.debug.accesses import GLOBAL
from emu.debug.chip import SteppedChip
from emu.errors import InputError

_WHOLE = re.compile(r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,18}")


class Words:
    """Parses the words of a command one after the other; every error shows the grammar of the command."""

    def __init__(self, text: str, grammar: str) -> None:
        self.text, self._grammar = text.strip(), grammar
        try:
            self._words = shlex.split(text)
        except ValueError as error:
            raise InputError(f"{text!r}: {str(error).lower()}: {self.usage}") from None

    @property
    def usage(self) -> str:
        """How the command is written, as the end of a sentence."""
        return f"it is written `{self._grammar}`"

    def instead(self, text: str) -> Words:
        """Other words of the same command."""
        return Words(text, self._grammar)

    @property
    def left(self) -> bool:
        """Whether there is another word."""
        return bool(self._words)

    def peek(self) -> str:
        """The next word, which stays; empty if there is none."""
        return self._words[0] if self._words else ""

    def take(self, what: str) -> str:
        """The next word; raises InputError naming `what` is missing."""
        if not self._words:
            raise InputError(f"{what} is missing: {self.usage}")
        return self._words.pop(0)

    def accept(self, *words: str) -> str:
        """The next word if it is one of `words`; else empty, and it stays."""
        return self._words.pop(0) if self.peek() in words else ""

    def whole(self, what: str, default: int | None = None, least: int = 0) -> int:
        """A whole number, decimal or hexadecimal; `default` if there is no word."""
        if not self._words and default is not None:
            return default
        return whole(self.take(what), what, self.usage, least)

    def is_whole(self) -> bool:
        """Whether the next word is a whole number."""
        return bool(_WHOLE.fullmatch(self.peek()))

    def end(self) -> None:
        """Raise InputError if a word is left."""
        if self._words:
            raise InputError(f"{self._words[0]!r} is too much: {self.usage}")


def whole(word: str, what: str, usage: str, least: int = 0) -> int:
    """A whole number from `least` on, decimal or hexadecimal; raises InputError."""
    if not _WHOLE.fullmatch(word) or int(word, 0 if word[:2] in ("0x", "0X") else 10) < least:
        raise InputError(f"{what} {word!r} is no whole number from {least} on: {usage}")
    return int(word, 0 if word[:2] in ("0x", "0X") else 10)


def core_of(words: Words, chip: SteppedChip, default: int | None = None) -> int:
    """A core with a program."""
    core = words.whole("the core", default)
    if core not in chip.cores:
        known = ", ".join(map(str, list(chip.cores)[:8]))
        raise InputError(f"core {core} has no program: the first cores with one are {known}")
    return core


def space_of(words: Words, chip: SteppedChip) -> int:
    """A core with a program, for its local memory, or `global`."""
    return GLOBAL if words.accept("global") else core_of(words, chip)


def columns(rows: Sequence[Sequence[object]], right: str = "") -> Iterator[str]:
    """Rows of cells under each other; columns whose place in `right` holds "r" are aligned right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = zip(row, widths, right.ljust(len(widths)), strict=True)
        yield "  ".join(cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in cells).rstrip()
