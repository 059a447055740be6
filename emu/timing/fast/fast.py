"""The fast executor: what `step` defines, linear in requests instead of instructions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from emu.core.trap import INIT_SAMPLE
from emu.replay.timeline import TooMuch
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.result import SectionTiming, Timing
from emu.timing.fast.effort import Effort
from emu.timing.fast.exchange import Exchange
from emu.timing.fast.groups import groups_of
from emu.timing.fast.party import Party
from emu.timing.fast.pipeline import CAUSES, Pipeline
from emu.timing.fast.prepared import Prepared
from emu.timing.fast.tally import Tally
from emu.timing.setup import SECTIONS, Setup


def fast(setup: Setup, samples: int = 1) -> Timing:
    """The time of `init` and of so many samples (at least 1), back to back; raises TimingRefused."""
    return Fast(setup).run(samples)


class Fast:
    """The executor for one setup. What it learns of the programs is kept for the next run, and for setups of the same.

    `like` is the executor of the same programs with other costs, window, ports, network or flow.
    """

    skips: ClassVar[bool] = True  # samples that repeat others are not walked

    def __init__(self, setup: Setup, like: Fast | None = None) -> None:
        self._setup = setup
        self._prepared = {
            section: {
                core: Prepared(timed.sections[section], setup.window, like and like._prepared[section].get(core))
                for core, timed in setup.cores.items()
            }
            for section in SECTIONS
        }

    def run(self, samples: int = 1) -> Timing:
        """The time of `init` and of so many samples (at least 1), back to back; raises TimingRefused."""
        exchange, effort = Exchange(self._setup, self.skips), Effort()
        try:
            init = self._section(exchange, effort, "init", 0, INIT_SAMPLE, 1)
            main = self._section(exchange, effort, "main", init.end, 0, samples)
        except TooMuch as much:
            raise TimingRefused(str(much)) from None
        return Timing(tuple(self._setup.cores), init, main)

    def pipeline(self, section: str, core: int, effort: Effort) -> Pipeline:
        """The core that is to run a section."""
        return self._prepared[section][core].core(self._setup.cores[core].units, self._setup.local_ports, effort)

    def _section(
        self, exchange: Exchange, effort: Effort, section: str, begin: int, first: int, samples: int
    ) -> SectionTiming:
        setup, tally, prepared = self._setup, Tally(), self._prepared[section]
        parties = dict[int, Party]()
        for core in setup.cores:
            pipeline = self.pipeline(section, core, effort)
            parties[core] = Party(core, prepared[core].body.asks, pipeline, setup.fill)
        asks = {core: party.asks.values() for core, party in parties.items() if prepared[core].body.items}
        for group in groups_of(asks, setup):
            added = Tally()
            exchange.run([parties[core] for core in group], begin, range(first, first + samples), added)
            tally.add(added, Tally(), 1)
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
