"""The fast executor with cores that keep what decided their operations: the first sample, and what led to its end."""

from __future__ import annotations

from emu.errors import InputError
from emu.timing.basis.result import Timing
from emu.timing.fast.effort import Effort
from emu.timing.fast.fast import Fast
from emu.timing.fast.pipeline import Pipeline
from emu.timing.path.core import TracedCore
from emu.timing.setup import Setup


class TracedFast(Fast):
    """One run of one sample. `traced` are the cores by section and number."""

    def __init__(self, setup: Setup) -> None:
        if setup.local_ports and setup.window > 1:
            raise InputError(
                "no critical path is known where operations in flight wait for ports of local memory: take a chip"
                " without timing.local_ports, or with timing.window = 1"
            )
        super().__init__(setup)
        self.traced: dict[tuple[str, int], TracedCore] = {}

    def pipeline(self, section: str, core: int, effort: Effort) -> Pipeline:
        """As in Fast. One operation in flight never waits for a port."""
        known, units = self._prepared[section][core], self._setup.cores[core].units
        found = TracedCore(known, units, self._setup.window, effort)
        self.traced[section, core] = found
        return found

    def trace(self) -> Timing:
        """The time of `init` and of the first sample."""
        return self.run(1)
