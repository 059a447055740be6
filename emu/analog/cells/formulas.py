"""Models that are formulas with one parameter, and faults: no cell was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from emu.analog.cells.model import CellModel, Conditions, Spread

_CROSSSIM = "CrossSim 3.2, simulator/devices/generic_device.py"
_WIDTH = sqrt(12)  # of a uniform distribution, in its standard deviations


class Ideal(CellModel):
    """Nothing happens: the row for sweeps over models."""

    meaning = "cells are as they should be, and stay so"
    source = "none"

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """No errors."""
        return 0.0

    def read_noise(self, aged: np.ndarray, programmed: np.ndarray, at: Conditions) -> Spread:
        """No noise."""
        return 0.0

    def drift(
        self, target: np.ndarray, programmed: np.ndarray, at: Conditions, draw: np.random.Generator
    ) -> np.ndarray:
        """Conductances stay."""
        return programmed

    def still(self, at: Conditions) -> bool:
        """Always."""
        return True


@dataclass(frozen=True)
class Formula(CellModel):
    """Standard deviations by one formula, of programming and of readings, times the chip's sigma."""

    of: Callable[[np.ndarray, Conditions], Spread]
    meaning: str
    source: str = _CROSSSIM
    uniform: bool = False
    needs_sigma: bool = True

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of errors of programming."""
        return self.of(target, at) / (_WIDTH if self.uniform else 1.0)

    def errors(self, draw: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Errors of programming, in standard deviations."""
        return (draw.random(shape) - 0.5) * _WIDTH if self.uniform else super().errors(draw, shape)

    def read_noise(self, aged: np.ndarray, programmed: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of one reading."""
        return self.programming(aged, at)


class StuckAtFaults(CellModel):
    """Cells that stay at either end, beside cells without errors."""

    meaning = "0.1 % of cells stay at the lowest and 0.1 % at the highest conductance, unless `[faults]` gives shares"
    source = "MNSIM 2.0, SimConfig.ini (Device_SAF) and MNSIM/Accuracy_Model/Weight_update.py"
    stuck_off = stuck_on = 0.001

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """No errors of the others."""
        return 0.0


def _constant(g: np.ndarray, at: Conditions) -> Spread:
    return 1.0


def _proportional(g: np.ndarray, at: Conditions) -> Spread:
    return g


def _inverse(g: np.ndarray, at: Conditions) -> Spread:
    return np.divide(1.0, g, out=np.zeros_like(g), where=g > 0)


FORMULAS: dict[str, CellModel] = {
    "none": Ideal(),
    "gaussian": Formula(
        lambda g, at: 1.0 - at.g0,
        "normal; the standard deviation is sigma times the range from the lowest to the highest conductance",
        "additive noise of weights, as in Rasch et al., Nature Communications 14:5282, 2023",
    ),
    "crosssim-normal": Formula(_constant, "normal; sigma times the highest conductance"),
    "crosssim-normal-proportional": Formula(_proportional, "normal; sigma times the conductance of the cell"),
    "crosssim-normal-inverse": Formula(
        _inverse, "normal; sigma times the square of the highest conductance over that of the cell; 0 at 0"
    ),
    "crosssim-uniform": Formula(
        _constant, "uniform; its whole width is sigma times the highest conductance", uniform=True
    ),
    "crosssim-uniform-proportional": Formula(
        _proportional, "uniform; its whole width is sigma times the conductance of the cell", uniform=True
    ),
    "crosssim-uniform-inverse": Formula(
        _inverse,
        "uniform; its whole width is sigma times the square of the highest conductance over that of the cell; 0 at 0",
        uniform=True,
    ),
    "aihwkit-pcm-read": Formula(
        lambda g, at: np.sqrt(g),
        "normal; sigma times the square root of the conductance of the cell and the highest one",
        "aihwkit 1.1 (w_noise of the type PCMRead), of Rasch et al., Nature Communications 14:5282, 2023",
    ),
    "mnsim-saf": StuckAtFaults(),
}
