"""Reads a network of `spat.layer` operations as steps of a flow, with memory for every tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.kernel import KernelOp
from compiler.dialects.types import dtype_of, element_dtype
from compiler.kernels.activation import ActivationOp
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp, group_weights
from compiler.kernels.concat import ConcatOp
from compiler.kernels.nest import NestOp
from compiler.kernels.pool import PoolOp
from compiler.mop.elementwise import KINDS, Digital, Value, refuse
from compiler.mop.memory import ElementMemory, NamedArrays
from compiler.mop.runs import box_offsets, runs
from compiler.mop.steps import Elementwise, ProductStep, Step, TensorPlace, WholeTensorStep
from compiler.nests.linear import Map
from compiler.nests.nest import Nest
from emu.errors import CompileError
from emu.interop.mop.flow import NUMBERS, FlowTensor, Named, NumberFormats, Operator, OperatorBlock, Range
from emu.interop.mop.window import Window
from emu.isa.dtypes import DType

_WEIGHTS = tuple(map(np.dtype, (np.int8, np.uint8, np.float32)))
MAX_RUNS = 1 << 20  # moves of one layer
_WORDS: Mapping[type[Operation], str] = {ApplyBlocksOp: "grouped convolutions"}  # kernels that are called otherwise


class NetworkReading:
    """One reading: the places of values so far, steps, arrays, inputs and outputs."""

    def __init__(self, module: ModuleOp, weights: WeightStore) -> None:
        self.weights, self.memory, self.arrays = weights, ElementMemory(), NamedArrays()
        self.steps: list[Step] = []
        self.inputs: list[FlowTensor] = []
        self.outputs: list[FlowTensor] = []
        self.numbers = numbers_of(module)
        self._module = module
        self._places: dict[SSAValue, TensorPlace] = {}
        self._kernels: Mapping[type[Operation], Callable[[str, KernelOp], None]] = {
            ApplyFiltersOp: self._product,
            PoolOp: self._pool,
            ConcatOp: self._concat,
            NestOp: self._nest,
            ActivationOp: self._activation,
        }

    def read(self) -> NetworkReading:
        """Itself, after all operations; raises CompileError for what flows cannot say, by its node."""
        for op in self._module.ops:
            if isinstance(op, spat.InputOp):
                self._places[op.tile] = place = self.memory.place(attr.shape_of(op.tile))
                self.inputs.append(self._tensor(op, dtype_of(op.tile), place))
            elif isinstance(op, spat.LayerOp):
                self._layer(op)
            elif isinstance(op, spat.JoinOp):
                self._join(op)
            elif isinstance(op, spat.OutputOp):
                place = self._places[op.tiles[0]] if len(op.tiles) else self.memory.place((0,))
                self.outputs.append(self._tensor(op, element_dtype(op.element), place))
        return self

    def _tensor(self, op: spat.InputOp | spat.OutputOp, dtype: DType, place: TensorPlace) -> FlowTensor:
        kind = "input" if isinstance(op, spat.InputOp) else "output"
        self._check(f"{kind} '{op.tensor.data}'", dtype)
        return FlowTensor(op.tensor.data, dtype, op.form.data, place.address)

    def _check(self, what: str, dtype: DType) -> None:
        """Refuse elements that the flow's numbers cannot be."""
        if dtype not in KINDS or dtype.is_float != self.numbers.element.is_float:
            raise CompileError(
                f"{what} has elements {dtype.numpy.name}, but the flow computes with {self.numbers.name} numbers:"
                " all tensors must be float32, or integers of at most 32 bits"
            )

    # layers -----------------------------------------------------------------------------------------------------

    def _layer(self, op: spat.LayerOp) -> None:
        """The kernels of a layer; an argument of its body is the tensor that it is given."""
        node = op.node.data
        self._places.update(zip(op.body.block.args, map(self._places.__getitem__, op.tiles), strict=True))
        kernels = [item for item in op.body.block.ops if isinstance(item, KernelOp)]
        pads = [item for item in kernels[:-1] if isinstance(item, ConcatOp)]
        for kernel in kernels:
            for made in kernel.made:
                self._check(f"node '{node}'", dtype_of(made))
            if kernel in pads and all(isinstance(use.operation, ApplyFiltersOp) for use in kernel.made[0].uses):
                continue  # padding is part of the windows
            if type(kernel) not in self._kernels:
                refuse(node, _WORDS.get(type(kernel), kernel.name.removeprefix("kernel.")))
            self._kernels[type(kernel)](node, kernel)
        last = op.body.block.last_op
        assert isinstance(last, spat.YieldOp)  # the verifier demands it
        self._places.update(zip(op.outputs, map(self._places.__getitem__, last.tiles), strict=True))

    def _digital(self, node: str) -> Digital:
        return Digital(node, self.memory, self.arrays)

    def _blocks(self, node: str, operators: Sequence[Operator], parallel: bool) -> None:
        if len(operators) > MAX_RUNS:
            refuse(node, f"a move of elements in {len(operators)} pieces")
        together = parallel and len(operators) > 1
        blocks = (
            [OperatorBlock(tuple(operators), True)]
            if together
            else [OperatorBlock((operator,)) for operator in operators]
        )
        self.steps.append(WholeTensorStep((blocks[0]._replace(comment=node), *blocks[1:])))

    def _followed(self, node: str, made: TensorPlace, followers: Sequence[Elementwise]) -> None:
        """Operators on elements of `made`: in the code segments of the product that they follow, if that is one."""
        before = self.steps[-1] if self.steps else None
        if isinstance(before, ProductStep) and _fit(before, followers, made, self.arrays.arrays):
            before.tail += followers
            return
        self._blocks(node, [follower.on(0, made.sizes) for follower in followers], parallel=False)

    def _epilogue(self, node: str, kernel: KernelOp, made: TensorPlace) -> TensorPlace:
        """The place of what a kernel makes after its activations."""
        if not kernel.activations:
            return made
        target = self.memory.place(made.sizes)
        self._followed(node, made, self._digital(node).activations(made.address, target, kernel.activations))
        return target

    def _product(self, node: str, kernel: KernelOp) -> None:
        op = cast(ApplyFiltersOp, kernel)
        filters = self.weights.get(op.weights.data)
        window, source = self._window(node, op)
        matrix = group_weights(filters, (0, window.width), 0, filters.shape[1], 0, window.rows)
        if filters.dtype not in _WEIGHTS:
            refuse(node, f"weights of {filters.dtype}: 8 bits or float32")
        named = self.arrays.put(op.weights.data, matrix)
        made = self.memory.place(attr.shape_of(op.made[0]))
        layer = "Conv" if window.sizes else "Gemm"
        self.steps.append(ProductStep(node, source, replace(window, weights=named), made, layer))
        if op.bias is not None:
            bias = self.arrays.put(op.bias.data, self.weights.get(op.bias.data))
            self._followed(node, made, [Elementwise("add", (made.address, bias), made.address)])
        self._places[op.made[0]] = self._epilogue(node, op, made)

    def _window(self, node: str, op: ApplyFiltersOp) -> tuple[Window, int]:
        """The windows of a product over the tensor as it stands in memory, and the address of that."""
        value, fill = op.inputs[0], 0
        axes = len(attr.shape_of(value)) - 1
        pad, channels = (0,) * axes, Range(0, attr.shape_of(value)[-1])
        if isinstance(value.owner, ConcatOp):
            concat = value.owner
            if len(concat.inputs) != 1:
                refuse(node, "a product of several tensors")
            ((origin, start, size),) = concat.parts.data
            value, pad = concat.inputs[0], tuple(origin[:-1])
            fill = int(concat.fill.value.data) if isinstance(concat.fill, IntegerAttr) else 0
            if any(start[:-1]) or tuple(size[:-1]) != attr.shape_of(value)[:-1]:
                refuse(node, "a product of a part of a tensor")
            channels = Range(start[-1], start[-1] + size[-1])
        *sizes, pitch = self._places[value].sizes
        *places, width = attr.shape_of(op.made[0])
        kernel, strides, dilations = (attr.values(part) for part in (op.kernel, op.strides, op.dilations))
        dense = all(step == 1 for step, taps in zip(dilations, kernel, strict=True) if taps > 1)
        everything = dense and kernel == tuple(sizes) and prod(places) == 1 and not any(pad)
        if everything and channels == (0, pitch):
            rows = prod(sizes) * pitch
            window = Window((), rows, Range(0, rows), (), width, Range(0, width), (), (), (), ())
        else:
            window = Window(
                tuple(sizes), pitch, channels, tuple(places), width, Range(0, width),
                kernel, strides, dilations, pad, fill,
            )  # fmt: skip
        return window, self._places[value].address

    def _pool(self, node: str, kernel: KernelOp) -> None:
        op = cast(PoolOp, kernel)
        source, made = self._places[op.inputs[0]], self.memory.place(attr.shape_of(op.made[0]))
        strides, pads = attr.values(op.strides), attr.values(op.pads)
        *sizes, channels = source.sizes
        include = bool(op.count_include_pad.value.data)
        ends = zip(sizes, made.sizes, strides, attr.values(op.kernel), attr.values(op.dilations), strict=False)
        beyond = any(
            (places - 1) * stride + (taps - 1) * dilation >= size + pads[axis] + pads[axis + len(sizes)]
            for axis, (size, places, stride, taps, dilation) in enumerate(ends)
        )
        if op.kind.data == "average" and (include and beyond):
            refuse(node, "a mean that counts padding, of windows that reach beyond it")
        name = {"max": "MaxPool", "average": "AveragePool"}[op.kind.data]
        whole = Range(0, channels)
        window = Window(
            tuple(sizes), channels, whole, made.sizes[:-1], channels, whole,
            attr.values(op.kernel), strides, attr.values(op.dilations), pads[: len(sizes)], count_pads=include,
        )  # fmt: skip
        self._blocks(node, [Operator(name, (window.params(), source.address, made.address))], parallel=False)
        self._places[op.made[0]] = self._epilogue(node, op, made)

    def _activation(self, node: str, kernel: KernelOp) -> None:
        self._places[kernel.made[0]] = self._epilogue(node, kernel, self._places[kernel.inputs[0]])

    # moves ------------------------------------------------------------------------------------------------------

    def _moves(self, node: str, parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        """Moves of elements from addresses to addresses, as many as there are runs."""
        moves = [
            Operator("mov", (source, target, length))
            for sources, targets in parts
            for source, target, length in runs(sources, targets)
        ]
        self._blocks(node, moves, parallel=True)

    def _concat(self, node: str, kernel: KernelOp) -> None:
        op = cast(ConcatOp, kernel)
        made, parts, covered = self.memory.place(attr.shape_of(op.made[0])), list[tuple[np.ndarray, np.ndarray]](), 0
        for value, (origin, start, size) in zip(op.inputs, op.parts.data, strict=True):
            source = self._places[value]
            sources = box_offsets(source.sizes, tuple(start), tuple(size)) + source.address
            parts.append((sources, box_offsets(made.sizes, tuple(origin), tuple(size)) + made.address))
            covered += prod(size)
        if covered < made.size:
            number = op.fill.value.data if isinstance(op.fill, IntegerAttr | FloatAttr) else 0
            self._blocks(node, [Operator("fill", (made.address, number, made.size))], parallel=False)
        self._moves(node, parts)
        self._places[op.made[0]] = self._epilogue(node, op, made)

    def _join(self, op: spat.JoinOp) -> None:
        made, at, parts = self.memory.place(attr.shape_of(op.whole)), 0, list[tuple[np.ndarray, np.ndarray]]()
        for value in op.parts:
            source = self._places[value]
            start = (*(0,) * (len(source.sizes) - 1), at)
            sources = np.arange(source.address, source.address + source.size)
            parts.append((sources, box_offsets(made.sizes, start, source.sizes) + made.address))
            at += source.sizes[-1]
        self._moves("Concat", parts)
        self._places[op.whole] = made

    # nests ------------------------------------------------------------------------------------------------------

    def _nest(self, node: str, kernel: KernelOp) -> None:
        op = cast(NestOp, kernel)
        nest, tiles = op.nest, [self._places[value] for value in op.inputs]
        made = self.memory.place(attr.shape_of(op.made[0]))
        if not all(nest.parallel):
            refuse(node, f"a reduction by {nest.combine}")
        if not nest.body.steps and tiles and nest.sources[0] != nest.target:
            points = _points(nest, nest.target, made.sizes)
            order = np.argsort(points)
            sources = _points(nest, nest.sources[0], tiles[0].sizes)[order] + tiles[0].address
            self._moves(node, [(sources, points[order] + made.address)])
        else:
            sources = self._sources(node, op, nest, tiles, made)
            self._followed(node, made, self._digital(node).body(nest.body, sources, op.element_types, made))
        self._places[op.made[0]] = self._epilogue(node, op, made)

    def _sources(
        self, node: str, op: NestOp, nest: Nest, tiles: Sequence[TensorPlace], made: TensorPlace
    ) -> list[Value]:
        """The operands of a nest over elements: tensors in the order of the result, arrays laid out as it is."""
        for place, indices in zip(tiles, nest.sources, strict=False):
            if indices != nest.target or place.sizes != made.sizes:
                refuse(node, "tensors that broadcast or change their order")
        values: list[Value] = [place.address for place in tiles]
        for key, indices in zip(op.arrays or (), nest.sources[len(tiles) :], strict=True):
            array = self.weights.get(key.data)
            order = np.argsort(_points(nest, nest.target, made.sizes))
            elements = array.reshape(-1)[_points(nest, indices, array.shape)[order]]
            values.append(self.arrays.put(key.data, _period(elements, made)))
        return values


def numbers_of(module: ModuleOp) -> NumberFormats:
    """What a flow of the network computes with: float32 if its weights, or else its inputs, are floats."""
    products = [dtype_of(op.made[0]) for op in module.walk() if isinstance(op, ApplyFiltersOp)]
    inputs = [dtype_of(op.tile) for op in module.ops if isinstance(op, spat.InputOp)]
    first = (*products, *inputs, DType.f32)[0]
    return NUMBERS["float32" if first.is_float else "int8"]


def _points(nest: Nest, indices: Map, sizes: Sequence[int]) -> np.ndarray:
    """The offset in a dense tensor of `sizes` that each point of a nest has, in the order of the points."""
    total, step = np.zeros((1,) * len(nest.sizes), np.int64), 1
    for index, size in zip(reversed(indices), reversed(tuple(sizes)), strict=True):
        total = total + index.constant * step
        for dim, factor in index.factors:
            shape = [1] * len(nest.sizes)
            shape[dim] = -1
            total = total + (np.arange(nest.sizes[dim]) * (factor * step)).reshape(shape)
        step *= size
    return np.broadcast_to(total, nest.sizes).reshape(-1)


def _period(array: Array, made: TensorPlace) -> Array:
    """The shortest array that, repeated, is `array`: of one element, of the channels, of a row, ..., or all of it."""
    length = 1
    for size in (1, *reversed(made.sizes)):
        length *= size
        if np.array_equal(np.broadcast_to(array[:length], (len(array) // length, length)).reshape(-1), array):
            return np.ascontiguousarray(array[:length])
    return array


def _fit(
    product: ProductStep, followers: Sequence[Elementwise], made: TensorPlace, arrays: Mapping[str, Array]
) -> bool:
    """Whether operators on all elements of `made` can be applied to a few results of the product at a time."""
    chain = {product.target.address, *(follower.target for follower in product.tail)}
    for follower in followers:
        named = [arrays[part.name].size for part in follower.sources if isinstance(part, Named)]
        if made.size != product.target.size or not chain.intersection(follower.sources):
            return False
        if any(product.columns % size for size in named):
            return False
        chain.add(follower.target)
    return True
