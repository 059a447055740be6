"""What states are at the first step of a run: zeros, or what --initial gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from emu.errors import InputError
from emu.image.manifest import TensorSpec
from emu.image.npz import Archive
from launch.samples.input_values import named_inputs
from launch.samples.inputs import check_inputs, describe

FLAG = "--initial"


def initial_states(given: Sequence[Path | tuple[str, str]], specs: Mapping[str, TensorSpec]) -> dict[str, np.ndarray]:
    """The first value of every state of `specs`, in logical shape: of the options' files and texts, zeros of others.

    Raises InputError for what is no value of a state, and for a state that is given twice.
    """
    files = [entry for entry in given if isinstance(entry, Path)]
    if files and len(given) > 1:
        raise InputError(f"{FLAG} takes one FILE.npz with states, or NAME=... for each that does not begin with zeros")
    found = _of_file(files[0], specs) if files else _named([e for e in given if not isinstance(e, Path)], specs)
    for name, array in found.items():
        if len(array) != 1:
            raise InputError(f"{FLAG} has {len(array)} values for state {name!r}: it begins with one")
    zeros = {name: np.zeros(spec.shape, spec.dtype.numpy) for name, spec in specs.items()}
    return zeros | {name: np.array(array[0]) for name, array in found.items()}


def _of_file(path: Path, specs: Mapping[str, TensorSpec]) -> dict[str, np.ndarray]:
    with Archive(path) as arrays:
        known = [spec for name, spec in specs.items() if name in arrays]
        if not known:
            names = ", ".join(map(repr, arrays)) or "nothing"
            states = ", ".join(map(describe, specs.values()))
            raise InputError(f"{path} has no state: it holds {names}, the states are {states}")
        return check_inputs(arrays, known, str(path))


def _named(values: Sequence[tuple[str, str]], specs: Mapping[str, TensorSpec]) -> dict[str, np.ndarray]:
    if not values:
        return {}
    named = {name for name, _ in values}
    return named_inputs(values, [spec for name, spec in specs.items() if name in named or not named & set(specs)], FLAG)
