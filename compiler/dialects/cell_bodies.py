"""Bodies of recurrent cells as attributes: one for each of a cell's functions, one for what stands behind an end."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.cells import MASK, Cell
from compiler.dialects.nest_attributes import Steps, body_of_attribute
from compiler.nests.body import NestBody
from emu.isa.dtypes import DType

Bodies = ArrayAttr[Steps]


def body_types(vectors: Sequence[str]) -> list[DType]:
    """The element types of the vectors of a cell."""
    return [DType.bool if name == MASK else DType.f32 for name in vectors]


def body_operands(cell: Cell, peepholes: bool, masked: bool) -> list[tuple[str, ...]]:
    """The vectors that each body works on, in order; the last one of `masked` makes what is told of a step of time."""
    operands = [cell.operands(step, peepholes, masked) for step in cell.applies]
    return [*operands, (MASK, "h")] if masked else operands


def read_bodies(bodies: Bodies) -> list[NestBody]:
    """The bodies; raises VerifyException for what is none."""
    return [body_of_attribute(steps) for steps in bodies]


def verify_bodies(bodies: Bodies, cell: Cell, directions: int, peepholes: bool, masked: bool) -> None:
    """Raise VerifyException unless there is a body of float32 for each function of the cell, in each direction."""
    wanted = body_operands(cell, peepholes, masked) * directions
    if len(bodies) != len(wanted):
        raise VerifyException(f"bodies must hold {len(wanted)} lists of steps, not {len(bodies)}")
    for body, vectors in zip(read_bodies(bodies), wanted, strict=True):
        types = body_types(vectors)
        if fault := body.fault(types, 0):
            raise VerifyException(f"has {fault}")
        if body.dtype(types) != DType.f32 or not body.steps:
            raise VerifyException("has a body that makes no float32")
