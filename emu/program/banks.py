"""Which crossbars of cores are free, while array groups are acquired and given back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from emu.arch import Arch
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec
from emu.wording import counted


class Bank:
    """The crossbars of one core. Groups that were released leave their places to others."""

    def __init__(self, arch: Arch) -> None:
        self._arch = arch
        self._held = dict[int, GroupSpec]()  # by number
        # Of all groups that ever were: how many, the end of the last place, the most crossbars of a place.
        self._count = self._reach = self._most = 0
        self.free = arch.core.crossbars  # physical crossbars that no group holds

    def place(self, spec: GroupSpec) -> int | None:
        """The first place that `spec` fits at; None if there is none.

        All places of a bank take as many crossbars as the weights with the most slices that were ever there.
        """
        start = 0
        for held in sorted(self._held.values(), key=lambda held: held.bank):
            if start + spec.crossbars <= held.bank:
                break
            start = max(start, held.bank + held.crossbars)
        reach, most = max(self._reach, start + spec.crossbars), max(self._most, self._arch.cells(spec.weight))
        return start if reach * most <= self._arch.core.crossbars else None

    def take(self, spec: GroupSpec) -> int:
        """Hold `spec`, which has a place; the number of its group."""
        group = self._count
        self._held[group] = spec
        self._count += 1
        self._reach = max(self._reach, spec.bank + spec.crossbars)
        self._most = max(self._most, self._arch.cells(spec.weight))
        self.free -= self._physical(spec)
        return group

    def give_back(self, group: int) -> None:
        """The places of a group are free."""
        self.free += self._physical(self._held.pop(group))

    def expect(self, weights: Iterable[DType]) -> None:
        """Leave as much room as these take, too, when they come: see `place`."""
        self._most = max([self._most, *map(self._arch.cells, set(weights))])

    def copy(self) -> Bank:
        """Another one with the same groups."""
        made = Bank(self._arch)
        made.__dict__ |= self.__dict__
        made._held = dict(self._held)
        return made

    def places(self) -> frozenset[tuple[int, int]]:
        """The first place and the number of places of each group that is held."""
        return frozenset((spec.bank, spec.crossbars) for spec in self._held.values())

    def _physical(self, spec: GroupSpec) -> int:
        return spec.crossbars * self._arch.cells(spec.weight)


def spec_for(arch: Arch, rows: int, cols: int, types: tuple[DType, DType, DType]) -> GroupSpec:
    """The group of a matrix [rows, cols], not placed yet; `types` are those of vectors, weights and results."""
    return GroupSpec(*types, _tiles(rows, arch.crossbar.rows), _tiles(cols, arch.columns(types[1])))


def _tiles(size: int, most: int) -> tuple[int, ...]:
    """`size` rows or columns as tiles of at most `most`."""
    return tuple(min(most, size - at) for at in range(0, size, most))


def place_on(banks: Sequence[Bank], spec: GroupSpec) -> tuple[int, GroupSpec] | None:
    """The core on which a group stands, one with the most free crossbars, and the group with its place there."""
    for core in sorted(range(len(banks)), key=lambda core: -banks[core].free):
        place = banks[core].place(spec)
        if place is not None:
            return core, replace(spec, bank=place)
    return None


def none_free(arch: Arch, banks: Sequence[Bank], wanted: GroupSpec) -> str:
    """Why there is no place, as a sentence."""
    needed = wanted.crossbars * arch.cells(wanted.weight)
    advice = "release some, or use more cores"
    if needed > arch.core.crossbars:
        advice = "no core of this chip holds it: use smaller tiles, a narrower type, or another chip"
    return (
        f"no core has {counted(needed, 'crossbar')} free for a matrix of {wanted.rows} x {wanted.cols}"
        f" {wanted.weight.name}: each of {counted(len(banks), 'core')} has {arch.core.crossbars} of"
        f" {arch.crossbar.rows} x {arch.crossbar.cols}, and at most {max(bank.free for bank in banks)} are free:"
        f" {advice}"
    )
