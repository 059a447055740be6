"""How far tensors are from their golden values, over trials: signal-to-noise ratio, relative error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, log10, sqrt
from typing import Any

import numpy as np

from emu.wording import visible


@dataclass(slots=True)
class TensorError:
    """Sums over the elements of a tensor, per trial: squares of golden values, and of differences from them.

    Elements of which either is NaN or infinite are counted as `odd`, and are in no sum.
    """

    name: str
    trials: int
    node: str = ""
    signal: np.ndarray = field(init=False)  # float64 [trials]
    noise: np.ndarray = field(init=False)
    odd: int = 0
    elements: int = 0
    largest: float = 0.0  # difference

    def __post_init__(self) -> None:
        self.signal, self.noise = np.zeros(self.trials), np.zeros(self.trials)

    def add(self, trial: int, got: np.ndarray, want: np.ndarray) -> None:
        """Count tensors of one shape that a trial has made; raises ValueError for others."""
        if got.shape != want.shape:
            raise ValueError(f"{self.name}: {got.shape} beside {want.shape}")
        a, b = np.asarray(got, np.float64).reshape(-1), np.asarray(want, np.float64).reshape(-1)
        sound = np.isfinite(a) & np.isfinite(b)
        self.elements += a.size
        self.odd += a.size - int(np.count_nonzero(sound))
        a, b = a[sound], b[sound]
        difference = a - b
        self.signal[trial] += float(b @ b)
        self.noise[trial] += float(difference @ difference)
        self.largest = max(self.largest, float(np.abs(difference).max(initial=0.0)))

    @property
    def snr_db(self) -> float:
        """Golden squares over squares of differences, of all trials, in dB; inf where nothing differs."""
        return snr(float(self.signal.sum()), float(self.noise.sum()))

    @property
    def relative(self) -> float:
        """The root of the mean square of differences over that of golden values."""
        signal, noise = float(self.signal.sum()), float(self.noise.sum())
        return sqrt(noise / signal) if signal else (inf if noise else 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        by_trial = [snr(*pair) for pair in zip(self.signal.tolist(), self.noise.tolist(), strict=True)]
        return {
            "name": self.name,
            "node": self.node,
            "elements": self.elements,
            "odd": self.odd,
            "snr_db": plain(self.snr_db),
            "relative": plain(self.relative),
            "max_abs": self.largest,
            "snr_db_by_trial": [plain(each) for each in by_trial],
        }

    def line(self) -> str:
        """As a sentence."""
        odd = f", {self.odd} of {self.elements} elements NaN or infinite" if self.odd else ""
        return f"{visible(self.name)}: SNR {decibels(self.snr_db)}, relative error {self.relative:.2g}{odd}"


def snr(signal: float, noise: float) -> float:
    """The ratio of two sums of squares in dB."""
    if not noise:
        return inf
    return 10 * log10(signal / noise) if signal else -inf


def decibels(value: float) -> str:
    """A ratio as text."""
    return f"{value:.1f} dB" if abs(value) != inf else ("infinite" if value > 0 else "-infinite")


def plain(value: float) -> float | str:
    """JSON has no infinities: they become text."""
    return value if np.isfinite(value) else str(value)


class KeptErrors:
    """Errors of kept tensors, as their samples come: those of all trials together may not fit into memory."""

    def __init__(
        self, golden: Mapping[str, np.ndarray], samples: int, trials: int, nodes: Mapping[str, str] | None = None
    ) -> None:
        """`golden` are values (samples,) + shape by name, `nodes` the ONNX nodes that make tensors."""
        self._golden, self._samples = golden, samples
        self.tensors = {name: TensorError(name, trials, (nodes or {}).get(name, "")) for name in golden}

    def add(self, number: int, tensors: Mapping[str, np.ndarray]) -> None:
        """Count the tensors of sample `number` of all trials."""
        trial, sample = divmod(number, self._samples)
        for name, array in tensors.items():
            if name in self.tensors:
                self.tensors[name].add(trial, array, self._golden[name][sample])
