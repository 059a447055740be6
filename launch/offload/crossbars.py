"""The crossbars of a device, as the interpreter of host programs calls them."""

from __future__ import annotations

from typing import Any

import numpy as np

from launch.devices.crossbar import Crossbar, Future
from launch.devices.device import Device


class DeviceCrossbars:
    """Calls a device that is powered on."""

    def __init__(self, chip: Device) -> None:
        self._chip = chip

    def acquire(
        self, rows: int, cols: int, held: np.dtype[Any], made: np.dtype[Any], given: np.dtype[Any] | None = None
    ) -> Crossbar:
        """Crossbars on some core."""
        return self._chip.acquire(rows, cols, held, inputs=given, outputs=made)

    def write(self, crossbar: Crossbar, matrix: np.ndarray) -> None:
        """Write the whole matrix."""
        crossbar.write(matrix)

    def gemm(self, crossbar: Crossbar, vectors: np.ndarray) -> Future:
        """Start a product."""
        return crossbar.gemm(vectors)

    def wait(self, future: Future) -> np.ndarray:
        """The value of a future."""
        return future.result()

    def release(self, crossbar: Crossbar) -> None:
        """Release the crossbar."""
        crossbar.release()
