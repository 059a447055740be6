"""Sample clocks: how the memory node learns that cores have finished a sample, and a core that the next may begin.

The clock by messages, here, needs no shared memory. The one of board_clock.py is for a node and cores of one machine:
it saves one message per core and sample, which costs time where samples are short.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from emu.core.trap import INIT_SAMPLE

USED_EVENTS = 1 << 40  # added to what is left over if events were used


class NodeClock(Protocol):
    """The memory node's end: how far the cores are. All cores finish `init`, then one sample after the other."""

    def ended(self, sample: int, left: int) -> None:
        """A message of a core says that it has finished `sample` (INIT_SAMPLE: `init`), see `CoreClock.ends`."""
        ...

    def allow(self, samples: int) -> None:
        """`samples` samples may begin."""
        ...

    @property
    def powered(self) -> bool:
        """Whether all cores have finished `init`."""
        ...

    @property
    def finished(self) -> int:
        """The number of samples that all cores have finished (of those that may begin)."""
        ...

    def unsettled(self, sample: int) -> bool:
        """Whether messages are left over at the end of `sample`, which all have finished, or syncs may be; ask once."""
        ...


class CoreClock(Protocol):
    """A core's end: how far it is, and which samples may begin."""

    def ends(self, sample: int, left: int) -> bool:
        """The core has finished `sample`, until then sent `left` more messages than taken, and used events or not.

        Whether the node learns it only from a message.
        """
        ...

    def may_begin(self, sample: int) -> bool:
        """Whether `sample` may begin, as far as the core knows; if not, it asks the node."""
        ...

    def allowed(self, samples: int) -> None:
        """A message of the node says that `samples` samples may begin."""
        ...


class MessageNodeClock:
    """The node's side: every core sends it a message at the end of every sample."""

    def __init__(self, cores: Collection[int]) -> None:
        self._cores = len(cores)
        self._ended: dict[int, int] = {}  # sample -> cores that have finished it, until all have
        self._left: dict[int, int] = {}  # sample -> what these leave
        self._horizon = 0  # samples that may begin
        self._finished = INIT_SAMPLE  # samples that all have finished; INIT_SAMPLE: not even `init`

    def ended(self, sample: int, left: int) -> None:
        """A core has finished `sample`."""
        self._ended[sample] = self._ended.get(sample, 0) + 1
        self._left[sample] = self._left.get(sample, 0) + left
        if self._ended[sample] == self._cores:
            del self._ended[sample]
            self._finished = sample + 1

    def allow(self, samples: int) -> None:
        """`samples` samples may begin; those who ask will hear it."""
        self._horizon = samples

    @property
    def powered(self) -> bool:
        """Whether all cores have finished `init`."""
        return self._finished > INIT_SAMPLE or not self._cores

    @property
    def finished(self) -> int:
        """The number of samples that all cores have finished."""
        return max(0, self._finished) if self._cores else self._horizon

    def unsettled(self, sample: int) -> bool:
        """Whether messages are left over at the end of `sample`, or syncs may be."""
        return bool(self._left.pop(sample, 0))


class MessageCoreClock:
    """The core's side: it learns from answers of the node which samples may begin."""

    def __init__(self) -> None:
        self._horizon = 0

    def ends(self, sample: int, left: int) -> bool:
        """Always true: the node learns it only by message."""
        return True

    def may_begin(self, sample: int) -> bool:
        """Whether the node has allowed `sample`."""
        return self._horizon > sample

    def allowed(self, samples: int) -> None:
        """`samples` samples may begin."""
        self._horizon = samples
