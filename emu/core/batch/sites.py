"""What the engine has prepared at places of a program, by the counters and registers that addresses depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.core.batch.nest import Counters
from emu.core.batch.plan import NestPlan
from emu.core.batch.units import PlacedNest
from emu.core.kernels.spec import Call

Key = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(slots=True)
class NestSite:
    """A loop of the program, or a piece of it, and its plans by outer counters and registers."""

    unit: PlacedNest
    plans: dict[Key, NestPlan | None] = field(default_factory=dict)
    failures: int = 0


@dataclass(slots=True)
class Single:
    """An instruction with its operands; `epoch`: the sample that last checked its reads."""

    call: Call
    views: Sequence[np.ndarray]
    epoch: int


@dataclass(slots=True)
class SingleSite:
    """An instruction outside of plans, prepared per counters and registers."""

    counters: Counters
    registers: tuple[int, ...]
    ready: dict[Key, Single] = field(default_factory=dict)
