"""Calls of a device without data: their counters, and when each would be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from emu.arch import Arch
from emu.errors import InputError
from emu.program.banks import Bank, none_free, place_on, spec_for
from emu.program.group import GroupSpec
from launch.devices.counters import DeviceCounts
from launch.devices.device import device
from launch.devices.types import types_of


@dataclass(slots=True, eq=False)
class HeldTile:
    """Crossbars that are held; `written` are the rows and columns of the matrix that stands there."""

    core: int
    group: int
    spec: GroupSpec
    written: tuple[int, int] | None = None


@dataclass(slots=True)
class WorkTally:
    """Accumulated work: counters of a device; weights written, without padding, and weights that would fit."""

    counts: DeviceCounts = field(default_factory=DeviceCounts)
    weights: int = 0
    room: int = 0

    def add(self, other: WorkTally, times: int = 1) -> None:
        """Add another one so often."""
        for part in fields(DeviceCounts):
            more = times * getattr(other.counts, part.name)
            setattr(self.counts, part.name, getattr(self.counts, part.name) + more)
        self.weights += times * other.weights
        self.room += times * other.room


class DeviceTimeline:
    """A device of `cores` cores, all of whose calls take no data.

    Each call takes what it takes alone on the chip; those of a core follow each other, writes of one core do not keep
    another one waiting, and the host goes on when what it waits for is there. So it is with recorded sessions on a chip
    of one crossbar per core with several operations in flight, that takes no time for moving data.
    """

    def __init__(self, arch: Arch, cores: int) -> None:
        self.arch, self.tally = arch, WorkTally()
        self.now = 0  # of the host, ps
        self.places = dict[tuple[int, int], int]()  # by core and crossbar that was written: the weights that it holds
        self._banks = [Bank(arch) for _ in range(cores)]
        self._free, self._sent = [0] * cores, [0] * cores  # when a core is free, and when its last product was stored
        self._durations = Durations(arch)

    @property
    def end(self) -> int:
        """The time at which all calls are done."""
        return max(self.now, *self._free)

    def acquire(self, rows: int, cols: int, held: Any, made: Any) -> HeldTile:
        """Crossbars on some core; raises InputError if none are free."""
        wanted = spec_for(self.arch, rows, cols, types_of(held, None, made))
        found = place_on(self._banks, wanted)
        if found is None:
            raise InputError(none_free(self.arch, self._banks, wanted))
        core, spec = found
        return HeldTile(core, self._banks[core].take(spec), spec)

    def write(self, tile: HeldTile, rows: int, cols: int) -> None:
        """Write a matrix, with zeros behind it."""
        spec, core = tile.spec, tile.core
        self.tally.counts.wrote(spec.rows, spec.cols, spec.rows * spec.cols * spec.weight.size)
        self.tally.weights += rows * cols
        room = self.arch.crossbar.rows * self.arch.columns(spec.weight)
        self.tally.room += spec.crossbars * room
        self.places |= {(core, place): room for place in range(spec.bank, spec.bank + spec.crossbars)}
        self.now = max(self.now, self._sent[core])
        self._free[core] = max(self.now, self._free[core]) + self._durations.write(spec)
        tile.written = rows, cols

    def gemm(self, tile: HeldTile, vectors: int) -> int:
        """The time at which a product of so many vectors is done."""
        spec, core = tile.spec, tile.core
        self.tally.counts.multiplied(vectors, vectors * spec.rows * spec.input.size, spec)
        end = max(self.now, self._sent[core], self._free[core]) + self._durations.product(spec, vectors)
        self._sent[core] = self._free[core] = end
        return end

    def wait(self, end: int) -> None:
        """Advance the host to the time at which a product is done."""
        self.now = max(self.now, end)

    def release(self, tile: HeldTile) -> None:
        """Release crossbars."""
        self._banks[tile.core].give_back(tile.group)

    # Turns that come again.

    def ahead(self) -> tuple[int, ...]:
        """How much later than the host the cores are: what decides how the next calls go."""
        return tuple(max(0, time - self.now) for time in (*self._free, *self._sent))

    def repeated(self, turn: Callable[[], None], state: Callable[[], Any], times: int) -> None:
        """Do `turn` so often: until it ends as it began, and then all that are left at once."""
        whole = self.tally
        for done in range(1, times + 1):
            before, began, self.tally = (self.ahead(), state()), self.now, WorkTally()
            turn()
            again = times - done if (self.ahead(), state()) == before else 0
            whole.add(self.tally, 1 + again)
            self.tally = whole
            if again:
                self._later(again * (self.now - began))
                return

    def _later(self, time: int) -> None:
        self.now += time
        self._free, self._sent = ([each + time for each in times] for times in (self._free, self._sent))


class Durations:
    """What a write and a product of a chip take, each alone; nothing on a chip that says nothing of its times."""

    def __init__(self, arch: Arch) -> None:
        self._arch = arch
        self._known = dict[tuple[GroupSpec, int], int]()

    def write(self, spec: GroupSpec) -> int:
        """Picoseconds of writing a whole group."""
        return self._session(spec, 0)

    def product(self, spec: GroupSpec, vectors: int) -> int:
        """Picoseconds of a product of so many vectors."""
        return self._session(spec, vectors) - self._session(spec, 0)

    def _session(self, spec: GroupSpec, vectors: int) -> int:
        """A write, and a product unless there are no vectors."""
        if self._arch.timing is None:
            return 0
        if (spec, vectors) not in self._known:
            with device(self._arch, 1, backend="numpy", record=False) as chip:
                outputs = spec.output.name
                crossbar = chip.acquire(spec.rows, spec.cols, spec.weight.name, inputs=spec.input.name, outputs=outputs)
                crossbar.write(np.zeros((spec.rows, spec.cols), spec.weight.numpy))
                if vectors:
                    crossbar.gemm(np.zeros((vectors, spec.rows), spec.input.numpy)).result()
                self._known[spec, vectors] = chip.simulate().time_ps or 0
        return self._known[spec, vectors]
