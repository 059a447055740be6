"""Network inputs and outputs in global memory: one aligned range of bytes per channel tile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from emu.isa.dtypes import DType

ALIGNMENT = 64  # bytes, of tiles in global memory


class GlobalTensors:
    """The `pim.tensor` operations of a network; `inputs` are the addresses of input tiles, `outputs` those of outputs.

    Inputs stand first, then outputs, each in the order of the operations.
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
            channels = tuple(bound for part in parts for bound in attr.values(part.channels))
            addresses = self._declare("input", parts[0], channels)
            self.inputs.update((part.tile, address) for part, address in zip(parts, addresses, strict=True))
        for op in ops:
            if isinstance(op, spat.OutputOp):
                addresses = self._declare("output", op, attr.values(op.channels))
                self.outputs += [(op, tile, address) for tile, address in zip(op.tiles, addresses, strict=True)]

    def _declare(self, kind: str, op: spat.InputOp | spat.OutputOp, channels: tuple[int, ...]) -> list[int]:
        _, height, width = attr.values(op.extent)
        addresses: list[int] = []
        for low, high in zip(channels[::2], channels[1::2], strict=True):
            addresses.append(self._end)
            size = (high - low) * height * width * DType.f32.size
            self._end += -(-size // ALIGNMENT) * ALIGNMENT
        properties: dict[str, Attribute] = {
            "kind": StringAttr(kind),
            "tensor": op.tensor,
            "shape": op.shape,
            "extent": op.extent,
            "layout": op.layout,
            "channels": attr.ints(channels),
            "addresses": attr.ints(addresses),
        }
        self.ops.append(pim.TensorOp.create(properties=properties))
        return addresses
