"""Which array groups the matrices of a host program take, and which vectors go with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from compiler.dialects import cim
from compiler.dialects.origins import refuse
from compiler.interpreter.host.values import NoType
from compiler.offload.context import OffloadContext
from compiler.offload.kinds import dtype_of_element
from emu.isa.dtypes import NUMBERS
from emu.program.banks import spec_for
from emu.program.group import GroupSpec, group_types_fit


def spec_of(op: Operation, chip: OffloadContext, shape: Sequence[int], matrix: Any, sums: Any) -> GroupSpec:
    """The group that a matrix of this shape takes; raises CompileError for types that crossbars do not have."""
    try:
        held, made = dtype_of_element(matrix), dtype_of_element(sums)
    except (NoType, KeyError):
        held = made = None
    if held is None or made is None or held not in NUMBERS or not group_types_fit(held, held, made):
        raise refuse(op, f"has a {matrix} for sums of {sums}, which crossbars do not hold: widen it before")
    return spec_for(chip.arch, max(shape[0], 1), max(shape[1], 1), (held, held, made))


def check_vectors(op: cim.GemmOp, written: tuple[int, int] | None) -> None:
    """Raise CompileError unless vectors are as long as the matrix has rows, and the result as wide as it is."""
    if written is None:
        raise refuse(op, "multiplies by a crossbar that nobody has written: write a matrix to it before")
    lhs: Any = op.lhs.type
    made: Any = op.future.type
    wanted = (written[0], lhs.get_shape()[0], written[1])
    given = (lhs.get_shape()[1], *made.value.get_shape())
    what = ("multiplies vectors of {1} elements by a matrix of {0} rows", "makes {1} rows of {0} vectors",
            "makes {1} columns by a matrix of {0}")  # fmt: skip
    for a, b, said in zip(wanted, given, what, strict=True):
        if a >= 0 and b >= 0 and a != b:
            raise refuse(op, f"{said.format(a, b)}: write what it is multiplied by")
