"""The journal of a device, in program order: the calls, and the results that were waited for before each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from emu.program.group import GroupSpec
from launch.devices.calls import DeviceCall


@dataclass(slots=True, eq=False)
class JournalEntry:
    """A write of rows, or a product: of group `group` of `core`.

    `rows` are those that were written from `row` on, or the vectors multiplied. Of a journal without data, `call` is
    None. `waited`: per other core, the last of its entries that the program knew to be over when it made this call.
    """

    core: int
    group: int
    writes: bool
    row: int
    rows: int
    accumulates: bool
    call: DeviceCall | None
    place: int  # among the entries of the core
    waited: dict[int, int] = field(default_factory=dict[int, int])


class Journal:
    """All entries; with their data if they are to be `kept`, for a recording that computes what the session did."""

    def __init__(self, cores: int, kept: bool) -> None:
        self.kept = kept
        self.entries: list[JournalEntry] = []
        self.groups: list[list[GroupSpec]] = [[] for _ in range(cores)]
        self._counts = [0] * cores
        self._over = dict[int, int]()  # per core the last entry that the program has waited for
        self._known: list[dict[int, int]] = [{} for _ in range(cores)]  # per core, what its calls have waited for

    def add(self, core: int, call: DeviceCall, row: int = 0) -> JournalEntry:
        """Add a call."""
        known, writes = self._known[core], call.method == "write"
        waited = {other: last for other, last in self._over.items() if other != core and known.get(other, -1) < last}
        known.update(waited)
        rows: np.ndarray = call.given[1] if writes else call.given[0]
        entry = JournalEntry(
            core,
            call.group,
            writes,
            row,
            len(rows),
            not writes and call.given[1] is not None,
            call if self.kept else None,
            self._counts[core],
            waited,
        )
        self._counts[core] += 1
        self.entries.append(entry)
        return entry

    def over(self, entry: JournalEntry) -> None:
        """The program has waited for `entry`, and so for all before it on its core."""
        if self._over.get(entry.core, -1) < entry.place:
            self._over[entry.core] = entry.place
