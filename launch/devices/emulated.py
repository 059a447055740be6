"""The crossbars of an emulated core: those that programs multiply by, so a product is what `mvmul` says."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from emu.arch import Arch
from emu.core.crossbars.bank import BankCrossbar
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.origin import Origin, Position
from emu.core.products.threads import one_blas_thread
from emu.program.group import GroupSpec


class EmulatedCore:
    """Array groups of one core, by number; they hold what was written to them since they were acquired."""

    def __init__(self, arch: Arch, core: int) -> None:
        self._arch, self._core, self._groups = arch, core, dict[int, BankCrossbar]()
        self._origin = Origin(Position(core), 0)
        self._open = ExitStack()
        self._open.enter_context(one_blas_thread())

    def acquire(self, group: int, spec: GroupSpec) -> None:
        """A group that holds nothing."""
        made = BankCrossbar(spec, lambda: make_crossbar(spec, self._arch))
        made.program(np.empty((0, 0)), self._core, group)
        self._groups[group] = made

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        """Write rows of weights."""
        self._groups[group].write(row, values, self._origin)

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        """The product [m, cols]; raises Fault before every row is written."""
        crossbar = self._groups[group]
        spec = crossbar.spec
        made = np.empty((len(vectors), spec.cols), spec.output.numpy) if start is None else start.copy()
        with np.errstate(all="ignore"):  # as in programs
            crossbar.multiply(made, vectors, start is not None, False, self._origin)
        return made

    def release(self, group: int) -> None:
        """Forget the group."""
        del self._groups[group]

    def close(self) -> None:
        """Let this process use all threads again."""
        self._open.close()
