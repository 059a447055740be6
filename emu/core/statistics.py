"""What an engine did, for tests, reports and tuning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Statistics:
    """Counts since power-on; `unplanned` are loop entries that had to be stepped for lack of a proof."""

    stepped: int = 0  # instructions executed one at a time, requests included
    units: int = 0  # loop nests executed as array operations
    kernels: int = 0  # array operations in them
    plans: int = 0  # plans built
    expanded: int = 0  # regions expanded by them
    sequential: int = 0  # loops iterated inside of them
    unplanned: int = 0
