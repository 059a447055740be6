"""Which kernels of a core share array groups."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from compiler.streaming.actions import Action


def units_of(actions: Mapping[Action, int]) -> dict[Action, int]:
    """The unit of each action, from its number: kernels of one compute with the same `unit` have that of the first."""
    shared: dict[tuple[Operation, IntegerAttr], int] = {}
    units = dict(actions)
    for action, number in actions.items():
        unit = action.kernel.unit if action.kernel is not None else None
        if unit is not None and action.compute is not None:
            units[action] = shared.setdefault((action.compute, unit), number)
    return units
