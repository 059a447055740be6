"""What of each operator is supported, in words: the table of docs/operators.md."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.dialects.functions import FUNCTIONS

_IMAGES = "any number of samples and of spatial dimensions"
_BROADCAST = "two tensors, or a tensor and a constant, with broadcasting"
_ALONE = "any shape; merged into the operator before it where that is possible"
_ANY_AXES = "constant axes; moves no data unless channels must be split"

SUPPORT: Mapping[str, str] = {
    "Conv": f"{_IMAGES}; constant weights and bias; any group, strides, dilations, pads, auto_pad",
    "ConvTranspose": f"{_IMAGES}; any attributes; constant weights and bias; a convolution for each phase",
    "Gemm": "one constant matrix, left or right; any rows, alpha, beta, transA, transB; bias constant or computed",
    "MatMul": "one constant operand, left or right: a matrix, a vector or a stack of matrices; the other of any rank",
    "BatchNormalization": "inference with constant statistics and positive variance; merged into a convolution",
    "LRN": _IMAGES,
    "Softmax": "one axis, besides which at most two dimensions are larger than 1; runs on one core",
    "MaxPool": f"{_IMAGES}; any attributes; float32, int8, uint8; no output of indices",
    "AveragePool": f"{_IMAGES}; any attributes",
    "GlobalAveragePool": _IMAGES,
    "GlobalMaxPool": _IMAGES,
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
    "Dropout": "inference only: removed",
}
