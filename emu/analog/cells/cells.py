"""The cells of a chip: conductances after programming, at the time of reading, and the noise of a reading."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from emu.analog.cells.model import PROGRAMMING, READ_NOISE, ROLES, SIGMAS, CellModel, Conditions
from emu.analog.cells.table import CELLS, model_of
from emu.arch import Arch
from emu.arch.analog import Faults
from emu.errors import ArchError, shown


class Cells:
    """What becomes of cells by the chip's tables [device] and [faults]; conductances are shares of the highest.

    Which cells are stuck is drawn once for an array (`stuck`), errors whenever it is programmed (`programmed`), drift
    whenever time has passed (`aged`): a generator each, by the place of what is drawn. Whoever reads draws the noise.
    """

    def __init__(self, at: Conditions, faults: Faults, models: dict[str, CellModel]) -> None:
        """Of a model per role that the chip names."""
        self.g0 = at.g0
        self._at = at
        self._programming, self._noise, self._drift = (models.get(role, CELLS["none"]) for role in ROLES)
        self._off = self._programming.stuck_off if faults.stuck_off is None else faults.stuck_off
        self._on = self._programming.stuck_on if faults.stuck_on is None else faults.stuck_on
        self._lowest, self._highest = (at.g0, 1.0) if at.device.clip else (0.0, None)
        self._pulses = at.device.verify_pulses or 1
        self._tolerance = at.device.verify_tolerance or 0.0

    @cached_property
    def exact(self) -> bool:
        """Whether conductances are what they should be, whatever is drawn."""
        some = np.linspace(self.g0, 1.0, 17)  # a model without errors has none anywhere
        faultless = not (self._off or self._on) and self._drift.still(self._at)
        return faultless and self._deviations(some) is None and self.noise(some, some) is None

    def stuck(self, shape: tuple[int, ...], draw: np.random.Generator) -> np.ndarray | None:
        """Conductances of stuck cells, float64 [shape], NaN where a cell works; None if all of the chip's cells do."""
        if not (self._off or self._on):
            return None
        chance = draw.random(shape)
        return np.where(chance < self._off, self.g0, np.where(chance >= 1 - self._on, 1.0, np.nan))

    def programmed(
        self, target: np.ndarray, draw: np.random.Generator, stuck: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Conductances after programming cells to `target`, float64 [...], and the pulses that each took, int64 [...].

        A cell that is further from its target than `verify_tolerance` is programmed anew, which is an error of its own,
        up to `verify_pulses` pulses. All cells draw each time, so that none depends on how many pulses others take.
        """
        made = self._with(stuck, self._written(target, draw))
        pulses = np.ones(target.shape, np.int64)
        for _ in range(self._pulses - 1):
            wrong = np.abs(made - target) > self._tolerance
            if not wrong.any():
                break
            pulses += wrong
            np.copyto(made, self._with(stuck, self._written(target, draw)), where=wrong)
        return made, pulses

    def aged(
        self, target: np.ndarray, programmed: np.ndarray, draw: np.random.Generator, stuck: np.ndarray | None
    ) -> np.ndarray:
        """Conductances at `device.time_s` of cells that are `programmed`, for `target`: float64 [...]."""
        if self._drift.still(self._at):
            return programmed
        return self._with(stuck, self._limited(self._drift.drift(target, programmed, self._at, draw)))

    def noise(self, aged: np.ndarray, programmed: np.ndarray) -> float | np.ndarray | None:
        """The standard deviation of one reading of cells: of each, float64 [...], or of all; None without noise.

        It is normal, whatever the model says: a current is the sum of many cells.
        """
        return _some(self._noise.read_noise(aged, programmed, self._at), self._at.sigma(READ_NOISE))

    def _written(self, target: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """Conductances after one pulse each, [...], as an array of its own."""
        deviations = self._deviations(target)
        if deviations is None:
            return target.astype(np.float64)
        return self._limited(target + deviations * self._programming.errors(draw, target.shape))

    def _deviations(self, target: np.ndarray) -> float | np.ndarray | None:
        """The standard deviation of errors of programming, or None without any."""
        return _some(self._programming.programming(target, self._at), self._at.sigma(PROGRAMMING))

    def _limited(self, g: np.ndarray) -> np.ndarray:
        return np.clip(g, self._lowest, self._highest)

    @staticmethod
    def _with(stuck: np.ndarray | None, g: np.ndarray) -> np.ndarray:
        return g if stuck is None else np.where(np.isnan(stuck), g, stuck)


def _some(spread: np.ndarray | float, sigma: float) -> float | np.ndarray | None:
    """Standard deviations times sigma, or None if all are 0."""
    scaled = spread * sigma
    return scaled if np.any(scaled) else None


def cells_of(arch: Arch) -> Cells:
    """The cells of a chip; raises ArchError, naming the file and the key, for a model or a parameter that cannot be."""
    device, at = arch.device, Conditions(arch.device)
    named = {role: name for role in ROLES if (name := getattr(device, role)) is not None}
    try:
        models = {role: model_of(name, role) for role, name in named.items()}
    except ArchError as error:
        raise ArchError(f"{arch.title}: {error}") from None
    for wrong in _refusals(at, named, models):
        raise ArchError(f"{arch.title}: {wrong}")
    return Cells(at, arch.faults, models)


def _refusals(at: Conditions, named: dict[str, str], models: dict[str, CellModel]) -> Iterator[str]:
    """What is wrong with a chip, as sentences that name the key."""
    device = at.device
    for role, sigma in SIGMAS.items():
        given = getattr(device, sigma) is not None
        if given and role not in models:
            yield f"device.{sigma} is of no model: name one in device.{role}"
        if role in models and models[role].needs_sigma and not given:
            yield f"device.{role} {shown(named[role])} says proportions alone: give device.{sigma}, too"
    if (device.verify_pulses or 1) > 1 and device.verify_tolerance is None:
        yield "device.verify_pulses needs device.verify_tolerance, the error that is good enough"
    for role, model in models.items():
        if wrong := model.refusal(role, at):
            yield f"{wrong} (model of cells {shown(named[role])} in device.{role})"
