"""Emits the instructions of one core: loops over pixels, addresses of buffers, array groups, source map."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.weights import Array, WeightStore
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Source

F32 = (DType.f32,)
WORD = DType.f32.size


@dataclass(frozen=True, slots=True)
class Buffer:
    """A float32 tile [height][width][channel] at a byte address of local memory."""

    address: int
    height: int
    width: int
    channels: int

    @property
    def elements(self) -> int:
        """Number of elements."""
        return self.height * self.width * self.channels

    @property
    def nbytes(self) -> int:
        """Number of bytes."""
        return self.elements * WORD

    @property
    def row(self) -> int:
        """Bytes from one image row to the next."""
        return self.width * self.channels * WORD

    @property
    def pixel(self) -> int:
        """Bytes from one pixel to the next."""
        return self.channels * WORD

    def at(self, *steps: tuple[int, int], offset: int = 0, stride: int = 1) -> Address:
        """The address `offset` bytes in, plus (loop, bytes) steps; zero steps are left out."""
        terms = tuple(Term(loop, step) for loop, step in steps if step)
        return Address(self.address + offset, terms, stride=stride)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of an array group, made only when they are written."""

    spec: GroupSpec
    make: Callable[[], Array]  # [rows, cols]


class Emitter:
    """Appends instructions to `section`; collects array groups and sources."""

    def __init__(self, weights: WeightStore) -> None:
        self.weights = weights
        self.section = SectionBuilder()
        self.groups: list[Weights] = []
        self.sources: list[Source] = []
        self._source_index: dict[Source, int] = {}

    def set_source(self, node: str, part: str = "") -> None:
        """The instructions that follow come from `node`."""
        source = Source(node, part)
        if source not in self._source_index:
            self._source_index[source] = len(self.sources)
            self.sources.append(source)
        self.section.source = self._source_index[source]

    def buffer(self, value: SSAValue) -> Buffer:
        """The buffer of a memref value; its allocation must have an address."""
        owner = cast(pim.AllocOp | pim.ConstantOp, value.owner)
        assert owner.address is not None  # set by the pass allocate-buffers
        return Buffer(owner.address.value.data, *cast(tuple[int, int, int], attr.shape_of(value)))

    def buffers(self, values: Sequence[SSAValue]) -> list[Buffer]:
        """The buffers of several values."""
        return [self.buffer(value) for value in values]

    def group(self, row_tiles: Sequence[int], col_tiles: Sequence[int], make: Callable[[], Array]) -> int:
        """Declare an array group of float32 weights; returns its index."""
        spec = GroupSpec(DType.f32, DType.f32, DType.f32, tuple(row_tiles), tuple(col_tiles))
        self.groups.append(Weights(spec, make))
        return len(self.groups) - 1

    @contextmanager
    def pixels(self, height: int, width: int) -> Generator[tuple[int, int]]:
        """Loops over rows and columns; yields their indices for address steps."""
        with self.section.loop(height) as y, self.section.loop(width) as x:
            yield y, x

    def vector(self, name: str, operands: Sequence[Address], n: int) -> None:
        """A float32 vector instruction of `n` elements."""
        self.section.emit(name, F32, operands, n=n)

    def immediate(self, name: str, operands: Sequence[Address], n: int, imm: float) -> None:
        """A float32 vector instruction of `n` elements with an immediate."""
        self.section.emit(name, F32, operands, n=n, imm=imm)

    def copy(self, dst: Address, src: Address, nbytes: int) -> None:
        """Copy bytes within local memory."""
        self.section.emit("lmv", operands=(dst, src), size=nbytes)

    def fill(self, dst: Address, byte: int, nbytes: int) -> None:
        """Fill bytes of local memory."""
        if nbytes:
            self.section.emit("lldi", operands=(dst,), byte=byte, size=nbytes)
