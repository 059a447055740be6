"""How long sends take: a histogram per core in shared memory, and a port that fills it and can hold sends to a rate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from mmap import mmap

import numpy as np

from emu.core.request import Request, Send
from emu.noc.ports.around import PortAround
from emu.noc.ports.port import Port

STEPS = 32  # buckets per doubling of the time: a quantile is right within 1/32
OCTAVES = 40  # up to 2^40 ns = 18 minutes
BUCKETS = STEPS * OCTAVES
ROW = BUCKETS + 1  # words (int64) of one core: the buckets, then the largest time


@dataclass(frozen=True, slots=True)
class Latency:
    """Times of `count` sends in seconds; quantiles are upper ends of buckets, `largest` is exact."""

    count: int
    p50: float
    p99: float
    largest: float


class Meter:
    """Histograms of all cores; each row has one writer."""

    def __init__(self, memory: mmap | bytearray, cores: Sequence[int]) -> None:
        self._cores = list(cores)
        self._words = memoryview(memory).cast("q")
        self._rows = np.frombuffer(memory, np.int64, ROW * len(self._cores)).reshape(-1, ROW)

    @staticmethod
    def size(count: int) -> int:
        """Bytes for `count` cores; untouched pages cost nothing."""
        return 8 * ROW * max(1, count)

    def row(self, core: int) -> memoryview:
        """The row of `core`, for its process to write."""
        place = self._cores.index(core)
        return self._words[ROW * place : ROW * (place + 1)]

    def latency(self) -> Latency | None:
        """Over all cores so far; None before the first send has ended."""
        total = self._rows[:, :BUCKETS].sum(axis=0)
        count = int(total.sum())
        if not count:
            return None
        largest = int(self._rows[:, BUCKETS].max())
        ends = np.cumsum(total)
        p50, p99 = (min(upper_end(int(np.searchsorted(ends, share * count))), largest) for share in (0.5, 0.99))
        return Latency(count, p50 / 1e9, p99 / 1e9, largest / 1e9)


def bucket_of(nanoseconds: int) -> int:
    """The bucket of a time: `STEPS` of equal width per doubling."""
    if nanoseconds < STEPS:
        return max(nanoseconds, 0)
    octave = nanoseconds.bit_length() - STEPS.bit_length() + 1
    return min(STEPS * octave + (nanoseconds >> (octave - 1)) - STEPS, BUCKETS - 1)


def upper_end(bucket: int) -> int:
    """The largest time (nanoseconds) of a bucket."""
    octave, step = divmod(bucket, STEPS)
    return step if octave == 0 else ((STEPS + step + 1) << (octave - 1)) - 1


class MeteredPort(PortAround):
    """A port that notes how long each send takes; with a `rate`, sends begin at most so often per second.

    Send k is then due k / rate after the first one. A core that is late sends at once until it has caught up, and
    times count from when a send was due, so that waiting behind a slow message is not hidden.
    """

    def __init__(self, port: Port, row: memoryview, rate: float = 0.0) -> None:
        super().__init__(port)
        self._row = row
        self._interval = int(1e9 / rate) if rate else 0
        self._due = 0  # of the next send; 0: none yet
        self._began = 0  # of the send under way; 0: another request is

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request, a send not before it is due; True if it is complete at once; raises PortFault."""
        self._began = self._begin() if isinstance(request, Send) else 0
        return self._ended(self._port.start(request, sample))

    def poll(self) -> bool:
        """Whether the request begun last is complete now; raises PortFault."""
        return self._ended(self._port.poll())

    def wait(self) -> None:
        """Block until the request begun last is complete; raises PortFault."""
        self._port.wait()
        self._ended(True)

    def _begin(self) -> int:
        now = time.monotonic_ns()
        if not self._interval:
            return now
        due = self._due or now
        self._due = due + self._interval
        if due > now:
            time.sleep((due - now) / 1e9)
        return due

    def _ended(self, complete: bool) -> bool:
        if complete and self._began:
            spent = time.monotonic_ns() - self._began
            self._began = 0
            self._row[bucket_of(spent)] += 1
            self._row[BUCKETS] = max(self._row[BUCKETS], spent)
        return complete
