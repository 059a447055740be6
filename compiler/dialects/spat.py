"""Dialect `spat`: what is computed, in tiles of crossbar size, and on which core."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Dialect, SSAValue
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
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
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

    def verify_(self) -> None:
        """The tile has the height and width of the image, and the channels that it says."""
        _verify_extent(self.extent, [self.tile])
        kernels.verify_channels(self.channels, [self.tile])


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

    def verify_(self) -> None:
        """The tiles have the height and width of the image, and the channels that it says."""
        _verify_extent(self.extent, self.tiles)
        kernels.verify_channels(self.channels, self.tiles)


def _verify_extent(extent: DenseArrayBase, tiles: Sequence[SSAValue]) -> None:
    image = attr.values(extent)
    if len(image) != 3 or any(attr.shape_of(tile)[:2] != image[1:] for tile in tiles):
        raise VerifyException(f"extent {list(image)} must be (channels, height, width) as the tiles have them")


@irdl_op_definition
class ComputeOp(IRDLOperation):
    """Work of core `core` on whole channel tiles.

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

    def verify_(self) -> None:
        """The body takes the tiles and yields the outputs; a name and a range of channels for each output."""
        last = self.body.block.last_op
        if [value.type for value in self.tiles] != [argument.type for argument in self.body.block.args]:
            raise VerifyException("the body must take tiles of the types that it is given")
        if not isinstance(last, YieldOp) or [v.type for v in last.tiles] != [v.type for v in self.outputs]:
            raise VerifyException("the body must end with a spat.yield of tiles of the types of the results")
        if len(self.tensors) != len(self.outputs):
            raise VerifyException(f"tensors must hold {len(self.outputs)} names, one per result")
        kernels.verify_channels(self.channels, self.outputs)


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

    def verify_(self) -> None:
        """Inputs, outputs and row tiles fit together."""
        super().verify_()
        self.verify_filters(self.inputs, self.outputs)


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
