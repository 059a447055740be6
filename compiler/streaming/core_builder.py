"""Builds the `pim.core` of one core: operations, buffers, constants once per content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.boxes import BoxesAttr, FormAttr
from emu.isa.dtypes import DType

Content = tuple[tuple[int, ...], DType, bytes]


@dataclass
class CoreBuilder:
    """The program of one core so far, and its constants by content."""

    block: Block = field(default_factory=Block)
    constants: dict[Content, SSAValue] = field(default_factory=dict[Content, SSAValue])

    def append(self, op: Operation) -> None:
        """Append an operation to the program."""
        self.block.add_op(op)

    def alloc(self, shape: Sequence[int], dtype: DType) -> SSAValue:
        """A new buffer [*shape] of elements `dtype`; the pass `allocate-buffers` gives it an address."""
        op = pim.AllocOp.create(result_types=[attr.buffer_type(shape, dtype)])
        self.append(op)
        return op.buffer

    def complete(self, compute: spat.ComputeOp, index: int, buffer: SSAValue) -> None:
        """Say that `buffer` holds all of result `index` of `compute` at this point, unless that is a partial sum."""
        tensor, form = compute.tensors.data[index], compute.forms.data[index]
        if tensor.data and form is not None:
            properties: dict[str, Attribute] = {
                "tensor": tensor,
                "form": FormAttr(form),
                "boxes": BoxesAttr((compute.boxes.data[index],)),
            }
            self.append(pim.CompleteOp.create(operands=[buffer], properties=properties))

    def constant(self, array: Array, weights: WeightStore) -> SSAValue:
        """The buffer of constant data `array`; equal arrays of a core share one."""
        data = np.ascontiguousarray(array)
        dtype = DType.of(data.dtype)
        known = (data.shape, dtype, data.tobytes())
        if known not in self.constants:
            key = StringAttr(weights.share("constant", data))
            op = pim.ConstantOp.create(result_types=[attr.buffer_type(data.shape, dtype)], properties={"key": key})
            self.append(op)
            self.constants[known] = op.buffer
        return self.constants[known]


def finish_cores(cores: Mapping[int, CoreBuilder]) -> list[pim.CoreOp]:
    """The `pim.core` operations, by ascending number, each with its halt."""
    programs: list[pim.CoreOp] = []
    for number in sorted(cores):
        core = cores[number]
        core.append(pim.HaltOp.create())
        properties: dict[str, Attribute] = {"coreId": attr.integer(number)}
        programs.append(pim.CoreOp.create(properties=properties, regions=[Region(core.block)]))
    return programs
