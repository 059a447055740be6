"""One stress test as plain data: numbered messages with sizes, rounds, and what its cores must report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.errors import InputError, option
from emu.stress.grid import grid_of
from emu.stress.order import MessagePhase
from emu.stress.patterns import PATTERNS, phases_of
from emu.stress.payload import HEADER, data_sums, memory_needed
from emu.stress.sizes import WORD, parse_sizes

MAX_CONNECTIONS = 1 << 16  # ordered pairs that send: each costs about 56 kB
MAX_LOCAL = 64 << 20  # bytes of a core's memory
MASK = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class StressMessage:
    """One message of a phase: its place in the phase's order, and its size in bytes."""

    index: int
    src: int
    dst: int
    size: int


@dataclass(frozen=True)
class Workload:
    """`rounds` rounds of a pattern per sample; `sizes` holds one array of bytes per phase."""

    pattern: str
    cores: int
    phases: tuple[MessagePhase, ...]
    sizes: tuple[np.ndarray, ...]
    rounds: int

    @property
    def per_round(self) -> int:
        """Messages of one round."""
        return sum(phase.repeat * len(phase.pairs) for phase in self.phases)

    @property
    def messages(self) -> int:
        """Messages of one sample."""
        return self.rounds * self.per_round

    @property
    def bytes(self) -> int:
        """Bytes of one sample."""
        sizes = zip(self.phases, self.sizes, strict=True)
        return self.rounds * sum(phase.repeat * int(size.sum()) for phase, size in sizes)

    @property
    def largest(self) -> int:
        """Bytes of the largest message."""
        return max(int(size.max()) for size in self.sizes)

    @property
    def mesh_width(self) -> int:
        """Columns of the mesh that the cores are laid on."""
        return grid_of(self.cores).cols

    def messages_of(self, phase: int) -> Iterator[StressMessage]:
        """The messages of one phase, in order."""
        for index, (src, dst) in enumerate(self.phases[phase].pairs):
            yield StressMessage(index, src, dst, int(self.sizes[phase][index]))

    def traffic(self) -> dict[tuple[int, int], int]:
        """Bytes per (sender, receiver) of one sample."""
        total: dict[tuple[int, int], int] = {}
        for phase, sizes in zip(self.phases, self.sizes, strict=True):
            for pair, size in zip(phase.pairs, sizes.tolist(), strict=True):
                total[pair] = total.get(pair, 0) + self.rounds * phase.repeat * size
        return total

    def first_number(self, sample: int) -> int:
        """The number of the first message of `sample`, as an int32 that wraps."""
        return _signed(sample * self.messages)

    def expected(self, sample: int) -> np.ndarray:
        """Errors, checksum and next message number of each core after `sample`: int32 [cores, 3]."""
        constant, slope = self._checksums
        start = np.uint64(sample * self.messages & MASK)
        sums = (constant + slope * start) & np.uint64(MASK)
        status = np.zeros((self.cores, 3), np.int32)
        status[:, 1] = sums.astype(np.uint32).view(np.int32)
        status[:, 2] = self.first_number(sample + 1)
        return status

    @cached_property
    def _checksums(self) -> tuple[np.ndarray, np.ndarray]:
        """Per core: the sum of all data words that it receives if messages count from 0, and its slope in the start.

        Data word k of message m is template[k] + m, so sums over rounds and repetitions are arithmetic series.
        """
        constant, slope = np.zeros(self.cores, np.uint64), np.zeros(self.cores, np.uint64)
        templates = data_sums(self.largest)
        before, rounds = 0, self.rounds
        for phase, sizes in zip(self.phases, self.sizes, strict=True):
            count, repeat = len(phase.pairs), phase.repeat
            times = rounds * repeat
            series = repeat * self.per_round * (rounds * (rounds - 1) // 2)
            series += rounds * count * (repeat * (repeat - 1) // 2)
            words = (sizes // WORD - HEADER).astype(np.uint64)
            receivers = np.array([dst for _, dst in phase.pairs])
            numbers = np.arange(count, dtype=np.uint64) * np.uint64(times) + np.uint64(series + times * before & MASK)
            np.add.at(constant, receivers, templates[words] * np.uint64(times) + words * numbers)
            np.add.at(slope, receivers, words * np.uint64(times))
            before += repeat * count
        return constant, slope


def make_workload(pattern: str, cores: int, size: str = "64", rounds: int = 1, seed: int = 0) -> Workload:
    """The workload of a pattern of the table; sizes and random traffic come from `seed`. Raises InputError."""
    phases, sizes = phases_of(pattern, cores, seed), parse_sizes(size)
    rng = np.random.default_rng((seed, 1))
    workload = Workload(pattern, cores, phases, tuple(sizes.draw(rng, len(phase.pairs)) for phase in phases), rounds)
    _check(workload, phases)
    return workload


def _check(workload: Workload, phases: Sequence[MessagePhase]) -> None:
    name, cores = workload.pattern, workload.cores
    connections = len({pair for phase in phases for pair in phase.pairs})
    if connections > MAX_CONNECTIONS:
        raise InputError(
            f"pattern {name} on {cores} cores needs {connections} connections, more than {MAX_CONNECTIONS}: "
            "use fewer cores, or another pattern"
        )
    if memory_needed(workload.largest) > MAX_LOCAL:
        raise InputError(
            f"{option('size')}: messages of {workload.largest} bytes need more than {MAX_LOCAL} bytes of a core"
        )
    if not PATTERNS[name].deadlocks and any(phase.receive_first for phase in phases):
        raise RuntimeError(f"pattern {name} does not follow an order")


def _signed(value: int) -> int:
    value &= MASK
    return value - (1 << 32) if value >> 31 else value
