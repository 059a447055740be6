"""A PIM-ISA program: per core one column per field, and the array groups that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from emu.image.json_fields import Field

SMALL = ("op", "rd", "rs1", "rs2")  # one byte each
FIELDS = (
    *SMALL,
    "imm",
    "len",
    "size",
    "core",
    "group",
    "mbiw",
    "ibiw",
    "obiw",
    "relu",
    "event_register",
    "wait_value",
    "offset_select",
    "offset_value",
)


@dataclass(frozen=True, slots=True)
class CoreColumns:
    """The instructions of a core: arrays of equal length, raw as in the file; a field that is not there is 0.

    `op` holds codes (`ops.CODES`), `rd`, `rs1`, `rs2` register numbers (uint8); all else is int32.
    """

    op: np.ndarray
    rd: np.ndarray
    rs1: np.ndarray
    rs2: np.ndarray
    imm: np.ndarray
    len: np.ndarray
    size: np.ndarray
    core: np.ndarray
    group: np.ndarray
    mbiw: np.ndarray
    ibiw: np.ndarray
    obiw: np.ndarray
    relu: np.ndarray
    event_register: np.ndarray
    wait_value: np.ndarray
    offset_select: np.ndarray
    offset_value: np.ndarray

    @property
    def count(self) -> int:
        """How many instructions."""
        return len(self.op)

    @staticmethod
    def joined(parts: list[CoreColumns]) -> CoreColumns:
        """One after the other."""
        if len(parts) == 1:
            return parts[0]
        return CoreColumns(
            *(
                np.concatenate([getattr(part, field.name) for part in parts] or [np.zeros(0, dtype_of(field.name))])
                for field in fields(CoreColumns)
            )
        )


def dtype_of(field: str) -> type[np.generic]:
    """The type of a column."""
    return np.uint8 if field in SMALL else np.int32


@dataclass(frozen=True, slots=True)
class PimProgram:
    """What a program file says.

    `cores` by number, in ascending order; `groups[core]` counts the crossbars of each of its array groups.
    `warnings` are sentences about what was read in spite of its form, `settings` all that its `config` says.
    """

    where: str
    cores: Mapping[int, CoreColumns]
    groups: Mapping[int, tuple[int, ...]]
    warnings: tuple[str, ...] = ()
    settings: Field | None = None

    @property
    def instructions(self) -> int:
        """Of all cores."""
        return sum(columns.count for columns in self.cores.values())
