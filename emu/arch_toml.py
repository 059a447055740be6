"""Writes an architecture as the TOML that `emu.arch_file` reads."""

from __future__ import annotations

import json

from emu.arch import Arch
from emu.arch_file import SCHEMA


def arch_to_toml(arch: Arch) -> str:
    """Every key of the architecture, table by table."""
    lines: list[str] = []
    for table, keys in SCHEMA.items():
        lines.append(f"[{table}]")
        part = arch if table == "chip" else getattr(arch, table)
        lines += [f"{key} = {_value(getattr(part, key))}" for key in keys]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    # A JSON string is a TOML string once DEL, the one control character that JSON leaves alone, is escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
