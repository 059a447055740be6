"""What of each operator is supported, in words: the table of docs/operators.md."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.dialects.functions import FUNCTIONS
from compiler.frontend.operators.pointwise import ROWS
from compiler.frontend.operators.reduction import OPERATORS as REDUCTIONS
from emu.isa.dtypes import ALL, FLOATS, INTEGERS, NUMBERS

_IMAGES = "any number of samples and of spatial dimensions"
_BROADCAST = "two tensors, or a tensor and a constant, with broadcasting"
_ALONE = "any shape; merged into the operator before it where that is possible"
_RECURRENT = "constant weights and bias; any direction, activations, clip, layout, initial states, sequence_lens"
_ANY_TYPE = "any type"
_ANY_AXES = "constant axes; moves no data unless channels must be split"

_HALF = "float16 is computed in float32"
_REDUCTION = "constant axes, any of them; integers, too"
_QUANTISED = "per tensor, axis or block; scales and zero points constant or computed; float32, float16"


_TYPES = {FLOATS: "float32, float16", NUMBERS: "all numbers", INTEGERS: "integers", ALL: "all types"}


def _elements(kind: str) -> str:
    """What a function of elements takes."""
    row = ROWS[kind]
    return f"{_TYPES.get(row.takes, 'bool')}; {'any shape' if row.most == 1 else 'with broadcasting'}"


SUPPORT: Mapping[str, str] = {
    **{kind: _elements(kind) for kind in ROWS},
    "Conv": f"{_IMAGES}; constant weights and bias; any group, strides, dilations, pads, auto_pad",
    "ConvTranspose": f"{_IMAGES}; any attributes; constant weights and bias; a convolution for each phase",
    "Gemm": "one constant matrix, left or right; any rows, alpha, beta, transA, transB; bias constant or computed",
    "MatMul": "one constant operand, left or right: a matrix, a vector or a stack of matrices; the other of any rank",
    "BatchNormalization": "inference with constant statistics and positive variance; merged into a convolution",
    "LRN": _IMAGES,
    "RNN": _RECURRENT,
    "GRU": f"{_RECURRENT}; linear_before_reset",
    "LSTM": f"{_RECURRENT}; constant peepholes, input_forget",
    "MaxPool": f"{_IMAGES}; any attributes; float32, int8, uint8; indices, too",
    "AveragePool": f"{_IMAGES}; any attributes",
    "Softmax": f"any shape and axis; {_HALF}; runs on one core",
    "LogSoftmax": f"any shape and axis; {_HALF}",
    "Hardmax": "any shape and axis",
    "LayerNormalization": f"any axis; scale and bias constant or computed; mean and deviation as outputs, too; {_HALF}",
    "RMSNormalization": f"any axis; scale constant or computed; {_HALF}",
    "GroupNormalization": f"{_IMAGES}; scale and bias constant or computed; from operator set 21 on; {_HALF}",
    "InstanceNormalization": f"{_IMAGES}; scale and bias constant or computed; {_HALF}",
    "MeanVarianceNormalization": f"any axes; {_HALF}",
    "LpNormalization": f"any axis; p 1 and 2; {_HALF}",
    "GlobalAveragePool": _IMAGES,
    "GlobalMaxPool": _IMAGES,
    **dict.fromkeys(REDUCTIONS, _REDUCTION),
    "ReduceMax": f"{_REDUCTION}; bool",
    "ReduceMin": f"{_REDUCTION}; bool",
    "ReduceMean": f"{_REDUCTION}; over rows and columns of an image it is a pooling",
    "QuantizeLinear": f"{_QUANTISED}; to int8, uint8, int16 or uint16",
    "DequantizeLinear": f"{_QUANTISED}; of int8, uint8, int16, uint16 or int32",
    "DynamicQuantizeLinear": "any shape",
    "RotaryEmbedding": "any form of input; caches and positions constant or computed",
    "Add": _BROADCAST,
    "Sub": _BROADCAST,
    "Mul": _BROADCAST,
    "Div": _BROADCAST,
    "Sum": "any number of operands, as additions from left to right",
    **{function.onnx: _ALONE for function in FUNCTIONS},
    "LeakyRelu": _ALONE,
    "Clip": f"any bounds; with constant ones of float32 {_ALONE}",
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
    "Gather": f"indices constant or computed; {_ANY_TYPE}",
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
