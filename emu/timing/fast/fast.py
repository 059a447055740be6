"""The fast executor: what `step` defines, linear in requests instead of instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from emu.core.trap import INIT_SAMPLE
from emu.operands.timeline import TooMuch
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.result import SectionTiming, Timing
from emu.timing.fast.effort import Effort, effort_per_sample
from emu.timing.fast.exchange import Exchange
from emu.timing.fast.groups import groups_of
from emu.timing.fast.observer import CoreObserver
from emu.timing.fast.party import Party
from emu.timing.fast.pipeline import CAUSES, Pipeline
from emu.timing.fast.prepared import Prepared
from emu.timing.fast.tally import WaitTally
from emu.timing.setup import SECTIONS, Setup

Observe = Callable[
    [str, int, Pipeline], CoreObserver | None
]  # who looks on a core in a section: by its name and number


def fast(setup: Setup, samples: int = 1) -> Timing:
    """The time of `init` and of so many samples (at least 1), back to back; raises TimingRefused."""
    return Fast(setup).run(samples)


class Fast:
    """The executor for one setup. What it learns of the programs is kept for the next run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._prepared = {
            section: {core: Prepared(timed.sections[section], setup.window) for core, timed in setup.cores.items()}
            for section in SECTIONS
        }

    def run(self, samples: int = 1, observe: Observe | None = None, effort: Effort | None = None) -> Timing:
        """The time of `init` and of so many samples (at least 1), back to back; raises TimingRefused.

        Without observers, samples that repeat others are not walked.
        """
        exchange, effort = Exchange(self._setup, observe is None), effort or effort_per_sample()

        def section(name: str, begin: int, walked: range) -> SectionTiming:
            parties = {core: self._party(name, core, effort, observe) for core in self._setup.cores}
            return self._section(exchange, parties, name, begin, walked)

        try:
            init = section("init", 0, range(INIT_SAMPLE, INIT_SAMPLE + 1))
            return Timing(tuple(self._setup.cores), init, section("main", init.end, range(samples)))
        except TooMuch as much:
            raise TimingRefused(str(much)) from None

    def _party(self, section: str, core: int, effort: Effort, observe: Observe | None) -> Party:
        prepared, setup = self._prepared[section][core], self._setup
        pipeline = prepared.core(setup.cores[core].units, setup.port_queues, effort)
        pipeline.observer = observe and observe(section, core, pipeline)
        return Party(core, prepared.body.asks, pipeline, setup.fill)

    def _section(
        self, exchange: Exchange, parties: Mapping[int, Party], section: str, begin: int, walked: range
    ) -> SectionTiming:
        setup, tally, prepared, samples = self._setup, WaitTally(), self._prepared[section], len(walked)
        asks = {core: party.asks.values() for core, party in parties.items() if prepared[core].body.items}
        for group in groups_of(asks, setup):
            added = WaitTally()
            exchange.run([parties[core] for core in group], begin, walked, added)
            tally.add(added, WaitTally(), 1)
        for party in parties.values():
            if party.core not in asks:  # sections without operations end when they begin
                party.all_ends = np.full(samples, begin, np.int64)
        ends = np.array([party.all_ends for party in parties.values()], np.int64).reshape(len(parties), samples)
        return SectionTiming(
            begin,
            ends,
            tuple(prepared[core].busy(party.pipeline, samples) for core, party in parties.items()),
            tally.table(list(parties), [party.pipeline.sums[:CAUSES] for party in parties.values()]),
            {key: time for key, time in tally.waits.items() if time},
            tuple(prepared[core].executions * samples for core in parties),
            samples * sum(part.memory for part in prepared.values()),
            {link: time for link, time in tally.links.items() if time},
        )
