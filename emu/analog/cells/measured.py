"""Models of measured cells that are polynomials of the conductance."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from emu.analog.cells.model import DRIFT, CellModel, Conditions, Spread, Widening, polynomial
from emu.arch.analog import DAY

_TOLERANCE = 1.001  # of bounds in uS: 1 / (25,641 ohm) is 39 uS
_WAN = "Wan et al., Nature 608, 2022, Extended Data Fig. 3"
_JOSHI = "Joshi et al., Nature Communications 11:2473, 2020, Fig. 3b"
_MILO = "Milo et al., IRPS 2021, Fig. 4, algorithm IGVVA-100"


@dataclass(frozen=True)
class InMicrosiemens(CellModel):
    """Errors of programming in uS over the conductance in uS: the chip's `g_max_us` says where on the curve it is."""

    coefficients: tuple[float, ...]  # of rising powers
    low: float  # uS
    high: float
    meaning: str
    source: str
    keys: tuple[str, ...] = ("g_min_us", "g_max_us")

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of errors of programming."""
        return np.maximum(polynomial(self.coefficients, target * at.g_max_us), 0.0) / at.g_max_us

    def refusal(self, role: str, at: Conditions) -> str:
        """A chip outside of what was measured."""
        if at.g_max_us > self.high * _TOLERANCE:
            return f"device.g_max_us is {at.g_max_us:g}, but was measured up to {self.high:g} uS"
        if at.g0 * at.g_max_us < self.low / _TOLERANCE:
            return f"device.g_min_us is {at.g0 * at.g_max_us:g}, but was measured from {self.low:g} uS"
        return ""


@dataclass(frozen=True)
class Piece:
    """A polynomial up to a conductance, as a share of the highest."""

    upto: float
    coefficients: tuple[float, ...]  # of rising powers


@dataclass(frozen=True)
class InUnits(CellModel):
    """Errors of programming where the highest conductance counts as so many units, whatever the chip's is in uS."""

    units: float
    pieces: tuple[Piece, ...]  # in units
    meaning: str
    source: str

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of errors of programming."""
        g = target * self.units
        found = np.zeros_like(g)
        low = -inf
        for piece in self.pieces:
            found = np.where(g > low, polynomial(piece.coefficients, g), found)
            low = piece.upto
        return found / self.units


@dataclass(frozen=True)
class AtTimes(Widening):
    """Polynomials of the share of the highest conductance, in uS of `reference`, for some times."""

    reference: float
    times: tuple[tuple[float, tuple[float, ...]], ...]  # seconds and coefficients of rising powers
    meaning: str
    source: str
    keys: tuple[str, ...] = ("time_s",)

    def spread(self, g: np.ndarray, at: Conditions, time_s: float) -> np.ndarray:
        """Standard deviations at a time of the table, or the first one for what is earlier."""
        first = self.times[0][1]
        return polynomial(dict(self.times).get(time_s, first), g) / self.reference

    def refusal(self, role: str, at: Conditions) -> str:
        """A time that was not measured, or errors of another model."""
        times = [time for time, _ in self.times]
        if role == DRIFT and at.time_s not in times:
            known = ", ".join(f"{time:g}" for time in times)
            return f"device.time_s is {at.time_s:g}, but was measured at {known} s"
        return super().refusal(role, at)


MEASURED: dict[str, CellModel] = {
    "crosssim-rram-wan": InMicrosiemens(
        (1.053, 0.2374, -1.167e-2, 1.536e-4),
        0.0,
        39.26,
        "ReRAM, 1 s after programming; a cubic in uS at the chip's conductances, of at most 39.26 uS",
        f"CrossSim 3.2 (RRAMWan), of {_WAN}",
    ),
    "crosssim-rram-milo": InMicrosiemens(
        (4.782321, -0.009107),
        50.0,
        225.0,
        "ReRAM of many levels; linear in uS at the chip's conductances, of 50 to 225 uS",
        f"CrossSim 3.2 (RRAMMilo), of {_MILO}",
    ),
    "crosssim-pcm-joshi": InMicrosiemens(
        (0.28638599, 0.07585724, -0.00178767),
        0.0,
        25.0,
        "phase-change memory, 27 s after programming; quadratic in uS at the chip's conductances, of at most 25 uS",
        f"CrossSim 3.2 (PCMJoshi), of {_JOSHI}",
    ),
    "aihwkit-reram-wan": AtTimes(
        40.0,
        (
            (1.0, (0.348, 16.030, -43.853, 45.393, -16.815)),
            (DAY, (0.701, 22.086, -50.773, 47.095, -16.458)),
            (2 * DAY, (0.782, 20.274, -43.507, 37.062, -11.934)),
        ),
        "ReRAM, 1 s, 1 day (86,400 s) and 2 days (172,800 s) after programming; polynomials of the share of the highest"
        " conductance, which stands for 40 uS",
        f"aihwkit 1.1 (ReRamWan2022NoiseModel), of {_WAN}",
    ),
    "analog-foundation": InUnits(
        180.0,
        (
            Piece(0.6, (0.0,)),
            Piece(52.5, (2.5797410660, 0.2241968595, -3.7158120814e-3, 2.9397513811e-5)),
            Piece(inf, (2.1102957202, 0.2453487120, -3.0549934052e-3, 1.2329755395e-5)),
        ),
        "phase-change memory; cubics where the highest conductance counts as 180; cells below 0.6 have no errors",
        "Analog Foundation Models, Buechel et al., 2025, apply_noise_model.py",
    ),
}
