"""What of each operator is supported, in words, and where it runs: the tables of docs/operators.md."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.dialects.activations import ACTIVATIONS
from compiler.frontend.operators.pointwise import ROWS
from compiler.frontend.operators.reduction import OPERATORS as REDUCTIONS

_IMAGES = "any number of samples and of spatial dimensions"
_ALONE = "any shape; merged into the operator before it where that is possible"
_RECURRENT = "constant weights and bias; any direction, activations, clip, layout, initial states, sequence_lens"
_ANY_AXES = "constant axes; moves no data unless channels must be split"
_HALF = "float16 is computed in float32"
_QUANTISED = "per tensor, axis or block; scales and zero points constant or computed"
_BYTES = "constant weights of int8 or uint8"
_CONSTANT = "on crossbars what is multiplied with a constant of float32"
_FACTOR = "on crossbars what is multiplied with constants of int8 or uint8"
_FIXED = "constant scales and zero points"
_EXACT = "onnxruntime's bits"
_SAMPLES = "a sample or samples x features, of float32 or integers"
_NEAR = "at most one step from onnxruntime"

# Operators that are not listed run on the vector unit.
_CROSSBAR, _DIGITAL, _EITHER, _MOVES = "crossbar", "digital products", "crossbar, or digital products", "moves"
VECTOR = "vector unit"
WHERE: Mapping[str, str] = {
    **dict.fromkeys(("Conv", "ConvTranspose", "ConvInteger", "QLinearConv"), _CROSSBAR),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _CROSSBAR),
    **dict.fromkeys(("QGemm", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"), _CROSSBAR),
    **dict.fromkeys(("LinearClassifier", "LinearRegressor"), _CROSSBAR),
    **dict.fromkeys(("Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"), _EITHER),
    "Einsum": f"{_EITHER}, or moves",
    "Attention": _DIGITAL,
    "BatchNormalization": "crossbar, or vector unit",
    **dict.fromkeys(("Resize", "Upsample"), "moves, or crossbar"),
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Concat", "Split"), _MOVES),
    **dict.fromkeys(("Slice", "Expand", "Tile", "Pad", "DepthToSpace", "SpaceToDepth"), _MOVES),
    **dict.fromkeys(("Gather", "GatherElements", "Scatter", "ScatterElements"), _MOVES),
    **dict.fromkeys(("GatherND", "ScatterND"), "moves, or vector unit"),
    **dict.fromkeys(("ArrayFeatureExtractor", "Cast", "CastLike", "TopK"), _MOVES),
    **dict.fromkeys(("Identity", "Dropout", "QAttention"), "nowhere"),
}


SUPPORT: Mapping[str, str] = {
    **{kind: "any shape" if row.most == 1 else "with broadcasting" for kind, row in ROWS.items()},
    "Conv": f"{_IMAGES}; constant weights and bias; any group, strides, dilations, pads, auto_pad",
    "ConvTranspose": f"{_IMAGES}; any attributes; constant weights and bias; a convolution for each phase",
    "Gemm": f"any attributes; bias constant or computed; {_CONSTANT}",
    "MatMul": f"vectors, matrices and stacks of them; {_CONSTANT}",
    "BatchNormalization": "inference; statistics constant, and then merged into the product before it, or computed",
    "LRN": _IMAGES,
    "RNN": _RECURRENT,
    "GRU": f"{_RECURRENT}; linear_before_reset",
    "LSTM": f"{_RECURRENT}; constant peepholes, input_forget",
    "MaxPool": f"{_IMAGES}; any attributes; indices, too",
    "AveragePool": f"{_IMAGES}; any attributes",
    "Softmax": f"any shape and axis; {_HALF}; runs on one core",
    "LogSoftmax": f"any shape and axis; {_HALF}",
    "Hardmax": "any shape and axis",
    "LayerNormalization": f"any axis; scale and bias constant or computed; mean and deviation as outputs, too; {_HALF}",
    "RMSNormalization": f"any axis; scale constant or computed; {_HALF}",
    "GroupNormalization": f"{_IMAGES}; scale and bias constant or computed; from operator set 21 on; {_HALF}",
    "InstanceNormalization": f"{_IMAGES}; scale and bias constant or computed; {_HALF}",
    "MeanVarianceNormalization": "any axes",
    "LpNormalization": f"any axis; p 1 and 2; {_HALF}",
    "GlobalAveragePool": _IMAGES,
    "GlobalMaxPool": _IMAGES,
    **dict.fromkeys(REDUCTIONS, "constant axes, any of them"),
    "ReduceMean": "constant axes, any of them; over rows and columns of an image it is a pooling",
    "ArgMax": "any axis",
    "ArgMin": "any axis",
    "TopK": "constant k; any axis",
    "OneHot": "constant depth; any axis",
    "Attention": "rank 3 or 4; masks, caches, windows, softcap, all outputs, grouped heads",
    "Einsum": f"any equation; {_CONSTANT}",
    "ConvInteger": f"{_IMAGES}; {_BYTES}; zero points constant or computed",
    "MatMulInteger": f"{_FACTOR}; zero points constant or computed",
    "QLinearConv": f"{_IMAGES}; {_BYTES}; scales and zero points constant or computed; {_EXACT}",
    "QLinearMatMul": f"{_FACTOR}; scales and zero points constant or computed; {_EXACT}",
    "QuantizeLinear": f"{_QUANTISED}; to int8, uint8, int16 or uint16",
    "DequantizeLinear": _QUANTISED,
    "DynamicQuantizeLinear": "any shape",
    "RotaryEmbedding": "any form of input; caches and positions constant or computed",
    "Sum": "any number of operands, as additions from left to right",
    **{row.onnx: _ALONE for row in ACTIVATIONS.values()},
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
    "Slice": "constant bounds and steps, which may be negative",
    "Expand": "constant shape",
    "Tile": "constant repeats",
    **dict.fromkeys(
        ("Gather", "GatherElements", "GatherND"), "indices constant or computed; one that is outside traps"
    ),
    "Scatter": "as ScatterElements",
    **dict.fromkeys(
        ("ScatterElements", "ScatterND"), "indices constant or computed; all reductions; one outside traps"
    ),
    "DepthToSpace": "both modes",
    "SpaceToDepth": "both modes",
    "Pad": "all modes; constant pads, which may be negative; a constant or computed value",
    "Where": "broadcasting",
    "Trilu": "constant or computed k",
    "Cast": "between all types of the machine; fractions and high bits are cut off",
    "CastLike": "as Cast",
    "QGemm": f"{_BYTES}; any attributes; {_EXACT}",
    "DynamicQuantizeMatMul": _BYTES,
    "MatMulIntegerToFloat": _BYTES,
    "QLinearAdd": f"{_FIXED}; {_NEAR}",
    "QLinearMul": _FIXED,
    "QLinearConcat": _FIXED,
    "QLinearWhere": _FIXED,
    "QLinearLeakyRelu": _FIXED,
    "QLinearSigmoid": f"{_FIXED}; {_NEAR}",
    "QLinearSoftmax": f"{_FIXED}; {_NEAR}",
    "QLinearAveragePool": f"{_FIXED}; no channels_last; {_NEAR}",
    "QLinearGlobalAveragePool": f"{_FIXED}; no channels_last",
    "QAttention": "refused, with what to do: leave attention out of quantising",
    "ArrayFeatureExtractor": "indices constant or computed; one that is outside traps",
    "LinearClassifier": f"{_SAMPLES}; all transforms; integer labels, label and scores",
    "LinearRegressor": f"{_SAMPLES}; all transforms; one target is transformed by PROBIT alone, as in onnxruntime",
    "Normalizer": f"{_SAMPLES}; MAX, L1 and L2",
    "Scaler": _SAMPLES,
    "CumSum": "constant axis; exclusive, reverse; one pass over the axis",
    "Resize": "constant scales, sizes and roi; all modes; linear and cubic interpolation on crossbars",
    "Upsample": "as Resize",
}
