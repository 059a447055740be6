"""Values as they are typed: lists, ranges of integers, and back to text."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from emu.errors import InputError, option

LONGEST = 1 << 16  # values of a range
_RANGE = re.compile(r"(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(\d{1,15})(x?))?", re.ASCII)
_WORD = re.compile(r"[A-Za-z_/][\w./+-]*", re.ASCII)  # what needs no quotes
_OPEN, _CLOSE = "[{", "]}"


def split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand in no quotes, brackets or braces, without spaces around them."""
    parts, depth, quote, escaped = [""], 0, "", False
    for letter in text:
        if escaped:
            escaped = False
        elif quote:
            escaped = letter == "\\" and quote == '"'
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == separator and not (quote or escaped or depth):
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def read_value(text: str) -> Any:
    """A value as TOML has it; words need no quotes."""
    try:
        found = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return found["value"] if found.keys() == {"value"} else text


def read_values(text: str) -> list[Any]:
    """The values of a list, ranges with all that they hold; raises InputError."""
    return [value for part in split(text, ",") for value in (_range(part) if _RANGE.fullmatch(part) else [part])]


def _range(text: str) -> Iterator[str]:
    """The integers of `4..10`, `64..512..64` (by steps) or `64..1024..2x` (each twice the one before), as text."""
    match = _RANGE.fullmatch(text)
    assert match is not None
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    by_factor = bool(match[4])
    if last < first:
        raise InputError(f"{option('vary')}: the range {text} is empty: write it as {last}..{first}")
    if step < (2 if by_factor else 1) or (by_factor and first < 1):
        raise InputError(
            f"{option('vary')}: the range {text} never ends: write it as 64..512..64 (steps) or 64..1024..2x (factors)"
        )
    if not by_factor and (last - first) // step >= LONGEST:
        raise InputError(f"{option('vary')}: the range {text} has more than {LONGEST} values: give it larger steps")
    while first <= last:
        yield str(first)
        first = first * step if by_factor else first + step


def value_text(value: Any) -> str:
    """A value as people read it, and type it where it needs no quotes."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key} = {_item_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_item_text, value))}]"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def typed_text(value: Any) -> str:
    """A value as it is typed, in quotes where it needs them."""
    text = value_text(value)
    return text if not isinstance(value, str) or _is_word(value) else json.dumps(value, ensure_ascii=False)


def _is_word(text: str) -> bool:
    """Whether it reads as the same text without quotes."""
    return bool(_WORD.fullmatch(text)) and read_value(text) == text


def _item_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value_text(value)
