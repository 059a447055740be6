"""Phases: when the computes of a network in segments run."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from compiler.dialects import spat
from compiler.dialects.names import RESIDENT
from emu.errors import CompileError


def phases_of(computes: Sequence[spat.ComputeOp]) -> list[int]:
    """The segment in which each of `computes`, in topological order, runs: that of its weights, or of what it needs.

    Raises CompileError if weights are gone before their operands are there. Without segments all are RESIDENT.
    """
    phase: dict[SSAValue, int] = {}
    found: list[int] = []
    for compute in computes:
        ready = max((phase.get(value, RESIDENT) for value in compute.tiles), default=RESIDENT)
        if compute.segment is not None and compute.stay < ready:
            raise CompileError(
                f"node {compute.node.data} has its weights in segment {compute.stay}, but needs what is made in segment"
                f" {ready}: write them in that one or later",
                compute.node.data,
            )
        found.append(max(ready, compute.stay))
        phase.update(dict.fromkeys(compute.outputs, found[-1]))
    return found
