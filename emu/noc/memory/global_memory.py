"""Global memory of one sample beside what all share: records which bytes were written, untouched pages cost nothing."""

from __future__ import annotations

import mmap
from collections.abc import Sequence

from emu.intervals import Intervals
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory, overwrites
from emu.noc.ports.port import PortFault

Range = tuple[int, int]  # address, bytes


class GlobalMemory:
    """`size` bytes: anonymous memory, but for the tensors of `read_only`.

    `write` defines bytes and refuses read-only ones; `view` and `read_into` refuse undefined ones.
    """

    def __init__(self, size: int, read_only: ReadOnlyMemory = NOTHING) -> None:
        self.size = size
        self._read_only = read_only
        self._written = Intervals()
        self.own = max(read_only.sample_size(size), 1)  # bytes that it takes of the machine
        self._map = mmap.mmap(-1, self.own, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def renew(self) -> None:
        """Be the memory of another sample: nothing is written, though pages stay."""
        self._written = Intervals()

    def write(self, address: int, data: memoryview | bytes) -> None:
        """Store `data` at `address`; raises PortFault outside the memory or where it is read-only."""
        size = len(data)
        self._bound(address, size)
        for tensor in self._read_only.within(address, address + size):
            raise PortFault(overwrites(tensor.name, tensor.end), max(address, tensor.address), tensor.end)
        self._map[address : address + size] = data
        self._written.add(address, address + size)

    def view(self, address: int, size: int) -> memoryview:
        """The `size` bytes at `address`; raises PortFault outside the memory or where nothing was written."""
        self._bound(address, size)
        end = address + size
        shared = self._read_only.within(address, end)
        gaps = self._written.gaps(address, end)
        if shared:
            gaps = [part for gap in gaps for part in self._read_only.outside(*gap)]
        if gaps:
            raise PortFault("global memory was never written in this sample", gaps[0][0], None)
        if not shared:
            return memoryview(self._map)[address:end]
        if shared[0].address <= address and end <= shared[0].end:
            return shared[0].content[address - shared[0].address : end - shared[0].address]
        return self._joined(address, end)

    def _joined(self, address: int, end: int) -> memoryview:
        """A copy of bytes that stand partly in read-only tensors."""
        joined = bytearray(end - address)
        for begin, behind in self._read_only.outside(address, end):
            joined[begin - address : behind - address] = self._map[begin:behind]
        for tensor in self._read_only.within(address, end):
            begin, behind = max(address, tensor.address), min(end, tensor.end)
            joined[begin - address : behind - address] = tensor.content[
                begin - tensor.address : behind - tensor.address
            ]
        return memoryview(joined)

    def read_into(self, address: int, into: memoryview) -> None:
        """Fill `into` from `address`; raises PortFault like `view`."""
        into[:] = self.view(address, len(into))

    def unwritten(self, ranges: Sequence[Range]) -> list[Range]:
        """The parts of `ranges` that no one wrote."""
        gaps = [gap for address, size in ranges for gap in self._written.gaps(address, address + size)]
        return [(begin, end - begin) for begin, end in gaps]

    def collect(self, ranges: Sequence[Range]) -> list[bytes]:
        """A copy of each range, zero where nothing was written."""
        return list(map(bytes, self.parts(ranges)))

    def parts(self, ranges: Sequence[Range]) -> list[memoryview]:
        """Each range, zero where nothing was written, in place: of this sample until the memory is another one's."""
        for address, size in self.unwritten(ranges):
            self._map[address : address + size] = bytes(size)
        whole = memoryview(self._map)
        return [whole[address : address + size] for address, size in ranges]

    def _bound(self, address: int, size: int) -> None:
        if address < 0 or size < 0 or address + size > self.size:
            beyond = address if address < 0 or address >= self.size else address + size
            raise PortFault("address out of range of global memory", beyond, self.size)


class SampleMemories:
    """Global memory per sample, from the moment its inputs are put until it is dropped; all share `read_only`."""

    def __init__(self, size: int, read_only: ReadOnlyMemory = NOTHING) -> None:
        self.size, self._read_only = size, read_only
        self._samples: dict[int, GlobalMemory] = {}
        self._spare: GlobalMemory | None = None  # of the sample dropped last: fresh pages cost more than those at hand

    def open(self, sample: int) -> GlobalMemory:
        """Fresh global memory for `sample`."""
        memory, self._spare = self._spare or GlobalMemory(self.size, self._read_only), None
        memory.renew()
        self._samples[sample] = memory
        return memory

    def of(self, sample: int) -> GlobalMemory:
        """The memory of `sample`; raises PortFault if there is none (in `init`, or once all cores are done)."""
        memory = self._samples.get(sample)
        if memory is None:
            raise PortFault("no sample is under way, and global memory belongs to a sample")
        return memory

    def drop(self, sample: int) -> None:
        """Free the memory of `sample`, for the next one."""
        self._spare = self._samples.pop(sample, self._spare)
