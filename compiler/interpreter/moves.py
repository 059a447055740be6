"""Operations of dialect `onnx` that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from xdsl.ir import Operation

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.interpreter.world import Meaning, World


def _constant(op: onnx.ConstantOp, args: Sequence[Array], world: World) -> list[Array]:
    return [world.weights.get(op.key.data)]


def _same(op: onnx.IdentityOp, args: Sequence[Array], world: World) -> list[Array]:
    return [args[0]]


def _reshaped(op: onnx.ReshapeOp, args: Sequence[Array], world: World) -> list[Array]:
    return [args[0].reshape(op.shape)]


def _transposed(op: onnx.TransposeOp, args: Sequence[Array], world: World) -> list[Array]:
    return [args[0].transpose(attr.values(op.perm))]


def _joined(op: onnx.ConcatOp, args: Sequence[Array], world: World) -> list[Array]:
    return [np.concatenate(args, axis=op.axis.value.data)]


def _split(op: onnx.SplitOp, args: Sequence[Array], world: World) -> list[Array]:
    *ends, _ = accumulate(attr.values(op.split))
    return list(np.split(args[0], ends, axis=op.axis.value.data))


def _padded(op: onnx.PadOp, args: Sequence[Array], world: World) -> list[Array]:
    x, pads, value = args[0], attr.values(op.pads), op.value
    number: Any = value.value.data  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    befores, afters = pads[: x.ndim], pads[x.ndim :]
    kept = [slice(max(0, -low), size + min(0, high)) for low, high, size in zip(befores, afters, x.shape, strict=True)]
    around = [(max(0, low), max(0, high)) for low, high in zip(befores, afters, strict=True)]
    return [np.pad(x[tuple(kept)], around, constant_values=number)]


MEANINGS: Mapping[type[Operation], Meaning] = {
    onnx.ConstantOp: _constant,
    onnx.IdentityOp: _same,
    onnx.DropoutOp: _same,
    **dict.fromkeys((onnx.ReshapeOp, onnx.FlattenOp, onnx.SqueezeOp, onnx.UnsqueezeOp), _reshaped),
    onnx.TransposeOp: _transposed,
    onnx.ConcatOp: _joined,
    onnx.SplitOp: _split,
    onnx.PadOp: _padded,
}
