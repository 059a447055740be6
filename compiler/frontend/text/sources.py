"""The characters of a text, before they are parsed: what is no text, debug locations, large constants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from emu.errors import CompileError

BYTECODE = b"ML\xefR"
# What may hold the letters of the things that are looked for, then these.
_TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|(?P<alias>^#\w+[ \t]*=[ \t]*)?\bloc\(|(?P<blobs>\{-#)', re.MULTILINE
)
_BLOB = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*:\s*"0x([0-9A-Fa-f]*)"')
_ALIGNMENT = 4  # bytes in front of a blob


@dataclass(frozen=True, slots=True)
class Source:
    """`text` with blanks alone where locations and blobs stood: lines stay; `blobs` are the latter, by name."""

    text: str
    blobs: Mapping[str, bytes]


def source_of(data: bytes, where: str) -> Source:
    """The text of a file; raises CompileError for bytecode, and for what is no UTF-8."""
    if data.startswith(BYTECODE):
        raise CompileError(f"{where} is MLIR bytecode: print it as text (mlir-opt, torch-mlir-opt or iree-opt)")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise CompileError(f"{where} is no text: byte {error.start} is not UTF-8") from None
    parts, blobs, at = list[str](), dict[str, bytes](), 0
    while (found := _TOKENS.search(text, at)) is not None:
        if found["blobs"]:
            end = text.find("#-}", found.end())
            end = len(text) if end < 0 else end + len("#-}")
            blobs |= _blobs(text[found.end() : end], where)
        elif found[0].endswith("loc("):
            end = _closing(text, found.end())
        else:
            parts.append(text[at : found.end()])
            at = found.end()
            continue
        left = text[found.start() : end]
        parts += text[at : found.start()], "\n" * left.count("\n") if found["blobs"] else _blank(left)
        at = end
    return Source("".join([*parts, text[at:]]), blobs)


def _closing(text: str, at: int) -> int:
    """Behind the parenthesis that closes the one before `at`."""
    depth = 1
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*+"|[()]', text[at:]):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth:
            return at + found.end()
    return len(text)


def _blank(text: str) -> str:
    """Spaces, so that what follows stays in its column."""
    return re.sub(r"[^\n]", " ", text)


def _blobs(text: str, where: str) -> dict[str, bytes]:
    """The elements by name: hexadecimal text, of which the first bytes say how they are aligned."""
    found = dict[str, bytes]()
    for name, digits in _BLOB.findall(text):
        if len(digits) % 2 or len(digits) < 2 * _ALIGNMENT:
            raise CompileError(f"{where}: the resource {name} is no whole number of bytes: the file is damaged")
        found[name.strip('"')] = bytes.fromhex(digits)[_ALIGNMENT:]
    return found
