"""The verdict on an analog run, which is of statistics: right answers, errors of tensors, what clips and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from emu.arch import Arch
from emu.errors import option
from launch.analog.energy import LayerEnergy
from launch.analog.errors import TensorError
from launch.analog.interval import Proportion
from launch.analog.layers import GroupCounts, LayerCounts, layers_of
from launch.analog.wear import WrittenCells

TABLES = ("mapping", "device", "faults", "wires", "draws")  # of a chip, that are physics


@dataclass(frozen=True, slots=True)
class AnalogVerdict:
    """Statistics of `trials` trials of `samples` samples on the chip `arch`.

    `accuracy` is of labels, `agreement` of the largest element with that of the golden values; None where there are
    none. `outputs` and `kept` are errors of tensors of which there are golden values. `bound`: outputs that differ
    count, by a tolerance that somebody gave.
    """

    arch: Arch
    files: Sequence[str]
    trials: int
    samples: int
    ran: int  # samples in this run, of which counts are: an earlier one may have finished others
    accuracy: Proportion | None
    agreement: Proportion | None
    outputs: Sequence[TensorError]
    kept: Sequence[TensorError]
    groups: Sequence[GroupCounts]
    bound: bool = False
    energy: Sequence[LayerEnergy] = ()
    written: WrittenCells | None = None  # by programs

    @property
    def layers(self) -> list[LayerCounts]:
        """The counts by layer."""
        return layers_of(self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        described, draws = self.arch.to_dict(), self.arch.draws
        return {
            "files": list(self.files),
            "chip": {name: described[name] for name in TABLES if name in described},
            "seed": draws.seed or 0,
            "first": draws.first or 0,
            "trials": self.trials,
            "samples": self.samples,
            "counted": self.ran,
            "accuracy": self.accuracy.to_dict() if self.accuracy else None,
            "agreement": self.agreement.to_dict() if self.agreement else None,
            "outputs": [tensor.to_dict() for tensor in self.outputs],
            "kept": [tensor.to_dict() for tensor in self.kept],
            "layers": [layer.to_dict() for layer in self.layers],
            "groups": [group.to_dict() for group in self.groups],
            "energy": [layer.to_dict() for layer in self.energy],
            "wear": self.written.to_dict() if self.written else None,
            "bound": self.bound,
        }

    @property
    def remark(self) -> str:
        """What outputs that differ from golden ones mean; empty if they fail the run."""
        if self.bound:
            return ""
        bounds = f"{option('min_accuracy')} bounds right answers, {option('tolerance')} differences"
        return f"an analog run is not expected to equal its golden values: {bounds}"

    def lines(self) -> list[str]:
        """The statistics of answers and outputs as sentences."""
        accuracy = [self.accuracy.line("accuracy")] if self.accuracy else []
        agreement = [self.agreement.line("largest element as golden")] if self.agreement else []
        written = [self.written.line()] if self.written else []
        return [self._what(), *accuracy, *agreement, *(tensor.line() for tensor in self.outputs), *written]

    def _what(self) -> str:
        draws = self.arch.draws
        trials = f"{self.trials} trial{'' if self.trials == 1 else 's'}"
        samples = f"{self.samples} sample{'' if self.samples == 1 else 's'}"
        first = f", from trial {draws.first} on" if draws.first else ""
        return f"analog ({', '.join(self.files)}): {trials} of {samples}, seed {draws.seed or 0}{first}"
