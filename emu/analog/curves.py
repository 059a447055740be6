"""Cells that are not ohmic: their currents as sums of conductances times powers of the voltage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from emu.analog.cells.model import Conditions
from emu.analog.wires import has_wires
from emu.arch import Arch
from emu.errors import ArchError

_MILO_RANGE = (50.0, 225.0)  # uS
_MILO_VOLTS = 0.5


@dataclass(frozen=True, slots=True)
class Curve:
    """I = sum of `terms` x V^power, of shares: conductances [rows, cols] of the highest, voltages of the whole one.

    `terms` gives the factors of the powers above 1, each [rows, cols]; `refusal` what is wrong with a chip, or nothing.
    """

    powers: tuple[int, ...]
    terms: Callable[[np.ndarray, Conditions], tuple[np.ndarray, ...]]
    refusal: Callable[[Conditions], str] = lambda at: ""


def _cubic(g: np.ndarray, at: Conditions) -> tuple[np.ndarray, ...]:
    """I = G (V - V^3 / 4): CrossSim 3.2, `CubicDevice`, no cell that was measured."""
    return (g * (-(at.read_v**2) / 4),)


def _milo(g: np.ndarray, at: Conditions) -> tuple[np.ndarray, ...]:
    """Measured ReRAM (V. Milo et al., IRPS 2021, Fig. 1), fitted as CrossSim 3.2 does (`RRAMMilo`)."""
    log = np.log10(np.maximum(g * at.g_max_us * 1e-6, 1e-16))  # of siemens
    square = ((0.0001388 * log + 0.001541) * log + 0.005711) * log + 0.007063  # in A / V^2
    cube = (8.8710e-05 * log + 6.7919e-04) * log + 1.2968e-03  # in A / V^3
    unit = at.g_max_us * 1e-6
    return square * (at.read_v / unit), cube * (at.read_v**2 / unit)


def _not_milo(at: Conditions) -> str:
    low, high = _MILO_RANGE
    if at.g0 * at.g_max_us < low * 0.9999 or at.g_max_us > high * 1.0001:
        return f'device.iv is "milo", measured from {low:g} to {high:g} uS: set device.g_min_us and g_max_us within'
    if at.read_v > _MILO_VOLTS:
        return f'device.iv is "milo", measured up to {_MILO_VOLTS} V: device.read_v is {at.read_v:g}'
    return ""


CURVES: Mapping[str, Curve] = {  # by the values of device.iv
    "cubic": Curve((3,), _cubic),
    "milo": Curve((2, 3), _milo, _not_milo),
}


def curve_of(arch: Arch) -> Curve | None:
    """The curve of a chip's cells, None if they are ohmic; raises ArchError for a chip that was not measured, or wires.

    What resistances of wires make of currents is computed for ohmic cells alone.
    """
    curve = CURVES.get(arch.device.iv or "ohmic")
    if curve and has_wires(arch.wires):
        raise ArchError(f'device.iv is "{arch.device.iv}", beside resistances in [wires], which take ohmic cells')
    if curve and (wrong := curve.refusal(Conditions(arch.device))):
        raise ArchError(wrong)
    return curve
