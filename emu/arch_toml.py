"""Writes an architecture as the TOML that `emu.arch_file` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import groupby
from typing import Any

from emu.arch import Arch
from emu.arch_schema import schema
from emu.toml_comments import Comment


def arch_to_toml(arch: Arch, comments: Mapping[tuple[str, ...], Comment] | None = None) -> str:
    """Every key of the architecture that has a value, table by table.

    `comments` stand where they stood in the file that they come from (`emu.toml_comments.comments_of`).
    """
    said = comments or {}
    lines: list[str] = []
    for table, entries in groupby(arch_entries(arch), key=lambda entry: entry[0]):
        path = tuple(table.split("."))
        lines += ["", *said.get(path, Comment()).around(f"[{table}]")]
        for _, key, value in entries:
            lines += said.get((*path, key), Comment()).around(f"{key} = {_broken(value)}")
    return "\n".join(lines[1:]) + "\n"


def arch_entries(arch: Arch) -> Iterator[tuple[str, str, str]]:
    """Table, key and value (as TOML) of every key that has one."""
    for table, keys in schema().items():
        part = arch if table == "chip" else _part(arch, table)
        for key in keys:
            value = None if part is None else getattr(part, key)
            if value is not None:
                # A JSON string is a TOML string once DEL, the one control character that JSON leaves alone, is escaped.
                yield table, key, json.dumps(_short(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _part(arch: Arch, table: str) -> Any:
    return reduce(lambda part, name: None if part is None else getattr(part, name), table.split("."), arch)


def _short(value: Any) -> Any:
    """Floats without a fraction as integers, as people write them."""
    if isinstance(value, tuple):
        return [_short(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _broken(value: str) -> str:
    """A table of rows with each row on a line of its own."""
    if not value.startswith("[["):
        return value
    return "[\n  " + value[1:-1].replace("], [", "],\n  [") + ",\n]"
