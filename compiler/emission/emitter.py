"""Emits the instructions of one core: loops over pixels, addresses of buffers, array groups, source map."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.blame import about
from compiler.basis.limits import MAX_INSTRUCTIONS
from compiler.basis.origin import ElementOrigin
from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.kernel import KernelOp
from compiler.dialects.rows import Rows, rows_of
from compiler.dialects.types import dtype_of
from compiler.emission.strip import Strip
from emu.errors import CompileError
from emu.image.cells import Cells
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import OWN, GroupSpec
from emu.program.program import Source


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of an array group, made only when they are written."""

    spec: GroupSpec
    make: Callable[[], Array]  # [rows, cols]
    cells: Cells  # which element of the network each is


class _Section(SectionBuilder):
    """Refuses to become larger than any network's programs, wherever the instructions come from."""

    def __init__(self, room: int, place: Callable[[], str]) -> None:
        super().__init__()
        self._room, self._place = room, place

    def emit(
        self,
        name: str,
        types: Sequence[DType] = (),
        operands: Sequence[Address] = (),
        flags: Sequence[str] = (),
        **fields: float,
    ) -> int:
        if len(self) >= self._room:
            raise CompileError(
                f"{self._place()}: the programs become more than {MAX_INSTRUCTIONS} instructions, for which there is "
                "no time: a kernel over so many positions, or so many rows, is not supported"
            )
        return super().emit(name, types, operands, flags, **fields)


class Emitter:
    """Appends instructions to `section`; collects array groups and sources."""

    def __init__(self, weights: WeightStore, room: int = MAX_INSTRUCTIONS) -> None:
        """`room` is the number of instructions that may be emitted."""
        self.weights = weights
        self.section = _Section(room, self._place)
        self.groups: list[Weights] = []
        self.sources: list[Source] = []
        self._source_index: dict[Source, int] = {}
        self._shared: dict[tuple[int, int], int] = {}  # group by kernel and its place in the kernel
        self._unit: tuple[int, int] | None = None  # the kernel whose instance is emitted, and its groups so far
        self._bank = OWN  # the next crossbar of the bank, while groups that stand there are declared
        self._loop, self._trips = -1, 1  # the loop over instances
        self._dtype = DType.f32  # of what the kernel makes
        self._input = DType.f32  # of what it reads

    def _place(self) -> str:
        """The node whose instructions are emitted."""
        source = self.section.source
        return f"node {self.sources[source].node}" if source >= 0 else "the network"

    def set_source(self, node: str, part: str = "") -> None:
        """The instructions that follow come from `node`."""
        source = Source(node, part)
        if source not in self._source_index:
            self._source_index[source] = len(self.sources)
            self.sources.append(source)
        self.section.source = self._source_index[source]

    def strip(self, value: SSAValue, rows: Rows | None = None) -> Strip:
        """Rows of a memref value, by default all of it; its allocation must have an address."""
        owner = cast(pim.AllocOp | pim.ConstantOp, value.owner)
        if owner.address is None:
            raise CompileError("buffers have no addresses: run the pass allocate-buffers before")
        depth, *middle, channels = attr.shape_of(value)
        rows, dtype = rows or Rows(0, 0, depth, depth), dtype_of(value)
        return Strip(owner.address.value.data, depth, prod(middle), channels, rows, dtype, self._loop, self._trips)

    def strips(self, values: Sequence[SSAValue]) -> list[Strip]:
        """All rows of several values."""
        return [self.strip(value) for value in values]

    def operands(self, op: KernelOp) -> tuple[list[Strip], list[Strip]]:
        """The rows of the inputs and outputs that an instance of a kernel works on."""
        rows = rows_of(op.rows)
        values = (*op.inputs, *op.outputs)
        strips = [self.strip(value, part) for value, part in zip(values, rows or [None] * len(values), strict=True)]
        return strips[: len(op.inputs)], strips[len(op.inputs) :]

    @contextmanager
    def instances(self, trips: int) -> Generator[None]:
        """A loop over instances of kernels and transfers: the rows of their strips advance."""
        with self.section.loop(trips) as loop:
            self._loop, self._trips = loop, trips
            yield
            self._loop, self._trips = -1, 1

    @contextmanager
    def kernel(self, op: KernelOp) -> Generator[None]:
        """Around the instructions of a kernel: instances of one kernel share their array groups."""
        assert op.node is not None  # of every kernel on buffers
        self.set_source(op.node.data, op.part.data if op.part is not None else "")
        self._unit = (op.unit.value.data, 0) if op.unit is not None else None
        self._dtype = op.dtype
        self._input = dtype_of(op.inputs[0]) if op.inputs else op.dtype
        with about(op.node.data):
            yield
        self._unit = None

    @contextmanager
    def bank(self) -> Generator[None]:
        """Groups that are declared meanwhile stand in the core's bank, from its first crossbar on."""
        self._bank = 0
        yield
        self._bank = OWN

    def group(
        self,
        row_tiles: Sequence[int],
        col_tiles: Sequence[int],
        key: str,
        make: Callable[[Array], Array],
        cells: Callable[[ElementOrigin], Cells],
    ) -> int:
        """An array group, declared at the kernel's first instance; returns its index.

        `make` gives its matrix, out of the array `key` of the weight store, and `cells` says for the origin of that
        array where elements stand in the matrix; the node is filled in.
        """
        known = self._of_unit()
        if known is not None:
            return known
        array = self.weights.get(key)
        weight = DType.of(array.dtype)
        spec = GroupSpec(self._input, weight, self._dtype, tuple(row_tiles), tuple(col_tiles), bank=self._bank)
        if spec.shares:
            self._bank += spec.crossbars
        node, origin = self.sources[self.section.source].node, self.weights.origin(key)
        traced = origin is not None and origin.fits(array.shape)  # a text that was edited may say otherwise
        held = replace(cells(origin), node=node) if origin is not None and traced else Cells(node)
        self.groups.append(Weights(spec, lambda: make(self.weights.get(key)), held))
        return len(self.groups) - 1

    def written_group(self, spec: GroupSpec) -> int:
        """An array group in the bank, which its kernel writes itself, declared at its first instance; its index."""
        known = self._of_unit()
        if known is not None:
            return known
        node = self.sources[self.section.source].node
        empty = np.zeros((), spec.weight.numpy)
        self.groups.append(Weights(spec, lambda: np.broadcast_to(empty, (spec.rows, spec.cols)), Cells(node)))
        return len(self.groups) - 1

    def _of_unit(self) -> int | None:
        """The next group of the kernel, if another instance has declared it; else the one that follows is that."""
        unit = self._unit
        if unit is not None:
            self._unit = (unit[0], unit[1] + 1)
            if unit in self._shared:
                return self._shared[unit]
            self._shared[unit] = len(self.groups)
        return None

    @contextmanager
    def rows(self, height: int) -> Generator[int]:
        """A loop over rows; yields its index for address steps, -1 for a single row of a strip."""
        if height == 1:
            yield -1
        else:
            with self.section.loop(height) as y:
                yield y

    @contextmanager
    def pixels(self, height: int, width: int) -> Generator[tuple[int, int]]:
        """Loops over rows and columns; yields their indices for address steps."""
        with self.rows(height) as y, self.section.loop(width) as x:
            yield y, x

    def vector(self, name: str, operands: Sequence[Address], n: int) -> None:
        """A vector instruction on `n` elements of the kernel's type."""
        self.section.emit(name, (self._dtype,), operands, n=n)

    def immediate(self, name: str, operands: Sequence[Address], n: int, imm: float) -> None:
        """A vector instruction on `n` elements of the kernel's type with an immediate."""
        self.section.emit(name, (self._dtype,), operands, n=n, imm=imm)

    def product(self, out: Address, source: Address, group: int, flags: Sequence[str] = ()) -> None:
        """Multiply a vector by the matrix of an array group."""
        self.section.emit("mvmul", (self._input, self._dtype), (out, source), flags, group=group)

    def copy(self, dst: Address, src: Address, nbytes: int) -> None:
        """Copy bytes within local memory."""
        self.section.emit("lmv", operands=(dst, src), size=nbytes)

    def fill(self, dst: Address, byte: int, nbytes: int) -> None:
        """Fill bytes of local memory."""
        if nbytes:
            self.section.emit("lldi", operands=(dst,), byte=byte, size=nbytes)
