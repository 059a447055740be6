"""Kernel `interleave`: tiles whose pixels stand at every n-th place of one tile, as the phases of a convolution do."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.parts import PlacesAttr, RangesAttr
from compiler.dialects.verifying import verify_channels
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.axis_cut import AxisCut, part_of, same_channels
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from compiler.kernels.shapes import verify_array, verify_axes, verify_counts
from compiler.kernels.windows import axis_steps, sweep
from emu.isa.dtypes import ALL, DType
from emu.program.form import Box


@irdl_op_definition
class InterleaveOp(Kernel):
    """Pixel p of input i becomes pixel `origins[i] + p * strides` of the output; what no input covers is `bias`, or 0.

    `origins` hold, for each input, a number per axis but the channels; `strides` hold one per axis. `bias` is a key
    of the weight store, [channel] of the whole tensor, of which the output has `channels`.
    """

    name = "kernel.interleave"
    DTYPES: ClassVar[frozenset[DType]] = ALL
    origins = prop_def(PlacesAttr)
    strides = prop_def(DenseArrayBase)
    channels = prop_def(RangesAttr)
    bias = opt_prop_def(StringAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Channels of the output, and pixels that it has room for."""
        verify_counts(inputs, outputs)
        verify_axes(inputs, outputs)
        verify_channels(self.channels, self.outputs)
        *sizes, channels = outputs[0]
        places = self.origins.data
        if len(places) != len(inputs) or any(len(at) != len(sizes) or min(at) < 0 for at in places):
            raise VerifyException(f"origins must hold {len(inputs)} places of {len(sizes)} numbers from 0 on")
        for index, (shape, origin) in enumerate(zip(inputs, self.origins.data, strict=True)):
            axes = zip(origin, shape[:-1], attr.values(self.strides), strict=True)
            last = [at + (size - 1) * stride for at, size, stride in axes]
            if shape[-1] != channels or any(at >= size for at, size in zip(last, sizes, strict=True)):
                raise VerifyException(f"input {index} ends at {last}, beyond the output {list(outputs[0])}")

    def verify_arrays(self, weights: WeightStore) -> None:
        """A bias for all channels."""
        if self.bias is not None:
            verify_array("a bias", weights.get(self.bias.data), (self.channels.whole[1],))

    def cut_channels(self, low: int, high: int) -> AxisCut:
        """The same channels of all inputs."""
        first = self.channels.whole[0]
        boxes = same_channels(self.input_shapes, low, high).boxes
        return AxisCut(boxes, {"channels": RangesAttr(((first + low, first + high),))})

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut | None:
        """The pixels that stand there, of the inputs that have some; None if none has."""
        stride, boxes, origins = attr.values(self.strides)[axis], list[Box | None](), list[Shape]()
        for shape, origin in zip(self.input_shapes, self.origins.data, strict=True):
            begin = max(0, -((origin[axis] - low) // stride))
            end = min(shape[axis], -((origin[axis] - high) // stride))
            boxes.append(part_of(shape, axis, begin, end) if begin < end else None)
            if begin < end:
                place = origin[axis] + begin * stride - low
                origins.append((*origin[:axis], place, *origin[axis + 1 :]))
        return AxisCut(boxes, {"origins": PlacesAttr(tuple(origins))}) if origins else None

    def row_maps(self) -> list[RowMap]:
        """The rows that stand at the rows of the output."""
        per = attr.values(self.strides)[0]
        return [
            RowMap(shape[0], before=origin[0], per=per)
            for shape, origin in zip(self.input_shapes, self.origins.data, strict=True)
        ]

    @property
    def _covered(self) -> bool:
        return sum(map(prod, self.input_shapes)) == prod(self.output_shapes[0])

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The biases [1][1][channel], if any pixel is nothing but them."""
        if self.bias is None or self._covered:
            return []
        low, high = self.channels.whole
        return [weights.get(self.bias.data)[None, None, low:high]]

    def emit(self, emitter: Emitter) -> None:
        """What nothing covers, then the copies, then the activations."""
        inputs, (out,) = emitter.operands(self)
        if not self._covered:
            self._fill(emitter, out)
        strides, shape, nbytes = attr.values(self.strides), self.output_shapes[0], out.channels * out.word
        single, moves = axis_steps(shape, out.word), axis_steps(shape, out.word, strides)
        for source, given, origin in zip(inputs, self.input_shapes, self.origins.data, strict=True):
            top = origin[0] + source.rows.first * strides[0] - out.rows.first
            offset = sum(at * step for at, step in zip(origin[1:], single[1:], strict=True))
            for row, size in blocks(source.height, [(source, 0, 1), (out, top, strides[0])]):
                with sweep(emitter, size, given[1:-1], axis_steps(given, source.word), moves) as (of, to):
                    target = out.at(*to, row=top + row * strides[0], offset=offset)
                    emitter.copy(target, source.at(*of, row=row), nbytes)
        for row, size in out.blocks():
            emit_epilogue(emitter, self.activations, out.at(row=row), size * out.width * out.channels)

    def _fill(self, emitter: Emitter, out: Strip) -> None:
        shape, biases = self.output_shapes[0], emitter.strips(self.constants)
        for row, size in out.blocks():
            if not biases:
                emitter.fill(out.at(row=row), 0, size * out.row)
            for bias in biases:
                with sweep(emitter, size, shape[1:-1], axis_steps(shape, out.word)) as (to,):
                    emitter.copy(out.at(*to, row=row), bias.at(), out.channels * out.word)
