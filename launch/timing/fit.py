"""Whether programs fit on a chip that they were not compiled for; if not, how many such chips it would take."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from emu.arch import Arch
from emu.census.footprint import memory_high_water
from emu.errors import ArchError, option
from emu.program.group import crossbars_with
from emu.program.program import Program
from emu.wording import counted


def refuse_misfit(programs: Mapping[int, Program], made_for: Arch, chip: Arch) -> None:
    """Raise ArchError unless the chip has the cores, crossbars and memories that programs for `made_for` use."""
    for kind in sorted({group.weight for program in programs.values() for group in program.groups}):
        (rows, cols), (other_rows, other_cols) = [(a.crossbar.rows, a.columns(kind)) for a in (made_for, chip)]
        if (rows, cols) != (other_rows, other_cols):
            raise ArchError(
                f"{chip.title} has crossbars of {other_rows} x {other_cols} {kind.name} weights, but the programs were"
                f" compiled for {made_for.title} with {rows} x {cols}: compile them with"
                f" {option('arch', chip.origin or chip.name)}"
            )
    taken = {core: crossbars_of(program, chip) for core, program in programs.items()}
    _refuse_number(taken, chip)
    _refuse_memory(programs, chip)


def crossbars_of(program: Program, chip: Arch) -> int:
    """Crossbars that a program takes: floating-point weights have as many bits as the chip's own numbers."""
    return crossbars_with(program.groups, lambda weight: chip.arrays(chip.own_slices(weight)))


def chips_needed(crossbars: Mapping[int, int], chip: Arch) -> int:
    """How many chips hold cores that take so many crossbars: as many as their cores, or their crossbars, need."""
    by_crossbars = ceil(sum(crossbars.values()) / (chip.cores * chip.core.crossbars)) if chip.core.crossbars else 1
    return max(by_crossbars, ceil(len(crossbars) / chip.cores), 1)


def _refuse_number(taken: Mapping[int, int], chip: Arch) -> None:
    """Too many crossbars in a core, or too many cores."""
    needed, have = chips_needed(taken, chip), chip.core.crossbars
    largest = max(taken, key=lambda core: (taken[core], -core), default=0)
    total = sum(taken.values())
    what = (
        f"{counted(len(taken), 'core')} and {counted(total, 'crossbar')} in all, of which it has {chip.all_cores} and"
        f" {chip.all_cores * have}"
    )
    many = f"it would take {counted(needed, 'such chip')}" if needed > 1 else "one such chip is large enough"
    again = f"compile with {option('arch', chip.origin or chip.name)}" + (
        f" {option('chips', needed)}" if needed > chip.system.chips else ""
    )
    if taken and taken[largest] > have:
        raise ArchError(
            f"{chip.title} has {counted(have, 'crossbar')} in a core, but core {largest} of the programs takes"
            f" {taken[largest]} with its {chip.crossbar.cell_bits or 'ideal'}-bit cells: the programs take {what};"
            f" {many}: {again}"
        )
    highest = max(taken, default=0)
    if highest >= chip.all_cores:
        raise ArchError(
            f"{chip.title} has {counted(chip.all_cores, 'core')}, but the programs use core {highest}: they take"
            f" {what}; {many}: {again}"
        )


def _refuse_memory(programs: Mapping[int, Program], chip: Arch) -> None:
    size = chip.core.local_memory
    for core, program in programs.items():
        used = memory_high_water(program)
        if used > size:
            raise ArchError(
                f"{chip.title} has {size} bytes of local memory in a core, but core {core} of the programs uses {used}:"
                f" compile with {option('arch', chip.origin or chip.name)}"
            )
