"""Event registers of one core: the counts that `init` left, plus the syncs and waits of each sample."""

from __future__ import annotations

from emu.core.trap import INIT_SAMPLE

# What `init` left, counts per sample, the last one that is over, what is waited for, whether it has come.
EventState = tuple[list[int], dict[int, list[int]], int, tuple[int, int, int] | None, bool]


class EventRegisters:
    """Counts of `count` registers. A sync belongs to the sample that its sender is in, a wait to that of its core.

    Every sample begins with what the syncs and waits of `init` leave in the registers, and ends with nothing that a
    later one could see. So it does not matter how far ahead of each other the cores are.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._left = [0] * count  # by `init`; its syncs may still arrive while a sample is under way
        self._samples: dict[int, list[int]] = {}
        self._ended = INIT_SAMPLE  # the last sample that is over
        self._awaited: tuple[int, int, int] | None = None  # by a wait for equality: event, value, sample
        self._came = False  # that value was there, and is taken already

    def sync(self, event: int, sample: int) -> None:
        """Add one to register `event` of `sample`; numbers of registers that do not exist are ignored."""
        if not 0 <= event < self._count or (sample <= self._ended and sample != INIT_SAMPLE):
            return
        self._of(sample)[event] += 1
        if self._awaited is not None and not self._came:
            self._came = self._take(*self._awaited, equal=True)

    def wait(self, event: int, value: int, sample: int, equal: bool = False) -> bool:
        """Subtract `value` from register `event`, if it has been reached in `sample`.

        With `equal` the register must have exactly that value, now or at any time from the first such call on: a sync
        may come, and the next one after it, before anybody asks again.
        """
        if not equal:
            return self._take(event, value, sample, equal=False)
        if self._awaited == (event, value, sample):
            reached = self._came
        else:
            self._awaited, reached = (event, value, sample), self._take(event, value, sample, equal=True)
        if reached:
            self._awaited, self._came = None, False
        return reached

    def _take(self, event: int, value: int, sample: int, *, equal: bool) -> bool:
        registers = self._of(sample)
        reached = registers[event] + (0 if registers is self._left else self._left[event])
        if reached != value if equal else reached < value:
            return False
        registers[event] -= value
        return True

    def end(self, sample: int) -> None:
        """The core has finished `sample`, or `init`: what is left of the sample's syncs is of no use to anybody."""
        self._ended, self._awaited, self._came = sample, None, False
        self._samples.pop(sample, None)

    def save(self) -> EventState:
        """A copy of all counts."""
        samples = {sample: list(counts) for sample, counts in self._samples.items()}
        return list(self._left), samples, self._ended, self._awaited, self._came

    def restore(self, state: EventState) -> None:
        """Become what was saved."""
        left, samples, self._ended, self._awaited, self._came = state
        self._left[:] = left
        self._samples = {sample: list(counts) for sample, counts in samples.items()}

    def _of(self, sample: int) -> list[int]:
        if sample == INIT_SAMPLE:
            return self._left
        registers = self._samples.get(sample)
        if registers is None:
            registers = self._samples[sample] = [0] * self._count
        return registers
