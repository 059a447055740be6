"""What an engine did, for tests, reports and tuning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Statistics:
    """Counts since power-on; `unplanned` are loop entries that had to be stepped for lack of a proof.

    `stepped_loops` are the loops of the program that were entered so, each counted once; loops that hold requests can
    only be stepped, and do not count. `tell` is called with the number whenever it grows: never in a planned run.
    """

    stepped: int = 0  # instructions executed one at a time, requests included
    units: int = 0  # loop nests executed as array operations
    kernels: int = 0  # array operations in them
    plans: int = 0  # plans built
    expanded: int = 0  # regions expanded by them
    sequential: int = 0  # loops iterated inside of them
    unplanned: int = 0
    stepped_loops: int = 0
    tell: Callable[[int], None] | None = None

    def counts(self) -> tuple[int, int, int, int]:
        """What grows from sample to sample."""
        return self.stepped, self.units, self.kernels, self.unplanned

    def add(self, counts: Sequence[int]) -> None:
        """Grow by as much as `counts` did."""
        stepped, units, kernels, unplanned = counts
        self.stepped += stepped
        self.units += units
        self.kernels += kernels
        self.unplanned += unplanned

    def one_more_loop(self) -> None:
        """A loop has been stepped that never was before."""
        self.stepped_loops += 1
        if self.tell is not None:
            self.tell(self.stepped_loops)
