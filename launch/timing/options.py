"""What `emu time` is asked for, beside its subject."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class TimeOptions:
    """One field per option of the command; None or False where it is not given."""

    arch: str | None = None
    build: str | None = None
    executor: str | None = None
    samples: int | None = None
    flow: str | None = None
    critical_path: bool = False
    what_if: str | None = None
    bottlenecks: bool = False
    trace: Path | None = None
    peak_power: bool = False
    details: bool = False  # also the tables: of any subject

    def given(self) -> dict[str, Any]:
        """The options that are given, by the name of their field."""
        return {part.name: value for part in fields(self) if (value := getattr(self, part.name)) not in (None, False)}
