"""The entries of a pipeline as text: `a,b{option=1},package.module:Pass`."""

from __future__ import annotations

import re

_ENTRY = re.compile(r"(?:[^,{]|\{[^}]*\}?)+")  # commas may stand in options


def entries_of(text: str) -> tuple[str, ...]:
    """The entries of a pipeline, whatever they name."""
    return tuple(entry for part in _ENTRY.findall(text) if (entry := part.strip()))


def name_of(entry: str) -> str:
    """An entry of a pipeline without its options."""
    return entry.partition("{")[0].strip()
