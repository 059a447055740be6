"""Network inputs and outputs in global memory: one aligned range of bytes per box."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.boxes import BoxesAttr
from compiler.dialects.types import ELEMENTS, dtype_of, element_dtype
from emu.isa.dtypes import DType
from emu.program.form import Box, box_shape

ALIGNMENT = 64  # bytes: each tile begins at a multiple of it in global memory


class GlobalTensors:
    """The `pim.tensor` operations of a network, and the global addresses (bytes) of the tiles of inputs and outputs.

    Inputs stand first in memory, then outputs, each in the order of the operations.
    """

    def __init__(self, ops: Sequence[Operation]) -> None:
        self.ops: list[pim.TensorOp] = []
        self.inputs: dict[SSAValue, int] = {}
        self.outputs: list[tuple[spat.OutputOp, SSAValue, int]] = []  # per tile of each output
        self._end = 0
        tiles: dict[str, list[spat.InputOp]] = defaultdict(list)
        for op in ops:
            if isinstance(op, spat.InputOp):
                tiles[op.tensor.data].append(op)
        for parts in tiles.values():
            boxes = [box for part in parts for box in part.boxes.data]
            addresses = self._declare("input", parts[0], boxes, dtype_of(parts[0].tile))
            self.inputs.update((part.tile, address) for part, address in zip(parts, addresses, strict=False))
        for op in ops:
            if isinstance(op, spat.OutputOp):
                addresses = self._declare("output", op, op.boxes.data, element_dtype(op.element))
                self.outputs += [(op, tile, address) for tile, address in zip(op.tiles, addresses, strict=True)]

    def _declare(self, kind: str, op: spat.InputOp | spat.OutputOp, given: Sequence[Box], dtype: DType) -> list[int]:
        boxes = [box for box in given if prod(box_shape(box))]  # a tensor without elements stands nowhere
        addresses: list[int] = []
        for box in boxes:
            addresses.append(self._end)
            self._end += -(-prod(box_shape(box)) * dtype.size // ALIGNMENT) * ALIGNMENT
        properties: dict[str, Attribute] = {
            "kind": StringAttr(kind),
            "tensor": op.tensor,
            "form": op.form,
            "element": ELEMENTS[dtype],
            "boxes": BoxesAttr(tuple(boxes)),
            "addresses": attr.ints(addresses),
        }
        self.ops.append(pim.TensorOp.create(properties=properties))
        return addresses
