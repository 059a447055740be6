"""Names of the files that stand beside an exported program."""

from __future__ import annotations

import re

MEMORY_FILE, CHIP_FILE = "memory.bin", "chip.json"
OWN = re.compile(
    r"(program\.json(\.gz)?|config\.json|chip\.json|network\.json|memory\.bin|source_map\.json"
    r"|core_\d+(\.json|\.pim|_\d+\.npy|_types\.npy|_weights\.json))"
)


def changes_file(core: int) -> str:
    """Where the types of a core change that has two of one width."""
    return f"core_{core}_types.npy"
