"""What a back end was found to do: outcomes of cases, and how far its cells deviate from what was written to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

PASSED, FAILED, REFUSED, SKIPPED = "passed", "failed", "refused", "skipped"


@dataclass(frozen=True, slots=True)
class ContractCase:
    """One point of the contract: `why` it has another outcome than passed, and the largest deviation of its results.

    A deviation is a share of what the result could have been at most; None where results are held to be exact.
    """

    name: str
    rule: str
    outcome: str
    why: str = ""
    worst: float | None = None

    def __str__(self) -> str:
        detail = f": {self.why}" if self.why else "" if self.worst is None else f" (within {self.worst:.2%})"
        return f"{self.outcome:8}{self.name}: {self.rule}{detail}"


@dataclass(frozen=True, eq=False)
class CellSweep:
    """The cells of one physical crossbar, each written alone and read alone, at several levels; shares of full scale.

    `deviation` [rows, cols]: of what was read from what was written, at the level where that is largest. `disturbance`
    [rows, cols]: the largest reading while the cell held 0 and others did not. `stuck`: whether a cell reads alike
    whatever is written.
    """

    core: int
    place: int
    deviation: np.ndarray
    disturbance: np.ndarray
    stuck: np.ndarray

    @property
    def held(self) -> np.ndarray:
        """Magnitudes of deviations [rows, cols], 0 where a cell is stuck."""
        return np.where(self.stuck, 0.0, np.abs(self.deviation))

    @property
    def worst_cell(self) -> tuple[int, int]:
        """Row and column of the cell that deviates most, of those that are not stuck."""
        row, col = np.unravel_index(int(self.held.argmax()), self.held.shape)
        return int(row), int(col)

    @property
    def worst(self) -> float:
        """The largest deviation or disturbance of a cell that is not stuck."""
        return float(max(self.held.max(), np.where(self.stuck, 0.0, self.disturbance).max()))

    @property
    def rows(self) -> np.ndarray:
        """The mean magnitude per row, without cells that are stuck."""
        return self.held.sum(axis=1) / np.maximum(1, (~self.stuck).sum(axis=1))

    @property
    def mean(self) -> float:
        """The mean magnitude of all cells that are not stuck."""
        return float(self.held.sum() / max(1, (~self.stuck).sum()))

    def __str__(self) -> str:
        row, col = self.worst_cell
        worst = int(self.rows.argmax())
        stuck = [f"[{r}, {c}]" for r, c in np.argwhere(self.stuck)[:4].tolist()]
        count = int(self.stuck.sum())
        more = f", {count} stuck: {', '.join(stuck)}{', ...' if count > len(stuck) else ''}" if count else ""
        return (
            f"core {self.core}, crossbar {self.place}: mean {self.mean:.2%}, worst cell [{row}, {col}]"
            f" {self.deviation[row, col]:+.2%}, worst row {worst} with a mean of {self.rows[worst]:.2%}{more}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "core": self.core,
            "crossbar": self.place,
            "mean": self.mean,
            "worst": self.worst,
            "worst_cell": list(self.worst_cell),
            "rows": self.rows.tolist(),
            "stuck": np.argwhere(self.stuck).tolist(),
            "deviation": self.deviation.tolist(),
            "disturbance": self.disturbance.tolist(),
        }


@dataclass(frozen=True, eq=False)
class ContractReport:
    """All cases; `tolerance` is None if results are held to be exact. Sweeps are those of a board that deviates."""

    backend: str
    arch: str
    cores: int
    seed: int
    tolerance: float | None
    cases: tuple[ContractCase, ...]
    sweeps: tuple[CellSweep, ...] = ()

    @property
    def failed(self) -> list[ContractCase]:
        """Cases in which the contract is broken."""
        return [case for case in self.cases if case.outcome == FAILED]

    @property
    def passed(self) -> bool:
        """Whether it is kept."""
        return not self.failed

    @property
    def lines(self) -> list[str]:
        """The report as text."""
        held = "exact" if self.tolerance is None else f"within {self.tolerance:.2%} of full scale"
        head = f"{self.backend} on {self.cores} cores of {self.arch}, seed {self.seed}: results are to be {held}"
        return [head, *map(str, self.cases), *map(str, self.sweeps)]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "backend": self.backend,
            "arch": self.arch,
            "cores": self.cores,
            "seed": self.seed,
            "tolerance": self.tolerance,
            "passed": self.passed,
            "cases": [
                {"name": case.name, "outcome": case.outcome, "why": case.why, "worst": case.worst}
                for case in self.cases
            ],
            "sweeps": [sweep.to_dict() for sweep in self.sweeps],
        }
