"""The result of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from launch.chaos.series import digest_of
from launch.samples.binding import kept_key, output_key

if TYPE_CHECKING:
    from launch.machines.host_cores import HostCores


@dataclass(frozen=True, slots=True)
class RunResult:
    """Outputs and kept tensors (samples,) + shape, of the first repetition; times in seconds.

    `samples` and outputs are of all trials, one after the other; kept tensors are of the first.
    """

    outputs: dict[str, np.ndarray]
    kept: dict[str, np.ndarray]
    samples: int
    repeat: int
    repeats_equal: bool  # every repetition gave the same bits
    cores: int
    cores_with_program: int
    start_seconds: float
    run_seconds: float
    resumed: int = 0  # samples that an earlier run had finished
    observed: Mapping[str, Any] = field(default_factory=dict)  # the observations of the run, by name
    stepped_loops: Mapping[int, int] = field(default_factory=dict)  # per core, where any, for lack of a plan
    on_hosts: HostCores | None = None  # which cores stood on which of several hosts

    def digest(self) -> str:
        """One digest of all outputs and kept tensors."""
        kept = {kept_key(name): array for name, array in self.kept.items()}
        outputs = {output_key(name): array for name, array in self.outputs.items()}
        return digest_of({**kept, **outputs, "repetitions": np.array([self.repeats_equal])})
