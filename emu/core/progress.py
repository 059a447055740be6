"""What `advance` returns when the core needs nothing from the outside."""

from __future__ import annotations

from enum import Enum


class Progress(Enum):
    """RUNNING: call `advance` again; HALTED: the section is over."""

    RUNNING = "running"
    HALTED = "halted"
