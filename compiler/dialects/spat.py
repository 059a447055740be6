"""Dialect `spat`: layers on whole tensors, then computes on tiles of crossbar size, then their cores."""

from __future__ import annotations

from abc import ABC
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Dialect, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.assembly import WrittenOp
from compiler.dialects.boxes import BoxesAttr, FormAttr, FormsAttr
from compiler.dialects.names import RESIDENT
from compiler.dialects.pieces import PiecesAttr
from compiler.dialects.types import element_dtype
from compiler.dialects.verifying import verify_boxes, verify_form
from emu.program.form import box_text

MULTIPLYING, PADDING = ("kernel.apply_filters", "kernel.apply_blocks"), "kernel.concat"  # in the body of a product
MUST_MULTIPLY = "must multiply one tensor, as it is or padded, with all weights of one kernel; others are a spat.layer"


@irdl_op_definition
class InputOp(WrittenOp):
    """A box of a network input, in global memory."""

    name = "spat.input"
    tensor = prop_def(StringAttr)
    boxes = prop_def(BoxesAttr)
    form = prop_def(FormAttr)
    tile = result_def(TensorType)

    def verify_(self) -> None:
        """The tile is a box of the tensor."""
        verify_form(self.form.data, self.boxes, [self.tile])


@irdl_op_definition
class OutputOp(WrittenOp):
    """A network output with elements of type `element`, made of boxes that cover it."""

    name = "spat.output"
    tensor = prop_def(StringAttr)
    element = prop_def(TypeAttribute)
    boxes = prop_def(BoxesAttr)
    form = prop_def(FormAttr)
    tiles = var_operand_def(TensorType)

    def verify_(self) -> None:
        """The tiles are boxes of the tensor, of its type, and cover it once."""
        element_dtype(self.element)
        verify_form(self.form.data, self.boxes, self.tiles)
        if any(cast(TensorType, tile.type).element_type != self.element for tile in self.tiles):
            raise VerifyException(f"is made of tiles of other elements than {self.element}")
        if fault := self.form.data.cover_fault(self.boxes.data):
            raise VerifyException(fault)


class BodyOp(WrittenOp, ABC):
    """Kernels on `tiles`, in a body that yields the `outputs`.

    `tensors` names, per result, the ONNX tensor of which it is one of `boxes` ("" for partial sums), and `forms` tell
    how the whole tensor stands in memory.
    """

    node = prop_def(StringAttr)
    tensors = prop_def(ArrayAttr[StringAttr])
    forms = prop_def(FormsAttr)
    boxes = prop_def(BoxesAttr)
    tiles = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")

    def verify_(self) -> None:
        """The body takes the tiles and yields the outputs; a name and a form for each output."""
        last, inside = self.body.block.last_op, set[SSAValue](self.body.block.args)
        if [value.type for value in self.tiles] != [argument.type for argument in self.body.block.args]:
            raise VerifyException("the body must take tiles of the types that it is given")
        if not isinstance(last, YieldOp) or [v.type for v in last.tiles] != [v.type for v in self.outputs]:
            raise VerifyException("the body must end with a spat.yield of tiles of the types of the results")
        for item in self.body.block.ops:
            if item is not last and (not item.name.startswith("kernel.") or "segments" in item.properties):
                raise VerifyException(f"cannot hold a {item.name} beside its kernels on tensors")
            if not inside.issuperset(item.operands):
                raise VerifyException(f"has a {item.name} inside that uses what is outside: the body must take it")
            inside.update(item.results)
        made = set(last.tiles).difference(self.body.block.args)
        if not made or len(made) != len(last.tiles):
            raise VerifyException("the body must yield tiles that it makes, each once")
        if len(self.tensors) != len(self.outputs):
            raise VerifyException(f"tensors must hold {len(self.outputs)} names, one per result")
        if len(self.forms) != len(self.outputs):
            raise VerifyException(f"forms must hold {len(self.outputs)} forms, one per result")
        verify_boxes(self.boxes, self.outputs)
        for form, box in zip(self.forms.data, self.boxes.data, strict=True):
            if form is not None and (fault := form.fault() or form.box_fault(box)):
                raise VerifyException(f"a result {box_text(box)} holds {fault}")


class LayerOp(BodyOp, ABC):
    """A layer of any kind, on whole tensors.

    `pieces` say where its weights are, if the pass `segment` decided that: a core, a segment (without one: all the
    time), and ranges of the row tiles and of the column tiles into which they are cut.
    """

    pieces = opt_prop_def(PiecesAttr)

    def verify_(self) -> None:
        """Pieces that there can be: ranges that are not empty."""
        super().verify_()
        for piece in () if self.pieces is None else self.pieces.data:
            segment, core, (low, high), (begin, end) = piece
            if segment < RESIDENT or core < 0 or not (0 <= low < high and 0 <= begin < end):
                raise VerifyException(f"pieces hold {PiecesAttr.item_text(piece)}, which is no place for weights")


@irdl_op_definition
class ProductOp(LayerOp):
    """Work on a whole tensor that multiplies it with weights; the pass `cut-layers` cuts these for crossbars.

    The body takes one tensor, of it maybe some channels, padded with a whole number, and applies one kernel to it, all
    of whose filters or groups make the result.
    """

    name = "spat.product"

    def verify_(self) -> None:
        """As any layer; and one kernel multiplies, before which there may be padding."""
        super().verify_()
        kernels = [item.name for item in self.body.block.ops if not isinstance(item, YieldOp)]
        if kernels[-1:] not in ([name] for name in MULTIPLYING) or kernels[:-1] not in ([], [PADDING]):
            raise VerifyException(MUST_MULTIPLY)


@irdl_op_definition
class PlainLayerOp(LayerOp):
    """Work on whole tensors that is no `spat.product`; the pass `cut-layers` makes computes of it.

    Weights that it has on crossbars, as those of a recurrent layer, stand on one core.
    """

    name = "spat.layer"


@irdl_op_definition
class JoinOp(WrittenOp):
    """A whole tensor that is `parts`, one after another along `axis` (None: the channels): nothing moves."""

    name = "spat.join"
    axis = opt_prop_def(IntegerAttr)
    parts = var_operand_def(TensorType)
    whole = result_def(TensorType)

    @property
    def along(self) -> int:
        """The axis along which the parts follow each other, in the order of memory."""
        return len(attr.shape_of(self.whole)) - 1 if self.axis is None else self.axis.value.data

    def verify_(self) -> None:
        """The parts have the sizes of the whole, and along the axis its size together."""
        whole, shapes, along = attr.shape_of(self.whole), [attr.shape_of(part) for part in self.parts], self.along
        if not 0 <= along < len(whole):
            raise VerifyException(f"axis must be one of the {len(whole)} of the tensor, not {along}")
        rest = [*whole[:along], *whole[along + 1 :]]
        if any([*shape[:along], *shape[along + 1 :]] != rest for shape in shapes) or whole[along] != sum(
            shape[along] for shape in shapes
        ):
            what = "channels" if self.axis is None else f"places along axis {along}"
            raise VerifyException(f"joins tiles {[list(shape) for shape in shapes]} to {whole[along]} {what}")


@irdl_op_definition
class ComputeOp(BodyOp):
    """Work of core `core` on tiles.

    Without `core`, the pass `place` gives it one. Computes of one `cluster` were cut to stand on one core. It makes
    `rows` rows of its results at a time; without them, as many as the option `granularity` says. Weights of a `segment`
    are written to their crossbars before it; without one they are there all the time.
    """

    name = "spat.compute"
    core = opt_prop_def(IntegerAttr)
    cluster = opt_prop_def(IntegerAttr)
    part = opt_prop_def(StringAttr)
    rows = opt_prop_def(IntegerAttr)
    segment = opt_prop_def(IntegerAttr)

    def verify_(self) -> None:
        """As any body; and at least one row at a time."""
        super().verify_()
        if self.rows is not None and self.rows.value.data < 1:
            raise VerifyException(f"rows must be 1 or more, not {self.rows.value.data}")

    @property
    def stay(self) -> int:
        """The segment during which its weights are on their crossbars; RESIDENT if that is always."""
        return RESIDENT if self.segment is None else self.segment.value.data

    @property
    def number(self) -> int:
        """The core that it is placed on; -1 before that."""
        return -1 if self.core is None else self.core.value.data


@irdl_op_definition
class YieldOp(WrittenOp):
    """The results of a compute."""

    name = "spat.yield"
    tiles = var_operand_def(TensorType)
    traits = traits_def(IsTerminator())


SpatDialect = Dialect("spat", [InputOp, OutputOp, ProductOp, PlainLayerOp, JoinOp, ComputeOp, YieldOp], [PiecesAttr])
