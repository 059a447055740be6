"""Builds the body of a `spat.layer` or `spat.compute`: operands are collected as kernels ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Block, Region, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.epilogue import Epilogue, EpilogueAttr
from compiler.dialects.parts import parts as placed
from compiler.dialects.types import dtype_of
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from emu.isa.dtypes import DType

Pads = tuple[int, ...]  # before every axis but the channels, then after every such axis; a negative one cuts off
NO_PADS: Pads = ()
Sizes = tuple[int, ...]
Part = tuple[SSAValue, Sizes, Sizes, Sizes]  # a tile made elsewhere; of a box of it origin in the whole, start, sizes


class BodyBuilder:
    """One body, and what it takes from outside; `add_to` makes the operation of it."""

    def __init__(self) -> None:
        self.block = Block()
        self._arguments: dict[SSAValue, SSAValue] = {}

    def argument(self, value: SSAValue) -> SSAValue:
        """The body's argument for a tile made elsewhere."""
        if value not in self._arguments:
            self._arguments[value] = self.block.insert_arg(value.type, len(self.block.args))
        return self._arguments[value]

    def join(self, parts: Sequence[Part], shape: Sequence[int], fill: float = 0) -> SSAValue:
        """Boxes of tiles as one tile of `shape`, which is `fill` where there is none; a tile that is all stays."""
        tile, _, _, sizes = parts[0]
        if len(parts) == 1 and tuple(sizes) == tuple(shape) == attr.shape_of(tile):
            return self.argument(tile)
        properties: dict[str, Attribute] = {"parts": placed(part[1:] for part in parts)}
        if fill:
            properties["fill"] = attr.integer(fill) if isinstance(fill, int) else attr.real(fill)
        return self.kernel(ConcatOp, [self.argument(part[0]) for part in parts], shape, properties)

    def kernel(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        shape: Sequence[int],
        properties: Mapping[str, Attribute],
        epilogue: Epilogue = (),
    ) -> SSAValue:
        """Append a kernel that makes a tile of `shape`, of elements as its inputs have them."""
        full = {**properties, "epilogue": EpilogueAttr(epilogue)} if epilogue else properties
        return self.kernels(kind, inputs, [shape], full)[0]

    def kernels(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        shapes: Sequence[Sequence[int]],
        properties: Mapping[str, Attribute],
    ) -> Sequence[SSAValue]:
        """Append a kernel with one result tile per shape."""
        return self.typed(kind, inputs, [(shape, dtype_of(inputs[0])) for shape in shapes], properties)

    def typed(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        results: Sequence[tuple[Sequence[int], DType]],
        properties: Mapping[str, Attribute],
        epilogue: Epilogue = (),
    ) -> Sequence[SSAValue]:
        """Append a kernel with one result tile per shape and element type."""
        full = {**properties, "epilogue": EpilogueAttr(epilogue)} if epilogue else dict(properties)
        types = [attr.tile_type(shape, dtype) for shape, dtype in results]
        op = kind.create(operands=inputs, result_types=types, properties=full)
        self.block.add_op(op)
        return op.made

    def add_to(
        self, into: Block, kind: type[spat.BodyOp], made: Sequence[SSAValue], properties: Mapping[str, Attribute]
    ) -> Sequence[SSAValue]:
        """Append an operation to `into` that yields `made`; returns its results."""
        self.block.add_op(spat.YieldOp(operands=[made]))
        op = kind.create(
            operands=list(self._arguments),
            result_types=[value.type for value in made],
            properties=dict(properties),
            regions=[Region(self.block)],
        )
        into.add_op(op)
        return op.outputs


def padded_box(sizes: Sequence[int], pads: Pads) -> tuple[tuple[Sizes, Sizes, Sizes], Sizes]:
    """Where a tile of `sizes` (without the channels) stands in the tile that `pads` make of it, and the sizes of that.

    That is the origin in the padded tile, the start and the sizes of what is kept.
    """
    begins, ends = (pads[: len(sizes)], pads[len(sizes) :]) if pads else ((0,) * len(sizes),) * 2
    starts = tuple(max(0, -pad) for pad in begins)
    kept = tuple(size - start + min(0, pad) for size, start, pad in zip(sizes, starts, ends, strict=True))
    origins = tuple(max(0, pad) for pad in begins)
    padded = tuple(at + size + max(0, pad) for at, size, pad in zip(origins, kept, ends, strict=True))
    return (origins, starts, kept), padded
