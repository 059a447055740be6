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
from compiler.dialects.verifying import verify_channels


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
        verify_channels(self.channels, [self.tile])


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
        verify_channels(self.channels, self.tiles)


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
        verify_channels(self.channels, self.outputs)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The results of a compute."""

    name = "spat.yield"
    tiles = var_operand_def(TensorType)
    traits = traits_def(IsTerminator())


SpatDialect = Dialect("spat", [InputOp, OutputOp, ComputeOp, YieldOp])
