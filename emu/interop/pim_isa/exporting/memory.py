"""Memory that the lowering takes for itself: areas above what a core uses, and constants behind what the chip uses."""

from __future__ import annotations

from collections.abc import Hashable

from emu.interop.pim_isa.exporting.refusal import ExportRefusal

ALIGNMENT = 64  # bytes: words of memories are no longer
MAX_LOCAL = (1 << 31) - 1  # what an address in a register of 32 bits reaches


def aligned(address: int) -> int:
    """The next multiple of ALIGNMENT."""
    return -(-address // ALIGNMENT) * ALIGNMENT


def rounded(count: int) -> int:
    """`count` or somewhat more, so that few sizes occur: the next power of two."""
    return 1 << max(count - 1, 0).bit_length()


class LocalAreas:
    """Areas of the local memory of one core, by what they are for, above the bytes that its program uses."""

    def __init__(self, begin: int, size: int) -> None:
        """From `begin` on, in a memory of `size` bytes."""
        self._end, self._size = aligned(begin), min(size, MAX_LOCAL)
        self._areas: dict[Hashable, int] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._areas

    def area(self, key: Hashable, nbytes: int) -> int:
        """The address of the area `key`, which always has the same size; raises ExportRefusal if there is no room."""
        if key not in self._areas:
            end = aligned(self._end + nbytes)
            if end > self._size:
                raise ExportRefusal(
                    f"it needs {nbytes} bytes beside those of the program, {self._size} are there in all"
                )
            self._areas[key], self._end = self._end, end
        return self._areas[key]


class Constants:
    """Bytes of global memory behind those that a program uses; equal ones stand there once."""

    def __init__(self, begin: int) -> None:
        self.end = aligned(begin)
        self._places: dict[bytes, int] = {}

    def place(self, content: bytes) -> int:
        """The address at which `content` stands."""
        if content not in self._places:
            self._places[content] = self.end
            self.end = aligned(self.end + len(content))
        return self._places[content]

    @property
    def contents(self) -> list[tuple[int, bytes]]:
        """Addresses and bytes, ascending."""
        return [(address, content) for content, address in self._places.items()]
