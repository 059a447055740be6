"""What of each operator is supported, in words: the table of docs/operators.md."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.dialects.functions import FUNCTIONS

_BROADCAST = "two tensors, or a tensor and a constant, with broadcasting"
_ALONE = "any shape; merged into the operator before it where that is possible"
_ANY_TYPE = "any type"
_ANY_AXES = "constant axes; moves no data unless channels must be split"

SUPPORT: Mapping[str, str] = {
    "Conv": "one or two spatial dimensions; constant weights and bias; any group, strides, dilations, pads, auto_pad",
    "Gemm": "constant right-hand matrix; alpha, beta, transB; transA for a single row; bias constant or computed",
    "MatMul": "constant right-hand matrix, no stack of matrices; left operand of rank 2 or 3",
    "BatchNormalization": "inference with constant statistics and positive variance; merged into a convolution",
    "LRN": "images [1, C, H, W]",
    "Softmax": "one axis, besides which at most two dimensions are larger than 1; runs on one core",
    "MaxPool": "one or two spatial dimensions; strides, dilations, pads, auto_pad, ceil_mode; no output of indices",
    "AveragePool": "as MaxPool; count_include_pad, unless together with both pads and ceil_mode",
    "GlobalAveragePool": "one or two spatial dimensions",
    "ReduceMean": "axes [2, 3] of [1, C, H, W], with or without keepdims",
    "Add": _BROADCAST,
    "Sub": _BROADCAST,
    "Mul": _BROADCAST,
    "Div": _BROADCAST,
    "Sum": "any number of operands, as additions from left to right",
    **{function.onnx: _ALONE for function in FUNCTIONS},
    "LeakyRelu": _ALONE,
    "Clip": f"constant bounds; {_ALONE}",
    "Concat": "any axis; along the channels it moves no data",
    "Flatten": _ANY_AXES,
    "Reshape": "constant shape; moves no data unless channels must be split",
    "Split": "any axis; constant sizes, or equal parts",
    "Squeeze": _ANY_AXES,
    "Unsqueeze": _ANY_AXES,
    "Transpose": "any permutation",
    "Identity": "removed",
    "Dropout": "inference only: removed; a mask that is used has all elements",
    "Slice": f"constant bounds and steps, which may be negative; {_ANY_TYPE}",
    "Expand": f"constant shape; {_ANY_TYPE}",
    "Tile": f"constant repeats; {_ANY_TYPE}",
    "Gather": f"constant indices that are few progressions; {_ANY_TYPE}",
    "DepthToSpace": f"both modes; {_ANY_TYPE}",
    "SpaceToDepth": f"both modes; {_ANY_TYPE}",
    "Pad": f"all modes; constant pads, which may be negative; a constant or computed value; {_ANY_TYPE}",
    "Where": f"broadcasting; {_ANY_TYPE}",
    "Trilu": f"constant or computed k; {_ANY_TYPE}",
    "Cast": "between all types of the machine; fractions and high bits are cut off",
    "CastLike": "as Cast",
    "CumSum": "constant axis; exclusive, reverse; one pass over the axis",
    "Resize": "constant scales, sizes and roi, all modes; linear and cubic interpolation are products on crossbars",
    "Upsample": "as Resize",
}
