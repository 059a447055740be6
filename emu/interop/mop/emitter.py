"""Instructions that a flow becomes: loops over axes, and operands that move with them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

from emu.interop.mop.accesses import ElementRuns
from emu.interop.mop.flow import NumberFormats
from emu.interop.mop.memory import FlowMemory
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder

Loops: TypeAlias = tuple[int | None, ...]  # per axis the loop over it; None: it has one place
Moves: TypeAlias = tuple[Loops, Sequence[int]]  # the loops over axes, and the bytes between neighbours of each


# What a step does: appends its instructions, which write to the first of the places that it is given.
Emit: TypeAlias = Callable[..., None]
# What a step is but for its places, from which follows what it does, and these places.
Step: TypeAlias = tuple[tuple[Hashable, ...], tuple[ElementRuns, ...]]


class SectionEmitter(SectionBuilder):
    """A section in the making, with the memory that it works in."""

    def __init__(self, numbers: NumberFormats, registers: Mapping[str, int]) -> None:
        super().__init__()
        self.element, self.memory = numbers.element, FlowMemory(registers)

    def vector(self, name: str, types: Sequence[DType], *operands: Address, n: int, **fields: float) -> None:
        """An instruction on `n` elements."""
        self.emit(name, types, operands, (), n=n, **fields)

    def copy(self, target: Address, source: Address, n: int) -> None:
        """Elements of the flow's type from one place to another."""
        self.vector("vmv", (self.element,), target, source, n=n)

    @contextmanager
    def axes(self, sizes: Sequence[int]) -> Generator[Loops]:
        """Loops over all axes, the first one outermost."""
        with ExitStack() as stack:
            yield tuple([stack.enter_context(self.loop(size)) if size > 1 else None for size in sizes])


def at(place: Address, *moves: Moves, offset: int = 0, stride: int = 1) -> Address:
    """The operand that lies `offset` bytes behind a place, and moves with the loops around it as well."""
    steps = [pair for loops, sizes in moves for pair in zip(loops, sizes, strict=True)]
    terms = tuple([Term(loop, step) for loop, step in steps if loop is not None])
    return Address(place.base + offset, place.terms + terms, stride=stride)


def dense(sizes: Sequence[int], last: int) -> list[int]:
    """Distances of neighbours along each axis of a dense array whose last ones are `last` apart."""
    steps = list[int]()
    for size in reversed(sizes):
        steps.append(last)
        last *= size
    return steps[::-1]
