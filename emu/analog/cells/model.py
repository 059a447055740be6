"""A model of cells: what programming, time and a reading do to conductances. Conductances are shares of the highest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.arch.analog import G_MAX_US, Device
from emu.draws import normal

PROGRAMMING, READ_NOISE, DRIFT = ROLES = ("programming", "read_noise", "drift")  # keys of [device], methods of a model
SIGMAS = {PROGRAMMING: "programming_sigma", READ_NOISE: "read_sigma"}  # the key that scales what a model says
READ_V = 0.2  # of a chip that says nothing
Spread = np.ndarray | float  # standard deviations, as shares of the highest conductance: of each cell, or of all


@dataclass(frozen=True, slots=True)
class Conditions:
    """What models depend on beside conductances: the chip's table [device], with what is usual."""

    device: Device

    @property
    def g_max_us(self) -> float:
        """The highest conductance in uS."""
        return self.device.g_max_us or G_MAX_US

    @property
    def g0(self) -> float:
        """The lowest conductance."""
        return (self.device.g_min_us or 0.0) / self.g_max_us

    @property
    def read_v(self) -> float:
        """The whole voltage in V."""
        return self.device.read_v or READ_V

    @property
    def time_s(self) -> float:
        """Seconds from programming to reading."""
        return self.device.time_s or 0.0

    def sigma(self, role: str) -> float:
        """The factor on the standard deviations that a model says."""
        given = getattr(self.device, SIGMAS[role])
        return 1.0 if given is None else given


class CellModel:
    """Base of all models, also of users: a subclass has the methods of its roles, and is made without arguments.

    `meaning` and `source` are for readers, `keys` are those of [device] that it depends on. With `needs_sigma` a model
    says proportions alone. `stuck_off` and `stuck_on` are shares of cells, where [faults] says nothing.
    """

    meaning: str = ""
    source: str = ""
    keys: tuple[str, ...] = ()
    needs_sigma: bool = False
    stuck_off: float = 0.0
    stuck_on: float = 0.0

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of errors of programming `target` [...]."""
        raise NotImplementedError

    def errors(self, draw: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Errors of programming, float64 [shape], in standard deviations."""
        return normal(draw, shape)

    def read_noise(self, aged: np.ndarray, programmed: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of one reading of cells `aged` [...] that were once `programmed` [...]."""
        raise NotImplementedError

    def drift(
        self, target: np.ndarray, programmed: np.ndarray, at: Conditions, draw: np.random.Generator
    ) -> np.ndarray:
        """Conductances [...] at the time of reading."""
        raise NotImplementedError

    def refusal(self, role: str, at: Conditions) -> str:
        """What is wrong with a chip for this role, as a sentence that begins with its key; empty if nothing is."""
        return ""

    def still(self, at: Conditions) -> bool:
        """Whether drift leaves all as it is."""
        return not at.time_s


class Widening(CellModel):
    """A model that knows how conductances are spread at several times, errors of programming among them.

    After programming by the same model, time adds the difference of variances; after programming without errors, all.
    """

    def spread(self, g: np.ndarray, at: Conditions, time_s: float) -> np.ndarray:
        """Standard deviations of cells around `g` [...] at a time."""
        raise NotImplementedError

    def moved(self, target: np.ndarray, at: Conditions) -> np.ndarray:
        """What becomes of the mean of cells at the time of reading."""
        return target

    def programming(self, target: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of errors of programming."""
        return self.spread(target, at, 0.0)

    def drift(
        self, target: np.ndarray, programmed: np.ndarray, at: Conditions, draw: np.random.Generator
    ) -> np.ndarray:
        """Conductances at the time of reading."""
        moved = self.moved(target, at)
        variance = self.spread(moved, at, at.time_s) ** 2
        if at.device.programming == at.device.drift:
            variance = np.maximum(variance - self.spread(target, at, 0.0) ** 2, 0.0)
        spread = np.sqrt(variance) * at.sigma(PROGRAMMING)
        return moved + (programmed - target) + spread * normal(draw, target.shape)

    def refusal(self, role: str, at: Conditions) -> str:
        """Errors of another model would count twice."""
        other = at.device.programming
        if role == DRIFT and other not in (None, "none", at.device.drift):
            return f'device.programming is "{other}", but "{at.device.drift}" has its own errors: leave it out'
        return ""

    def still(self, at: Conditions) -> bool:
        """Without errors of programming, they come with time, also when none has passed."""
        return False


def has_role(model: CellModel, role: str) -> bool:
    """Whether a model has the method of a role."""
    return getattr(type(model), role, None) not in (None, getattr(CellModel, role))


def polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    """Of rising powers of x [...]; by Horner, as multiplications and additions are the same on every processor."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total
