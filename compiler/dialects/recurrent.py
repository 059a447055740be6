"""Operation `onnx.Recurrent`: what is left of LSTM, GRU and RNN once their inputs are multiplied."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.cell_bodies import verify_bodies
from compiler.dialects.cells import CELLS, LENGTHS, LINEAR, PEEPHOLES, Cell
from compiler.dialects.nest_attributes import Steps
from compiler.dialects.onnx_op import OnnxOp
from compiler.dialects.types import dtype_of
from compiler.dialects.verifying import verify_name
from emu.isa.dtypes import DType

FORWARD, REVERSE = "forward", "reverse"
ROLES = ("x", "r", "bias", "hidden_bias", "peepholes", "initial_h", "initial_c", LENGTHS)


@irdl_op_definition
class RecurrentOp(OnnxOp):
    """A recurrence over time, in one or two `directions`, of the cell `cell` of the table of cells.

    `roles` name the operands: an `x` per direction, what the inputs make of the gates of all steps of time [time,
    batch, gates * size], `r` [directions, gates * size, size], `bias` [directions, gates * size], and for a linear part
    `hidden_bias` [directions, size]; `peepholes` [directions, 3 * size]; `initial_h` and `initial_c` [directions,
    batch, size]; `lengths` [batch], int32, of sequences that end early. `bodies` are those of the cell, for one
    direction after the other. Results are the states of all steps [time, directions, batch, size], then the last h,
    and the last c.
    """

    name = "onnx.Recurrent"
    inputs = var_operand_def(TensorType)
    cell = prop_def(StringAttr)
    roles = prop_def(ArrayAttr[StringAttr])
    directions = prop_def(ArrayAttr[StringAttr])
    bodies = prop_def(ArrayAttr[Steps])
    tensors = prop_def(ArrayAttr[StringAttr])
    parts = var_result_def(TensorType)

    @property
    def row(self) -> Cell:
        """Its cell."""
        return CELLS[self.cell.data]

    @property
    def label(self) -> str:
        """How error messages name it: by the node that it is a part of."""
        return f"node {self.node.data} ({self.cell.data.partition('_')[0].upper()})"

    def named(self, role: str) -> list[SSAValue]:
        """The operands of a role."""
        return [value for value, name in zip(self.inputs, self.roles, strict=True) if name.data == role]

    def optional(self, role: str) -> SSAValue | None:
        """The operand of a role that there need not be."""
        return next(iter(self.named(role)), None)

    def verify_(self) -> None:
        """Operands and results of the shapes above, each once, with bodies for them."""
        self.verify_static()
        verify_name("cell", self.cell, CELLS)
        directions = [name.data for name in self.directions]
        if not directions or len(set(directions)) != len(directions) or not set(directions) <= {FORWARD, REVERSE}:
            raise VerifyException(f'directions must hold "{FORWARD}", "{REVERSE}" or both')
        for name in self.roles:
            verify_name("role", name, ROLES)
        if len(self.roles) != len(self.inputs) or len(self.tensors) != len(self.parts):
            raise VerifyException("must have one role for each operand and one name for each result")
        counts = {role: len(self.named(role)) for role in ROLES}
        if counts["x"] != len(directions) or counts["r"] != 1 or max(counts[role] for role in ROLES[1:]) > 1:
            raise VerifyException("takes an x per direction, r, and each of the others once at most")
        for value, role in (*zip(self.inputs, self.roles, strict=True), *((value, None) for value in self.parts)):
            wanted = DType.i32 if role is not None and role.data == LENGTHS else DType.f32
            if dtype_of(value) != wanted:
                raise VerifyException(f"computes in float32 only, with lengths in int32, not in {value.type}")
        self._verify_shapes(len(directions))
        verify_bodies(self.bodies, self.row, len(directions), counts["peepholes"] > 0, counts[LENGTHS] > 0)

    def _verify_shapes(self, directions: int) -> None:
        cell, shapes = self.row, [attr.shape_of(value) for value in self.inputs]
        first, r = (attr.shape_of(self.named(role)[0]) for role in ("x", "r"))
        if len(first) != 3 or len(r) != 3 or 0 in (*first, *r):
            raise VerifyException(
                f"takes an x and an r of three dimensions with elements, not {list(first)} and {list(r)}"
            )
        (time, batch, _), size = first, r[2]
        wanted = {
            "x": (time, batch, cell.gates * size),
            "r": (directions, cell.gates * size, size),
            "bias": (directions, cell.gates * size),
            "hidden_bias": (directions, size) if LINEAR in cell.others else None,
            "peepholes": (directions, PEEPHOLES * size) if cell.takes_peepholes else None,
            **{f"initial_{state}": (directions, batch, size) for state in cell.states},
            LENGTHS: (batch,),
        }
        for name, shape in zip(self.roles, shapes, strict=True):
            expected = wanted.get(name.data)
            if expected is None:
                raise VerifyException(f"has {name.data}, which a cell of {self.cell.data} has not")
            if expected != shape:
                raise VerifyException(f"has {name.data} of shape {list(shape)}, not {list(expected)}")
        results: Sequence[tuple[int, ...]] = [(time, directions, batch, size), *[(directions, batch, size)] * 2]
        if [attr.shape_of(value) for value in self.parts] != results[: len(self.parts)] or not self.parts:
            raise VerifyException(f"makes states of all steps {list(results[0])}, then last ones {list(results[1])}")
        if len(self.parts) > 1 + len(cell.states):
            raise VerifyException(f"makes at most {1 + len(cell.states)} results")
