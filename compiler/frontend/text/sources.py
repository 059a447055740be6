"""The characters of a text, before they are parsed: what is no text, debug locations, elements in digits."""

from __future__ import annotations

import re
from binascii import Error, unhexlify
from collections.abc import Mapping
from dataclasses import dataclass

from emu.errors import CompileError
from emu.files import Mapped

BYTECODE = b"ML\xefR"
# What may hold the letters of the things that are looked for, then these.
_TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|(?P<alias>^#\w+[ \t]*=[ \t]*)?\bloc\(|(?P<blobs>\{-#)', re.MULTILINE
)
_PARENTHESES = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[()]')
_DIGITS = re.compile(rb'"0x')  # found as fast in a mapped file as in bytes
_FIRST_PART, _PART = 1 << 10, 1 << 16  # bytes that are looked through at once
_SIGN = 2  # bytes of "0x"
_BEFORE_DIGITS = re.compile(rb"(?:\bdense\s*<|:)\s*\Z")  # of a constant, or behind the name of a resource
_REACH = 32  # bytes in which that is looked for
_BLOB = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*:\s*(")([^"]*)"')
_ALIGNMENT = 4  # bytes in front of a blob


@dataclass(frozen=True, slots=True)
class BlankedSource:
    """`text` with blanks alone where locations and resources stood: lines and places stay.

    Of elements in hexadecimal digits the quotes are left: `elements` are these by the place of the first one in the
    text. `blobs` are those of resources, by name.
    """

    text: str
    elements: Mapping[int, bytes]
    blobs: Mapping[str, memoryview]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column in the file, from 1, of a place in the text."""
        begin = self.text.rfind("\n", 0, at) + 1
        left_out = sum(_SIGN + 2 * len(self.elements[quote]) for quote in self.elements if begin <= quote < at)
        return self.text.count("\n", 0, begin) + 1, at - begin + left_out + 1


def source_of(data: Mapped, where: str) -> BlankedSource:
    """The text of a file; raises CompileError for bytecode, and for what is no UTF-8."""
    if data[: len(BYTECODE)] == BYTECODE:
        raise CompileError(f"{where} is MLIR bytecode: print it as text (mlir-opt, torch-mlir-opt or iree-opt)")
    text, elements = _without_digits(data, where)
    parts, blobs, at = list[str](), dict[str, memoryview](), 0
    while (found := _TOKENS.search(text, at)) is not None:
        if found["blobs"]:
            end = text.find("#-}", found.end())
            end = len(text) if end < 0 else end + len("#-}")
            blobs |= _blobs(text, found.end(), end, elements, where)
        elif found[0].endswith("loc("):
            end = _closing(text, found.end())
        else:
            parts.append(text[at : found.end()])
            at = found.end()
            continue
        parts += text[at : found.start()], _blank(text[found.start() : end])
        at = end
    return BlankedSource("".join([*parts, text[at:]]), elements, blobs)


def _without_digits(data: Mapped, where: str) -> tuple[str, dict[int, bytes]]:
    """The text without elements in digits, and these; each digit is looked at once, and no character is made of it."""
    parts, elements, at, length = list[str](), dict[int, bytes](), 0, 0
    found = _DIGITS.search(data)
    while found is not None and (quote := _quote(data, found.end())) >= 0:
        made = _made_of(data, found.start(), quote)
        if made is not None:
            parts.append(_decoded(data, at, found.start() + 1, where))
            length += len(parts[-1])
            elements[length - 1] = made
            at = quote
        found = _DIGITS.search(data, found.end() if made is None else quote + 1)
    parts.append(_decoded(data, at, len(data), where))
    return "".join(parts), elements


def _quote(data: Mapped, at: int) -> int:
    """Where the next quote is, or -1: by parts, as bytes are looked through many times faster than a mapped file."""
    size = _FIRST_PART
    while part := data[at : at + size]:
        if (found := part.find(b'"')) >= 0:
            return at + found
        at, size = at + len(part), min(_PART, 4 * size)
    return -1


def _made_of(data: Mapped, quote: int, end: int) -> bytes | None:
    """The bytes that the digits behind a quote are; None for any other string, and for digits that are wrong."""
    if not _BEFORE_DIGITS.search(data[max(0, quote - _REACH) : quote]):
        return None
    try:
        with memoryview(data) as whole, whole[quote + 1 + _SIGN : end] as digits:
            return unhexlify(digits)
    except Error:
        return None


def _decoded(data: Mapped, begin: int, end: int, where: str) -> str:
    try:
        return data[begin:end].decode()
    except UnicodeDecodeError as error:
        raise CompileError(f"{where} is no text: byte {begin + error.start} is not UTF-8") from None


def _closing(text: str, at: int) -> int:
    """Behind the parenthesis that closes the one before `at`."""
    depth = 1
    for found in _PARENTHESES.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth:
            return found.end()
    return len(text)


def _blank(text: str) -> str:
    """Spaces, so that what follows stays in its place."""
    return re.sub(r"[^\n]", " ", text)


def _blobs(text: str, begin: int, end: int, elements: Mapping[int, bytes], where: str) -> dict[str, memoryview]:
    """The elements by name; the first bytes say how they are aligned."""
    found = dict[str, memoryview]()
    for each in _BLOB.finditer(text, begin, end):
        made = elements.get(each.start(2))
        if made is None and not each[3].startswith("0x"):
            continue  # what else stands there
        if made is None or len(made) < _ALIGNMENT:
            raise CompileError(f"{where}: the resource {each[1]} is no whole number of bytes: the file is damaged")
        found[each[1].strip('"')] = memoryview(made)[_ALIGNMENT:]
    return found
