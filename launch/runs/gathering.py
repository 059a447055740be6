"""Gathers what the verdict on an analog run is made of, while its samples come and when it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from launch.analog.counting import KEY, Counting
from launch.analog.described import chip_of
from launch.analog.energy import data_energy
from launch.analog.errors import KeptErrors, TensorError
from launch.analog.interval import Proportion
from launch.analog.layers import groups_of
from launch.analog.verdict import AnalogVerdict
from launch.analog.wear import written_cells
from launch.golden.differences import classes
from launch.golden.verdict import can_be_classes
from launch.runs.comparison import right_answers

if TYPE_CHECKING:
    from launch.runs.expecting import ExpectedValues
    from launch.runs.preparing import PreparedJob
    from launch.runs.result import RunResult


class Trials:
    """Gathers what the verdict on a run is made of: `counting` observes it, and `add` is called for each sample."""

    def __init__(self, prepared: PreparedJob, expected: ExpectedValues) -> None:
        self._prepared = prepared
        self._golden = expected.outputs.tensors if expected.outputs else {}
        kept = expected.kept.tensors if expected.kept else {}
        nodes = {origin.tensor: origin.node for origin in prepared.image.manifest.tensors}
        self._kept = KeptErrors(kept, prepared.samples, prepared.job.trials, nodes)
        self.counting = Counting(everything=prepared.job.recorded)

    def add(self, number: int, tensors: Mapping[str, np.ndarray]) -> None:
        """Sample `number` of all trials has made these kept tensors."""
        self._kept.add(number, tensors)

    def verdict(self, result: RunResult) -> AnalogVerdict:
        """The verdict on the run that has ended."""
        prepared, job = self._prepared, self._prepared.job
        labels = prepared.labels
        shape = job.trials, prepared.samples
        outputs = {name: array.reshape(*shape, *array.shape[1:]) for name, array in result.outputs.items()}
        arch, counts = chip_of(job.options.analog), result.observed.get(KEY, {})
        ran, groups = result.samples - result.resumed, groups_of(prepared.image, counts)
        return AnalogVerdict(
            arch,
            tuple(map(str, job.analog)),
            *shape,
            ran,
            None if labels is None else proportion(right_answers(result, labels, job.trials)),
            agreement(outputs, self._golden),
            output_errors(outputs, self._golden),
            tuple(self._kept.tensors.values()),
            groups,
            job.tolerance is not None,
            data_energy(prepared.image, arch, counts, ran) if ran else (),
            written_cells(prepared.image, arch, groups, ran) if ran else None,
        )


def agreement(outputs: Mapping[str, np.ndarray], golden: Mapping[str, np.ndarray]) -> Proportion | None:
    """How often the largest element of the first output is that of the golden values; None if it is no classes.

    `outputs` are (trials, samples) + shape, `golden` (samples,) + shape, by name.
    """
    name = next(iter(outputs), "")
    if name not in golden or not can_be_classes(golden[name].shape[1:]) or not golden[name].size:
        return None
    flat = outputs[name].reshape(-1, *outputs[name].shape[2:])
    return proportion(classes(flat).reshape(outputs[name].shape[:2]) == classes(golden[name]))


def output_errors(outputs: Mapping[str, np.ndarray], golden: Mapping[str, np.ndarray]) -> list[TensorError]:
    """Errors of outputs (trials, samples) + shape, of those of which there are golden values (samples,) + shape."""
    found: list[TensorError] = []
    for name, array in outputs.items():
        if name in golden:
            error = TensorError(name, len(array))
            for trial, of_trial in enumerate(array):
                error.add(trial, of_trial, golden[name])
            found.append(error)
    return found


def proportion(right: np.ndarray) -> Proportion:
    """The proportion of bool [trials, samples]."""
    return Proportion(tuple(int(count) for count in right.sum(axis=1)), right.shape[1])
