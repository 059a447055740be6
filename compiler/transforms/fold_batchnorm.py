"""Pass `fold-batchnorm`: BatchNormalization into the weights before it, or into a multiplication and an addition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.onnx import AddOp, BatchNormalizationOp, ConvOp, ConvTransposeOp, GemmOp, MulOp
from compiler.session.context import CompilerContext
from compiler.session.provenance import Provenance
from compiler.transforms.rewriting import PatternPass, insert_constant, refuse, shape_of, weights_of


def scale_and_shift(op: BatchNormalizationOp, weights: WeightStore) -> tuple[Array, Array]:
    """float64 vectors s, t [channels] with BatchNormalization(x) = s x + t (Ioffe & Szegedy 2015, algorithm 2).

    Raises CompileError for statistics that are not constant, or a variance that is not positive.
    """
    scale, bias, mean, variance = (array.astype(np.float64) for array in _statistics(op, weights))
    scale = scale / np.sqrt(variance + op.epsilon.value.data)
    return scale, bias - mean * scale


def _statistics(op: BatchNormalizationOp, weights: WeightStore) -> tuple[Array, Array, Array, Array]:
    """Scale, bias, mean and variance [channels]; refused unless they are constant, and the variance positive."""
    scale, bias, mean, variance = (weights_of(value, weights) for value in (op.scale, op.b, op.mean, op.var))
    if scale is None or bias is None or mean is None or variance is None:
        refuse(op, "has statistics that are computed at run time: export the model for inference")
    if (variance + op.epsilon.value.data <= 0).any():
        refuse(op, "has a variance that is not positive: the model is damaged, export it again")
    return scale, bias, mean, variance


def _rounded_scale_and_shift(op: BatchNormalizationOp, weights: WeightStore) -> tuple[Array, Array]:
    """The same as float32, rounded at each step as onnxruntime does it.

    So its results are the same bits, and what rounds them to integers gives the same integers.
    """
    scale, bias, mean, variance = (array.astype(np.float32) for array in _statistics(op, weights))
    scale = np.float32(1) / np.sqrt(variance + np.float32(op.epsilon.value.data)) * scale
    return scale, bias - mean * scale


@dataclass
class FoldIntoProducerPattern(RewritePattern):
    """Conv, ConvTranspose or Gemm that only the normalisation reads: scale its filters, move its bias."""

    weights: WeightStore
    provenance: Provenance

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormalizationOp, rewriter: PatternRewriter) -> None:
        """Replace producer and normalisation by the producer with new weights."""
        producer = op.x.owner
        if (
            not isinstance(producer, ConvOp | ConvTransposeOp | GemmOp)
            or not producer.result.has_one_use()
            or _attributes(producer)
        ):
            return
        old, bias = weights_of(producer.w, self.weights), weights_of(producer.b, self.weights)
        if old is None or (bias is None and producer.b is not None):
            return
        scale, shift = scale_and_shift(op, self.weights)
        if bias is not None:
            shift = shift + scale * bias
        name = producer.node.data
        w = insert_constant(rewriter, f"{name}.weight", _scaled(producer, old, scale), self.weights, producer.w)
        b = insert_constant(rewriter, f"{name}.bias", shift, self.weights)
        kind = TensorType(op.result.type.element_type, op.shape)
        properties = {**producer.properties, "tensor": op.tensor}
        self.provenance.fused(producer.tensor.data, op.tensor.data)
        rewriter.replace(op, type(producer).make([producer.x, w, b], kind, **properties))
        rewriter.erase(producer)


@dataclass
class ToMulAddPattern(RewritePattern):
    """A normalisation that cannot be folded: s x + t with constants that broadcast over the image."""

    weights: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormalizationOp, rewriter: PatternRewriter) -> None:
        """Replace by Mul and Add."""
        scale, shift = _rounded_scale_and_shift(op, self.weights)
        node, tensor = op.node.data, op.tensor.data
        along = (-1,) + (1,) * (len(shape_of(op.x)) - 2)
        s = insert_constant(rewriter, f"{node}.scale", scale.reshape(along), self.weights)
        t = insert_constant(rewriter, f"{node}.shift", shift.reshape(along), self.weights)
        product = MulOp.make([op.x, s], op.result.type, node=f"{node}/scale", tensor=f"{tensor}/scale")
        total = AddOp.make([product.result, t], op.result.type, node=node, tensor=tensor)
        rewriter.replace(op, [product, total])


def _scaled(producer: ConvOp | ConvTransposeOp | GemmOp, weights: Array, scale: Array) -> Array:
    """The weights of a product, those of each filter times its number of `scale`."""
    if isinstance(producer, GemmOp):  # [K, filters]
        return _rounded_product(weights, scale)
    if isinstance(producer, ConvOp):  # [filters, ...]
        return _rounded_product(weights, scale.reshape(-1, *(1,) * (weights.ndim - 1)))
    groups = producer.group.value.data  # [groups x channels, filters of a group, ...]
    split = weights.reshape(groups, -1, *weights.shape[1:])
    return _rounded_product(split, scale.reshape(groups, 1, -1, *(1,) * (weights.ndim - 2))).reshape(weights.shape)


def _rounded_product(weights: Array, scale: Array) -> Array:
    """`weights` x `scale` in float64, rounded to float32 part by part: no float64 array of their size is made."""
    made = np.empty(weights.shape, np.float32)
    return np.multiply(weights, scale, out=made, dtype=np.float64, casting="same_kind")


def _attributes(producer: ConvOp | ConvTransposeOp | GemmOp) -> bool:
    """Whether a Gemm still has attributes (alpha, transB, ...), which `normalize-gemm` folds first."""
    return isinstance(producer, GemmOp) and len(producer.properties) > 2


@dataclass(frozen=True)
class FoldBatchnormPass(PatternPass):
    """Folds each BatchNormalization into the weights before it, or makes it a product and an addition."""

    name = "fold-batchnorm"

    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """Fold where possible, else multiply and add."""
        return [FoldIntoProducerPattern(context.weights, context.provenance), ToMulAddPattern(context.weights)]
