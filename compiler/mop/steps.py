"""What a network is before it is scheduled: products, and operators on whole tensors, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from emu.interop.mop.flow import Named, Operand, Operator, OperatorBlock, WrittenNumber
from emu.interop.mop.window import Window


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """A tensor in memory: its first element, and its sizes in the order of memory."""

    address: int
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.sizes)


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An operator on elements of dense tensors: of addresses, arrays that repeat, and `rest`, its further operands."""

    name: str
    sources: tuple[int | Named, ...]
    target: int
    rest: tuple[Operand, ...] = ()

    def on(self, first: int, sizes: Sequence[int]) -> Operator:
        """The operator on elements from `first` on, as many as the product of `sizes`."""
        sources = [part if isinstance(part, Named) else moved(part, first) for part in self.sources]
        length = WrittenNumber("*".join(map(str, sizes))) if len(sizes) > 1 else sizes[0]
        target = moved(self.target, first)
        if sources and not isinstance(sources[0], Named) and target == sources[0] + length:
            target = WrittenNumber(f"{int(sources[0])}+{length.text if isinstance(length, WrittenNumber) else length}")
        return Operator(self.name, (*sources, target, length, *self.rest))


def moved(address: int, by: int) -> int:
    """An address so many elements on, as a plain number."""
    return int(address) + by


@dataclass(frozen=True, slots=True)
class WholeTensorStep:
    """Blocks that stand for themselves: moves, poolings, operators on whole tensors."""

    blocks: tuple[OperatorBlock, ...]


@dataclass(slots=True)
class ProductStep:
    """Windows of `source` times a matrix: `window.weights` names all of it; `tail` follows it element by element."""

    node: str
    source: int
    window: Window
    target: TensorPlace
    layer: str
    tail: list[Elementwise] = field(default_factory=list[Elementwise])

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return self.window.rows

    @property
    def columns(self) -> int:
        """Columns of the matrix."""
        return self.window.width

    def matrix(self, rows: tuple[int, int], columns: tuple[int, int]) -> Named:
        """A box of the matrix."""
        assert self.window.weights is not None
        return Named(self.window.weights.name, (rows, columns))


Step = ProductStep | WholeTensorStep
