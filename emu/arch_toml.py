"""Writes an architecture as the TOML that `emu.arch_file` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from emu.arch import Arch
from emu.arch_file import SCHEMA


def arch_to_toml(arch: Arch) -> str:
    """Every key of the architecture, table by table."""
    lines: list[str] = []
    for table, entries in groupby(arch_entries(arch), key=lambda entry: entry[0]):
        lines += [f"[{table}]", *(f"{key} = {value}" for _, key, value in entries)]
    return "\n".join(lines) + "\n"


def arch_entries(arch: Arch) -> Iterator[tuple[str, str, str]]:
    """Table, key and value (as TOML) of every key."""
    for table, keys in SCHEMA.items():
        part = arch if table == "chip" else getattr(arch, table)
        for key in keys:
            # A JSON string is a TOML string once DEL, the one control character that JSON leaves alone, is escaped.
            yield table, key, json.dumps(getattr(part, key), ensure_ascii=False).replace("\x7f", "\\u007f")
