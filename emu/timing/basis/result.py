"""What an executor returns: when cores end, what their units and waits took, how often instructions ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from emu.noc.traffic.topology import Link
from emu.timing.basis.log import Log


class Cause(IntEnum):
    """Why a core did not go on; the columns of `SectionTiming.blocked`. README.md says what counts as each."""

    WINDOW = 0  # as many operations in flight as there may be
    UNIT = 1  # the unit still has its last operation
    OPERAND = 2  # overlapping local bytes, or a register, of an operation in flight
    PORT = 3  # the ports of local memory serve others
    SENDER = 4  # a receive: the message has not been sent
    RECEIVER = 5  # a send: the message cannot be taken, or there is no credit
    EVENT = 6  # a wait: the event has not come
    NETWORK = 7  # messages under way
    MEMORY = 8  # requests in the global memory


Waits = Mapping[tuple[int, Cause, int], int]  # (core, SENDER or RECEIVER, peer): ps


@dataclass(frozen=True, eq=False)
class SectionTiming:
    """`init`, or all samples of `main`. Times are int64 ps since power-on; cores are in the order of `Timing.cores`.

    `begin` is when all cores begin (a core begins its next sample when it has ended the last). `ends` [cores, samples];
    `busy`, by core, [units] while the unit can take no other operation; `blocked` [cores, causes]; `waits` tells
    for whom; `executions`, by core, [instructions] in all samples; `memory` the time of all services of the global
    memory; `links` how long each link was occupied (only if links are contended).
    """

    begin: int
    ends: np.ndarray
    busy: tuple[np.ndarray, ...]
    blocked: np.ndarray
    waits: Waits
    executions: tuple[np.ndarray, ...]
    memory: int
    links: Mapping[Link, int]

    @property
    def end(self) -> int:
        """When the last core has ended the last sample."""
        return int(self.ends.max(initial=self.begin))

    @property
    def sample_ends(self) -> np.ndarray:
        """When the last core has ended each sample, int64 [samples]."""
        return self.ends.max(axis=0, initial=self.begin)


@dataclass(frozen=True, eq=False)
class Timing:
    """The result of an executor. `log` is None unless it was asked for."""

    cores: tuple[int, ...]
    init: SectionTiming
    main: SectionTiming
    log: Log | None = None

    @property
    def latency(self) -> int:
        """Picoseconds of the first sample: from when all cores begin it until the last one has ended it."""
        return int(self.main.sample_ends[0]) - self.main.begin

    @property
    def period(self) -> int:
        """Picoseconds between the ends of the last two samples: the time per sample of a filled pipeline."""
        ends = self.main.sample_ends
        return int(ends[-1] - ends[-2]) if len(ends) > 1 else self.latency
