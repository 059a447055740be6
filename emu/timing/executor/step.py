"""The executor that defines: walks instruction by instruction, so that what takes how long can be read from it."""

from __future__ import annotations

from emu.core.trap import INIT_SAMPLE
from emu.timing.basis.result import Timing
from emu.timing.executor.chip import ChipState
from emu.timing.executor.core import CoreInTime
from emu.timing.executor.kernel import Process, Signal
from emu.timing.setup import Setup


def step(setup: Setup, samples: int = 1, log: bool = False) -> Timing:
    """The time of `init` and of so many samples (at least 1), back to back; with a log of all moments if asked for."""
    chip = ChipState.of(setup, log)
    barrier = _Barrier(chip, len(setup.cores))
    for number, core in setup.cores.items():
        chip.kernel.resume(_run(CoreInTime(number, core, chip), barrier, samples))
    chip.kernel.run()
    if any(len(ends) < samples for ends in chip.records["main"].ends.values()):
        raise RuntimeError("a core waits for what never comes, in programs without a deadlock: a signal was lost")
    begin = max(barrier.passed.time, 0)
    init, main = chip.records["init"].timing(0, 1), chip.records["main"].timing(begin, samples)
    return Timing(tuple(setup.cores), init, main, chip.log.finish())


class _Barrier:
    """All cores have ended `init`."""

    def __init__(self, chip: ChipState, cores: int) -> None:
        self._kernel, self._missing, self.passed = chip.kernel, cores, Signal()

    def reach(self, moment: int) -> None:
        """One more core has; `moment` ended its `init`."""
        self._missing -= 1
        if not self._missing:
            self._kernel.fire(self.passed, moment)


def _run(core: CoreInTime, barrier: _Barrier, samples: int) -> Process:
    yield from core.run("init", INIT_SAMPLE)
    barrier.reach(core.ended)
    yield barrier.passed
    core.ended = barrier.passed.moment
    for sample in range(samples):
        yield from core.run("main", sample, core.ended)
