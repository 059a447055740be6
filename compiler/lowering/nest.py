"""Nests on tensors become nests on tiles: dimensions are cut into the axes of memory that they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import cast

from xdsl.ir import SSAValue

from compiler.dialects import onnx
from compiler.dialects.nest_forms import nest_form
from compiler.dialects.types import dtype_of
from compiler.kernels.nest import NestOp
from compiler.lowering.digits import Cuts, digits_of, refined, tile_map
from compiler.lowering.feature_map import FeatureMap, channel_last, normalised
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import Lowering
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest
from emu.program.form import CHANNEL, LEAST, OTHERS, Form, axis_names


def lower_generic(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """One layer of an operation that is a nest."""
    nest = nest_form(op)
    assert nest is not None  # or another function would lower it
    lower_nest(lowering, op, nest)


def lower_nest(lowering: Lowering, op: onnx.OnnxOp, nest: Nest) -> None:
    """One layer of what `op` is as a nest, on the tiles that its operands are, in any layout, and on its constants."""
    operands = list(op.operands)
    sources = {
        place: lowering.feature_map(op, value)
        for place, value in enumerate(operands)
        if not isinstance(value.owner, onnx.ConstantOp)
    }
    for place, source in sources.items():
        if not _separable(nest, place, source):
            sources[place] = _plain(lowering, op, source)
    form = _result_form(lowering, op, nest, sources)
    cuts = dict[int, tuple[int, ...]]()
    for place in (-1, *sources):
        indices, kept = (nest.target, form) if place < 0 else (nest.sources[place], sources[place].form)
        finer = refined(cuts, indices, kept)
        if finer is None:  # only of an operand: the result comes first
            sources[place] = _plain(lowering, op, sources[place])
        else:
            cuts = dict(finer)
    _append(lowering, op, nest, sources, form, cuts)


def _plain(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap) -> FeatureMap:
    """`source` with an axis of its own for each dimension."""
    return lowering.relayout(op, source, lowering.form(op, source.shape, channel_last(len(source.shape))))


def _separable(nest: Nest, place: int, source: FeatureMap) -> bool:
    """Whether each dimension of several axes is indexed by one counter of all of it, which can be cut as the axes are.

    A counter of its first elements alone cannot: 3 of 4 are not whole rows of 2.
    """
    return all(
        index.only is not None and nest.sizes[index.only] == size
        for index, size, axes in zip(nest.sources[place], source.shape, source.layout, strict=True)
        if len(axes) > 1
    )


# the result ---------------------------------------------------------------------------------------------------------


def _result_form(lowering: Lowering, op: onnx.OnnxOp, nest: Nest, sources: Mapping[int, FeatureMap]) -> Form:
    """The result as its largest operand stands in memory; dimensions of its own get axes that are left."""
    lowering.form(op, op.shape, channel_last(len(op.shape)))  # refused with too many dimensions
    leader = max(sources, key=lambda place: (prod(sources[place].shape), -place), default=-1)
    groups: list[str | None] = [None] * len(op.shape)
    sizes = dict[str, int]()
    for dim, index in enumerate(nest.target if sources else ()):  # of constants alone, all dimensions are its own
        place = _matching(index, op.shape[dim], nest.sources[leader], sources[leader])
        if place is not None and not set(sources[leader].layout[place]) & sizes.keys():
            groups[dim] = axes = sources[leader].layout[place]
            for axis in axes:
                sizes[axis] = sources[leader].form.size(axis) if len(axes) > 1 else op.shape[dim]
    _fill(groups, sizes, op.shape)
    layout = tuple(axes or "" for axes in groups)
    needed = max(
        (OTHERS[::-1].index(axis) + 2 for axis, size in sizes.items() if axis != CHANNEL and size > 1), default=0
    )
    extent = tuple(sizes.get(axis, 1) for axis in axis_names(max(LEAST, needed)))
    return Form(op.shape, extent, normalised(layout, extent))


def _matching(index: Linear, size: int, indices: Map, leader: FeatureMap) -> int | None:
    """The dimension of the leading operand whose axes a dimension of the result takes over; None if there is none."""
    if size == 1 or not index.factors:
        return None
    dims = {dim for dim, _ in index.factors}
    for place, other in enumerate(indices):
        axes = leader.layout[place]
        whole = index.only is not None and other.only == index.only and leader.shape[place] == size
        if axes and (whole or (len(axes) == 1 and dims & {dim for dim, _ in other.factors})):
            return place
    return None


def _fill(groups: list[str | None], sizes: dict[str, int], shape: Sequence[int]) -> None:
    """Give each dimension without axes one that is left: the channels to the last one, then W, H and so on."""
    spare = [axis for axis in (CHANNEL, *OTHERS[::-1]) if axis not in sizes]
    for dim in reversed(range(len(shape))):
        if groups[dim] is None and shape[dim] != 1:
            groups[dim] = axis = spare.pop(0)
            sizes[axis] = shape[dim]


# the layer ----------------------------------------------------------------------------------------------------------


def _append(
    lowering: Lowering,
    op: onnx.OnnxOp,
    nest: Nest,
    sources: Mapping[int, FeatureMap],
    form: Form,
    cuts: Cuts,
) -> None:
    digits = digits_of(nest.sizes, cuts)
    values = [part.value for part in digits]
    constants = [place for place in range(len(nest.sources)) if place not in sources]
    arrays = [_array(lowering, op.operands[place]) for place in constants]
    maps = [tile_map(nest.sources[place], source.form, digits) for place, source in sources.items()]
    maps += [tuple(index.substituted(values) for index in nest.sources[place]) for place in constants]
    order = [*sources, *constants]
    places = [order.index(place) for place in range(len(order))]
    tiled = replace(
        nest,
        sizes=tuple(size for part in digits for _, size, _ in part.parts),
        parallel=tuple(kind for part, kind in zip(digits, nest.parallel, strict=True) for _ in part.parts),
        sources=tuple(maps),
        target=tile_map(nest.target, form, digits),
        body=nest.body.renumbered(places, len(order)).with_indices(len(order), values),
    )
    target = lowering.target(op, form)
    builder = LayerBuilder(lowering.into, op.node.data)
    inputs = [builder.tensor(source) for source in sources.values()]
    described = NestOp.described(
        tiled, [(key, dtype_of(op.operands[place])) for key, place in zip(arrays, constants, strict=True)]
    )
    (made,) = builder.typed(NestOp, inputs, [(target.tile, dtype_of(op.result))], described, target.epilogue)
    lowering.finish(builder, target, made)


def _array(lowering: Lowering, value: SSAValue) -> str:
    """The key of a constant operand."""
    return cast(onnx.ConstantOp, value.owner).key.data
