"""Contractions with constant weights: by their maps, whatever they are called, they are products or convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects import integer, onnx
from compiler.dialects.onnx import ReshapeOp, TransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, move
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.biases import bias_of
from compiler.frontend.text.bodies import TracedBody, WantedResult
from compiler.frontend.text.factors import Pair, pair_of
from compiler.frontend.text.reductions import TextReduction
from compiler.frontend.text.scalars import truncated
from compiler.frontend.text.windows import Slide, folded_pads, single, slides_of
from compiler.interpreter.host.values import Array
from compiler.nests.expression import Value, cast
from compiler.nests.linear import Linear, Map
from emu.isa.dtypes import DType


def multiplied(wanted: WantedResult, reduction: TextReduction, before: Array | None = None) -> SSAValue | None:
    """The product on crossbars that a reduction is; None if it is none, or has operands that they do not take.

    With `before`, which stands in its result, as its bias; None if it cannot be that.
    """
    if reduction.combine != "add":
        return None
    pair = pair_of(wanted.reader, wanted.node, wanted.traced, reduction.value)
    roles = None if pair is None else _roles_of(wanted.traced, pair, wanted.target)
    if pair is None or roles is None:
        return None
    wide, bias = reduction.value.dtype, None
    if before is not None:
        plain = not roles.slides and (wide == DType.f32 or roles.stack)  # which have none
        filters = [*roles.stack, *roles.columns]
        bias = None if plain else bias_of(before, wanted.target, filters, wanted.traced.sizes, wide)
        if bias is None:
            return None
    return _Product(wanted, pair, roles, wide, bias).made()


@dataclass(frozen=True, slots=True)
class _Roles:
    """The loops: of both operands and the result, of x and it, of the weights and it, summed, and windows of x.

    `source` is the loop of each dimension of x, or its window; -1 where it is of size 1.
    """

    stack: list[int]
    rows: list[int]
    columns: list[int]
    inner: list[int]
    slides: list[Slide]
    source: list[int]
    kept: list[int]


def _roles_of(traced: TracedBody, pair: Pair, target: Map) -> _Roles | None:
    """None unless the maps are projected permutations, or windows of x."""
    sizes, parallel = traced.sizes, traced.parallel
    shape = shape_of(pair.x)
    kept = [single(index, size, sizes) for index, size in zip(pair.kept, pair.weights.shape, strict=True)]
    slides = slides_of(pair.source, shape, sizes, parallel)
    if slides is None or None in kept:
        return None
    weights = [dim for dim in kept if dim is not None and dim >= 0]
    plain = [single(index, size, sizes) for index, size in zip(pair.source, shape, strict=True)]
    singles = [dim for dim in plain if dim is not None and dim >= 0]
    windows = [dim for slide in slides for dim in (slide.out, slide.tap) if dim >= 0]
    made = [index.only for index in target if index.factors]
    used = [*singles, *windows]
    if len(set(used)) != len(used) or len(set(weights)) != len(weights) or None in made:
        return None
    if any(slide.tap >= 0 and slide.tap not in weights for slide in slides):
        return None
    if any(slide.out in weights for slide in slides):
        return None
    stack = [dim for dim in singles if parallel[dim] and dim in weights]
    inner = [dim for dim in singles if not parallel[dim]]
    rows = [dim for dim in singles if parallel[dim] and dim not in weights]
    columns = [dim for dim in weights if parallel[dim] and dim not in stack]
    known = {*singles, *windows, *weights}
    if any(size != 1 and dim not in known for dim, size in enumerate(sizes)):
        return None  # summed, or repeated, though no element changes
    if any(dim not in weights for dim in inner) or any(
        not parallel[dim] and dim not in (*inner, *(slide.tap for slide in slides)) and sizes[dim] > 1
        for dim in weights
    ):
        return None
    source = [-2 if dim is None else dim for dim in plain]
    return _Roles(stack, rows, columns, inner, slides, source, [-1 if dim is None else dim for dim in kept])


@dataclass
class _Product:
    wanted: WantedResult
    pair: Pair
    roles: _Roles
    wide: DType
    bias: Array | None

    def made(self) -> SSAValue:
        """The result, its loops in the order of the text."""
        roles = self.roles
        made, order = self._convolved() if roles.slides else self._multiplied()
        sizes = [self.wanted.traced.sizes[dim] for dim in order]
        made = self._reshaped(made, sizes, "split")
        wanted = [index.only for index in self.wanted.target if index.factors]
        wanted += [dim for dim in order if dim not in wanted]  # of size 1: nothing has them
        perm = [order.index(dim) for dim in wanted if dim in order]
        if perm != sorted(perm):
            turned = [sizes[axis] for axis in perm]
            made = self._emit(TransposeOp, [made], turned, {"perm": perm}, "turned")
        made = self._reshaped(made, self.wanted.shape, "shaped")
        return self._as_wide(made)

    def _as_wide(self, made: SSAValue) -> SSAValue:
        """Sums of int32 in the type of the text."""
        wide = self.wide
        if dtype_of(made) == wide:
            return made

        def write(value: Value) -> Value:
            return cast(value, wide) if wide.size > value.dtype.size else truncated(value, wide)

        return elementwise(self.wanted.node, self.wanted.reader.scope, [made], write, self.wanted.named("wrapped"))

    # products -----------------------------------------------------------------------------------------------------

    def _multiplied(self) -> tuple[SSAValue, list[int]]:
        roles, sizes = self.roles, self.wanted.traced.sizes
        simple = not roles.stack and len(roles.inner) == 1 and roles.rows
        x = self._source([*roles.stack, *roles.rows, *roles.inner], self.pair.x)
        counts = [prod(sizes[dim] for dim in group) for group in (roles.stack, roles.rows, roles.inner, roles.columns)]
        stack = counts[:1] if roles.stack else []
        rows = [sizes[dim] for dim in roles.rows] if simple else counts[1:2]
        x = self._reshaped(x, [*stack, *rows, counts[2]], "rows")
        w = self._weights([*roles.stack, *roles.inner, *roles.columns], [*stack, counts[2], counts[3]])
        kind = onnx.MatMulOp if dtype_of(x) == DType.f32 else integer.MatMulOp
        dtype = DType.f32 if dtype_of(x) == DType.f32 else integer.SUM
        made = self._emit(kind, [x, w, *self._biases()], [*stack, *rows, counts[3]], {}, "product", dtype)
        return made, [*roles.stack, *roles.rows, *roles.columns]

    def _convolved(self) -> tuple[SSAValue, list[int]]:
        roles, sizes = self.roles, self.wanted.traced.sizes
        groups, channels, filters = (prod(sizes[d] for d in g) for g in (roles.stack, roles.inner, roles.columns))
        samples = prod(sizes[dim] for dim in roles.rows)
        x, low, high = folded_pads(self.wanted.reader, self.pair.x, roles.slides, self.pair.zero)
        x, low, high = self._cropped(x, low, high)
        if not all(shape_of(x)):  # windows that meet nothing but what was put around
            x, low, high = self._cropped(self.pair.x, [0] * len(low), [0] * len(high))
        x = self._source([*roles.rows, *roles.stack, *roles.inner], x)
        image = [shape_of(x)[len(shape_of(x)) - len(roles.slides) + at] for at in range(len(roles.slides))]
        x = self._reshaped(x, [samples, groups * channels, *image], "image")
        taps = [slide.tap for slide in roles.slides]
        kernel = [sizes[tap] if tap >= 0 else 1 for tap in taps]
        order = [*roles.stack, *roles.columns, *roles.inner, *(tap for tap in taps if tap >= 0)]
        weights = self._weights(order, [groups * filters, channels, *kernel])
        properties = {
            "kernel_shape": kernel,
            "strides": [slide.stride for slide in roles.slides],
            "dilations": [slide.dilation for slide in roles.slides],
            "pads": [*low, *high],
            "group": groups,
        }
        outs = [sizes[slide.out] if slide.out >= 0 else 1 for slide in roles.slides]
        floats = dtype_of(x) == DType.f32
        kind = onnx.ConvOp if floats else integer.ConvOp
        made = self._emit(
            kind,
            [x, weights, *self._biases()],
            [samples, groups * filters, *outs],
            properties if floats else {**properties, "fill": 0},
            "product",
            DType.f32 if floats else integer.SUM,
        )
        order = [*roles.rows, *roles.stack, *roles.columns, *(slide.out for slide in roles.slides if slide.out >= 0)]
        return made, order

    def _cropped(self, x: SSAValue, low: list[int], high: list[int]) -> tuple[SSAValue, list[int], list[int]]:
        """The elements that windows meet, where there are more."""
        sizes, shape = self.wanted.traced.sizes, list(shape_of(x))
        begin = [0] * len(shape)
        for place, slide in enumerate(self.roles.slides):
            needed = slide.span(sizes)
            offset = slide.offset - low[place]
            if offset > 0:
                begin[slide.axis] = offset
            low[place] = max(0, -offset)
            within, left = needed - low[place], shape[slide.axis] - begin[slide.axis]
            high[place] = max(0, within - left)
            if begin[slide.axis] or left - within >= slide.stride:
                shape[slide.axis] = max(0, within - high[place])
        if shape != list(shape_of(x)):
            source = tuple(Linear.dim(axis).plus(at) for axis, at in enumerate(begin))
            x = move(self.wanted.node, self.wanted.reader.scope, x, source, shape, self.wanted.named("cropped"))
        return x, low, high

    # operands -----------------------------------------------------------------------------------------------------

    def _source(self, order: Sequence[int], x: SSAValue) -> SSAValue:
        """x with its loops in `order`, then the axes of windows."""
        source = self.roles.source
        axes = [source.index(dim) for dim in order] + [slide.axis for slide in self.roles.slides]
        single = [axis for axis, dim in enumerate(source) if dim == -1]
        perm = [*single, *axes]
        shape = shape_of(x)
        if perm != sorted(perm):
            x = self._emit(TransposeOp, [x], [shape[axis] for axis in perm], {"perm": perm}, "order")
        return self._reshaped(x, [shape[axis] for axis in axes], "axes") if single else x

    def _weights(self, order: Sequence[int], shape: Sequence[int]) -> SSAValue:
        """The weights with their loops in `order`, as `shape`."""
        kept, array = self.roles.kept, self.pair.weights
        present = [dim for dim in order if dim in kept]
        single = [axis for axis, dim in enumerate(kept) if dim not in present]
        turned = array.transpose([*single, *(kept.index(dim) for dim in present)])
        made = self.wanted.reader.derived(turned, tuple(shape), lambda: np.ascontiguousarray(turned).reshape(shape))
        return self.wanted.reader.constant(made, self.wanted.node, "weights")

    def _biases(self) -> list[SSAValue]:
        """The bias, if there is one."""
        return [] if self.bias is None else [self.wanted.reader.constant(self.bias, self.wanted.node, "bias")]

    def _reshaped(self, x: SSAValue, shape: Sequence[int], part: str) -> SSAValue:
        while isinstance(owner := x.owner, ReshapeOp) and owner.node.data.startswith(f"{self.wanted.node.name}/"):
            x = owner.operands[0]  # of one that is made here and not needed then
        return x if shape_of(x) == tuple(shape) else self._emit(ReshapeOp, [x], shape, {}, part)

    def _emit(
        self,
        kind: type[onnx.OnnxOp],
        operands: Sequence[SSAValue],
        shape: Sequence[int],
        properties: dict[str, int | list[int]],
        part: str,
        dtype: DType | None = None,
    ) -> SSAValue:
        dtype = dtype or dtype_of(operands[0])
        scope = self.wanted.reader.scope
        return scope.emit(kind, self.wanted.node, operands, shape, dict(properties), self.wanted.named(part), dtype)
