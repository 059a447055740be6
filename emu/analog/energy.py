"""The energy of reading cells, of the voltages that were applied and the conductances that they met."""

from __future__ import annotations

import numpy as np

from emu.analog.cells.model import G_MAX_US, READ_V
from emu.analog.counts import PLACE
from emu.arch import Arch

_PJ = 1e-3  # V^2 x uS x ns


def reading_pj(arch: Arch, counts: np.ndarray) -> np.ndarray | None:
    """pJ of reading cells by counts [..., COUNTS]: sum of V^2 G over cells and pulses, times how long a read takes.

    None where the chip does not say how long (`timing.crossbar.read_ns`). Cells are ohmic, as far as energy goes; a
    chip that names neither `device.g_max_us` nor `device.read_v` has the usual ones.
    """
    if arch.timing is None or arch.timing.crossbar.read_ns is None:
        return None
    volt, most = arch.device.read_v or READ_V, arch.device.g_max_us or G_MAX_US
    return counts[..., PLACE["charge"]] * (volt**2 * most * arch.timing.crossbar.read_ns * _PJ)
