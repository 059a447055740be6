"""The states that a chip keeps between steps: inputs that are outputs of the previous step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.errors import InputError, option
from emu.image.manifest import Manifest, TensorSpec
from emu.wording import nearest


class States:
    """The present values of all states, by input, in logical shape; zeros at first."""

    def __init__(self, manifest: Manifest) -> None:
        specs = {spec.name: spec for spec in manifest.inputs}
        self.specs = {state.input: specs[state.input] for state in manifest.states}
        self._outputs = {state.input: state.output for state in manifest.states}
        self._values: dict[str, np.ndarray] = {}
        self.reset()

    def reset(self, initial: Mapping[str, np.ndarray] | None = None) -> None:
        """Make every state zeros, or its value in `initial`; raises InputError for an invalid value."""
        given = {name: self._checked(name, array) for name, array in (initial or {}).items()}
        zeros = {name: np.zeros(spec.shape, spec.dtype.numpy) for name, spec in self.specs.items() if name not in given}
        self._values = zeros | given

    def with_inputs(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """All inputs of the next step: those that are given, and the states."""
        if not self.specs:
            raise InputError(f"the network has no states: compile it with {option('states')}, or run samples")
        if not isinstance(inputs, Mapping):
            raise InputError(f"inputs are a dictionary of name and array, not {type(inputs).__name__}")
        for name in inputs:
            if name in self.specs:
                raise InputError(f"input {name!r} is a state, which the chip keeps: leave it out, or set it by a reset")
        return {**inputs, **self._values}

    def take(self, outputs: Mapping[str, np.ndarray]) -> None:
        """Keep the outputs of a step as the states of the next."""
        self._values = {name: outputs[output] for name, output in self._outputs.items()}

    def _checked(self, name: str, array: np.ndarray) -> np.ndarray:
        spec: TensorSpec | None = self.specs.get(name)
        if spec is None:
            known = ", ".join(map(repr, self.specs)) or "none"
            raise InputError(f"{name!r} is no state: the states are {known}{nearest(name, self.specs)}")
        value = np.array(array)  # a copy: the caller may write into its own array
        if (value.shape, value.dtype) != (tuple(spec.shape), spec.dtype.numpy):
            raise InputError(
                f"state {name!r} is {spec.dtype.numpy.name}{list(spec.shape)}, and its first value"
                f" {value.dtype}{list(value.shape)}"
            )
        return value
