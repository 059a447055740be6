"""Imports Attention: products of results as contractions, and everything between them as functions of elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from compiler.dialects.onnx import ConcatOp, ReshapeOp, TransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.contraction import sums_of_products
from compiler.frontend.nodes.nests import reduce, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.expression import Value, call, cast, constant, index, select
from compiler.nests.linear import Linear, Map
from emu.isa.dtypes import FLOATS, DType

_PRECISIONS: Mapping[int, DType] = {TensorProto.FLOAT: DType.f32, TensorProto.FLOAT16: DType.f16}
_QUERY, _KEY = 2, 3  # dimensions of scores


@dataclass(frozen=True, slots=True)
class _Heads:
    """Sizes: `heads` of queries, `groups` of keys and values, each for `heads // groups` neighbouring query heads."""

    batch: int
    heads: int
    groups: int
    queries: int
    keys: int
    width: int
    value_width: int

    @property
    def shared(self) -> int:
        """Query heads that use one head of keys."""
        return self.heads // self.groups


def attention(node: Node, scope: Scope) -> tuple[SSAValue, ...]:
    """softmax(cap(Q K' scale) + bias) V per head, and the keys, values and scores that it may give as well.

    onnx.ai, operator Attention: rank 3 [batch, tokens, heads * width] or rank 4 [batch, heads, tokens, width].
    """
    q, k, v = (scope.value(node, place) for place in range(3))
    extra = [scope.value(node, place) if node.has_input(place) else None for place in range(3, 7)]
    mask, past_key, past_value, valid = extra
    dtype = dtype_of(q)
    if dtype not in FLOATS or dtype_of(k) != dtype or dtype_of(v) != dtype:
        node.refuse("needs query, key and value of one floating-point type, float32 or float16: convert the model")
    flat = len(shape_of(q)) == 3
    if (past_key is None) != (past_value is None):
        node.refuse("has a past key or value without the other: give both")
    if valid is not None and past_key is not None:
        node.refuse("has past keys and a number of valid keys: give one of them")
    keys, values = k, v
    if past_key is not None and past_value is not None:
        groups = node.integer("kv_num_heads", 0) if flat else shape_of(k)[1]
        keys = _appended(node, scope, past_key, _split_heads(node, scope, k, groups, "key"), "present_key")
        values = _appended(node, scope, past_value, _split_heads(node, scope, v, groups, "value"), "present_value")
    sizes = _sizes(node, q, keys, values, flat)
    offset = shape_of(past_key)[2] if past_key is not None else 0
    scores = _Scores(node, scope, sizes, offset, mask, valid)
    wide = [
        _as(DType.f32, node, scope, x, f"{part}/wide") for x, part in ((q, "query"), (keys, "key"), (values, "value"))
    ]
    raw = _product_of_queries(node, scope, wide[0], wide[1], sizes)
    weights, shown = scores.weights(raw)
    result = _as(dtype, node, scope, _product_with_values(node, scope, weights, wide[2], sizes, flat))
    shown = None if shown is None else _as(dtype, node, scope, shown, "scores/narrow")
    made: list[SSAValue | None] = [result, None, None, None]
    for place, (value, source, role) in enumerate(((keys, k, "present_key"), (values, v, "present_value")), start=1):
        if len(node.outputs) > place and node.outputs[place]:
            made[place] = value if value is not source else _split_heads(node, scope, source, sizes.groups, role)
    made[3] = shown
    return tuple(value if value is not None else result for value in made[: len(node.outputs)])


def _as(dtype: DType, node: Node, scope: Scope, x: SSAValue, part: str = "") -> SSAValue:
    """`x` in another type: what is between inputs and outputs of float16 is in float32, and rounded once."""
    if dtype_of(x) == dtype:
        return x
    return written(node, scope, [x], lambda element: cast(element, dtype), shape_of(x), part)


def _sizes(node: Node, q: SSAValue, k: SSAValue, v: SSAValue, flat: bool) -> _Heads:
    """The sizes of all heads; refused where the shapes do not fit."""
    shapes = [shape_of(value) for value in (q, k, v)]
    heads, groups = (node.integer(name, 0) for name in ("q_num_heads", "kv_num_heads"))
    if flat and (heads < 1 or groups < 1):
        node.refuse("has inputs of rank 3, and so needs q_num_heads and kv_num_heads")
    full: list[tuple[int, ...]] = []
    for shape, count in zip(shapes, (heads, groups, groups), strict=True):
        if len(shape) == 4:
            full.append(shape)
        elif len(shape) == 3 and shape[2] % count == 0:
            full.append((shape[0], count, shape[1], shape[2] // count))
        else:
            node.refuse(f"has an input of shape {list(shape)}, which is not made of {count} heads")
    (batch, heads, queries, width), (_, groups, keys, _), (*_, value_width) = full
    fits = full[1] == (batch, groups, keys, width) and full[2] == (batch, groups, keys, value_width)
    if not fits or heads % groups:
        node.refuse(f"has query, key and value of shapes {[list(shape) for shape in shapes]}, which do not fit")
    return _Heads(batch, heads, groups, queries, keys, width, value_width)


def _split_heads(node: Node, scope: Scope, x: SSAValue, heads: int, part: str) -> SSAValue:
    """[batch, tokens, heads * width] as [batch, heads, tokens, width]."""
    shape = shape_of(x)
    if len(shape) == 4:
        return x
    split = (shape[0], shape[1], heads, shape[2] // max(1, heads))
    if math.prod(split) != math.prod(shape):
        node.refuse(f"has a {part} of shape {list(shape)}, which is not made of {heads} heads")
    rows = scope.emit(ReshapeOp, node, [x], split, part=f"{part}/heads")
    turned = [split[axis] for axis in (0, 2, 1, 3)]
    return scope.emit(TransposeOp, node, [rows], turned, {"perm": (0, 2, 1, 3)}, f"{part}/split")


def _appended(node: Node, scope: Scope, past: SSAValue, new: SSAValue, part: str) -> SSAValue:
    """What was there and what is new, along the tokens."""
    before, after = shape_of(past), shape_of(new)
    if len(before) != 4 or (*before[:2], before[3]) != (*after[:2], after[3]) or dtype_of(past) != dtype_of(new):
        node.refuse(f"has a cache of shape {list(before)}, which does not fit new entries of {list(after)}")
    shape = (*before[:2], before[2] + after[2], before[3])
    return scope.emit(ConcatOp, node, [past, new], shape, {"axis": 2}, part)


def _product_of_queries(node: Node, scope: Scope, q: SSAValue, k: SSAValue, sizes: _Heads) -> SSAValue:
    """[batch, heads, queries, keys]: the loops are batch, group, head in the group, query, key, width."""
    batch, group, _, query, key, width = (Linear.dim(dim) for dim in range(6))
    heads = Linear.of(0, {1: sizes.shared, 2: 1})
    q_map = _place(q, batch, heads, query, width, sizes.width)
    k_map = _place(k, batch, group, key, width, sizes.width)
    space = (sizes.batch, sizes.groups, sizes.shared, sizes.queries, sizes.keys, sizes.width)
    shape = (sizes.batch, sizes.heads, sizes.queries, sizes.keys)
    return sums_of_products(node, scope, (q, k), space, (q_map, k_map, (batch, heads, query, key)), shape, "scores")


def _product_with_values(
    node: Node, scope: Scope, weights: SSAValue, v: SSAValue, sizes: _Heads, flat: bool
) -> SSAValue:
    """The result in the rank of the query: the loops are batch, group, head in the group, query, width, key."""
    batch, group, _, query, width, key = (Linear.dim(dim) for dim in range(6))
    heads = Linear.of(0, {1: sizes.shared, 2: 1})
    v_map = _place(v, batch, group, key, width, sizes.value_width)
    space = (sizes.batch, sizes.groups, sizes.shared, sizes.queries, sizes.value_width, sizes.keys)
    if flat:
        columns = Linear.of(0, {1: sizes.shared * sizes.value_width, 2: sizes.value_width, 4: 1})
        shape, target = (sizes.batch, sizes.queries, sizes.heads * sizes.value_width), (batch, query, columns)
    else:
        shape, target = (sizes.batch, sizes.heads, sizes.queries, sizes.value_width), (batch, heads, query, width)
    return sums_of_products(node, scope, (weights, v), space, ((batch, heads, query, key), v_map, target), shape)


def _place(x: SSAValue, batch: Linear, head: Linear, token: Linear, inner: Linear, width: int) -> Map:
    """Where an element of a head stands in a tensor of rank 3 or 4."""
    if len(shape_of(x)) == 4:
        return (batch, head, token, inner)
    column = head.scaled(width)
    return (batch, token, Linear.of(0, dict((*column.factors, *inner.factors))))


class _Scores:
    """What is done with scores [batch, heads, queries, keys] before they weigh values."""

    def __init__(
        self, node: Node, scope: Scope, sizes: _Heads, offset: int, mask: SSAValue | None, valid: SSAValue | None
    ) -> None:
        self.node, self.scope, self.sizes, self.offset, self.valid = node, scope, sizes, offset, valid
        self.mask = None if mask is None else self._full_mask(mask)
        self.shape = (sizes.batch, sizes.heads, sizes.queries, sizes.keys)

    def _full_mask(self, mask: SSAValue) -> SSAValue:
        """The mask with a last dimension for every key: further keys are not attended."""
        shape, dtype = shape_of(mask), dtype_of(mask)
        missing = self.sizes.keys - shape[-1] if shape else 0
        if missing <= 0 or shape[-1] == 1:
            return mask
        fill = np.full((*shape[:-1], missing), False if dtype == DType.bool else -np.inf, dtype.numpy)
        rest = self.scope.weights(f"{self.node.name}/mask", fill)
        full = (*shape[:-1], self.sizes.keys)
        return self.scope.emit(ConcatOp, self.node, [mask, rest], full, {"axis": len(shape) - 1}, "mask")

    def weights(self, raw: SSAValue) -> tuple[SSAValue, SSAValue | None]:
        """The weights of the values, and the scores of the fourth output, if that is asked for."""
        node = self.node
        shown = len(node.outputs) > 3 and bool(node.outputs[3])
        mode = node.integer("qk_matmul_output_mode", 0) if shown else -1
        scale = node.real("scale", 1 / math.sqrt(self.sizes.width))
        cap = node.real("softcap", 0.0)
        stages: list[Callable[..., Value]] = [
            lambda x: x * scale,
            (lambda x: call("tanh", x / cap) * cap) if cap > 0 else (lambda x: x),
            self._biased,
        ]
        value, extra, pending = raw, dict[int, SSAValue](), list[Callable[..., Value]]()
        for stage, write in enumerate(stages):
            pending.append(write)
            if stage == mode or stage == len(stages) - 1:
                value = self._emit(value, pending, f"stage{stage}")
                extra[stage] = value
                pending = []
        weights = self._softmax(value)
        extra[3] = weights
        return weights, extra[mode] if shown else None

    def _emit(self, x: SSAValue, stages: list[Callable[..., Value]], part: str) -> SSAValue:
        others = [value for value in (self.mask, self.valid) if value is not None]
        shapes = [shape_of(value) for value in others]
        if self.valid is not None:  # [batch] as [batch, 1, 1, 1]
            wide = (self.sizes.batch, 1, 1, 1)
            others[-1] = self.scope.emit(ReshapeOp, self.node, [self.valid], wide, part=f"{part}/valid")
            shapes[-1] = wide
        for shape in shapes:
            if len(shape) > 4 or any(
                size not in (1, full) for size, full in zip(shape[::-1], self.shape[::-1], strict=False)
            ):
                self.node.refuse(f"has a mask of shape {list(shape)}, which does not broadcast to {list(self.shape)}")
        biased = stages[-1] == self._biased

        def write(element: Value, *more: Value) -> Value:
            for stage in stages:
                element = stage(element, *more) if stage == self._biased else stage(element)
            return element

        return written(self.node, self.scope, [x, *(others if biased else [])], write, self.shape, part)

    def _biased(self, x: Value, *others: Value) -> Value:
        """The mask added, and minus infinity where a key may not be attended."""
        rest = list(others)
        lowest = constant(-math.inf, x.dtype)
        if self.mask is not None:
            mask = rest.pop(0)
            x = select(mask, x, lowest) if mask.dtype == DType.bool else x + cast(mask, x.dtype)
        valid = rest.pop() if rest else None
        for allowed in self._allowed(valid):
            x = select(allowed, x, lowest)
        return x

    def _allowed(self, valid: Value | None) -> list[Value]:
        """Conditions on the positions of query and key."""
        left, right = (self.node.integer(f"{side}_window_size", -1) for side in ("left", "right"))
        key = index(_KEY)
        first = valid - self.sizes.queries if valid is not None else constant(self.offset, DType.i64)
        query = index(_QUERY) + first
        conditions: list[Value] = []
        if self.node.integer("is_causal", 0):
            conditions.append(key <= query)
        if left >= 0:
            conditions.append(query - left <= key)
        if right >= 0:
            conditions.append(key <= query + right)
        if valid is not None:
            conditions.append(key < valid)
        return conditions

    def _softmax(self, x: SSAValue) -> SSAValue:
        """Along the keys; a row without any key that may be attended becomes zeros."""
        node, scope, dtype = self.node, self.scope, dtype_of(x)
        code = node.integer("softmax_precision", 0)
        if code and code not in _PRECISIONS:
            scope.warn(f"node '{node.name}' asks for a softmax in a type that the machine lacks: it is float32")
        kind = _PRECISIONS.get(code, DType.f32) if code else dtype
        high = reduce(node, scope, x, [_KEY], "max", part="highest")
        exponent = written(
            node,
            scope,
            [x, high],
            lambda value, top: call("exp", cast(value, kind) - cast(select(top.same(-math.inf), 0.0, top), kind)),
            self.shape,
            "exponential",
        )
        total = reduce(node, scope, exponent, [_KEY], "add", part="total")
        return written(
            node,
            scope,
            [exponent, total],
            lambda value, whole: cast(value / select(whole.same(0.0), 1.0, whole), dtype),
            self.shape,
            "weights",
        )


OPERATORS = {"Attention": attention}
