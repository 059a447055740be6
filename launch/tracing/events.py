"""Events of a run in shared memory: a ring buffer per core, which only its process writes; read after the run."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from copy import copy
from enum import IntEnum
from mmap import mmap

import numpy as np

FIELDS = ("kind", "sample", "begin", "end", "index", "other", "size", "number")
EVENT = np.dtype([(name, np.int64) for name in FIELDS])
OPEN = 0  # in place of the end of an event that has not ended
NONE = -1  # in place of a peer or of a number that there is not
_EVENT = struct.Struct(f"<{len(FIELDS)}q")
_END = FIELDS.index("end")
_HEAD = 8  # bytes in front of a ring: how many events were written


class EventKind(IntEnum):
    """The kind of an event: `COMPUTE` is a batch of instructions between two requests, the others are requests."""

    COMPUTE = 0
    SEND = 1
    RECV = 2
    LOAD = 3
    STORE = 4
    SYNC = 5
    WAIT = 6
    CAPTURE = 7


class EventRing:
    """The newest events of one core.

    Of an event: `sample` (INIT_SAMPLE in `init`), `begin` and `end` in ns of CLOCK_MONOTONIC, which all processes of a
    host share, `index` of the first instruction, `size` in bytes (of a wait or sync: the event register). `other` is
    the peer, or where a batch of instructions ended; `number` counts the messages of a sender to a receiver; of a
    capture it is the buffer.
    """

    def __init__(self, memory: mmap, place: int, slots: int) -> None:
        self._memory, self._slots = memory, slots
        self._base = place + _HEAD
        self._words = memoryview(memory).cast("q")
        self._head = place // 8
        self._count = 0

    def add(
        self,
        kind: int,
        sample: int,
        begin: int,
        end: int,
        index: int,
        other: int = NONE,
        size: int = 0,
        number: int = NONE,
    ) -> None:
        """Write an event; it counts once it is complete, so that a process may be killed at any time."""
        count = self._count
        _EVENT.pack_into(
            self._memory,
            self._base + count % self._slots * _EVENT.size,
            *(kind, sample, begin, end, index, other, size, number),
        )
        self._count = self._words[self._head] = count + 1

    def close(self, end: int) -> None:
        """Set the end of the newest event."""
        slot = (self._count - 1) % self._slots
        self._words[(self._base + slot * _EVENT.size) // 8 + _END] = end


class EventRings:
    """The rings of all `cores` in one memory, which keep the newest `most` events of each."""

    def __init__(self, memory: mmap, cores: Sequence[int], most: int) -> None:
        self._memory, self.most = memory, most
        self._slots = most + 1  # the oldest of a full ring may be half overwritten when its process is killed
        self._places = {core: k * _ring_size(self._slots) for k, core in enumerate(cores)}

    @staticmethod
    def size(cores: int, most: int) -> int:
        """Bytes for so many cores; pages that nobody writes cost nothing."""
        return max(1, cores) * _ring_size(most + 1)

    def ring(self, core: int) -> EventRing:
        """The ring of `core`, for its process to write."""
        return EventRing(self._memory, self._places[core], self._slots)

    def newest(self, most: int) -> EventRings:
        """The same events, at most so many of each core."""
        fewer = copy(self)
        fewer.most = min(self.most, most)
        return fewer

    def written(self, core: int) -> int:
        """How many events `core` has written."""
        place = self._places[core]
        return int.from_bytes(self._memory[place : place + _HEAD], "little")

    def dropped(self, core: int) -> int:
        """How many of them, the oldest, are lost."""
        return max(0, self.written(core) - self.most)

    def of(self, core: int) -> np.ndarray:
        """The events of `core` in the order of time, EVENT [events]; a copy."""
        count, place = self.written(core), self._places[core]
        ring = np.frombuffer(self._memory, EVENT, min(count, self._slots), place + _HEAD)
        return np.roll(ring, -(count % self._slots) if count > self._slots else 0)[-self.most :]


def _ring_size(slots: int) -> int:
    return _HEAD + slots * _EVENT.size
