"""One JSON object with a list per core, read as a stream: no more of it is in memory than a piece of a core."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn

from emu.errors import ProgramError
from emu.files import open_file, shown

PIECE = 1 << 20  # bytes
MAX_TEXT = 1 << 32  # bytes, unpacked
MAX_VALUE = 1 << 23  # bytes of the configuration, or of one instruction
_SPACE = re.compile(rb"[ \t\r\n]+")
_GZIP = b"\x1f\x8b"
_MARKS = {b"": "the end", b"\xef": "a byte order mark: save it as UTF-8 without", b"\xff": "UTF-16: save it as UTF-8"}
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*("|\\?\Z)', re.S)  # whole, or as much of it as is there
_TOKEN = re.compile(_STRING.pattern + rb"|[\[\]{},]", re.S)


class JsonStream:
    """Text of a file, plain or gzip, with a window onto it."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        self.where = where
        self._file, self._text, self._at, self._before, self._ended = file, b"", 0, 0, False

    def refuse(self, what: str) -> NoReturn:
        """Raise ProgramError at the byte where we are."""
        raise ProgramError(f"{self.where}: byte {self._before + self._at}: {what}")

    def peek(self) -> bytes:
        """The next byte that is no white space; nothing at the end."""
        while True:
            if space := _SPACE.match(self._text, self._at):
                self._at = space.end()
            if self._at < len(self._text):
                return self._text[self._at : self._at + 1]
            self._at = self._keep(self._at)
            if not self._more():
                return b""

    def expect(self, symbols: bytes) -> bytes:
        """Take the next byte, which must be one of these."""
        found = self.peek()
        if not found or found not in symbols:
            wanted = " or ".join(repr(chr(symbol)) for symbol in symbols)
            what = _MARKS.get(found) or repr(found)[1:]
            self.refuse(f"malformed JSON: expected {wanted}, found {what}")
        self._at += 1
        return found

    def value(self) -> bytes:
        """The text of the next value: a string, or all up to the bracket that closes it, or a bare word."""
        opening = self.peek()
        if opening == b'"':
            return self._string()
        start = seen = self._at
        depth = 0
        while True:
            for match in _TOKEN.finditer(self._text, seen):
                symbol, seen = match[0], match.start()
                if match[1] is not None and not match[1].endswith(b'"'):
                    break  # a string whose end has not been read yet
                seen = match.end()
                depth += (symbol in b"[{") - (symbol in b"]}") if len(symbol) == 1 else 0
                if depth < 0 or (depth == 0 and symbol == b","):
                    return self._taken(start, match.start())
                if depth == 0 and symbol in b"]}" and opening in b"[{":
                    return self._taken(start, match.end())
            seen, start = seen - start, self._keep(start)
            if not self._more():
                self._at = len(self._text)
                self.refuse("malformed JSON: the text ends within a value")

    def pieces(self) -> Iterator[bytes]:
        """The members of a list of objects, whole ones, some at a time; its brackets and the commas between are taken.

        The objects hold no list: so the first closing bracket ends it.
        """
        self.expect(b"[")
        while True:
            end = self._text.find(b"]", self._at)
            if end >= 0:
                yield self._taken(self._at, end)
                self._at += 1
                return
            comma = self._last_comma()
            if comma is not None:
                yield self._taken(self._at, comma)
                self._at += 1
            self._at = self._keep(self._at)
            if not self._more():
                self._at = len(self._text)
                self.refuse("malformed JSON: the text ends within the list of a core")

    def end(self) -> None:
        """Nothing but white space follows."""
        if self.peek():
            self.refuse("malformed JSON: text after the end")

    def _string(self) -> bytes:
        while not (match := _STRING.match(self._text, self._at)) or not match[1].endswith(b'"'):
            self._at = self._keep(self._at)
            if not self._more():
                self.refuse("malformed JSON: the text ends within a string")
        return self._taken(self._at, match.end())

    def _last_comma(self) -> int | None:
        """Where the last comma between two objects is."""
        end = len(self._text)
        for _ in range(64):  # an object inside of an instruction begins behind a colon
            end = self._text.rfind(b"{", self._at, end)
            if end < 0:
                return None
            start = max(self._at, end - 256)
            before = self._text[start:end].rstrip()
            if before.endswith(b",") and before[:-1].rstrip().endswith(b"}"):
                return start + len(before) - 1
        return None

    def _taken(self, start: int, end: int) -> bytes:
        self._at = end
        return self._text[start:end]

    def _keep(self, start: int) -> int:
        """Drop what is before `start`; the new place of it."""
        if len(self._text) - start > MAX_VALUE:
            self.refuse(f"an instruction or value of more than {MAX_VALUE} bytes")
        self._text, self._before = self._text[start:], self._before + start
        return 0

    def _more(self) -> bool:
        """Read on; False at the end."""
        if self._ended:
            return False
        try:
            piece = self._file.read(PIECE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ProgramError(f"{self.where}: damaged gzip data: {error}") from None
        except OSError as error:
            raise ProgramError(f"{self.where}: cannot be read: {error.strerror or error}") from None
        self._ended = not piece
        self._text += piece
        if self._before + len(self._text) > MAX_TEXT:
            raise ProgramError(f"{self.where}: more than {MAX_TEXT} bytes of text")
        return not self._ended


@contextmanager
def json_stream(path: Path) -> Generator[JsonStream]:
    """A file of JSON, plain or gzip, as its first bytes say; raises ProgramError."""
    with open_file(path, ProgramError) as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        if packed:
            with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
                yield JsonStream(unpacked, shown(path))  # pyright: ignore[reportArgumentType]
        else:
            yield JsonStream(file, shown(path))
