"""The fast executor with cores that keep what decided their operations: the first sample, and what led to its end."""

from __future__ import annotations

from emu.errors import InputError
from emu.replay.timeline import TooMuch
from emu.timing.basis.result import Timing
from emu.timing.fast.effort import Effort
from emu.timing.fast.fast import Fast
from emu.timing.fast.pipeline import Pipeline
from emu.timing.path.core import TracedCore
from emu.timing.path.sliced import SlicedCore
from emu.timing.path.sliced_ported import SlicedPortedCore
from emu.timing.setup import Setup

KEPT = 1 << 21  # operations of which is kept what decided them


def waits_for_ports(setup: Setup) -> bool:
    """Whether operations in flight may wait for each other at ports of local memory."""
    return bool(setup.local_ports) and setup.window > 1


class Keeping(Effort):
    """What may still be walked while everything is kept, all cores and sections together."""

    def begin(self, sample: int) -> None:
        """As in Effort; what was kept is still kept."""

    def take(self, operations: int) -> None:
        """As in Effort."""
        self.left -= operations
        if self.left < 0:
            raise TooMuch(f"no critical path: more than {KEPT} operations would have to be followed one by one")


class TracedFast(Fast):
    """One run of one sample. `traced` are the cores by section and number."""

    def __init__(self, setup: Setup) -> None:
        if waits_for_ports(setup):
            raise InputError(
                "what decides each operation is not kept where operations in flight wait for ports of local memory:"
                " take a chip without timing.local_ports, or with timing.window = 1"
            )
        super().__init__(setup)
        self.traced: dict[tuple[str, int], TracedCore] = {}
        self._keeping = Keeping(KEPT)

    def pipeline(self, section: str, core: int, effort: Effort) -> Pipeline:
        """As in Fast. One operation in flight never waits for a port."""
        known, units = self._prepared[section][core], self._setup.cores[core].units
        found = self.traced[section, core] = TracedCore(known, units, self._setup.window, self._keeping)
        return found

    def trace(self) -> Timing:
        """The time of `init` and of the first sample."""
        return self.run(1)


class SlicedFast(Fast):
    """One run of one sample with cores that tell when their units work: `sliced`, by section and number."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.sliced: dict[tuple[str, int], SlicedCore | SlicedPortedCore] = {}
        self._keeping = Keeping(KEPT)

    def pipeline(self, section: str, core: int, effort: Effort) -> Pipeline:
        """As in Fast."""
        setup, timed = self._setup, self._setup.cores[core]
        sources = timed.sections[section].view.section.columns["source"].tolist()
        parts = self._prepared[section][core], timed.units, setup.window, self._keeping
        if waits_for_ports(setup):
            found = SlicedPortedCore(*parts, setup.local_ports, sources)
        else:
            found = SlicedCore(*parts, sources)
        self.sliced[section, core] = found
        return found

    def trace(self) -> Timing:
        """The time of `init` and of the first sample."""
        return self.run(1)
