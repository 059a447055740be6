"""Which function lowers which operator to layers: a new operator is one new row."""

from __future__ import annotations

from collections.abc import Callable

from compiler.dialects import indexed, integer, onnx
from compiler.dialects.nest import GenericOp
from compiler.dialects.nest_forms import ELEMENTWISE
from compiler.dialects.recurrent import RecurrentOp
from compiler.lowering.activations import ACTIVATIONS
from compiler.lowering.conv_transpose import lower_conv_transpose
from compiler.lowering.indexed import lower_arg, lower_gather, lower_put, lower_topk
from compiler.lowering.lowering import Lowering
from compiler.lowering.matrix import lower_conv, lower_gemm, lower_matmul
from compiler.lowering.nest import lower_generic
from compiler.lowering.pointwise import lower_activation, lower_lrn, lower_softmax
from compiler.lowering.pool import (
    lower_average_pool,
    lower_global_average_pool,
    lower_global_max_pool,
    lower_max_pool,
    refuse_mean,
)
from compiler.lowering.recurrent import lower_recurrent
from compiler.lowering.scan import lower_cumsum
from compiler.lowering.shape import lower_concat, lower_pad, lower_reshape, lower_split, lower_transpose

LOWERINGS: dict[type, Callable[[Lowering, onnx.OnnxOp], None]] = {
    GenericOp: lower_generic,
    indexed.GatherOp: lower_gather,
    indexed.PutOp: lower_put,
    indexed.ArgOp: lower_arg,
    indexed.TopKOp: lower_topk,
    onnx.ConvOp: lower_conv,
    integer.ConvOp: lower_conv,
    integer.MatMulOp: lower_matmul,
    onnx.ConvTransposeOp: lower_conv_transpose,
    onnx.GemmOp: lower_gemm,
    onnx.MatMulOp: lower_matmul,
    onnx.MaxPoolOp: lower_max_pool,
    onnx.AveragePoolOp: lower_average_pool,
    onnx.GlobalAveragePoolOp: lower_global_average_pool,
    onnx.GlobalMaxPoolOp: lower_global_max_pool,
    onnx.ReduceMeanOp: refuse_mean,
    onnx.ConcatOp: lower_concat,
    onnx.FlattenOp: lower_reshape,
    onnx.ReshapeOp: lower_reshape,
    onnx.SqueezeOp: lower_reshape,
    onnx.UnsqueezeOp: lower_reshape,
    onnx.TransposeOp: lower_transpose,
    onnx.SplitOp: lower_split,
    onnx.PadOp: lower_pad,
    onnx.SoftmaxOp: lower_softmax,
    onnx.LRNOp: lower_lrn,
    RecurrentOp: lower_recurrent,
    onnx.CumSumOp: lower_cumsum,
    **dict.fromkeys(ELEMENTWISE, lower_generic),
    **dict.fromkeys(ACTIVATIONS, lower_activation),
}
