"""CumSum: sums along one axis of memory."""

from __future__ import annotations

from typing import cast

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.scan import ScanOp
from compiler.lowering.feature_map import channel_last
from compiler.lowering.lowering import Lowering


def lower_cumsum(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """The operand as it stands, if the dimension is one axis there, else with an axis for each dimension."""
    cumsum = cast(onnx.CumSumOp, op)
    source, axis = lowering.feature_map(op, cumsum.x), cumsum.axis.value.data
    if len(source.layout[axis]) > 1:
        form = lowering.form(op, source.shape, channel_last(len(source.shape)))
        source = lowering.relayout(op, source, form)
    place = source.form.names.index(source.layout[axis])
    properties = {"axis": attr.integer(place), "exclusive": cumsum.exclusive, "reverse": cumsum.reverse}
    lowering.layer(op, lowering.target(op, source.form), ScanOp, [source], properties)
