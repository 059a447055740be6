"""Imports RotaryEmbedding: pairs of features turned by the angle of their position (Su et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.dialects.onnx import ConcatOp, ReshapeOp
from compiler.frontend.nodes.nests import mapped, move
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of
from compiler.frontend.operators.indexing import gather
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, cast, index, select
from compiler.nests.linear import Linear, Map
from emu.isa.dtypes import FLOATS, DType

_BATCH, _TOKEN, _HEAD, _FEATURE, _PAIR = range(5)  # dimensions of the space; the last one only where pairs turn


@dataclass(frozen=True, slots=True)
class _Heads:
    """Input [batch, heads, tokens, features], or [batch, tokens, heads * features]; `turned` of the features turn."""

    shape: Shape
    batch: int
    tokens: int
    heads: int
    features: int
    turned: int
    interleaved: bool

    def at(self, feature: Linear) -> Map:
        """The element of a feature of a head."""
        batch, token, head = (Linear.dim(dim) for dim in (_BATCH, _TOKEN, _HEAD))
        if len(self.shape) == 4:
            return batch, head, token, feature
        return batch, token, Linear.of(feature.constant, {_HEAD: self.features, **dict(feature.factors)})

    def member(self, which: int | None) -> Linear:
        """The feature that is the first or second one of a pair; None: the one that dimension `_FEATURE` counts."""
        half = self.turned // 2
        pair, step = (2, 1) if self.interleaved else (1, half)
        return Linear.of(0, {_PAIR: pair, _FEATURE: step}) if which is None else Linear.of(which * step, {_PAIR: pair})


def rotary_embedding(node: Node, scope: Scope) -> SSAValue:
    """x [B,H,S,D] or [B,S,H*D]; cosines and sines [positions, D/2], or [B,S,D/2] where no positions are given."""
    x = scope.value(node)
    heads = _heads(node, shape_of(x))
    caches = [_cache(node, scope, place, heads) for place in (1, 2)]
    check_types(node, [x, *caches], FLOATS)

    def turn(first: Value, second: Value, cosine: Value, sine: Value) -> Value:
        a, b, c, s = (cast(value, DType.f32) for value in (first, second, cosine, sine))
        return cast(select(index(_FEATURE).same(0), a * c - b * s, a * s + b * c), first.dtype)

    batch, tokens, half = heads.batch, heads.tokens, heads.turned // 2
    sizes = (batch, tokens, heads.heads, 2, half)
    cache: Map = (Linear.dim(_BATCH), Linear.dim(_TOKEN), Linear.dim(_PAIR))
    maps = [heads.at(heads.member(0)), heads.at(heads.member(1)), cache, cache]
    values = [x, x, *caches]
    if heads.turned == heads.features:
        return mapped(node, scope, values, maps, turn, (heads.shape, heads.at(heads.member(None))), sizes)
    order = (_BATCH, _HEAD, _TOKEN) if len(heads.shape) == 4 else (_BATCH, _TOKEN, _HEAD)
    outer = tuple(sizes[dim] for dim in order)
    target = (*(Linear.dim(dim) for dim in order), heads.member(None))
    turned = mapped(node, scope, values, maps, turn, ((*outer, heads.turned), target), sizes, part="turned")
    rest = (*outer, heads.features - heads.turned)
    source = heads.at(Linear.dim(_FEATURE).plus(heads.turned))
    places = {dim: Linear.dim(at) for at, dim in enumerate((*order, _FEATURE))}
    kept = move(node, scope, x, tuple(place.substituted(places) for place in source), rest, "kept")
    if len(heads.shape) == 4:
        return scope.emit(ConcatOp, node, [turned, kept], heads.shape, {"axis": 3})
    joined = scope.emit(ConcatOp, node, [turned, kept], (*outer, heads.features), {"axis": 3}, "joined")
    return scope.emit(ReshapeOp, node, [joined], heads.shape)


def _heads(node: Node, shape: Shape) -> _Heads:
    """How the features of the input belong to heads."""
    count = node.integer("num_heads", 0)
    if len(shape) == 4:
        batch, heads, tokens, features = shape
    elif len(shape) == 3 and count > 0 and shape[2] % count == 0:
        batch, tokens, heads, features = *shape[:2], count, shape[2] // count
    else:
        node.refuse(f"has an input of shape {list(shape)} and num_heads {count}: four dimensions, or three and heads")
    turned = node.integer("rotary_embedding_dim", 0) or features
    if turned % 2 or not 0 < turned <= features:
        node.refuse(f"turns {turned} of {features} features: an even number of them can be")
    return _Heads(shape, batch, tokens, heads, features, turned, bool(node.integer("interleaved", 0)))


def _cache(node: Node, scope: Scope, place: int, heads: _Heads) -> SSAValue:
    """Cosines or sines of each token and pair, [B,S,D/2]: of its position where positions are given."""
    shape = (heads.batch, heads.tokens, heads.turned // 2)
    if not node.has_input(3):
        if scope.shape(node.inputs[place]) != shape:
            node.refuse(f"has a cache of shape {list(scope.shape(node.inputs[place]))}, where {list(shape)} is needed")
        return scope.value(node, place)
    table, positions = scope.shape(node.inputs[place]), scope.shape(node.inputs[3])
    if len(table) != 2 or table[1] != shape[2] or positions != shape[:2]:
        found = f"a cache {list(table)} and position_ids {list(positions)}"
        node.refuse(f"has {found}, where [positions, {shape[2]}] and {list(shape[:2])} are needed")
    taken = f"{node.outputs[0]}/cache{place}"
    inputs = node.inputs[place], node.inputs[3]
    return gather(Node(f"{node.name}/cache{place}", "Gather", inputs, (taken,), node.where), scope)


OPERATORS = {"RotaryEmbedding": rotary_embedding}
