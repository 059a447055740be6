"""Random nests with their operands: any maps, types, bodies and reductions."""

from math import prod

import numpy as np
from hypothesis import strategies as st

from compiler.nests.body import BodyStep, NestBody
from compiler.nests.linear import Linear
from compiler.nests.nest import Nest
from emu.isa.dtypes import DType

_TYPES = (DType.f32, DType.i32, DType.i64, DType.u8, DType.i8)
_TWO = ("add", "sub", "mul", "max", "min")


@st.composite
def linears(draw, sizes):
    """An index of some dimensions, none of whose values is negative."""
    dims = draw(st.sets(st.integers(0, len(sizes) - 1), max_size=2)) if sizes else set()
    index = Linear.of(0, {dim: draw(st.sampled_from([1, 1, 1, 2, -1])) for dim in dims})
    low, _ = index.range(sizes)
    return index.plus(draw(st.integers(0, 2)) - low)


@st.composite
def targets(draw, sizes, parallel):
    """Indices that meet each element of the result once, and its shape: some with dimensions as digits."""
    dims = draw(st.permutations([dim for dim, kind in enumerate(parallel) if kind]))
    indices, shape = [], []
    while dims:
        count = draw(st.sampled_from([1, 1, 1, 2]))
        factors, unit = {}, 1
        for dim in dims[:count]:
            factors[dim] = unit
            unit *= sizes[dim]
        indices.append(Linear.of(0, factors))
        shape.append(unit)
        dims = dims[count:]
    for place in draw(st.lists(st.integers(0, len(indices)), max_size=1)):
        indices.insert(place, Linear())
        shape.insert(place, 1)
    return tuple(indices), tuple(shape)


@st.composite
def bodies(draw, types, dimensions, result):
    """Steps that end in a value of type `result`."""
    kinds, steps = list(types), []

    def add(fn, dtype, args=(), number=0):
        steps.append(BodyStep(fn, dtype, tuple(args), number))
        kinds.append(dtype)
        return len(kinds) - 1

    def as_result(value):
        return value if kinds[value] == result else add("cast", result, [value])

    used = [as_result(value) for value in range(len(types))]
    if dimensions and draw(st.booleans()):
        used.append(as_result(add("index", DType.i64, (), draw(st.integers(0, dimensions - 1)))))
    if draw(st.booleans()):
        used.append(add("constant", result, (), 3 if not result.is_float else 1.5))
    total = used[0]
    for value in used[1:]:
        total = add(draw(st.sampled_from(_TWO)), result, [total, value])
    if draw(st.booleans()):
        mask = add("lt", DType.bool, [total, used[-1]])
        total = add("select", result, [mask, total, used[0]])
    if not steps and len(types) != 1:
        add("add", result, [total, total])
    return NestBody(tuple(steps))


@st.composite
def nests(draw):
    """(nest, operands, (shape, type)) as `nest_programs` takes them."""
    sizes = tuple(draw(st.lists(st.integers(1, 5), max_size=5)))
    reducing = draw(st.booleans()) and sizes
    parallel = tuple(not reducing or draw(st.booleans()) for _ in sizes)
    target, shape = draw(targets(sizes, parallel))
    result = draw(st.sampled_from(_TYPES))
    operands, maps = [], []
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    for place in range(draw(st.integers(1, 3))):
        indices = target if draw(st.booleans()) else tuple(draw(st.lists(linears(sizes), max_size=4)))
        spare = 0 if indices == target else draw(st.integers(0, 1))
        dims = shape if indices == target else tuple(index.range(sizes)[1] + 1 + spare for index in indices)
        dtype = draw(st.sampled_from(_TYPES))
        array = rng.integers(-9 if dtype not in (DType.u8,) else 0, 10, dims).astype(dtype.numpy)
        kind = "input" if place == 0 else draw(st.sampled_from(["input", "constant", "turned"]))
        if (draw(st.booleans()) and place == 0) or kind == "turned":
            kind = draw(turned(dims))
        operands.append((array, kind))
        maps.append(indices)
    body = draw(bodies([DType.of(array.dtype) for array, _ in operands], len(sizes), result))
    exact = ["add", "max", "min", *(["mul"] if not result.is_float else [])]  # products of many floats are not
    combine = draw(st.sampled_from(exact)) if not all(parallel) else ""
    return Nest(sizes, parallel, tuple(maps), target, body, combine), operands, (shape, result)


@st.composite
def products(draw):
    """As `nests`: sums of products of two operands, whose dimensions are rows, columns, inner ones, and of both."""
    count = draw(st.integers(2, 6))
    sizes = tuple(draw(st.integers(1, 5)) for _ in range(count))
    kinds = [draw(st.sampled_from(["row", "column", "inner", "both", "inner left"])) for _ in sizes]
    parallel = tuple(not kind.startswith("inner") for kind in kinds)
    target, shape = draw(targets(sizes, parallel))
    result = draw(st.sampled_from([DType.f32, DType.i32]))
    types = [result] * 2
    if result == DType.i32 and draw(st.booleans()):
        types = [draw(st.sampled_from([DType.i8, DType.u8])) for _ in range(2)]
    steps = [BodyStep("cast", result, (place,)) for place, dtype in enumerate(types) if dtype != result]
    factors = [2, 3] if len(steps) == 2 else [0, 1]
    body = NestBody((*steps, BodyStep("mul", result, tuple(draw(st.permutations(factors))))))
    rng, operands, maps = np.random.default_rng(draw(st.integers(0, 99))), [], []
    for absent, dtype in zip((("column",), ("row", "inner left")), types, strict=True):
        dims = draw(st.permutations([dim for dim, kind in enumerate(kinds) if kind not in absent]))
        indices = tuple(Linear.of(0, {dim: 1}) for dim in dims)
        array = rng.integers(0, 10, tuple(sizes[dim] for dim in dims)).astype(dtype.numpy)
        kind = draw(st.sampled_from(["input", "turned"])) if operands else "input"
        operands.append((array, draw(turned(array.shape)) if kind == "turned" else kind))
        maps.append(indices)
    return (
        Nest(sizes, parallel, tuple(maps), target, body, "add" if not all(parallel) else ""),
        operands,
        (shape, result),
    )


@st.composite
def turned(draw, dims):
    """(perm, shape) of a transpose that gives a tensor whose reshape has `dims`: axes in any order, and merged."""
    split = []
    for size in dims:
        part = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0])) if size else 1
        split += [part, size // part] if part not in (1, size) else [size]
    assert prod(split) == prod(dims)
    return tuple(draw(st.permutations(range(len(split))))), tuple(split)
