"""Global memory of one sample: of fixed size, records which bytes were written, and untouched pages cost nothing."""

from __future__ import annotations

import mmap
from collections.abc import Sequence

from emu.intervals import Intervals
from emu.noc.ports.port import PortFault

Range = tuple[int, int]  # address, bytes


class GlobalMemory:
    """`size` bytes of anonymous memory; `write` defines bytes, `read_into` refuses undefined ones."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._written = Intervals()
        self._map = mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def write(self, address: int, data: memoryview | bytes) -> None:
        """Store `data` at `address`; raises PortFault outside the memory."""
        size = len(data)
        self._bound(address, size)
        self._map[address : address + size] = data
        self._written.add(address, address + size)

    def view(self, address: int, size: int) -> memoryview:
        """The `size` bytes at `address`; raises PortFault outside the memory or where nothing was written."""
        self._bound(address, size)
        gaps = self._written.gaps(address, address + size)
        if gaps:
            raise PortFault("global memory was never written in this sample", gaps[0][0], None)
        return memoryview(self._map)[address : address + size]

    def read_into(self, address: int, into: memoryview) -> None:
        """Fill `into` from `address`; raises PortFault like `view`."""
        into[:] = self.view(address, len(into))

    def unwritten(self, ranges: Sequence[Range]) -> list[Range]:
        """The parts of `ranges` that no one wrote."""
        gaps = [gap for address, size in ranges for gap in self._written.gaps(address, address + size)]
        return [(begin, end - begin) for begin, end in gaps]

    def collect(self, ranges: Sequence[Range]) -> list[bytes]:
        """A copy of each range, zero where nothing was written."""
        return [self._map[address : address + size] for address, size in ranges]

    def _bound(self, address: int, size: int) -> None:
        if address < 0 or size < 0 or address + size > self.size:
            beyond = address if address < 0 or address >= self.size else address + size
            raise PortFault("address out of range of global memory", beyond, self.size)


class SampleMemories:
    """Global memory per sample, from the moment its inputs are put until it is dropped."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._samples: dict[int, GlobalMemory] = {}

    def open(self, sample: int) -> GlobalMemory:
        """Fresh global memory for `sample`."""
        memory = self._samples[sample] = GlobalMemory(self.size)
        return memory

    def of(self, sample: int) -> GlobalMemory:
        """The memory of `sample`; raises PortFault if there is none (in `init`, or once all cores are done)."""
        memory = self._samples.get(sample)
        if memory is None:
            raise PortFault("no sample is under way, and global memory belongs to a sample")
        return memory

    def drop(self, sample: int) -> None:
        """Free the memory of `sample`."""
        self._samples.pop(sample, None)
