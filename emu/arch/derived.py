"""A chip that is another one with some keys changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.arch.chip import Arch
from emu.arch.read import arch_from_dict


def derived(base: Arch, changes: Mapping[str, Any]) -> Arch:
    """`base` with other values of keys, written with their table (`timing.adc.convert_ns`, `chip.cores`).

    Raises ArchError if they contradict each other or the rest.
    """
    tables = base.to_dict()
    for key, value in changes.items():
        *path, name = key.removeprefix("chip.").split(".")  # those of [chip] stand outside of all parts
        part = tables
        for table in path:
            part = part.setdefault(table, {})
        part[name] = value
    return arch_from_dict(tables, base.name)
