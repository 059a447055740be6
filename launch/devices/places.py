"""Which crossbars of a core are free: places of its bank, as programs have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from emu.arch import Arch
from emu.program.group import GroupSpec, crossbars_with


class Bank:
    """The crossbars of one core. Groups that were released leave their places to others."""

    def __init__(self, arch: Arch) -> None:
        self._arch = arch
        self.known: list[GroupSpec] = []  # all groups that ever were, by number
        self._held: dict[int, range] = {}

    @property
    def free(self) -> int:
        """Physical crossbars that no group holds."""
        used = sum(len(places) * self._arch.cells(self.known[group].weight) for group, places in self._held.items())
        return self._arch.core.crossbars - used

    def place(self, spec: GroupSpec) -> int | None:
        """The first place that `spec` fits at; None if there is none.

        All places of a bank take as many crossbars as the weights with the most slices that were ever there.
        """
        start = 0
        for places in sorted(self._held.values(), key=lambda places: places.start):
            if start + spec.crossbars <= places.start:
                break
            start = max(start, places.stop)
        taken = crossbars_with([*self.known, replace(spec, bank=start)], self._arch.cells)
        return start if taken <= self._arch.core.crossbars else None

    def take(self, spec: GroupSpec) -> int:
        """Hold `spec`, which has a place; the number of its group."""
        self.known.append(spec)
        group = len(self.known) - 1
        self._held[group] = range(spec.bank, spec.bank + spec.crossbars)
        return group

    def give_back(self, group: int) -> None:
        """The places of a group are free."""
        del self._held[group]


def tiles(size: int, most: int) -> tuple[int, ...]:
    """`size` rows or columns as tiles of at most `most`."""
    return tuple(min(most, size - at) for at in range(0, size, most))


def place_on(banks: Sequence[Bank], spec: GroupSpec) -> tuple[int, GroupSpec] | None:
    """The core on which a group stands, one with the most free crossbars, and the group with its place there."""
    for core in sorted(range(len(banks)), key=lambda core: -banks[core].free):
        place = banks[core].place(spec)
        if place is not None:
            return core, replace(spec, bank=place)
    return None
