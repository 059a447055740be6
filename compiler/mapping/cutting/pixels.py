"""The older scheme of lowering convolutions: every output pixel is a product, and a value, of its own.

Channel-wise, one operation makes a whole channel tile, however large the image is; here the number of operations grows
with the pixels. Crossbars and cores are the same: all pixels of a compute share its array groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import cast

from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.boxes import BoxesAttr, FormsAttr
from compiler.dialects.parts import parts
from compiler.dialects.types import dtype_of
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.body import BodyBuilder
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.kernels.vadd import VAddOp
from emu.program.form import Box, Form

Place = tuple[int, ...]  # of a pixel in its tile: a number per axis but the channels, in the order of memory
Places = Mapping[Place, SSAValue]
ONE_UNIT = attr.integer(0)  # of the pixels of one compute


@dataclass(frozen=True, slots=True)
class _Source:
    """A box of the tile `value`, from `start` on, of `sizes`, that stands at `origin` of a kernel's input."""

    value: SSAValue
    origin: tuple[int, ...]
    start: tuple[int, ...]
    sizes: tuple[int, ...]

    def at(self, place: Place) -> Place | None:
        """Where in the tile a pixel of the kernel's input is from; None if it is not from there."""
        inside = tuple(at - first for at, first in zip(place, self.origin[:-1], strict=True))
        if any(not 0 <= at < size for at, size in zip(inside, self.sizes[:-1], strict=True)):
            return None
        return tuple(at + first for at, first in zip(inside, self.start[:-1], strict=True))


class Pixels:
    """Makes new operations of the computes of a module, one after another; `into` has them."""

    def __init__(self) -> None:
        self.into = Block()
        self._whole: dict[SSAValue, SSAValue] = {}  # tiles that stay whole: what they are now
        self._pixels: dict[SSAValue, Places] = {}  # tiles of which each pixel is a value now

    def add(self, op: Operation) -> None:
        """Append what becomes of an operation on tiles."""
        if isinstance(op, spat.OutputOp):
            self._output(op)
        elif not isinstance(op, spat.ComputeOp):
            copy = op.clone()
            self.into.add_op(copy)
            self._whole.update(zip(op.results, copy.results, strict=True))
        elif (made := self._products(op) or self._sums(op)) is not None:
            self._split(op, *made)
        else:
            self._as_it_is(op)

    # computes ---------------------------------------------------------------------------------------------------

    def _products(self, compute: spat.ComputeOp) -> tuple[BodyBuilder, list[list[SSAValue]]] | None:
        """The body with one product per pixel, and its results: per tile, per pixel; None for any other compute."""
        *before, kernel = _kernels(compute)
        if not isinstance(kernel, ApplyFiltersOp | ApplyBlocksOp) or prod(kernel.output_shapes[0][:-1]) <= 1:
            return None
        boxes: dict[SSAValue, ConcatOp] = {
            op.made[0]: op for op in before if isinstance(op, ConcatOp) and not op.activations
        }
        outside = [value for value in kernel.inputs if value not in boxes]
        outside += [value for op in boxes.values() for value in op.inputs]
        if len(boxes) < len(before) or not all(isinstance(value, BlockArgument) for value in outside):
            return None
        if _yields(compute) != list(kernel.made):
            return None
        builder, (*sizes, _) = BodyBuilder(), kernel.output_shapes[0]
        fields = [_Field(self, compute, value, boxes.get(value)) for value in kernel.inputs]
        ones = attr.ints([1] * len(sizes))
        properties = {**kernel.properties, "strides": ones, "dilations": ones, "unit": ONE_UNIT}
        results = [((*ones_of(sizes), shape[-1]), kernel.dtype) for shape in kernel.output_shapes]
        made: list[list[SSAValue]] = [[] for _ in results]
        for place in product(*map(range, sizes)):
            windows = [field.window(builder, _taps(kernel, place)) for field in fields]
            for found, value in zip(made, builder.typed(type(kernel), windows, results, properties), strict=True):
                found.append(value)
        return builder, made

    def _sums(self, compute: spat.ComputeOp) -> tuple[BodyBuilder, list[list[SSAValue]]] | None:
        """The same for one sum of two tiles of which every pixel is a value."""
        kernels, tiles = _kernels(compute), [self._pixels.get(value) for value in compute.tiles]
        if len(kernels) != 1 or not isinstance(kernels[0], VAddOp) or None in tiles or len(tiles) > 2:
            return None
        (kernel,), builder, made = kernels, BodyBuilder(), list[SSAValue]()
        (*sizes, channels), arguments = kernel.output_shapes[0], [cast(BlockArgument, v).index for v in kernel.inputs]
        for place in product(*map(range, sizes)):
            pair = [builder.argument(cast(Places, tiles[index])[place]) for index in arguments]
            made.append(builder.kernel(VAddOp, pair, (*ones_of(sizes), channels), kernel.properties))
        return builder, [made]

    def _split(self, compute: spat.ComputeOp, builder: BodyBuilder, made: Sequence[Sequence[SSAValue]]) -> None:
        """Append a compute that yields every pixel of its tiles."""
        tensors, forms, boxes = list[Attribute](), list[Form | None](), list[Box]()
        places = [list(product(*map(range, attr.shape_of(value)[:-1]))) for value in compute.outputs]
        for index, box in enumerate(compute.boxes.data):
            tensors += [compute.tensors.data[index]] * len(places[index])
            forms += [compute.forms.data[index]] * len(places[index])
            for place in places[index]:
                boxes.append(_pixel_of(box, place))
        properties: dict[str, Attribute] = {
            **compute.properties,
            "tensors": type(compute.tensors)(tensors),  # type: ignore[arg-type]
            "forms": FormsAttr(tuple(forms)),
            "boxes": BoxesAttr(tuple(boxes)),
        }
        flat = [value for values in made for value in values]
        outputs = iter(builder.add_to(self.into, spat.ComputeOp, flat, properties))
        for value, found in zip(compute.outputs, places, strict=True):
            self._pixels[value] = {place: next(outputs) for place in found}

    def _as_it_is(self, compute: spat.ComputeOp) -> None:
        """Append the same work; pixels of a tile are put together first."""
        builder = BodyBuilder()
        inside: dict[SSAValue, SSAValue] = {}
        for argument, value in zip(compute.body.block.args, compute.tiles, strict=True):
            if value in self._pixels:
                inside[argument] = _together(builder, self._pixels[value], attr.shape_of(value))
            else:
                inside[argument] = builder.argument(self._whole[value])
        for kernel in _kernels(compute):
            builder.block.add_op(kernel.clone(inside))
        made = builder.add_to(
            self.into, spat.ComputeOp, [inside[value] for value in _yields(compute)], compute.properties
        )
        self._whole.update(zip(compute.outputs, made, strict=True))

    def _output(self, output: spat.OutputOp) -> None:
        """An output is made of pixels, where its tiles are."""
        boxes, operands = list[Box](), list[SSAValue]()
        for box, value in zip(output.boxes.data, output.tiles, strict=True):
            for place, tile in self._pixels.get(value, {}).items():
                boxes.append(_pixel_of(box, place))
                operands.append(tile)
            if value not in self._pixels:
                boxes.append(box)
                operands.append(self._whole[value])
        properties = {**output.properties, "boxes": BoxesAttr(tuple(boxes))}
        self.into.add_op(spat.OutputOp.create(operands=operands, properties=properties))

    def pixel(self, tile: SSAValue, place: Place) -> tuple[SSAValue, Place]:
        """The value that holds a pixel of a tile, and where in it."""
        if tile in self._pixels:
            return self._pixels[tile][place], ones_of(place, 0)
        return self._whole[tile], place


class _Field:
    """An input of a product: boxes of tiles, and a number between them."""

    def __init__(self, pixels: Pixels, compute: spat.ComputeOp, value: SSAValue, boxes: ConcatOp | None) -> None:
        self.pixels, self.shape, self.dtype = pixels, attr.shape_of(value), dtype_of(value)
        self.fill = {} if boxes is None or boxes.fill is None else {"fill": boxes.fill}
        inputs = [value] if boxes is None else boxes.inputs
        tiles = [compute.tiles[cast(BlockArgument, each).index] for each in inputs]
        whole = (ones_of(self.shape, 0), ones_of(self.shape, 0), self.shape)
        places = [whole] if boxes is None else boxes.parts.data
        self.sources = [_Source(tile, *place) for tile, place in zip(tiles, places, strict=True)]

    def window(self, builder: BodyBuilder, taps: Sequence[tuple[Place, Place]]) -> SSAValue:
        """The tile of one window; `taps` are its pixels: place in the window, place in the input."""
        found = [
            ((*to, source.origin[-1]), self.pixels.pixel(source.value, inside), source)
            for to, place in taps
            for source in self.sources
            if (inside := source.at(place)) is not None
        ]
        *sizes, channels = (*(last + 1 for last in taps[-1][0]), self.shape[-1])
        if not found:
            return self._padding(builder, sizes)
        if len(found) == len(taps) == 1 and attr.shape_of(found[0][1][0]) == (*sizes, channels):
            return builder.argument(found[0][1][0])  # a pixel that is all of the window
        boxes = [
            (to, (*start, source.start[-1]), (*ones_of(sizes), source.sizes[-1])) for to, (_, start), source in found
        ]
        tiles = [builder.argument(value) for _, (value, _), _ in found]
        return builder.kernel(ConcatOp, tiles, (*sizes, channels), self._boxes(boxes))

    def _padding(self, builder: BodyBuilder, sizes: Sequence[int]) -> SSAValue:
        """A window that no pixel reaches: a box of a tile that is larger by a row, where a pixel stands."""
        source, channels = self.sources[0], self.shape[-1]
        value, start = self.pixels.pixel(source.value, source.start[:-1])
        below = (sizes[0], *ones_of(sizes[1:], 0), source.origin[-1])
        box = below, (*start, source.start[-1]), (*ones_of(sizes), source.sizes[-1])
        larger = (sizes[0] + 1, *sizes[1:], channels)
        tile = builder.kernel(ConcatOp, [builder.argument(value)], larger, self._boxes([box]))
        nothing, shape = ones_of(larger, 0), (*sizes, channels)
        return builder.kernel(ConcatOp, [tile], shape, self._boxes([(nothing, nothing, shape)]))

    def _boxes(self, boxes: Sequence[tuple[Sequence[int], Sequence[int], Sequence[int]]]) -> dict[str, Attribute]:
        return {"parts": parts(boxes), **self.fill}


def ones_of(axes: Sequence[int], number: int = 1) -> tuple[int, ...]:
    """The same number for every axis."""
    return (number,) * len(axes)


def _kernels(compute: spat.ComputeOp) -> list[Kernel]:
    return [op for op in compute.body.block.ops if isinstance(op, Kernel)]


def _yields(compute: spat.ComputeOp) -> list[SSAValue]:
    return [*cast(spat.YieldOp, compute.body.block.last_op).tiles]


def _taps(kernel: ApplyFiltersOp | ApplyBlocksOp, place: Place) -> list[tuple[Place, Place]]:
    """The pixels of a window: place in the window, place in the kernel's input."""
    sizes, strides, dilations = (attr.values(part) for part in (kernel.kernel, kernel.strides, kernel.dilations))
    steps = list(zip(place, strides, dilations, strict=True))
    return [
        (tap, tuple(at * stride + number * dilation for (at, stride, dilation), number in zip(steps, tap, strict=True)))
        for tap in product(*map(range, sizes))
    ]


def _together(builder: BodyBuilder, pixels: Places, shape: Sequence[int]) -> SSAValue:
    """All pixels of a tile as one tile of `shape`."""
    size, nothing = (*ones_of(shape[:-1]), shape[-1]), ones_of(shape, 0)
    boxes = [((*place, 0), nothing, size) for place in pixels]
    tiles = [builder.argument(value) for value in pixels.values()]
    return builder.kernel(ConcatOp, tiles, shape, {"parts": parts(boxes)})


def _pixel_of(box: Box, place: Place) -> Box:
    """The box of a pixel of a tile at `box`: all of its channels."""
    return (*((low + at, low + at + 1) for (low, _), at in zip(box[:-1], place, strict=True)), box[-1])
