"""Phase-change memory: errors of programming, drift as a power of time, and 1/f noise of readings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emu.analog.cells.model import CellModel, Conditions, Spread, polynomial
from emu.draws import normal

_SMALLEST = 1e-7  # a conductance of which a logarithm is taken
Curve = Callable[[np.ndarray], np.ndarray]  # of the share of the highest conductance


@dataclass(frozen=True)
class PhaseChange(CellModel):
    """A cell of which the polynomial is in uS of `reference`: the chip's highest conductance stands for that one.

    A conductance falls as (1 + t / t0)^-nu, nu = |mean + deviation x normal| of its target; noise is a share of the
    conductance, by that after programming, times sqrt(ln((t + t0 + t_read) / (2 t_read))).
    """

    reference: float  # uS
    coefficients: tuple[float, ...]  # of rising powers
    t0: float  # s
    t_read: float
    exponent: tuple[Curve, Curve]  # its mean and its standard deviation
    noise: Curve
    meaning: str
    source: str
    keys: tuple[str, ...] = ("time_s",)

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of errors of programming."""
        return np.maximum(polynomial(self.coefficients, target), 0.0) / self.reference

    def drift(
        self, target: np.ndarray, programmed: np.ndarray, at: Conditions, draw: np.random.Generator
    ) -> np.ndarray:
        """Conductances at the time of reading."""
        share = np.maximum(target, _SMALLEST)
        mean, deviation = self.exponent
        exponents = np.abs(mean(share) + deviation(share) * normal(draw, target.shape))
        return programmed * (1 + at.time_s / self.t0) ** -exponents

    def read_noise(self, aged: np.ndarray, programmed: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of one reading."""
        passed = (at.time_s + self.t0 + self.t_read) / (2 * self.t_read)
        return aged * self.noise(np.maximum(programmed, _SMALLEST)) * np.sqrt(np.log(passed))


def _logarithmic(slope: float, offset: float, low: float, high: float) -> Curve:
    return lambda g: np.clip(slope * np.log(g) + offset, low, high)


def _joined(below: float, curve: Curve, *coefficients: float) -> Curve:
    """A curve below a conductance, and a polynomial from there."""
    return lambda g: np.where(g < below, curve(g), polynomial(coefficients, g))


_LE_GALLO = "Le Gallo et al., Nature Electronics 6, 2023"
_HERMES_MEAN = _joined(0.0945, _logarithmic(-0.0387, -0.0182, 0.072, 0.13), 0.0736, -0.0126, -0.0436)
PHASE_CHANGE: dict[str, CellModel] = {
    "aihwkit-pcm": PhaseChange(
        25.0,
        (0.26348, 1.9650, -1.1731),
        20.0,
        250e-9,
        (_logarithmic(-0.0155, 0.0244, 0.049, 0.1), _logarithmic(-0.0125, -0.0059, 0.008, 0.045)),
        lambda g: np.minimum(0.0088 / np.maximum(g**0.65, 1e-3), 0.2),
        "phase-change memory: errors of programming as of 25 uS, drift from 20 s on, 1/f noise",
        "aihwkit 1.1 (PCMLikeNoiseModel), of Nandakumar et al., ICECS 2019",
    ),
    "hermes": PhaseChange(
        20.7,
        (0.16603222, 4.71806468, -8.48101252, 4.68961419),
        300.0,
        512e-9,
        (_HERMES_MEAN, _joined(0.3055, _logarithmic(-0.0117, -0.0057, 0.0091, 0.04), 0.0073, 0.0093, -0.0118)),
        _joined(0.16, _logarithmic(-0.0117, -0.0069, 0.015, 0.04), 0.0123, 0.0211, -0.0280, 0.0069),
        "phase-change memory of the HERMES chip, two devices for a cell: errors as of 20.7 uS, drift from 300 s on,"
        " 1/f noise",
        f"aihwkit 1.1 (HermesNoiseModel, num_devices 2), of {_LE_GALLO}",
    ),
    "hermes-single": PhaseChange(
        10.35,
        (0.15781817, 2.32443916, -2.16310839, 0.68841818),
        200.0,
        512e-9,
        (_HERMES_MEAN, _joined(0.3039, _logarithmic(-0.0120, -0.0023, 0.0124, 0.04), 0.0104, 0.0116, -0.0165)),
        _joined(0.1591, _logarithmic(-0.0078, 0.0038, 0.0179, 0.04), 0.0088, 0.0768, -0.1352, 0.0664),
        "the same with one device for a cell: errors as of 10.35 uS, drift from 200 s on, 1/f noise",
        f"aihwkit 1.1 (HermesNoiseModel, num_devices 1), of {_LE_GALLO}",
    ),
}
