"""A chip that is another one with some keys changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.arch.checking import checked
from emu.arch.chip import FIGURES, Arch
from emu.arch.read import arch_from_dict


def derived(base: Arch, changes: Mapping[str, Any]) -> Arch:
    """`base` with other values of keys, written with their table (`timing.adc.convert_ns`, `chip.cores`).

    Figures that are not among them follow the laws that the chip names (`emu.arch.laws`), and its `remarks` say where
    these are beyond their range, and which changed keys no figure follows. Raises ArchError if keys contradict each
    other or the rest.
    """
    tables = base.to_dict()
    for key, value in changes.items():
        *path, name = key.removeprefix("chip.").split(".")  # those of [chip] stand outside of all parts
        part = tables
        for table in path:
            part = part.setdefault(table, {})
        part[name] = value
    chip = arch_from_dict(tables, base.name)
    if all(getattr(chip, name) is None for name in FIGURES):
        return chip
    from emu.arch.scaling import scaled

    def locate(table: str, key: str) -> str:
        return f"{base.name}: "

    return checked(scaled(base, chip, changes.keys(), locate), locate)
