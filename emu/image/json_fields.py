"""Strict access to parsed JSON: every surprise is a sentence that names the file and the key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, cast

from emu.errors import ProgramError, shown
from emu.wording import nearest

Kind = TypeVar("Kind")


def parse_json(text: str, where: str) -> Field:
    """The root of a JSON document; raises ProgramError if it is malformed, repeats a key or holds NaN."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(items)
        if len(members) < len(items):
            raise ValueError("a key occurs twice in one object")
        return members

    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not allowed")

    try:
        return Field(json.loads(text, object_pairs_hook=pairs, parse_constant=constant), where, "")
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"{where}: not valid JSON: {error}") from None


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a document and its key path, such as `inputs[0].shape`.

    What reads it (`object`, `integer`, `text`, ...) raises ProgramError, by `refuse`, if it is anything else.
    """

    value: Any
    where: str
    path: str

    def refuse(self, what: str) -> NoReturn:
        """Raise ProgramError about this value."""
        raise ProgramError(f"{self.where}: {self.path + ': ' if self.path else ''}{what}")

    def object(self, keys: Collection[str], optional: Collection[str] = ()) -> dict[str, Field]:
        """The fields of an object that must have `keys`, may have `optional`, and nothing else."""
        fields = self.mapping()
        for key in fields:
            if key not in keys and key not in optional:
                self.refuse(f"unknown key {key!r}{nearest(key, [*keys, *optional])}")
        for key in keys:
            if key not in fields:
                self.refuse(f"key {key!r} is missing")
        return fields

    def mapping(self) -> dict[str, Field]:
        """The fields of an object with any names."""
        if not isinstance(self.value, dict) or not all(
            isinstance(key, str) for key in cast("dict[Any, Any]", self.value)
        ):
            self.refuse(f"expected an object, got {shown(self.value)}")
        prefix = f"{self.path}." if self.path else ""
        items = cast("dict[str, Any]", self.value).items()
        return {key: Field(value, self.where, f"{prefix}{key}") for key, value in items}

    def items(self) -> list[Field]:
        """The members of a list."""
        if not isinstance(self.value, list):
            self.refuse(f"expected a list, got {shown(self.value)}")
        members = cast("list[Any]", self.value)
        return [Field(member, self.where, f"{self.path}[{index}]") for index, member in enumerate(members)]

    def exactly(self, count: int) -> list[Field]:
        """The members of a list of `count`."""
        members = self.items()
        if len(members) != count:
            self.refuse(f"expected {count} members, got {len(members)}")
        return members

    def integer(self, low: int, high: int) -> int:
        """An integer from `low` to `high`."""
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.refuse(f"expected an integer from {low} to {high}, got {shown(value)}")
        return value

    def text(self, *, empty: bool = True) -> str:
        """A string."""
        if not isinstance(self.value, str) or not (empty or self.value):
            self.refuse(f"expected a {'' if empty else 'non-empty '}string, got {shown(self.value)}")
        if not self.value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in self.value):
            self.refuse(f"{shown(self.value)} is no valid Unicode text")
        return self.value

    def choice(self, read: Callable[[str], Kind], expected: str) -> Kind:
        """A string that `read` accepts (it raises KeyError or ValueError otherwise)."""
        text = self.text()
        try:
            return read(text)
        except (KeyError, ValueError):
            self.refuse(f"expected {expected}, got {text!r}")


def file_name(field: Field, *, empty: bool = False) -> str:
    """The name of a file of the directory itself; raises ProgramError."""
    name = field.text()
    if not (empty and not name) and not is_file_name(name):
        field.refuse(f"expected the name of a file in the same directory, got {name!r}")
    return name


def is_file_name(name: str) -> bool:
    """Whether `name` can only be a file of the directory itself."""
    return bool(name) and name not in (".", "..") and not re.search(r"[/\\\x00]", name)


def hex_or_empty(field: Field) -> str:
    """A SHA-256 in hexadecimal digits, or nothing; raises ProgramError."""
    text = field.text()
    if text and not re.fullmatch("[0-9a-f]{64}", text):
        field.refuse(f"expected a SHA-256 of 64 hexadecimal digits, got {text!r}")
    return text
