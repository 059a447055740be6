"""Samples of one core without a network: whatever it asks for is there at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emu.arch import Arch
from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.program.program import Program


def one_sample(program: Program, weights: Sequence[np.ndarray] = (), engine: str = "batch") -> Callable[[], None]:
    """A function that runs `main` once, on a core that is warm; requests change nothing."""
    core = Core(program, Arch(), weights, engine)

    def run() -> None:
        core.begin("main", 0)
        while (step := core.advance()) is not Progress.HALTED:
            if not isinstance(step, Progress):
                core.position()
                core.complete(step)

    core.begin("init", 0)
    while core.advance() is not Progress.HALTED:
        pass
    for _ in range(2):  # the first checks what it reads, the second is prepared
        run()
    return run
