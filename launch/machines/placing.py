"""Which cores of a run stand on which machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from emu.program.program import Program

# Given the programs, idle cores and how many machines there are, the launcher's first: the cores of each machine.
Placing = Callable[[Mapping[int, Program], Sequence[int], int], Sequence[Sequence[int]]]


def in_blocks(programs: Mapping[int, Program], idle: Sequence[int], machines: int) -> list[list[int]]:
    """Equal blocks of neighbours on all machines but the launcher's, which has the memory node alone."""
    return [[], *blocks([*programs, *idle], machines - 1)]


def blocks(cores: Sequence[int], count: int) -> list[list[int]]:
    """`cores` in their order, as `count` blocks; sizes differ by one at most, larger ones first."""
    size, more = divmod(len(cores), count)
    begins = [k * size + min(k, more) for k in range(count)]
    return [list(cores[begin : begin + size + (k < more)]) for k, begin in enumerate(begins)]
