"""Tensors that stand in global memory once per power-on: all samples read the same bytes, and nobody writes them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from emu.errors import shown
from emu.wording import address_text

Range = tuple[int, int]  # [begin, end)
_NAME = 100  # characters of a name in a sentence, which reports of processes would cut elsewhere


@dataclass(frozen=True, slots=True)
class SharedTensor:
    """One tensor: its bytes stand from global `address` on."""

    name: str
    address: int
    content: memoryview

    @property
    def end(self) -> int:
        """The address behind the last byte."""
        return self.address + len(self.content)


def overwrites(name: str, end: int) -> str:
    """Why a store into the read-only tensor `name`, which ends at address `end`, traps: in the checker and in runs."""
    return f"overwrites read-only tensor {shown(name, _NAME)}, which ends at {address_text(end)}"


class ReadOnlyMemory:
    """The read-only tensors of a chip, given as name, global address and bytes; none shares a byte with another."""

    def __init__(self, tensors: Iterable[tuple[str, int, memoryview]] = ()) -> None:
        shared = (SharedTensor(*tensor) for tensor in tensors)
        self._tensors = sorted((tensor for tensor in shared if len(tensor.content)), key=lambda tensor: tensor.address)
        self._ends = [tensor.end for tensor in self._tensors]

    def within(self, begin: int, end: int) -> list[SharedTensor]:
        """The tensors with bytes in [begin, end) of global memory, ascending by address."""
        if not self._ends:
            return []
        at = last = bisect_right(self._ends, begin)
        while begin < end and last < len(self._tensors) and self._tensors[last].address < end:
            last += 1
        return self._tensors[at:last]

    def outside(self, begin: int, end: int) -> Iterator[Range]:
        """The parts of [begin, end) without read-only tensors, ascending: they belong to a sample."""
        for tensor in self.within(begin, end):
            if begin < tensor.address:
                yield begin, tensor.address
            begin = tensor.end
        if begin < end:
            yield begin, end

    def sample_size(self, size: int) -> int:
        """Bytes that each sample needs of a global memory of `size` bytes: all behind them is read-only."""
        for tensor in reversed(self._tensors):
            if tensor.end < size:
                break
            size = tensor.address
        return size


NOTHING = ReadOnlyMemory()  # of a chip without read-only tensors
