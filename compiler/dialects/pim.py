"""Dialect `pim`: which core, which buffer, which message; one `pim.core` per program.

An operation with `rows` works on some rows of each of its operands (inputs, then outputs): quadruples of the first
row, its step per iteration of the `pim.loop` around it, the number of rows, and the height of the whole tile. Row r
stands in slot r mod D of a buffer of D rows. Without `rows` an operation works on whole buffers.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, MemRefType, StringAttr
from xdsl.ir import Dialect
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
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

from compiler.dialects import kernels
from compiler.dialects.names import TENSORS


@irdl_op_definition
class TensorOp(IRDLOperation):
    """A network input or output in global memory: tiles `channels` at byte `addresses`."""

    name = "pim.tensor"
    kind = prop_def(StringAttr)  # "input" or "output"
    tensor = prop_def(StringAttr)
    shape = prop_def(DenseArrayBase)
    extent = prop_def(DenseArrayBase)
    layout = prop_def(ArrayAttr[StringAttr])
    channels = prop_def(DenseArrayBase)
    addresses = prop_def(DenseArrayBase)

    def verify_(self) -> None:
        """A kind that exists."""
        kernels.verify_name("kind", self.kind, TENSORS)


@irdl_op_definition
class CoreOp(IRDLOperation):
    """The program of one core: kernels and messages in a straight line, or in loops over rows."""

    name = "pim.core"
    coreId = prop_def(IntegerAttr)
    body = region_def("single_block")


@irdl_op_definition
class LoopOp(IRDLOperation):
    """Repeats its body; with every iteration the rows of the operations inside advance by their steps."""

    name = "pim.loop"
    trips = prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A buffer of local memory; `address` is set by buffer allocation."""

    name = "pim.alloc"
    address = opt_prop_def(IntegerAttr)
    buffer = result_def(MemRefType)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """Constant data in local memory, written at power-on; `key` names it in the weight store."""

    name = "pim.constant"
    key = prop_def(StringAttr)
    address = opt_prop_def(IntegerAttr)
    buffer = result_def(MemRefType)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Fills a buffer from global memory."""

    name = "pim.load"
    node = prop_def(StringAttr)
    address = prop_def(IntegerAttr)
    rows = opt_prop_def(DenseArrayBase)
    buffer = operand_def(MemRefType)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Writes a buffer to global memory."""

    name = "pim.store"
    node = prop_def(StringAttr)
    address = prop_def(IntegerAttr)
    rows = opt_prop_def(DenseArrayBase)
    buffer = operand_def(MemRefType)


@irdl_op_definition
class SendOp(IRDLOperation):
    """Sends a buffer to core `peer`; `message` is its place in the total order of messages.

    With `rows`, `message` numbers the pair of tile and receiver, and the rows tell its messages apart.
    """

    name = "pim.send"
    node = prop_def(StringAttr)
    peer = prop_def(IntegerAttr)
    message = prop_def(IntegerAttr)
    rows = opt_prop_def(DenseArrayBase)
    buffer = operand_def(MemRefType)


@irdl_op_definition
class ReceiveOp(IRDLOperation):
    """Receives a buffer from core `peer`; `message` as in `pim.send`."""

    name = "pim.receive"
    node = prop_def(StringAttr)
    peer = prop_def(IntegerAttr)
    message = prop_def(IntegerAttr)
    rows = opt_prop_def(DenseArrayBase)
    buffer = operand_def(MemRefType)


@irdl_op_definition
class CompleteOp(IRDLOperation):
    """Says that a buffer now holds channels `channels` of ONNX tensor `tensor`, which stands in tiles as it says."""

    name = "pim.complete"
    tensor = prop_def(StringAttr)
    shape = prop_def(DenseArrayBase)
    extent = prop_def(DenseArrayBase)
    layout = prop_def(ArrayAttr[StringAttr])
    channels = prop_def(DenseArrayBase)
    buffer = operand_def(MemRefType)


@irdl_op_definition
class HaltOp(IRDLOperation):
    """The end of the sample."""

    name = "pim.halt"
    traits = traits_def(IsTerminator())


class BufferKernel(kernels.KernelBase, ABC):
    """What every kernel on buffers has: inputs, outputs, scratch and constant data; the ONNX node and its part.

    Operations with the same `unit` are instances of one kernel, on other rows: they share their array groups.
    """

    inputs = var_operand_def(MemRefType)
    outputs = var_operand_def(MemRefType)
    scratch = var_operand_def(MemRefType)
    constants = var_operand_def(MemRefType)
    node = prop_def(StringAttr)
    part = opt_prop_def(StringAttr)
    rows = opt_prop_def(DenseArrayBase)
    unit = opt_prop_def(IntegerAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class ApplyFiltersOp(kernels.ApplyFiltersBase, BufferKernel):
    """Filters on buffers; scratch: one gathered row of crossbar inputs."""

    name = "pim.apply_filters"

    def verify_(self) -> None:
        """Inputs, outputs and row tiles fit together."""
        super().verify_()
        self.verify_filters(self.inputs, self.outputs)


@irdl_op_definition
class ApplyBlocksOp(kernels.ApplyBlocksBase, BufferKernel):
    """Block-diagonal filters on a buffer; scratch: one gathered row of crossbar inputs."""

    name = "pim.apply_blocks"


@irdl_op_definition
class VAddOp(kernels.VAddBase, BufferKernel):
    """Sum of partial buffers."""

    name = "pim.vadd"


@irdl_op_definition
class ActivationOp(kernels.ActivationBase, BufferKernel):
    """Activation of a buffer."""

    name = "pim.activation"


@irdl_op_definition
class PoolOp(kernels.PoolBase, BufferKernel):
    """Pooling of a buffer."""

    name = "pim.pool"


@irdl_op_definition
class ElementwiseOp(kernels.ElementwiseBase, BufferKernel):
    """Elementwise function of buffers."""

    name = "pim.elementwise"


@irdl_op_definition
class SoftmaxOp(kernels.SoftmaxBase, BufferKernel):
    """Softmax of a buffer; scratch: one element per pixel, reused."""

    name = "pim.softmax"


@irdl_op_definition
class LRNOp(kernels.LRNBase, BufferKernel):
    """Local response normalisation of a buffer; scratch: the squares and sums of one pixel."""

    name = "pim.lrn"


@irdl_op_definition
class RelayoutOp(kernels.RelayoutBase, BufferKernel):
    """Strided copy of a buffer."""

    name = "pim.relayout"


@irdl_op_definition
class ConcatOp(kernels.ConcatBase, BufferKernel):
    """Slices, concatenates and pads buffers."""

    name = "pim.concat"


KERNEL_OPS = (
    ApplyFiltersOp,
    ApplyBlocksOp,
    VAddOp,
    ActivationOp,
    PoolOp,
    ElementwiseOp,
    SoftmaxOp,
    LRNOp,
    RelayoutOp,
    ConcatOp,
)
PimDialect = Dialect(
    "pim",
    [
        TensorOp,
        CoreOp,
        LoopOp,
        AllocOp,
        ConstantOp,
        LoadOp,
        StoreOp,
        SendOp,
        ReceiveOp,
        CompleteOp,
        HaltOp,
        *KERNEL_OPS,
    ],
)
