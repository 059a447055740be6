"""Disturbances of a core itself: delays, pauses, priorities, death. None of them touches a message."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable

from emu.chaos.fault import ChaosFault
from emu.chaos.stopping import stop_for
from emu.noc.wire.library import Payload

MOST_NICE = 19
NAP = 0.5  # seconds
Frames = list[tuple[bytes, Payload]]  # messages: header and payload


class Effect:
    """One fault at one core; `happened` counts an injection. A hook that is not overridden disturbs nothing.

    All hooks are called in the order of the core's program, so what a random stream gives does not depend on time.
    """

    def __init__(self, fault: ChaosFault, core: int, happened: Callable[[], None]) -> None:
        self.at, self.numbers = fault.at, fault.numbers
        self.rng = fault.stream(core)
        self.happened = happened

    def joins(self) -> None:
        """The process is about to join the barrier."""

    def requests(self, number: int) -> None:
        """Request `number` of the core (from 0, `init` included) is about to begin."""

    def sends(self, number: int, messages: Frames) -> Frames:
        """What goes out instead of `messages`, which are what is left of message `number` of the core."""
        return messages

    def takes(self, number: int) -> bool:
        """Message `number` that the core takes is about to be acknowledged; False: it is not."""
        return True


class Delay(Effect):
    """With probability P, sleep up to MS milliseconds before requests and acknowledgements."""

    def requests(self, number: int) -> None:
        """Perhaps sleep."""
        share, longest = self.numbers
        hit, length = self.rng.random() < share, self.rng.random()  # always two: the stream keeps step
        if hit:
            self.happened()
            time.sleep(length * longest / 1e3)

    def takes(self, number: int) -> bool:
        """Perhaps sleep."""
        self.requests(number)
        return True


class ReorderStart(Effect):
    """Join up to MS milliseconds late (the zygote shuffles the order of the forks, see `fork_order`)."""

    def joins(self) -> None:
        """Sleep, in naps: who does not move at all for long is taken for a core that never joins."""
        self.happened()
        end = time.monotonic() + self.rng.random() * self.numbers[0] / 1e3
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, NAP))


class Nice(Effect):
    """A random scheduling priority, lower than that of others."""

    def joins(self) -> None:
        """Lower it."""
        self.happened()
        os.nice(self.rng.randint(1, MOST_NICE))


class Yield(Effect):
    """With probability P, give the processor away before a request."""

    def requests(self, number: int) -> None:
        """Perhaps yield."""
        if self.rng.random() < self.numbers[0]:
            self.happened()
            os.sched_yield()


class Slow(Effect):
    """Compute FACTOR times as long: sleep in proportion to the processor time used since the last request."""

    def joins(self) -> None:
        """Only what comes from now on counts."""
        self._used = time.thread_time()

    def requests(self, number: int) -> None:
        """Sleep for what was computed."""
        now = time.thread_time()
        self.happened()
        time.sleep((now - self._used) * (self.numbers[0] - 1))
        self._used = now


class Pause(Effect):
    """Stop the process (SIGSTOP) at request `at` and let it go on (SIGCONT) after MS milliseconds."""

    def requests(self, number: int) -> None:
        """Stop there."""
        if number == self.at:
            self.happened()
            stop_for(self.numbers[0] / 1e3)


class Kill(Effect):
    """Die by a signal at request `at`."""

    def requests(self, number: int) -> None:
        """Die there; no core file is left."""
        if number == self.at:
            self.happened()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            deadly = int(self.numbers[0])
            if deadly != signal.SIGKILL:
                signal.signal(deadly, signal.SIG_DFL)
            os.kill(os.getpid(), deadly)
