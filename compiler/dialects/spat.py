"""Dialect `spat`: what is computed, in tiles of crossbar size, on an abstract set of cores."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
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

from compiler.dialects import kernels


@irdl_op_definition
class InputOp(IRDLOperation):
    """A channel tile of a network input, in global memory."""

    name = "spat.input"
    tensor = prop_def(StringAttr)
    channels = prop_def(DenseArrayBase)
    shape = prop_def(DenseArrayBase)
    extent = prop_def(DenseArrayBase)
    layout = prop_def(ArrayAttr[StringAttr])
    tile = result_def(TensorType)


@irdl_op_definition
class OutputOp(IRDLOperation):
    """A network output, made of channel tiles that cover it."""

    name = "spat.output"
    tensor = prop_def(StringAttr)
    channels = prop_def(DenseArrayBase)
    shape = prop_def(DenseArrayBase)
    extent = prop_def(DenseArrayBase)
    layout = prop_def(ArrayAttr[StringAttr])
    tiles = var_operand_def(TensorType)


@irdl_op_definition
class ComputeOp(IRDLOperation):
    """The work of one abstract core on whole channel tiles.

    `tensors` names, per result, the ONNX tensor of which it is a complete tile ("" for partial sums), `channels`
    its half-open channel range, and `forms` how the whole tensor stands in tiles: `shape`, `extent` and `layout`.
    """

    name = "spat.compute"
    core = prop_def(IntegerAttr)
    node = prop_def(StringAttr)
    part = opt_prop_def(StringAttr)
    tensors = prop_def(ArrayAttr[StringAttr])
    forms = prop_def(ArrayAttr[DictionaryAttr])
    channels = prop_def(DenseArrayBase)
    tiles = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The results of a compute."""

    name = "spat.yield"
    tiles = var_operand_def(TensorType)
    traits = traits_def(IsTerminator())


@irdl_op_definition
class ApplyFiltersOp(kernels.ApplyFiltersBase):
    """Filters on tiles."""

    name = "spat.apply_filters"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class ApplyBlocksOp(kernels.ApplyBlocksBase):
    """Block-diagonal filters on a tile."""

    name = "spat.apply_blocks"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class VAddOp(kernels.VAddBase):
    """Sum of partial tiles."""

    name = "spat.vadd"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class ActivationOp(kernels.ActivationBase):
    """Activation of a tile."""

    name = "spat.activation"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class PoolOp(kernels.PoolBase):
    """Pooling of a tile."""

    name = "spat.pool"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class ElementwiseOp(kernels.ElementwiseBase):
    """Elementwise function of tiles."""

    name = "spat.elementwise"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class SoftmaxOp(kernels.SoftmaxBase):
    """Softmax of a tile that holds all channels."""

    name = "spat.softmax"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class LRNOp(kernels.LRNBase):
    """Local response normalisation of a tile with its halo."""

    name = "spat.lrn"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class RelayoutOp(kernels.RelayoutBase):
    """Strided copy of a tile that holds all channels."""

    name = "spat.relayout"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


@irdl_op_definition
class ConcatOp(kernels.ConcatBase):
    """Slices, concatenates and pads tiles."""

    name = "spat.concat"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)


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
SpatDialect = Dialect("spat", [InputOp, OutputOp, ComputeOp, YieldOp, *KERNEL_OPS])
