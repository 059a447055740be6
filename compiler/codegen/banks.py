"""Weights of segments: where they wait in global memory, and the instructions that write them to crossbars.

A write takes an instruction pair per half of the staging buffer, about one per crossbar, and none per row. `xbwrite`
names its first row as a number, so a loop over halves could not be one; there would be little to save.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.emission.emitter import Emitter
from compiler.emission.staging import chunks
from compiler.kernels.kernel import Kernel
from emu.errors import CompileError
from emu.image.manifest import ReadOnlySpec
from emu.isa.address import Address
from emu.isa.dtypes import DType

ALIGNMENT = 64  # bytes: the weights of each core begin at a multiple of it


@dataclass
class StoredWeights:
    """The weights of core `core` that wait in global memory from byte `begin` on, dense, one group after the other."""

    core: int
    begin: int
    size: int = 0
    make: list[Callable[[], np.ndarray]] = field(default_factory=list[Callable[[], np.ndarray]])

    def add(self, nbytes: int, make: Callable[[], np.ndarray]) -> int:
        """Keep a matrix of `nbytes`; its address."""
        address = self.begin + self.size
        self.size += nbytes
        self.make.append(make)
        return address

    @property
    def spec(self) -> ReadOnlySpec:
        """The tensor that they are, of bytes: groups may differ in type."""
        name = f"weights of core {self.core}"
        return ReadOnlySpec(name, DType.u8, (self.size,), self.begin, f"core_{self.core:04d}_weights.npy")

    def elements(self) -> np.ndarray:
        """The bytes, uint8 [size]."""
        return np.concatenate([np.ascontiguousarray(make()).reshape(-1).view(np.uint8) for make in self.make])


def align(address: int) -> int:
    """The next address at which weights of a core may begin."""
    return -(-address // ALIGNMENT) * ALIGNMENT


def declare_banks(emitter: Emitter, core: pim.CoreOp) -> dict[pim.WriteOp, list[int]]:
    """Declare the array groups of kernels of which weights are written; the groups of each write, in order.

    Raises CompileError for a write of what is no kernel, or of a kernel that is written already.
    """
    kernels = {
        op.unit.value.data: op for op in core.walk(reverse=True) if isinstance(op, Kernel) and op.unit is not None
    }
    found: dict[pim.WriteOp, list[int]] = {}
    for op in core.body.block.ops:
        if isinstance(op, pim.WriteOp):
            first = len(emitter.groups)
            with emitter.bank():
                for unit in attr.values(op.units):
                    kernel = kernels.pop(unit, None)
                    if kernel is None or not kernel.crossbars:
                        raise CompileError(
                            f"core {core.coreId.value.data} writes the weights of unit {unit}, which is no kernel with"
                            " weights, or is written already: name each such unit once"
                        )
                    with emitter.kernel(kernel):
                        kernel.declare(emitter)
            found[op] = list(range(first, len(emitter.groups)))
    return found


def emit_write(emitter: Emitter, op: pim.WriteOp, groups: list[int], stored: StoredWeights) -> None:
    """Fill the staging buffer and write what is in it, half by half."""
    staging, segment = emitter.strip(op.staging), op.segment.value.data
    for number in groups:
        held = emitter.groups[number]
        spec, row = held.spec, held.spec.cols * held.spec.weight.size
        address = stored.add(spec.rows * row, held.make)
        emitter.set_source(held.cells.node, f"weights of segment {segment}")
        for first, rows, offset in chunks(spec.rows, row, staging.nbytes):
            place = staging.at(offset=offset)
            source = Address(address + first * row)
            emitter.section.emit("ld", operands=(place, source), size=rows * row)
            emitter.section.emit("xbwrite", (spec.weight,), (place,), group=number, row=first, rows=rows)
