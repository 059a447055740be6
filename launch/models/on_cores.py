"""Runs the programs of a compiled model: on cores that this process drives in turn, or on a process per core."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from emu.core.products.threads import one_blas_thread
from emu.errors import InputError, option
from emu.image.reader import open_image
from launch.chips.chip import Chip
from launch.processes.options import RunOptions


class _OnCores:
    """A chip that is powered on until `close`; after an error it is powered on anew by the next call."""

    name = ""

    def __init__(self, folder: Path, *, device: Any = None) -> None:
        if device is not None:
            raise InputError(f"{option('runner')} {self.name} runs programs: leave {option('device')} out")
        self._folder, self._stack = folder, ExitStack()
        self._chip: Chip | None = None

    def run(self, inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """The outputs for one sample, logical shapes; raises EmuErrors."""
        try:
            if self._chip is None:
                self._chip = self._stack.enter_context(self._powered(self._folder))
            return self._chip.run(inputs)
        except InputError:  # nothing has run
            raise
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Power the chip off."""
        self._chip = None
        self._stack.close()

    def _powered(self, folder: Path) -> AbstractContextManager[Chip]:
        raise NotImplementedError


class Sequential(_OnCores):
    """Runs a model on cores in this process."""

    name = "sequential"

    def run(self, inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """The outputs for one sample; the BLAS limit of a powered-on chip holds during calls only."""
        with one_blas_thread():
            return super().run(inputs)

    def close(self) -> None:
        """Power it off, which gives BLAS back what it had then: the limit."""
        with one_blas_thread():
            super().close()

    def _powered(self, folder: Path) -> AbstractContextManager[Chip]:
        from launch.chips.segmented import power_on_segments
        from launch.chips.sequential import power_on_sequential

        options = RunOptions(sequential=True, timeout=None)
        return (power_on_segments if open_image(folder).manifest.segments else power_on_sequential)(folder, options)


class Processes(_OnCores):
    """Runs a model on a process for every core."""

    name = "processes"

    def _powered(self, folder: Path) -> AbstractContextManager[Chip]:
        from launch.chips.power import power_on
        from launch.chips.segmented import power_on_segments

        return (power_on_segments if open_image(folder).manifest.segments else power_on)(folder)
