"""Writes an architecture as the TOML that `emu.arch.read` reads."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import Any

from emu.arch.chip import Arch
from emu.arch.schema import schema, values_in
from emu.toml_comments import Comment


def arch_to_toml(
    arch: Arch,
    comments: Mapping[tuple[str, ...], Comment] | None = None,
    only: Collection[tuple[str, str]] | None = None,
) -> str:
    """Every key of the architecture that has a value, table by table; or those of `only`, tables and keys.

    `comments` stand where they stood in the file that they come from (`emu.toml_comments.comments_of`).
    """
    said = comments or {}
    lines: list[str] = []
    chosen = (entry for entry in arch_entries(arch) if only is None or entry[:2] in only)
    for table, entries in groupby(chosen, key=lambda entry: entry[0]):
        path = tuple(table.split("."))
        lines += ["", *said.get(path, Comment()).around(f"[{table}]")]
        for _, key, value in entries:
            lines += said.get((*path, key), Comment()).around(f"{key} = {_broken(value)}")
    return "\n".join(lines[1:]) + "\n"


def arch_entries(arch: Arch) -> Iterator[tuple[str, str, str]]:
    """Table, key and value (as TOML) of every key that has one."""
    for table, name, value, _ in values_in(arch, schema()):
        yield table, name, _toml(_short(value))


def _toml(value: Any) -> str:
    """A plain value in one line: JSON, once DEL, the one control character that it leaves alone, is escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _short(value: Any) -> Any:
    """Floats without a fraction as integers, as people write them."""
    if isinstance(value, tuple):
        return [_short(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _broken(value: str) -> str:
    """A table of rows with each row on a line of its own."""
    if not value.startswith("[["):
        return value
    return "\n".join(("[", *(f"  {_toml(row)}," for row in json.loads(value)), "]"))
