"""What a program's `config` says: how many cores, and how many crossbars each of their array groups has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from emu.image.json_fields import Field

MAX_CORES = 1 << 16
MAX_GROUPS = MAX_CROSSBARS = 1 << 20
_CORE = re.compile(r"core(0|[1-9]\d{0,6})")


@dataclass(frozen=True, slots=True)
class ProgramConfig:
    """Cores of the program, per core the number of crossbars of each array group, and the whole object."""

    core_count: int
    groups: Mapping[int, tuple[int, ...]]
    settings: Field


def read_program_config(root: Field, path: str) -> ProgramConfig:
    """`core_cnt` and `array_group_map`; other keys are settings of the compiler. Raises ProgramError."""
    members = Field(root.value, root.where, path).mapping()
    if "core_cnt" not in members:
        Field(None, root.where, path).refuse("key 'core_cnt' is missing")
    groups: dict[int, tuple[int, ...]] = {}
    for key, field in members["array_group_map"].mapping().items() if "array_group_map" in members else ():
        match = _CORE.fullmatch(key)
        if match is None:
            field.refuse("expected core0, core1, ...")
        items = field.items()
        if len(items) > MAX_GROUPS:
            field.refuse(f"more than {MAX_GROUPS} array groups")
        groups[int(match[1])] = tuple(item.integer(1, MAX_CROSSBARS) for item in items)
    return ProgramConfig(members["core_cnt"].integer(1, MAX_CORES), groups, Field(root.value, root.where, path))
