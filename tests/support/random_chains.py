"""Random networks of nests that read each other: elementwise, permuted, mirrored, broadcast, sliced, reduced."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from random_nests import bodies
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from compiler.dialects import attributes as attr
from compiler.dialects.nest import GenericOp
from compiler.dialects.nest_attributes import nest_properties
from compiler.dialects.onnx import ConstantOp
from compiler.nests.body import BodyStep
from compiler.nests.linear import Linear
from compiler.nests.nest import Nest
from emu.isa.dtypes import DType

TYPES = (DType.f32, DType.f32, DType.f32, DType.f16, DType.i32, DType.i8)
LONG = 1500  # a size with which a tensor has more elements than a vector of scratch; mirrored, it is slow to compile
CURVES = ("tanh", "sigmoid", "abs", "neg", "relu")


@dataclass
class Item:
    """A tensor of the network: its dimensions, as numbers of the dimensions of the space, and what makes it."""

    dims: tuple
    shape: tuple
    dtype: DType
    array: np.ndarray | None = None  # of an input or a constant
    nest: Nest | None = None
    sources: tuple = ()
    constant: bool = False


@dataclass
class Chain:
    """Tensors in order, and which of them are outputs."""

    items: list
    outputs: list

    @property
    def is_long(self):
        """Whether a tensor has a long dimension."""
        return any(LONG in item.shape for item in self.items)

    def sample(self):
        """The inputs, by name."""
        return {
            f"v{n}": item.array for n, item in enumerate(self.items) if item.array is not None and not item.constant
        }

    def module(self, weights):
        """The network, whose constants go into the weight store."""
        block, values = Block(), []
        for number, item in enumerate(self.items):
            name, kind = f"v{number}", attr.tile_type(item.shape, item.dtype)
            if item.nest is not None:
                operands = [values[place] for place in item.sources]
                op = GenericOp.make(operands, kind, node=name, tensor=name, **nest_properties(item.nest))
            elif item.constant:
                key = weights.put(name, item.array)
                op = ConstantOp.make([], kind, node=key, tensor=key, key=key)
            else:
                values.append(block.insert_arg(kind, len(block.args)))
                continue
            block.add_op(op)
            values.append(op.result)
        block.add_op(ReturnOp(*[values[number] for number in self.outputs]))
        types = FunctionType.from_lists([a.type for a in block.args], [values[number].type for number in self.outputs])
        names = [list(self.sample()), [f"v{number}" for number in self.outputs]]
        named = [ArrayAttr([DictionaryAttr({"onnx.name": StringAttr(name)}) for name in part]) for part in names]
        module = ModuleOp([FuncOp("main", types, Region(block), arg_attrs=named[0], res_attrs=named[1])])
        module.verify()
        return module


@st.composite
def chains(draw):
    """Networks of 2 to 7 nests on 1 to 3 inputs; some tensors are longer than a vector of scratch."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    if draw(st.integers(0, 4)) == 0:
        sizes[draw(st.integers(0, len(sizes) - 1))] = LONG
        sizes = sizes[:2]
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    items = [_given(draw, rng, sizes, constant=False) for _ in range(draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(2, 7))):
        if draw(st.integers(0, 3)) == 0:
            items.append(_given(draw, rng, sizes, constant=True))
        items.append(draw(_nests(sizes, items)))
    read = {place for item in items for place in item.sources}
    made = [number for number, item in enumerate(items) if item.nest is not None]
    outputs = [number for number in made if number not in read or draw(st.integers(0, 5)) == 0]
    return Chain(items, outputs)


def _given(draw, rng, sizes, constant):
    dims = tuple(draw(st.permutations(range(len(sizes)))))
    dims = dims[: draw(st.integers(0, len(dims)))] if constant or draw(st.integers(0, 3)) == 0 else dims
    shape, dtype = tuple(sizes[dim] for dim in dims), draw(st.sampled_from(TYPES))
    array = np.asarray(rng.standard_normal(shape) * 3 if dtype.is_float else rng.integers(-9, 10, shape))
    return Item(dims, shape, dtype, array.astype(dtype.numpy), constant=constant)


@st.composite
def _nests(draw, sizes, items):
    running = [number for number, item in enumerate(items) if not item.constant]
    first = draw(st.sampled_from(running[-3:]))
    sources = [first, *draw(st.lists(st.integers(0, len(items) - 1), max_size=2))]
    maps = []
    for place in sources:
        mirrored = draw(st.integers(0, 4)) == 0
        maps.append(
            tuple(
                Linear(sizes[d] - 1, ((d, -1),)) if mirrored and 1 < sizes[d] < LONG else Linear.dim(d)
                for d in items[place].dims
            )
        )
    kept = list(draw(st.permutations(range(len(sizes)))) if draw(st.integers(0, 3)) == 0 else range(len(sizes)))
    reducing = draw(st.integers(0, 3)) == 0
    if reducing:
        kept = kept[: draw(st.integers(0, len(kept) - 1))]
    result = draw(st.sampled_from(TYPES))
    body = draw(bodies([items[place].dtype for place in sources], len(sizes), result))
    if result == DType.f32 and body.steps and draw(st.booleans()):
        last = len(sources) + len(body.steps) - 1
        body = type(body)((*body.steps, BodyStep(draw(st.sampled_from(CURVES)), result, (last,))))
    combine = draw(st.sampled_from(["add", "max", "min"])) if reducing else ""
    parallel = tuple(dim in kept for dim in range(len(sizes)))
    target = tuple(Linear.dim(dim) for dim in kept)
    nest = Nest(tuple(sizes), parallel, tuple(maps), target, body, combine if not all(parallel) else "")
    return Item(tuple(kept), tuple(sizes[dim] for dim in kept), result, None, nest, tuple(sources))
