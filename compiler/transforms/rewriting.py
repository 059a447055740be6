"""What the passes over the `onnx` dialect share: the pattern pass, and access to constant operands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NoReturn, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriter, PatternRewriteWalker, RewritePattern

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.onnx import ConstantOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.session.context import CompilerContext
from emu.errors import CompileError


class PatternPass(ModulePass, ABC):
    """Applies `patterns` until none matches."""

    @abstractmethod
    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """The patterns of the pass."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        patterns = list(self.patterns(compiler_context(ctx)))
        with np.errstate(invalid="ignore", over="ignore"):  # the importer has warned of weights that are not finite
            PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(op)


def compiler_context(context: Context) -> CompilerContext:
    """The context as ours; raises TypeError for another, which has no weights for the passes to change."""
    if not isinstance(context, CompilerContext):
        raise TypeError("this pass needs a CompilerContext, which holds the weights")
    return context


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The static shape of a tensor value."""
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def weights_of(value: SSAValue | None, weights: WeightStore) -> Array | None:
    """The array of a constant value; None for anything else."""
    return weights.get(value.owner.key.data) if value is not None and isinstance(value.owner, ConstantOp) else None


def insert_constant(
    rewriter: PatternRewriter,
    name: str,
    array: Array,
    weights: WeightStore,
    of: SSAValue | None = None,
    view: Array | None = None,
) -> SSAValue:
    """Store `array` as float32 under a key like `name`, and insert its onnx.Constant before what is rewritten.

    It was made from the constant `of`, element by element: from `view`, of its array, or from all of it as it is.
    """
    array = array.astype(np.float32, copy=False)
    if of is None:
        key = weights.put(name, array)
    else:
        owner = cast(ConstantOp, of.owner)
        key = weights.derive(name, array, owner.key.data, weights.get(owner.key.data) if view is None else view)
    operation = ConstantOp.make([], TensorType(f32, array.shape), node=key, tensor=key, key=key)
    rewriter.insert(operation)
    return operation.result


def refuse(op: OnnxOp, reason: str) -> NoReturn:
    """Raise the CompileError "node 'name' (Kind) reason"."""
    raise CompileError(f"node '{op.node.data}' ({op.name.removeprefix('onnx.')}) {reason}", op.node.data)
