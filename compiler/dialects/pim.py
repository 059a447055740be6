"""Dialect `pim`: which core, which buffer, which message; one `pim.core` per program.

An operation with `rows` works on some rows of each of its operands (inputs, then outputs): a range of those of the
whole tile, which may advance with every iteration of the `pim.loop` around it. Row r stands in slot r mod D of a buffer
of D rows. Without `rows` an operation works on whole buffers.

A message of several buffers is one run of memory at either end: they are whole, and each begins where the one before
it ends.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, MemRefType, StringAttr
from xdsl.ir import Dialect, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from compiler.basis.limits import MAX_STEPS
from compiler.dialects import attributes as attr
from compiler.dialects.assembly import WrittenOp
from compiler.dialects.boxes import BoxesAttr, FormAttr
from compiler.dialects.names import TENSORS
from compiler.dialects.rows import Rows, RowsAttr, contiguous, rows_of, trips_around, verify_rows
from compiler.dialects.types import dtype_of, element_dtype
from compiler.dialects.verifying import verify_body, verify_form, verify_name
from emu.program.form import LEAST


@irdl_op_definition
class TensorOp(WrittenOp):
    """A network input or output in global memory: `boxes` of elements of type `element`, one at each of `addresses`."""

    name = "pim.tensor"
    kind = prop_def(StringAttr)  # "input" or "output"
    tensor = prop_def(StringAttr)
    form = prop_def(FormAttr)
    element = prop_def(TypeAttribute)
    boxes = prop_def(BoxesAttr)
    addresses = prop_def(DenseArrayBase)

    def verify_(self) -> None:
        """A kind and a type that exist, and boxes that cover the tensor once."""
        verify_name("kind", self.kind, TENSORS)
        element_dtype(self.element)
        form, fault = self.form.data, ""
        if len(self.boxes) != len(self.addresses):
            fault = f"boxes must hold {len(self.addresses)} boxes, one per address, not {len(self.boxes)}"
        if fault := fault or form.fault() or form.cover_fault(self.boxes.data):
            raise VerifyException(fault)


@irdl_op_definition
class CoreOp(WrittenOp):
    """The program of one core: kernels and messages in a straight line, or in loops over rows."""

    name = "pim.core"
    HEAD: ClassVar[str] = "coreId"
    coreId = prop_def(IntegerAttr)
    body = region_def("single_block")

    def verify_(self) -> None:
        """Kernels, transfers, buffers and loops, and a halt in the end."""
        verify_body(self.body, (CoreOp, TensorOp))
        if not isinstance(self.body.block.last_op, HaltOp):
            raise VerifyException("must end with a pim.halt")


@irdl_op_definition
class LoopOp(WrittenOp):
    """Repeats its body; with every iteration the rows of the operations inside advance by their steps."""

    name = "pim.loop"
    HEAD: ClassVar[str] = "trips"
    trips = prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    def verify_(self) -> None:
        """A number of repetitions that there is time for."""
        if not 1 <= self.trips.value.data <= MAX_STEPS:
            raise VerifyException(f"trips must be from 1 to {MAX_STEPS}, not {self.trips.value.data}")
        verify_body(self.body, (CoreOp, TensorOp, LoopOp, AllocOp, ConstantOp, WriteOp, CompleteOp, HaltOp))


@irdl_op_definition
class AllocOp(WrittenOp):
    """A buffer of local memory; `address` is set by buffer allocation."""

    name = "pim.alloc"
    address = opt_prop_def(IntegerAttr)
    buffer = result_def(MemRefType)

    def verify_(self) -> None:
        """A buffer that there can be."""
        _verify_buffer(self)


@irdl_op_definition
class ConstantOp(WrittenOp):
    """Constant data in local memory, written at power-on; `key` names it in the weight store."""

    name = "pim.constant"
    key = prop_def(StringAttr)
    address = opt_prop_def(IntegerAttr)
    buffer = result_def(MemRefType)

    def verify_(self) -> None:
        """A buffer that there can be."""
        _verify_buffer(self)


def _verify_buffer(op: AllocOp | ConstantOp) -> None:
    """Raise VerifyException unless the buffer has elements, of a type of the machine, and an address from 0 on."""
    shape, _ = attr.shape_of(op.buffer), dtype_of(op.buffer)
    if len(shape) < LEAST or min(shape) < 1:
        raise VerifyException(f"must be a buffer of at least {LEAST} sizes from 1 on, not {list(shape)}")
    if op.address is not None and op.address.value.data < 0:
        raise VerifyException(f"address must be 0 or more, not {op.address.value.data}")


class TransferOp(WrittenOp, ABC):
    """Moves buffers, or some rows of them, for ONNX node `node`."""

    node = prop_def(StringAttr)
    rows = opt_prop_def(RowsAttr)

    def verify_(self) -> None:
        """Rows that there are."""
        if self.rows is not None:
            verify_rows(self, self.rows, self.operands)


def _verify_written(op: TransferOp) -> None:
    if any(isinstance(value.owner, ConstantOp) for value in op.operands):
        raise VerifyException("cannot fill constant data")


@irdl_op_definition
class LoadOp(TransferOp):
    """Fills a buffer from global memory."""

    name = "pim.load"
    buffer = operand_def(MemRefType)
    address = prop_def(IntegerAttr)

    def verify_(self) -> None:
        """A buffer that may be written."""
        super().verify_()
        _verify_written(self)


@irdl_op_definition
class StoreOp(TransferOp):
    """Writes a buffer to global memory."""

    name = "pim.store"
    buffer = operand_def(MemRefType)
    address = prop_def(IntegerAttr)


class MessageOp(TransferOp, ABC):
    """One end of messages between a core and core `peer`, of a buffer or of several that follow each other.

    `message` numbers the pair of tile and receiver, of several tiles the first one; the rows tell its messages apart.
    """

    peer = prop_def(IntegerAttr)
    message = prop_def(IntegerAttr)
    buffers = var_operand_def(MemRefType)

    def verify_(self) -> None:
        """Rows that are one piece of memory: a message has one address."""
        super().verify_()
        if not self.buffers:
            raise VerifyException("must have a buffer")
        depths = [attr.shape_of(value)[0] for value in self.buffers]
        rows = rows_of(self.rows)
        if any(not contiguous(part, depth, trips_around(self)) for part, depth in zip(rows, depths, strict=False)):
            raise VerifyException("rows of a message must be some, and follow each other in the buffer")
        if len(depths) > 1 and any(part != Rows(0, 0, depth, depth) for part, depth in zip(rows, depths, strict=False)):
            raise VerifyException("must have all rows of each of its buffers, or only one buffer")
        if not follow_each_other(self.buffers):
            raise VerifyException("its buffers must follow each other in memory, without a byte between them")


def follow_each_other(buffers: Sequence[SSAValue]) -> bool:
    """Whether each buffer begins where the one before it ends, as far as they have addresses."""
    ends = [(_address(buffer), attr.bytes_of(buffer)) for buffer in buffers]
    return all(
        first is None or second is None or first + size == second for (first, size), (second, _) in pairwise(ends)
    )


def _address(buffer: SSAValue) -> int | None:
    declared = buffer.owner
    found = declared.address if isinstance(declared, AllocOp | ConstantOp) else None
    return None if found is None else found.value.data


@irdl_op_definition
class SendOp(MessageOp):
    """Sends buffers."""

    name = "pim.send"


@irdl_op_definition
class ReceiveOp(MessageOp):
    """Receives buffers."""

    name = "pim.receive"

    def verify_(self) -> None:
        """Buffers that may be written."""
        super().verify_()
        _verify_written(self)


@irdl_op_definition
class WriteOp(WrittenOp):
    """Writes the weights of kernels, by their `units`, to crossbars that they share with those of other segments.

    They wait in global memory, and pass through the buffer `staging`. Array groups stand side by side from the first
    crossbar of the core's bank on, in the order of `units`.
    """

    name = "pim.write"
    segment = prop_def(IntegerAttr)
    units = prop_def(DenseArrayBase)
    staging = operand_def(MemRefType)

    def verify_(self) -> None:
        """Units, each once, and a buffer that may be written."""
        units = attr.values(self.units)
        if not units or len(set(units)) != len(units):
            raise VerifyException(f"units must be numbers of kernels, each once, not {list(units)}")
        if isinstance(self.staging.owner, ConstantOp):
            raise VerifyException("cannot pass weights through constant data")


@irdl_op_definition
class CompleteOp(WrittenOp):
    """Says that a buffer now holds the only one of `boxes` of ONNX tensor `tensor`."""

    name = "pim.complete"
    tensor = prop_def(StringAttr)
    form = prop_def(FormAttr)
    boxes = prop_def(BoxesAttr)
    buffer = operand_def(MemRefType)

    def verify_(self) -> None:
        """The buffer is as large as a box of the tensor."""
        verify_form(self.form.data, self.boxes, [self.buffer])


@irdl_op_definition
class HaltOp(WrittenOp):
    """The end of the sample."""

    name = "pim.halt"
    traits = traits_def(IsTerminator())


OPERATIONS = (
    TensorOp,
    CoreOp,
    LoopOp,
    AllocOp,
    ConstantOp,
    LoadOp,
    StoreOp,
    SendOp,
    ReceiveOp,
    WriteOp,
    CompleteOp,
    HaltOp,
)
PimDialect = Dialect("pim", list(OPERATIONS))
