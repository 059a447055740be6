"""How to draw nodes that move elements or reduce them: operator -> what adds one to a random graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st
from random_histories import any_shape, with_ones
from random_rows import ALL, FLOATS, NUMBERS, Row

if TYPE_CHECKING:
    from random_graphs import Graph


def transpose(g: Graph, kind: str) -> None:
    """By a permutation, or the default one."""
    a = g.pick(ALL)
    perm = g.draw(st.permutations(range(g.array(a).ndim)))
    g.add(kind, [a], **({"perm": perm} if g.integer(0, 4) and perm else {}))


def reshape(g: Graph, kind: str) -> None:
    """To another shape with as many elements; one size may be left open."""
    a = g.pick(ALL)
    shape = g.array(a).shape
    dims = [*(with_ones(g, shape) if g.choice(True, False) else any_shape(g, g.array(a).size))]
    if dims and g.choice(True, False):
        dims[g.integer(0, len(dims) - 1)] = -1
    g.add(kind, [a, g.integers(*dims)])


def flatten(g: Graph, kind: str) -> None:
    """At any axis."""
    a = g.pick(ALL)
    g.add(kind, [a], axis=g.integer(-g.array(a).ndim, g.array(a).ndim))


def squeeze(g: Graph, kind: str) -> None:
    """Some dimensions of size 1, or all."""
    a = g.pick(ALL)
    ones = [axis for axis, dim in enumerate(g.array(a).shape) if dim == 1]
    g.add(kind, [a, g.integers(*ones[: g.integer(1, len(ones))])] if ones and g.choice(True, False) else [a])


def unsqueeze(g: Graph, kind: str) -> None:
    """One or two further dimensions."""
    a = g.pick(ALL, 0, 4)
    rank = g.array(a).ndim
    count = 1 if rank == 4 else g.integer(1, 2)
    axes = sorted({g.integer(0, rank + count - 1) for _ in range(count)})
    if axes[-1] <= rank + len(axes) - 1:
        g.add(kind, [a, g.integers(*axes)])


def concat(g: Graph, kind: str) -> None:
    """Tensors that differ along the axis only."""
    a = g.pick(ALL, 1)
    axis, shape = g.axis(a), list(g.array(a).shape)
    others = []
    for _ in range(g.integer(0, 2)):
        shape[axis] = g.integer(1, 4)
        others.append(g.fresh(str(g.array(a).dtype), shape))
    g.add(kind, [*others[1:], a, *others[:1]], axis=axis)


def split(g: Graph, kind: str) -> None:
    """Two or three parts of any size."""
    a = g.pick(ALL, 1)
    axis = g.axis(a)
    size = g.array(a).shape[axis]
    if size > 1:
        at = sorted({g.integer(1, size - 1) for _ in range(g.integer(1, 2))})
        sizes = np.diff([0, *at, size]).tolist()
        g.add(kind, [a, g.integers(*sizes)], len(sizes), axis=axis)


def slices(g: Graph, kind: str) -> None:
    """A range along some axes, with any step."""
    a = g.pick(ALL, 1)
    axes = g.axes(a, 1)
    shape = g.array(a).shape
    steps = [g.choice(1, 1, 2, -1, -2) for _ in axes]
    starts, ends = [], []
    for axis, step in zip(axes, steps, strict=True):
        low, high = sorted((g.integer(0, shape[axis]), g.integer(0, shape[axis])))
        low, high = (low, high) if low < high else (0, shape[axis])
        starts.append(low if step > 0 else high - 1)
        ends.append(high if step > 0 else (low - 1 if low else -(1 << 31)))
    g.add(kind, [a, *(g.integers(*values) for values in (starts, ends, axes, steps))])


def pad(g: Graph, kind: str) -> None:
    """Up to two elements at each end, in every mode."""
    a = g.pick(ALL, 1)
    mode = str(g.choice("constant", "constant", "edge", "reflect", "wrap"))
    shape = g.array(a).shape
    most = [2 if mode == "constant" else max(0, min(2, dim - 1)) for dim in shape] * 2
    pads = [g.integer(0, size) for size in most]
    value = [g.constant(g.content(str(g.array(a).dtype), ()))] if mode == "constant" and g.choice(True, False) else []
    g.add(kind, [a, g.integers(*pads), *value], mode=mode)


def tile(g: Graph, kind: str) -> None:
    """Once to three times along each dimension."""
    a = g.pick(ALL, 1)
    g.add(kind, [a, g.integers(*(g.integer(1, 3) for _ in g.array(a).shape))])


def expand(g: Graph, kind: str) -> None:
    """Dimensions of size 1 grow, and further ones come before."""
    a = g.pick(ALL, 0, 4)
    shape = [g.integer(1, 4) if dim == 1 else dim for dim in g.array(a).shape]
    g.add(kind, [a, g.integers(*([g.integer(1, 3)] if g.choice(True, False) else []), *shape)])


def gather(g: Graph, kind: str) -> None:
    """Constant or computed indices, negative ones too."""
    a = g.pick(ALL, 1)
    axis = g.axis(a)
    size = g.array(a).shape[axis]
    shape = g.array(a).shape if kind == "GatherElements" else g.shape(0, 2, 4)
    indices = np.asarray(g.random.integers(-size, size, shape)).astype(str(g.choice("int64", "int32")))
    g.add(kind, [a, g.constant(indices) if g.choice(True, False) else g.input(indices)], axis=axis)


def blocks(g: Graph, kind: str) -> None:
    """Blocks of 2 x 2 pixels."""
    a = g.fresh(str(g.choice("float32", "uint8")), (1, 4 * g.integer(1, 2), 2 * g.integer(1, 2), 4), constant=False)
    mode = {"mode": g.choice("DCR", "CRD")} if kind == "DepthToSpace" else {}
    g.add(kind, [a], blocksize=2, **mode)


def trilu(g: Graph, kind: str) -> None:
    """Either triangle of matrices, from any diagonal."""
    a = g.pick(ALL, 2)
    g.add(kind, [a, *([g.constant(g.integer(-2, 2), "int64")] if g.choice(True, False) else [])], upper=g.choice(0, 1))


# What a reduction makes at most of all magnitudes.
MOST_OF = {"ReduceProd": lambda array: np.maximum(array, 1).prod(), "ReduceSumSquare": lambda array: (array**2).sum()}


def reduction(g: Graph, kind: str) -> None:
    """Over some axes, or all, with or without keeping them."""
    exact = kind in ("ReduceMax", "ReduceMin")
    logarithm, bytes_too = "Log" in kind, (*NUMBERS, "bool")
    types = FLOATS if logarithm or kind == "ReduceL2" else bytes_too if exact else (*FLOATS, "int32", "int64")
    a = g.pick(types, 1, exact=kind == "ReduceLogSum")
    array, axes = g.array(a), g.axes(a)
    most = MOST_OF.get(kind)
    if most and array.dtype.kind == "i" and most(np.abs(array.astype(np.float64))) > np.iinfo(array.dtype).max:
        return  # onnxruntime's integers do not wrap there
    operands = [a, g.integers(*axes)] if axes or g.choice(True, False) else [a]
    g.add(kind, operands, exact=exact, keepdims=g.choice(0, 1), noop_with_empty_axes=g.choice(0, 0, 1))


def arg(g: Graph, kind: str) -> None:
    """Of exact numbers; of equal ones the first or the last."""
    a = g.pick(("float32", "int32", "int8", "uint8"), 1, exact=True)
    attributes = {"keepdims": g.choice(0, 1), "select_last_index": g.choice(0, 1)}
    g.add(kind, [a], axis=g.axis(a), **attributes)


def like(g: Graph, kind: str) -> None:
    """To the type of another tensor, as far as `cast` does so."""
    a = g.pick(("int32", "uint8", "bool"))
    g.add(kind, [a, g.pick(("float32", "int64", "int32", "bool"))])


def scattered(g: Graph, kind: str) -> None:
    """Updates at indices that all differ along the axis, or are added."""
    a = g.pick(("float32", "int32", "int64"), 1, 4)
    axis, array = g.axis(a), g.array(a)
    count = g.integer(1, array.shape[axis])
    shape = list(array.shape)
    shape[axis] = count
    indices = np.argsort(g.random.random(array.shape), axis=axis).take(range(count), axis=axis)
    index = g.constant(indices, "int64") if g.choice(True, False) else g.input(indices.astype(np.int64))
    how = {"reduction": g.choice("none", "add", "mul", "max", "min")} if kind == "ScatterElements" else {}
    g.add(kind, [a, index, g.fresh(str(array.dtype), shape)], axis=axis, **how)


def by_tuples(g: Graph, kind: str) -> None:
    """Indices of the first one or two dimensions; those to scatter to all differ."""
    a = g.pick(("float32", "int32", "int64"), 1, 4)
    array = g.array(a)
    depth = g.integer(1, min(2, array.ndim))
    places = np.argwhere(np.ones(array.shape[:depth], np.bool_))
    chosen = g.random.permutation(places)[: g.integer(1, len(places))]
    index = g.constant(chosen, "int64") if g.choice(True, False) else g.input(chosen.astype(np.int64))
    updates = [g.fresh(str(array.dtype), (len(chosen), *array.shape[depth:]))] if kind == "ScatterND" else []
    g.add(kind, [a, index, *updates])


def one_hot(g: Graph, kind: str) -> None:
    """Indices within the depth, negative ones too."""
    depth = g.integer(1, 5)
    indices = np.asarray(g.random.integers(-depth, depth, g.shape(0, 3, 4)))
    values = g.constant([g.integer(-3, 0), g.integer(1, 3)], str(g.choice("float32", "int32", "int64")))
    index = g.input(indices.astype(np.int64))
    g.add(kind, [index, g.constant([depth], "int64"), values], axis=g.integer(-indices.ndim - 1, indices.ndim))


def cumulative(g: Graph, kind: str) -> None:
    """From either end, with or without the element itself."""
    a = g.pick(("float32", "int32", "int64"), 1)
    attributes = {"exclusive": g.choice(0, 1), "reverse": g.choice(0, 1)}
    g.add(kind, [a, g.constant(g.axis(a), "int64")], exact=False, **attributes)


def top(g: Graph, kind: str) -> None:
    """The largest or the smallest, of exact numbers."""
    a = g.pick(("float32", "int32", "int64"), 1, exact=True)
    axis = g.axis(a)
    count = g.constant([g.integer(1, g.array(a).shape[axis])], "int64")
    g.add(kind, [a, count], 2, axis=axis, largest=g.choice(0, 1), sorted=1)


MOVES: Mapping[str, Row] = {
    "Transpose": transpose,
    "Reshape": reshape,
    "Flatten": flatten,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Concat": concat,
    "Split": split,
    "Slice": slices,
    "Pad": pad,
    "Tile": tile,
    "Expand": expand,
    **dict.fromkeys(("Gather", "GatherElements"), gather),
    **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), blocks),
    "Trilu": trilu,
    **dict.fromkeys(
        (
            *("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2"),
            *("ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"),
        ),
        reduction,
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), arg),
    "CastLike": like,
    "ScatterElements": scattered,
    **dict.fromkeys(("GatherND", "ScatterND"), by_tuples),
    "OneHot": one_hot,
    "CumSum": cumulative,
    "TopK": top,
}
