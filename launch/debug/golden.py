"""Golden values of the sample that is under way: the image's own, or those that an evaluator of the model gives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.errors import InputError, option
from launch.golden.golden_process import GoldenError
from launch.golden.intermediate import tensors_of
from launch.golden.sources import evaluator_of
from launch.golden.values import Golden, caches_of, compute_golden
from launch.runs.expecting import choose_golden
from launch.runs.preparing import PreparedJob


class GoldenValues:
    """Looked up when they are asked for: an evaluation takes a process, and may take long."""

    def __init__(self, prepared: PreparedJob) -> None:
        self._prepared = prepared
        self._known: dict[str, np.ndarray] = {}

    def of(self, name: str, sample: int) -> np.ndarray:
        """The golden tensor `name` of a sample, in its logical shape; raises InputError where there is none."""
        if sample < 0:
            raise InputError(f"golden tensor {name!r} is that of a sample, and none is under way")
        if name not in self._known:
            try:
                self._known.update(self._look_up(name))
            except GoldenError as error:
                raise InputError(str(error)) from None  # of the command that asks, not of the session
        return np.array(self._known[name][sample])

    def _look_up(self, name: str) -> Mapping[str, np.ndarray]:
        if name in self._prepared.inputs:
            return {name: self._prepared.inputs[name]}
        if any(spec.name == name for spec in self._prepared.image.manifest.outputs):
            golden, why = choose_golden(self._prepared)
            if golden is None:
                raise InputError(f"there is no golden tensor {name!r}: {why}")
            return golden.tensors
        return self._computed(name).tensors

    def _computed(self, name: str) -> Golden:
        job, manifest, steps = self._prepared.job, self._prepared.image.manifest, self._prepared.steps
        model = job.model
        if model is None:
            raise InputError(f"the image has no golden tensor {name!r}: give {option('model')} to compute it")
        if name not in tensors_of(model):
            raise InputError(f"{model} has no tensor {name!r}: the compiler has made it")
        source = evaluator_of(job.golden, manifest)
        return compute_golden(model, source, self._prepared.inputs, [name], steps, caches_of(manifest))
